/* Collecting what instances reported and counted; see collect.h. */
#include "sched/collect.h"

#include <string.h>

#include "base/hash-seed.h"
#include "base/num.h"
#include "base/pairs.h"
#include "model/engine.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/left-out.h"

typedef struct Collect {
  const Run *run;
  Results *out;
  bool show_label, show_input;
  char **tag_names;
} Collect;

/* --------------------------------------------------------- lead columns */

/* Rank, label and tags name a lane unless some have no rank, or share all of them. */
static void choose_lead_columns(Collect *c)
{
  const GPtrArray *lanes = c->run->lanes;
  g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < lanes->len; i++) {
    LaneInfo *lane = ((const Lane *)lanes->pdata[i])->info;
    if (lane->side) continue;
    if (*lane->label) c->show_label = true;
    if (!g_hash_table_add(keys, lane_info_key(lane)) || lane->rank < 0) c->show_input = true;
  }
  c->tag_names = lanes_tag_names(lanes);
}

static void add_lane_columns(const Collect *c, Sheet *s)
{
  sheet_add_lead(s, "rank", MILL_INT, 0, "Rank of the input");
  if (c->show_input) sheet_add_lead(s, "input", MILL_TEXT, 0, "Name of the input");
  if (c->show_label) sheet_add_lead(s, "label", MILL_TEXT, 0, "Label of the input");
  for (char **name = c->tag_names; *name; name++)
    sheet_add_lead(s, *name, MILL_TEXT, 0, "Tag of the input");
}

static MillValue text_value(const char *text)
{
  return text ? mill_text(text, strlen(text)) : mill_none();
}

/* Names of files may hold any bytes, and documents only text: every sink is given the same. */
static MillValue valid_value(const Collect *c, const char *text)
{
  if (!text || g_utf8_validate(text, -1, NULL)) return text_value(text);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  return text_value(results_text(c->out, valid, strlen(valid)));
}

static void fill_lane(const Collect *c, const LaneInfo *lane, MillValue *cells)
{
  *cells++ = lane->rank >= 0 ? mill_int(lane->rank) : mill_none();
  if (c->show_input) *cells++ = valid_value(c, lane_info_input(lane));
  if (c->show_label) *cells++ = valid_value(c, lane->label);
  for (char **name = c->tag_names; *name; name++)
    *cells++ = valid_value(c, tags_get(lane->tags, *name));
}

static void add_group_columns(const Fold *f, Sheet *s)
{
  for (guint i = 0; i < f->by->len; i++)
    sheet_add_lead(s, f->by->pdata[i], MILL_TEXT, MILL_COLUMN_BRIEF,
                   "Tag by which rows are grouped");
}

static MillValue group_cell(const char *value) { return text_value(*value ? value : NULL); }

static void fill_group(const Collect *c, const FoldGroup *g, MillValue *cells)
{
  for (char **value = g->values; *value; value++)
    *cells++ = valid_value(c, **value ? *value : NULL);
}

static char *group_text(const Fold *f, const FoldGroup *g)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < f->by->len; i++) {
    g_autofree char *valid = g_utf8_make_valid(g->values[i], -1);
    pairs_add(text, f->by->pdata[i], valid);
  }
  return g_string_free(text, FALSE);
}

/* ------------------------------------------------------------------ tables */

/* Of a lane, or of a group.  The merged stream is in no group. */
static void add_rows(const Collect *c, Sheet *s, const Reported *from, uint32_t table,
                     const LaneInfo *lane, const FoldGroup *group)
{
  if (!from) return;
  const RowSet *set = &from->tables[table];
  const MillValue *before = NULL; /* rows of one lane or group have one lead */
  for (uint64_t i = 0; i < row_set_len(set); i++) {
    MillValue *cells = sheet_add_row(s, &g_array_index(set->cells, MillValue, i * set->n_columns));
    if (before)
      memcpy(cells, before, s->n_lead * sizeof *cells);
    else if (s->table->per == MILL_PER_LANE)
      fill_lane(c, lane, cells);
    else if (group)
      fill_group(c, group, cells);
    before = cells;
  }
}

static uint64_t count_rows(const Reported *from, uint32_t table)
{
  return from ? row_set_len(&from->tables[table]) : 0;
}

static void reserve_rows(const Collect *c, Sheet *s, uint32_t stage, uint32_t table)
{
  const Fold *f = &c->run->folds[stage];
  const Lane *lane;
  uint64_t n = 0;
  for (guint l = 0; (lane = run_lane(c->run, l)); l++)
    n += count_rows(lane_reported(lane, stage), table);
  for (guint g = 0; g < f->groups->len; g++)
    n += count_rows(((const FoldGroup *)f->groups->pdata[g])->instance->reported, table);
  sheet_reserve(s, n);
}

static void collect_table(const Collect *c, uint32_t stage, uint32_t table)
{
  const PlanStage *p = &c->run->plan->stages[stage];
  const Fold *f = &c->run->folds[stage];
  const MillTable *t = &p->stage->tables[table];
  Sheet *s = sheet_new(t, plan_result_name(p, t->name, '-'));
  const Lane *lane;
  if (t->per == MILL_PER_LANE)
    add_lane_columns(c, s);
  else
    add_group_columns(f, s);
  sheet_add_declared(s);
  reserve_rows(c, s, stage, table);
  for (guint l = 0; (lane = run_lane(c->run, l)); l++)
    add_rows(c, s, lane_reported(lane, stage), table, lane->info, NULL);
  for (guint g = 0; g < f->groups->len; g++) {
    const FoldGroup *group = f->groups->pdata[g];
    add_rows(c, s, group->instance->reported, table, NULL, group);
  }
  results_add_sheet(c->out, s);
}

static void collect_figures(const Collect *c, uint32_t stage)
{
  const PlanStage *p = &c->run->plan->stages[stage];
  uint32_t n;
  const MillFigure *figures = plan_figures(p, &n);
  for (uint32_t i = 0; i < n; i++) {
    const MillFigure *f = &figures[i];
    g_autofree char *table = plan_result_name(p, f->table, '-');
    results_add_figure(c->out, f, plan_result_name(p, f->name, '-'), table);
  }
}

/* ----------------------------------------------------------------- metrics */

static void add_metrics(const Collect *c, const PlanStage *p, const Reported *from, uint32_t lane,
                        const char *group)
{
  for (guint i = 0; from && i < from->metrics->len; i++) {
    const MetricValue *value = &g_array_index(from->metrics, MetricValue, i);
    const MillMetric *metric = &p->stage->metrics[value->metric];
    results_add_metric(c->out, metric, plan_result_name(p, metric->name, '_'), value, lane,
                       g_strdup(group));
  }
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
  char **x = (*(FoldGroup *const *)a)->values, **y = (*(FoldGroup *const *)b)->values;
  int order = 0;
  for (; *x && !order; x++, y++) {
    MillValue left = group_cell(*x), right = group_cell(*y);
    order = sheet_compare_keys(&left, &right);
  }
  return order;
}

static void collect_metrics(const Collect *c, uint32_t stage)
{
  const Run *run = c->run;
  const PlanStage *p = &run->plan->stages[stage];
  const Fold *f = &run->folds[stage];
  g_autoptr(GPtrArray) groups = g_ptr_array_new();
  g_ptr_array_extend(groups, f->groups, NULL, NULL);
  g_ptr_array_sort(groups, compare_groups); /* as their rows are in tables */
  for (guint g = 0; g < groups->len; g++) {
    const FoldGroup *group = groups->pdata[g];
    g_autofree char *text = group_text(f, group);
    add_metrics(c, p, group->instance->reported, MILL_NO_LANE, text);
  }
  if (run->merged) add_metrics(c, p, lane_reported(run->merged, stage), MILL_NO_LANE, "");
  for (guint l = 0; l < run->lanes->len; l++)
    add_metrics(c, p, lane_reported(run->lanes->pdata[l], stage), l, "");
}

/* ----------------------------------------------------------------- notices */

static const char *lane_name(const void *run, uint32_t lane)
{
  const GPtrArray *lanes = ((const Run *)run)->lanes;
  return lane < lanes->len ? lane_info_input(((const Lane *)lanes->pdata[lane])->info) : "";
}

static void add_notices(const Collect *c, const Notices *sum)
{
  results_add_notices(c->out, sum, lane_name, c->run);
}

GPtrArray *collect_sources_of(const Run *run)
{
  GPtrArray *sources = g_ptr_array_new();
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < run->expanders->len; i++) {
    const Descriptor *d = ((const Instance *)run->expanders->pdata[i])->descriptor;
    if (g_hash_table_add(seen, (gpointer)d)) g_ptr_array_add(sources, (gpointer)d);
  }
  for (guint i = 0; i < run->inputs->len; i++) {
    const Descriptor *d = ((const Input *)run->inputs->pdata[i])->source;
    if (d && g_hash_table_add(seen, (gpointer)d)) g_ptr_array_add(sources, (gpointer)d);
  }
  return sources;
}

static void collect_sources(const Collect *c)
{
  const Run *run = c->run;
  g_autoptr(GPtrArray) sources = collect_sources_of(run);
  for (guint s = 0; s < sources->len; s++) {
    const Notices *read = sources_notices(run->sources, sources->pdata[s]);
    Notices sum;
    notices_init(&sum, sources->pdata[s]);
    for (guint i = 0; i < run->expanders->len; i++) {
      const Instance *expander = run->expanders->pdata[i];
      if (expander->descriptor == sum.descriptor) notices_merge(&sum, &expander->notices, 0);
    }
    if (read) notices_merge(&sum, read, 0);
    add_notices(c, &sum);
    notices_clear(&sum);
  }
}

static void collect_stage_notices(const Collect *c, uint32_t stage)
{
  const Fold *f = &c->run->folds[stage];
  Notices sum;
  notices_init(&sum, c->run->plan->stages[stage].stage);
  notices_merge(&sum, &c->run->stage_notices[stage], 0);
  for (guint g = 0; g < f->groups->len; g++)
    notices_merge(&sum, &((FoldGroup *)f->groups->pdata[g])->instance->notices, 0);
  add_notices(c, &sum);
  notices_clear(&sum);
}

static void collect_notices(const Collect *c)
{
  const Run *run = c->run;
  add_notices(c, &run->notices);
  collect_sources(c);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) collect_stage_notices(c, s);
  for (guint s = 0; s < run->sinks->list->len; s++) {
    Sink *sink = run->sinks->list->pdata[s];
    if (sink->instance) notices_merge(&sink->lane_notices, &sink->instance->notices, 0);
    add_notices(c, &sink->lane_notices);
    /* What it counts from now on, collect_late_notices has. */
    if (!sink->instance) continue;
    notices_clear(&sink->instance->notices);
    notices_init(&sink->instance->notices, sink->descriptor);
  }
}

static void add_late(void *collect, const Notices *sum) { add_notices(collect, sum); }

void collect_late_notices(Run *run)
{
  Collect c = { .run = run, .out = run->results };
  run->n_early_notices = results_view(run->results)->n_notices;
  sinks_each_late(run->sinks, add_late, &c);
  results_view(run->results);
}

/* -------------------------------------------------------------------- info */

static void set_count(Results *out, const char *key, uint64_t n)
{
  char text[NUM_BUF];
  num_format_uint(text, n);
  results_set_info(out, key, text);
}

static void collect_info(const Collect *c)
{
  const Run *run = c->run;
  g_autofree char *tags = g_strjoinv(",", c->tag_names);
  guint n_lanes = 0;
  for (guint i = 0; i < run->lanes->len; i++)
    n_lanes += !((const Lane *)run->lanes->pdata[i])->info->side;
  results_set_info(c->out, "program", "stagemill");
  results_set_info(c->out, "version", STAGEMILL_VERSION);
  results_set_info(c->out, "profile", run->plan->profile->name);
  results_set_info(c->out, "title", run->plan->profile->description);
  results_set_info(c->out, "tags", tags);
  g_autofree char *left_out = left_out_text(run);
  results_set_info(c->out, "left-out", left_out);
  set_count(c->out, "inputs", run->inputs->len);
  set_count(c->out, "lanes", n_lanes);
  set_count(c->out, "events", run_events(run));
}

Results *collect_results(const Run *run)
{
  Collect c = { .run = run, .out = results_new() };
  choose_lead_columns(&c);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    if (!run->plan->stages[s].used) continue;
    for (uint32_t t = 0; t < run->plan->stages[s].stage->n_tables; t++) collect_table(&c, s, t);
    collect_figures(&c, s);
    collect_metrics(&c, s);
  }
  collect_notices(&c);
  collect_info(&c);
  g_free(c.tag_names);
  return c.out;
}
