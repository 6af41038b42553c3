/* What came out of a run: events, what the stage reported and counted, files, and why it failed. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "harness-internal.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"

/* ----------------------------------------------------------------- reports */

static void add_report(GArray *out, HarnessReport report)
{
  if (report.reported) g_array_append_val(out, report);
}

/* Of a lane that failed, what its instance had until then. */
static void add_lane(GArray *out, const Lane *lane)
{
  const LaneInfo *info = lane->info->merged ? NULL : lane->info;
  const StageOutcome *own = lane->outcome ? &lane->outcome->stages[0] : NULL;
  const Instance *failed = lane->instances ? lane->instances[0] : NULL;
  if (own && own->opened)
    add_report(out, (HarnessReport){ own->reported, &own->notices, info, NULL });
  else if (failed)
    add_report(out, (HarnessReport){ failed->reported, &failed->notices, info, NULL });
}

GArray *harness_reports(const HarnessRun *r)
{
  GArray *out = g_array_new(FALSE, FALSE, sizeof(HarnessReport));
  const Run *run = r->run;
  const Lane *lane;
  if (!run || !run->plan || r->test->descriptor->kind != MILL_KIND_STAGE) return out;
  for (guint i = 0; (lane = run_lane(run, i)); i++) add_lane(out, lane);
  for (guint g = 0; run->totals.folds && g < run->totals.folds[0].groups->len; g++) {
    const FoldGroup *group = run->totals.folds[0].groups->pdata[g];
    const Instance *run_level = group->instance;
    if (run_level)
      add_report(out,
                 (HarnessReport){ run_level->reported, &run_level->notices, NULL, group->values });
  }
  return out;
}

guint harness_n_lanes(const HarnessRun *r)
{
  const Run *run = r->run;
  if (!run) return r->test->lanes->len;
  return run->lanes.merged ? 1 : run->inputs->lanes->len;
}

const GPtrArray *harness_events(const HarnessRun *r, guint lane)
{
  return lane < r->ends.lanes->len ? r->ends.lanes->pdata[lane] : NULL;
}

/* -------------------------------------------------------------------- rows */

static void append_lead(GString *text, const HarnessReport *report)
{
  if (report->lane && report->lane->rank >= 0)
    g_string_append_printf(text, "%" G_GINT64_FORMAT " | ", report->lane->rank);
  else if (report->lane)
    g_string_append(text, "- | ");
  for (char *const *value = report->group; value && *value; value++)
    g_string_append_printf(text, "%s | ", **value ? *value : "-");
}

static char *row_text(const HarnessReport *report, const MillValue *cells, uint32_t n)
{
  GString *text = g_string_new(NULL);
  append_lead(text, report);
  for (uint32_t i = 0; i < n; i++) {
    g_autofree char *cell = harness_value_format(&cells[i]);
    g_string_append_printf(text, "%s%s", i ? " | " : "", cell);
  }
  return g_string_free(text, FALSE);
}

static void add_rows(const HarnessReport *report, uint32_t table, GPtrArray *out)
{
  const RowSet *rows = &report->reported->tables[table];
  for (uint64_t i = 0; i < rows->n_rows; i++)
    g_ptr_array_add(out, row_text(report, row_set_at(rows, i), rows->n_columns));
}

GPtrArray *harness_rows(const HarnessRun *r, uint32_t table)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) reports = harness_reports(r);
  for (guint i = 0; i < reports->len; i++)
    add_rows(&g_array_index(reports, HarnessReport, i), table, out);
  return out;
}

/* ----------------------------------------------------------------- metrics */

static bool is_of_stat(const MetricValue *m, const char *stat)
{
  return g_str_equal(m->stat, stat ? stat : "") ||
         (m->value.type == MILL_NONE && (!*m->stat || !stat));
}

static const MetricValue *find_in(const HarnessReport *report, uint32_t metric, const char *stat)
{
  const GArray *metrics = report->reported->metrics;
  bool of_run = !report->lane || report->lane->index == 0;
  for (guint i = 0; of_run && i < metrics->len; i++) {
    const MetricValue *m = &g_array_index(metrics, MetricValue, i);
    if (m->metric == metric && is_of_stat(m, stat)) return m;
  }
  return NULL;
}

const MetricValue *harness_metric(const HarnessRun *r, uint32_t metric, const char *stat)
{
  g_autoptr(GArray) reports = harness_reports(r);
  const MetricValue *found = NULL;
  for (guint i = 0; i < reports->len && !found; i++)
    found = find_in(&g_array_index(reports, HarnessReport, i), metric, stat);
  return found;
}

/* ----------------------------------------------------------------- notices */

static uint64_t count_of(const Instance *i, uint32_t row)
{
  return i ? i->notices.counts[row].count : 0;
}

static uint64_t count_of_stage(const HarnessRun *r, uint32_t row)
{
  g_autoptr(GArray) reports = harness_reports(r);
  uint64_t n = 0;
  for (guint i = 0; i < reports->len; i++)
    n += g_array_index(reports, HarnessReport, i).notices->counts[row].count;
  return n;
}

static uint64_t count_of_source(const Run *run, uint32_t row)
{
  uint64_t n = 0;
  for (guint i = 0; i < run->inputs->expanders->len; i++)
    n += count_of(run->inputs->expanders->pdata[i], row);
  const Notices *read =
      run->inputs->list->len
          ? sources_notices(run->inputs->env.sources, inputs_reader(run->inputs, 0)->source)
          : NULL;
  return n + (read ? read->counts[row].count : 0);
}

static uint64_t count_of_sink(const Run *run, uint32_t row)
{
  const Sink *sink =
      run->out.sinks && run->out.sinks->list->len ? run->out.sinks->list->pdata[0] : NULL;
  const Lane *lane;
  uint64_t n = 0;
  if (!sink) return 0;
  for (guint i = 0; (lane = run_lane(run, i)); i++) /* those that have not ended */
    n += lane->sinks ? count_of(lane->sinks[0], row) : 0;
  return n + count_of(sink->instance, row) + sink->lane_notices.counts[row].count;
}

/* The failure is reported by a notice, too. */
static bool fails_with(const HarnessRun *r, uint32_t row)
{
  for (const Error *e = r->error; e; e = e->next) {
    const Module *m = modules_get(r->modules, r->test->descriptor->kind, r->test->descriptor->name);
    g_autofree char *code = m ? notice_code(m->stage, row) : NULL;
    if (code && !strcmp(e->code, code)) return true;
  }
  return false;
}

uint64_t harness_notices(const HarnessRun *r, uint32_t row)
{
  uint64_t n = fails_with(r, row);
  if (!r->run) return n;
  switch (r->test->descriptor->kind) {
  case MILL_KIND_STAGE: return n + count_of_stage(r, row);
  case MILL_KIND_SOURCE: return n + count_of_source(r->run, row);
  default: return n + count_of_sink(r->run, row);
  }
}

/* ------------------------------------------------------------------ errors */

char *harness_error_text(const Error *e)
{
  GString *text = g_string_new(NULL);
  error_format(e, false, false, text);
  return g_strchomp(g_string_free(text, FALSE));
}

const Error *harness_broken_rule(const Error *e)
{
  while (e && e->kind != ERROR_BROKEN_RULE) e = e->next;
  return e;
}

/* What the stage said; to users it is the mistake of whoever set the option. */
uint32_t harness_status(const HarnessRun *r)
{
  if (!r->error) return 0;
  return r->error->kind == ERROR_REJECTED_OPTION ? MILL_STAGE_FAILED : (uint32_t)r->error->status;
}

/* ----------------------------------------------------------------- as text */

static void append_rows(GString *out, const HarnessReport *report, uint32_t table, const char *name)
{
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_free);
  add_rows(report, table, rows);
  for (guint i = 0; i < rows->len; i++)
    g_string_append_printf(out, "%s: %s\n", name, (const char *)rows->pdata[i]);
}

void harness_report_text(GString *out, const Descriptor *d, const HarnessReport *report)
{
  const GArray *metrics = report->reported->metrics;
  for (uint32_t t = 0; t < d->n_tables; t++) append_rows(out, report, t, d->tables[t].name);
  for (guint i = 0; i < metrics->len; i++) {
    const MetricValue *m = &g_array_index(metrics, MetricValue, i);
    g_autofree char *value = harness_value_format(&m->value);
    append_lead(out, report);
    g_string_append_printf(out, "%s %s: %s (n %" G_GUINT64_FORMAT ")\n", d->metrics[m->metric].name,
                           m->stat, m->value.type == MILL_NONE ? "not applicable" : value, m->n);
  }
}

static void append_events(GString *out, const HarnessRun *r)
{
  for (guint l = 0; l < r->ends.lanes->len; l++) {
    const GPtrArray *events = r->ends.lanes->pdata[l];
    for (guint i = 0; i < events->len; i++) {
      g_autofree char *line = harness_line_format(events->pdata[i]);
      g_string_append_printf(out, "lane %u: %s\n", l, line);
    }
  }
}

static void append_notices(GString *out, const HarnessRun *r)
{
  const Descriptor *d = r->test->descriptor;
  for (uint32_t i = 0; i < d->n_notices; i++) {
    uint64_t n = harness_notices(r, i);
    if (n)
      g_string_append_printf(out, "notice %u: %" G_GUINT64_FORMAT "\n", d->notices[i].number, n);
  }
}

static void append_files(GString *out, const HarnessRun *r)
{
  for (guint i = 0; r->files && i < r->files->len; i++) {
    const HarnessFile *f = r->files->pdata[i];
    g_string_append_printf(out, "file %s:\n%s\n", f->name, f->text->str);
  }
}

/* After a failure nothing but its text reaches the user. */
char *harness_run_text(const HarnessRun *r)
{
  GString *out = g_string_new(NULL);
  if (r->error) {
    g_string_free(out, TRUE);
    return harness_error_text(r->error);
  }
  append_events(out, r);
  g_autoptr(GArray) reports = harness_reports(r);
  for (guint i = 0; i < reports->len; i++)
    harness_report_text(out, r->test->descriptor, &g_array_index(reports, HarnessReport, i));
  append_notices(out, r);
  append_files(out, r);
  return g_string_free(out, FALSE);
}
