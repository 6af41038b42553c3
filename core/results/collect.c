/* Collecting what instances reported and counted; see collect.h. */
/* SPDX-License-Identifier: MIT */
#include "results/collect.h"

#include <string.h>

#include "base/hash-seed.h"
#include "base/num.h"
#include "base/tag-text.h"
#include "model/lane-names.h"
#include "results/left-out.h"

/* Of tables of lanes. */
typedef struct Lead {
  bool show_label, show_input;
  char **tag_names;
} Lead;

typedef struct Collect {
  const EndedRun *run;
  Lead lead;
} Collect;

/* --------------------------------------------------------- lead columns */

/* Rank, label and tags name a lane. The name of its input is added if a lane has no rank, or if two
 * lanes have the same names. */
static Lead choose_lead_columns(const Inputs *in)
{
  Lead lead = { .tag_names = lane_names_tags(in->lanes) };
  g_autoptr(GHashTable) keys = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < in->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(in, i);
    if (lane->side) continue;
    if (*lane->label) lead.show_label = true;
    if (!g_hash_table_add(keys, lane_info_key(lane)) || lane->rank < 0) lead.show_input = true;
  }
  return lead;
}

uint32_t collect_n_lead(const Inputs *in)
{
  const Lead lead = choose_lead_columns(in);
  uint32_t n = 1 + lead.show_input + lead.show_label + g_strv_length(lead.tag_names);
  g_free(lead.tag_names);
  return n;
}

static void add_lane_columns(const Lead *c, Sheet *s)
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

/* Names of files may hold any bytes, but documents hold only text. So every sink gets the same
 * valid text. */
static MillValue valid_value(const Collect *c, const char *text)
{
  if (!text || g_utf8_validate(text, -1, NULL)) return text_value(text);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  return text_value(results_text(c->run->results, valid, strlen(valid)));
}

static void fill_lane(const Collect *c, const LaneInfo *lane, MillValue *cells)
{
  *cells++ = lane->rank >= 0 ? mill_int(lane->rank) : mill_none();
  if (c->lead.show_input) *cells++ = valid_value(c, lane_info_input(lane));
  if (c->lead.show_label) *cells++ = valid_value(c, lane->label);
  for (char **name = c->lead.tag_names; *name; name++)
    *cells++ = valid_value(c, tags_get(lane->tags, *name));
}

static void add_group_columns(const GPtrArray *by, Sheet *s)
{
  for (guint i = 0; i < by->len; i++)
    sheet_add_lead(s, by->pdata[i], MILL_TEXT, MILL_COLUMN_BRIEF, "Tag by which rows are grouped");
}

static MillValue group_cell(const char *value) { return text_value(*value ? value : NULL); }

static void fill_group(const Collect *c, const EndedGroup *g, MillValue *cells)
{
  for (char *const *value = g->values; *value; value++)
    *cells++ = valid_value(c, **value ? *value : NULL);
}

static char *group_text(const GPtrArray *by, const EndedGroup *g)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < by->len; i++) {
    g_autofree char *valid = g_utf8_make_valid(g->values[i], -1);
    tag_text_add(text, by->pdata[i], valid);
  }
  return g_string_free(text, FALSE);
}

/* ------------------------------------------------------------------ tables */

/* Where there is room for the lead columns. There is none if a lane had more tags when it was read than before. */
static bool rows_stay(const Sheet *s, const RowSet *set) { return set->n_lead >= s->n_lead; }

/* Rows of a lane or of a group. The merged stream is in no group. */
static void add_rows(const Collect *c, Sheet *s, const Reported *from, uint32_t table,
                     const LaneInfo *lane, const EndedGroup *group)
{
  if (!from) return;
  const RowSet *set = &from->tables[table];
  const MillValue *before = NULL; /* rows of one lane or group have one lead */
  const bool stay = rows_stay(s, set);
  for (uint64_t i = 0; i < set->n_rows; i++) {
    MillValue *row = row_set_at(set, i);
    MillValue *cells = stay ? sheet_show_row(s, row) : sheet_add_row(s, row);
    if (before)
      memcpy(cells, before, s->n_lead * sizeof *cells);
    else if (s->table->per == MILL_PER_LANE)
      fill_lane(c, lane, cells);
    else if (group)
      fill_group(c, group, cells);
    before = cells;
  }
}

static uint64_t count_copied(const Sheet *s, const Reported *from, uint32_t table)
{
  return from && !rows_stay(s, &from->tables[table]) ? from->tables[table].n_rows : 0;
}

/* The lanes, then the merged stream. */
static const LaneInfo *lane_at(const EndedRun *run, guint index)
{
  return index < run->inputs->lanes->len ? inputs_lane(run->inputs, index) : run->merged;
}

static const EndedGroup *group_at(const EndedStage *stage, guint index)
{
  return &g_array_index(stage->groups, EndedGroup, index);
}

static void reserve_rows(const Collect *c, Sheet *s, const EndedStage *stage, uint32_t table)
{
  uint64_t n = 0;
  for (guint l = 0; l <= c->run->inputs->lanes->len; l++)
    n += count_copied(s, stage->lanes[l], table);
  for (guint g = 0; g < stage->groups->len; g++)
    n += count_copied(s, group_at(stage, g)->reported, table);
  sheet_reserve(s, n);
}

static void collect_table(const Collect *c, const EndedStage *stage, uint32_t table)
{
  const MillTable *t = &stage->planned->stage->tables[table];
  Sheet *s = sheet_new(t, plan_result_name(stage->planned, t->name, '-'));
  s->file = c->run->rows_file;
  if (t->per == MILL_PER_LANE)
    add_lane_columns(&c->lead, s);
  else
    add_group_columns(stage->by, s);
  sheet_add_declared(s);
  reserve_rows(c, s, stage, table);
  for (guint l = 0; l <= c->run->inputs->lanes->len; l++)
    add_rows(c, s, stage->lanes[l], table, lane_at(c->run, l), NULL);
  for (guint g = 0; g < stage->groups->len; g++) {
    const EndedGroup *group = group_at(stage, g);
    add_rows(c, s, group->reported, table, NULL, group);
  }
  results_add_sheet(c->run->results, s);
}

static void collect_figures(const Collect *c, const PlanStage *p)
{
  uint32_t n;
  const MillFigure *figures = plan_figures(p, &n);
  for (uint32_t i = 0; i < n; i++) {
    const MillFigure *f = &figures[i];
    g_autofree char *table = plan_result_name(p, f->table, '-');
    results_add_figure(c->run->results, f, plan_result_name(p, f->name, '-'), table);
  }
}

/* ----------------------------------------------------------------- metrics */

static void add_metrics(const Collect *c, const PlanStage *p, const Reported *from, uint32_t lane,
                        const char *group)
{
  for (guint i = 0; from && i < from->metrics->len; i++) {
    const MetricValue *value = &g_array_index(from->metrics, MetricValue, i);
    const MillMetric *metric = &p->stage->metrics[value->metric];
    results_add_metric(c->run->results, metric, plan_result_name(p, metric->name, '_'), value, lane,
                       g_strdup(group));
  }
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
  char *const *x = (*(const EndedGroup *const *)a)->values;
  char *const *y = (*(const EndedGroup *const *)b)->values;
  int order = 0;
  for (; *x && !order; x++, y++) {
    MillValue left = group_cell(*x), right = group_cell(*y);
    order = sheet_compare_keys(&left, &right);
  }
  return order;
}

static void collect_metrics(const Collect *c, const EndedStage *stage)
{
  const guint n_lanes = c->run->inputs->lanes->len;
  g_autoptr(GPtrArray) groups = g_ptr_array_new();
  for (guint g = 0; g < stage->groups->len; g++)
    g_ptr_array_add(groups, (gpointer)group_at(stage, g));
  g_ptr_array_sort(groups, compare_groups); /* in the order of the rows of tables */
  for (guint g = 0; g < groups->len; g++) {
    const EndedGroup *group = groups->pdata[g];
    g_autofree char *text = group_text(stage->by, group);
    add_metrics(c, stage->planned, group->reported, MILL_NO_LANE, text);
  }
  add_metrics(c, stage->planned, stage->lanes[n_lanes], MILL_NO_LANE, "");
  for (guint l = 0; l < n_lanes; l++) add_metrics(c, stage->planned, stage->lanes[l], l, "");
}

/* ----------------------------------------------------------------- notices */

static const char *lane_name(const void *inputs, uint32_t lane)
{
  const Inputs *in = inputs;
  return lane < in->lanes->len ? lane_info_input(inputs_lane(in, lane)) : "";
}

void collect_notices_of(const EndedRun *run, const Notices *sum)
{
  results_add_notices(run->results, sum, lane_name, run->inputs);
}

static void collect_sources(const EndedRun *run)
{
  const Inputs *in = run->inputs;
  g_autoptr(GPtrArray) sources = inputs_sources(in);
  for (guint s = 0; s < sources->len; s++) {
    const Notices *read = sources_notices(in->env.sources, sources->pdata[s]);
    Notices sum;
    notices_init(&sum, sources->pdata[s]);
    for (guint i = 0; i < in->expanders->len; i++) {
      const Instance *expander = in->expanders->pdata[i];
      if (expander->descriptor == sum.descriptor) notices_merge(&sum, &expander->notices, 0);
    }
    if (read) notices_merge(&sum, read, 0);
    collect_notices_of(run, &sum);
    notices_clear(&sum);
  }
}

static void collect_stage_notices(const EndedRun *run, const EndedStage *stage)
{
  Notices sum;
  notices_init(&sum, stage->planned->stage);
  notices_merge(&sum, stage->notices, 0);
  for (guint g = 0; g < stage->groups->len; g++)
    notices_merge(&sum, group_at(stage, g)->notices, 0);
  collect_notices_of(run, &sum);
  notices_clear(&sum);
}

static void collect_notices(const EndedRun *run)
{
  collect_notices_of(run, &run->inputs->aside->notices);
  collect_sources(run);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) collect_stage_notices(run, &run->stages[s]);
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
  const EndedRun *run = c->run;
  const Inputs *in = run->inputs;
  g_autofree char *tags = g_strjoinv(",", c->lead.tag_names);
  guint n_lanes = 0;
  for (guint i = 0; i < in->lanes->len; i++) n_lanes += !inputs_lane(in, i)->side;
  results_set_info(run->results, "program", "stagemill");
  results_set_info(run->results, "version", STAGEMILL_VERSION);
  results_set_info(run->results, "profile", run->plan->profile->name);
  results_set_info(run->results, "title", run->plan->profile->description);
  results_set_info(run->results, "tags", tags);
  g_autofree char *left_out = left_out_text(run);
  results_set_info(run->results, "left-out", left_out);
  set_count(run->results, "inputs", in->list->len);
  set_count(run->results, "lanes", n_lanes);
  set_count(run->results, "events", inputs_n_events(in));
}

void collect_results(EndedRun *run)
{
  run->results = results_new();
  Collect c = { .run = run, .lead = choose_lead_columns(run->inputs) };
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const EndedStage *stage = &run->stages[s];
    if (!stage->planned->used) continue;
    for (uint32_t t = 0; t < stage->planned->stage->n_tables; t++) collect_table(&c, stage, t);
    collect_figures(&c, stage->planned);
    collect_metrics(&c, stage);
  }
  collect_notices(run);
  collect_info(&c);
  g_free(c.lead.tag_names);
}
