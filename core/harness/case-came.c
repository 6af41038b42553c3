/* What came out of a run, as items of a case. */
/* SPDX-License-Identifier: MIT */
#include "case-came.h"

#include <string.h>

static void put_line(GString *out, const char *text) { g_string_append_printf(out, "  %s\n", text); }

static void put_events(GString *out, const HarnessRun *r, guint lane)
{
  const GPtrArray *events = harness_events(r, lane);
  case_put_word(out, CASE_EVENTS);
  if (lane) g_string_append_printf(out, " %u", lane);
  g_string_append_c(out, '\n');
  for (guint i = 0; events && i < events->len; i++) {
    g_autofree char *line = harness_line_format(events->pdata[i]);
    put_line(out, line);
  }
}

static void put_valued(GString *out, const char *value)
{
  g_string_append(out, " = ");
  case_put_value(out, value ? value : "-");
  g_string_append_c(out, '\n');
}

static bool put_attr(GString *out, const HarnessRun *r, const CaseItem *item)
{
  const GPtrArray *events = harness_events(r, 0);
  if (!events || item->number >= events->len) return false;
  g_autofree char *value = harness_attr_text(events->pdata[item->number], item->name);
  case_put_word(out, CASE_ATTR);
  g_string_append_printf(out, " %u %s", (guint)item->number, item->name);
  put_valued(out, value);
  return true;
}

static void put_table(GString *out, const HarnessRun *r, uint32_t table)
{
  g_autoptr(GPtrArray) rows = harness_rows(r, table);
  case_put_word(out, CASE_TABLE);
  g_string_append_printf(out, " %s\n", r->test->descriptor->tables[table].name);
  for (guint i = 0; i < rows->len; i++) {
    g_string_append(out, "  ");
    case_put_value(out, rows->pdata[i]);
    g_string_append_c(out, '\n');
  }
}

static void put_metric(GString *out, const HarnessRun *r, const MetricValue *m)
{
  g_autofree char *value = m->value.type == MILL_NONE ? NULL : harness_value_format(&m->value);
  case_put_word(out, CASE_METRIC);
  g_string_append_printf(out, " %s%s%s", r->test->descriptor->metrics[m->metric].name,
                         *m->stat ? "." : "", m->stat);
  put_valued(out, value);
}

static void put_notice(GString *out, const HarnessRun *r, uint32_t row)
{
  g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, harness_notices(r, row));
  case_put_word(out, CASE_NOTICE);
  g_string_append_printf(out, " %u", r->test->descriptor->notices[row].number);
  put_valued(out, count);
}

static void put_status(GString *out, const HarnessRun *r)
{
  case_put_word(out, CASE_STATUS);
  g_string_append_printf(out, " %u\n", harness_status(r));
}

static void put_file(GString *out, const HarnessFile *f)
{
  case_put_word(out, CASE_OUTPUT);
  g_string_append_printf(out, " %s\n", f->name);
  case_put_text(out, f->text->str, f->text->len);
}

static void put_output(GString *out, const HarnessRun *r, const char *name)
{
  for (guint i = 0; r->files && i < r->files->len; i++) {
    const HarnessFile *f = r->files->pdata[i];
    if (strcmp(f->name, name)) continue;
    put_file(out, f);
    return;
  }
  case_put_word(out, CASE_NO_OUTPUT);
  g_string_append_printf(out, " %s\n", name);
}

static bool came_table(GString *out, const HarnessRun *r, const char *name)
{
  const Descriptor *d = r->test->descriptor;
  for (uint32_t i = 0; i < d->n_tables; i++) {
    if (strcmp(d->tables[i].name, name)) continue;
    put_table(out, r, i);
    return true;
  }
  return false;
}

static bool came_metric(GString *out, const HarnessRun *r, const char *name)
{
  const Descriptor *d = r->test->descriptor;
  g_auto(GStrv) parts = g_strsplit(name, ".", 2);
  for (uint32_t i = 0; i < d->n_metrics; i++) {
    const MetricValue *m =
        strcmp(d->metrics[i].name, parts[0]) ? NULL : harness_metric(r, i, parts[1]);
    if (m) put_metric(out, r, m);
    if (m) return true;
  }
  return false;
}

static bool came_notice(GString *out, const HarnessRun *r, int64_t number)
{
  int row = notices_find(r->test->descriptor, (uint32_t)number);
  if (row >= 0) put_notice(out, r, (uint32_t)row);
  return row >= 0;
}

bool came_item(GString *out, const HarnessRun *r, const CaseItem *item)
{
  switch (item->word) {
  case CASE_EVENTS:
    if (item->number >= harness_n_lanes(r)) return false;
    put_events(out, r, (guint)item->number);
    return true;
  case CASE_ATTR: return put_attr(out, r, item);
  case CASE_TABLE: return came_table(out, r, item->name);
  case CASE_METRIC: return came_metric(out, r, item->name);
  case CASE_NOTICE: return came_notice(out, r, item->number);
  case CASE_STATUS: put_status(out, r); return true;
  case CASE_OUTPUT:
  case CASE_NO_OUTPUT: put_output(out, r, item->name); return true;
  default: return false;
  }
}

/* Each statistic of each metric once: of the run, else of the first lane. */
static void put_metrics(GString *out, const HarnessRun *r)
{
  g_autoptr(GArray) reports = harness_reports(r);
  g_autoptr(GPtrArray) done = g_ptr_array_new();
  for (guint i = 0; i < reports->len; i++) {
    const GArray *metrics = g_array_index(reports, HarnessReport, i).reported->metrics;
    for (guint k = 0; k < metrics->len; k++) {
      const MetricValue *m = &g_array_index(metrics, MetricValue, k);
      const MetricValue *found = harness_metric(r, m->metric, *m->stat ? m->stat : NULL);
      if (!found || g_ptr_array_find(done, found, NULL)) continue;
      g_ptr_array_add(done, (gpointer)found);
      put_metric(out, r, found);
    }
  }
}

/* A stage that changes nothing lets events through: that needs no lines. */
static bool shows_events(const HarnessRun *r)
{
  const Descriptor *d = r->test->descriptor;
  return d->kind == MILL_KIND_SOURCE || (d->kind == MILL_KIND_STAGE && !(d->flags & MILL_READ_ONLY));
}

void came_all(GString *out, const HarnessRun *r)
{
  const Descriptor *d = r->test->descriptor;
  if (r->error) put_status(out, r);
  for (guint l = 0; !r->error && shows_events(r) && l < harness_n_lanes(r); l++)
    put_events(out, r, l);
  for (uint32_t i = 0; !r->error && i < d->n_tables; i++) put_table(out, r, i);
  if (!r->error) put_metrics(out, r);
  for (uint32_t i = 0; i < d->n_notices; i++)
    if (harness_notices(r, i)) put_notice(out, r, i);
  for (guint i = 0; !r->error && r->files && i < r->files->len; i++)
    put_file(out, r->files->pdata[i]);
}
