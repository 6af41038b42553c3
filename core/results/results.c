/* Tables, metrics and notices of a finished run; see results.h. */
#include "results/results.h"

#include <string.h>

#include "base/num.h"
#include "input/input.h"
#include "sched/lane.h"
#include "model/tags.h"
#include "sched/told.h"

typedef struct Sheet { /* a table with its leading columns: the lane's, or the tags folded by */
  const MillTable *table;
  char *name;
  GArray *columns; /* MillColumn */
  uint32_t n_lead;
  GPtrArray *rows; /* MillValue * */
} Sheet;

typedef struct Value {
  const MillMetric *metric;
  char *name;
  const MetricValue *value;
  uint32_t lane;
  char *group; /* "tag=value" lines; "" for all lanes */
} Value;

struct Results {
  MillResults pub; /* first */
  Run *run;
  GPtrArray *sheets; /* Sheet * */
  GArray *values;    /* Value */
  GPtrArray *told;   /* Told * */
  GStringChunk *texts;
  bool show_label, show_input;
  char **tag_names;
};

/* --------------------------------------------------------- lane columns */

/* The rank alone names a lane unless some have none, or share one. */
static void look_at_lanes(Results *r)
{
  GPtrArray *lanes = r->run->lanes;
  g_autoptr(GHashTable) ranks = g_hash_table_new(g_int64_hash, g_int64_equal);
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    if (*lane->label) r->show_label = true;
    if (lane->rank < 0 || !g_hash_table_add(ranks, &lane->rank)) r->show_input = true;
  }
  r->tag_names = lanes_tag_names(lanes);
}

static void add_key(Sheet *s, const char *name, uint32_t type, uint32_t flags, const char *help)
{
  MillColumn column = { name, NULL, type, MILL_COLUMN_KEY | flags, help };
  g_array_append_val(s->columns, column);
}

static void lane_columns(const Results *r, Sheet *s)
{
  add_key(s, "rank", MILL_INT, 0, "Rank of the lane");
  if (r->show_input) add_key(s, "input", MILL_TEXT, 0, "Input of the lane");
  if (r->show_label) add_key(s, "label", MILL_TEXT, 0, "Label of the lane");
  for (char **name = r->tag_names; *name; name++)
    add_key(s, *name, MILL_TEXT, 0, "Tag of the lane");
}

static MillValue text_value(const char *text)
{
  return text ? mill_text(text, strlen(text)) : mill_none();
}

static void lane_cells(const Results *r, const Lane *lane, MillValue *cells)
{
  *cells++ = lane->rank >= 0 ? mill_int(lane->rank) : mill_none();
  if (r->show_input) *cells++ = text_value(lane->name);
  if (r->show_label) *cells++ = text_value(lane->label);
  for (char **name = r->tag_names; *name; name++)
    *cells++ = text_value(tags_get(lane->tags, *name));
}

static void group_columns(const Fold *f, Sheet *s)
{
  for (guint i = 0; i < f->by->len; i++)
    add_key(s, f->by->pdata[i], MILL_TEXT, MILL_COLUMN_BRIEF, "Tag that rows are folded by");
}

static MillValue group_cell(const char *value) { return text_value(*value ? value : NULL); }

static void group_cells(const FoldGroup *g, MillValue *cells)
{
  for (char **value = g->values; *value; value++) *cells++ = group_cell(*value);
}

static char *group_text(const Fold *f, const FoldGroup *g)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < f->by->len; i++)
    g_string_append_printf(text, "%s%s=%s", i ? "\n" : "", (const char *)f->by->pdata[i],
                           g->values[i]);
  return g_string_free(text, FALSE);
}

/* ------------------------------------------------------------------ tables */

static char *result_name(const PlanStage *p, const char *name, char joint)
{
  if (!strcmp(p->id, p->stage->name)) return g_strdup(name);
  return g_strdup_printf("%s%c%s", p->id, joint, name);
}

static Sheet *sheet_new(const Results *r, const PlanStage *p, const Fold *f, const MillTable *t)
{
  Sheet *s = g_new0(Sheet, 1);
  s->table = t;
  s->name = result_name(p, t->name, '-');
  s->columns = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  if (t->per == MILL_PER_LANE)
    lane_columns(r, s);
  else
    group_columns(f, s);
  s->n_lead = s->columns->len;
  g_array_append_vals(s->columns, t->columns, t->n_columns);
  s->rows = g_ptr_array_new_with_free_func(g_free);
  return s;
}

static void sheet_free(gpointer data)
{
  Sheet *s = data;
  g_ptr_array_unref(s->rows);
  g_array_unref(s->columns);
  g_free(s->name);
  g_free(s);
}

/* Of a lane, or of a group.  The merged stream is in no group. */
static void add_rows(const Results *r, Sheet *s, const Instance *from, uint32_t table,
                     const FoldGroup *group)
{
  const RowSet *set = &from->reported->tables[table];
  for (uint64_t i = 0; i < row_set_len(set); i++) {
    MillValue *cells = g_new0(MillValue, s->columns->len);
    if (s->table->per == MILL_PER_LANE)
      lane_cells(r, from->lane, cells);
    else if (group)
      group_cells(group, cells);
    memcpy(cells + s->n_lead, &g_array_index(set->cells, MillValue, i * set->n_columns),
           set->n_columns * sizeof(MillValue));
    g_ptr_array_add(s->rows, cells);
  }
}

static int compare_values(const MillValue *a, const MillValue *b)
{
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  switch (a->type) {
  case MILL_REAL: return a->u.r < b->u.r ? -1 : a->u.r > b->u.r;
  case MILL_TEXT: {
    int order = memcmp(a->u.text, b->u.text, MIN(a->len, b->len));
    return order ? order : a->len < b->len ? -1 : a->len > b->len;
  }
  case MILL_NONE: return 0;
  default: return a->u.i < b->u.i ? -1 : a->u.i > b->u.i;
  }
}

static bool is_number(const MillValue *v, double *out)
{
  return v->type == MILL_TEXT && num_real(v->u.text, v->len, out);
}

/* Keys and tags may be numbers as texts: 8 comes before 32, and both before "all". */
static int compare_keys(const MillValue *a, const MillValue *b)
{
  double x, y;
  if (a->type != MILL_TEXT || b->type != MILL_TEXT) return compare_values(a, b);
  bool x_is_one = is_number(a, &x), y_is_one = is_number(b, &y);
  if (x_is_one != y_is_one) return x_is_one ? -1 : 1;
  if (x_is_one && x != y) return x < y ? -1 : 1;
  return compare_values(a, b);
}

static const MillColumn *column_at(const Sheet *s, uint32_t index)
{
  return &g_array_index(s->columns, MillColumn, index);
}

static int column_named(const Sheet *s, const char *name, size_t len)
{
  for (uint32_t c = 0; c < s->columns->len; c++) {
    const char *own = column_at(s, c)->name;
    if (strlen(own) == len && !strncmp(own, name, len)) return (int)c;
  }
  return -1;
}

/* The declared order, "-total,name". */
static int compare_declared(const Sheet *s, const MillValue *a, const MillValue *b)
{
  for (const char *p = s->table->order; p && *p; p += *p == ',') {
    bool down = *p == '-';
    p += down;
    size_t len = strcspn(p, ",");
    int c = column_named(s, p, len), order = c < 0 ? 0 : compare_values(&a[c], &b[c]);
    if (order) return down ? -order : order;
    p += len;
  }
  return 0;
}

static gint compare_rows(gconstpointer x, gconstpointer y, gpointer sheet)
{
  const Sheet *s = sheet;
  const MillValue *a = *(MillValue *const *)x, *b = *(MillValue *const *)y;
  int order = 0;
  for (uint32_t c = 0; c < s->n_lead && !order; c++) order = compare_keys(&a[c], &b[c]);
  if (!order) order = compare_declared(s, a, b);
  for (uint32_t c = s->n_lead; c < s->columns->len && !order; c++)
    if (column_at(s, c)->flags & MILL_COLUMN_KEY) order = compare_keys(&a[c], &b[c]);
  return order;
}

static void gather_stage(Results *r, uint32_t index)
{
  Run *run = r->run;
  const PlanStage *p = &run->plan->stages[index];
  const Fold *f = &run->folds[index];
  const Lane *lane;
  for (uint32_t t = 0; t < p->stage->n_tables; t++) {
    Sheet *s = sheet_new(r, p, f, &p->stage->tables[t]);
    for (guint l = 0; (lane = run_lane(run, l)); l++)
      if (lane_reported(lane, index)) add_rows(r, s, lane_reported(lane, index), t, NULL);
    for (guint g = 0; g < f->groups->len; g++) {
      const FoldGroup *group = f->groups->pdata[g];
      add_rows(r, s, group->instance, t, group);
    }
    /* A merge sort: rows that compare equal keep lane order. */
    g_qsort_with_data(s->rows->pdata, (gint)s->rows->len, sizeof(gpointer), compare_rows, s);
    g_ptr_array_add(r->sheets, s);
  }
}

/* ----------------------------------------------------------------- metrics */

static void add_metrics(Results *r, const PlanStage *p, const Instance *from, uint32_t lane,
                        const char *group)
{
  for (guint i = 0; from && i < from->reported->metrics->len; i++) {
    Value v = { .lane = lane, .group = g_strdup(group) };
    v.value = &g_array_index(from->reported->metrics, MetricValue, i);
    v.metric = &p->stage->metrics[v.value->metric];
    v.name = g_strdelimit(result_name(p, v.metric->name, '_'), "-.", '_');
    g_array_append_val(r->values, v);
  }
}

static void value_clear(gpointer data)
{
  Value *v = data;
  g_free(v->name);
  g_free(v->group);
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
  char **x = (*(FoldGroup *const *)a)->values, **y = (*(FoldGroup *const *)b)->values;
  int order = 0;
  for (; *x && !order; x++, y++) {
    MillValue left = group_cell(*x), right = group_cell(*y);
    order = compare_keys(&left, &right);
  }
  return order;
}

static void gather_metrics(Results *r, uint32_t index)
{
  Run *run = r->run;
  const PlanStage *p = &run->plan->stages[index];
  const Fold *f = &run->folds[index];
  g_autoptr(GPtrArray) groups = g_ptr_array_new();
  g_ptr_array_extend(groups, f->groups, NULL, NULL);
  g_ptr_array_sort(groups, compare_groups); /* as their rows are in tables */
  for (guint g = 0; g < groups->len; g++) {
    const FoldGroup *group = groups->pdata[g];
    g_autofree char *text = group_text(f, group);
    add_metrics(r, p, group->instance, MILL_NO_LANE, text);
  }
  if (run->merged) add_metrics(r, p, lane_reported(run->merged, index), MILL_NO_LANE, "");
  for (guint l = 0; l < run->lanes->len; l++)
    add_metrics(r, p, lane_reported(run->lanes->pdata[l], index), l, "");
}

/* -------------------------------------------------------------------- view */

static const Results *results_of(const MillResults *view) { return (const Results *)view; }

static const MillTable *view_table(const MillResults *view, uint32_t index, const char **out_name,
                                   uint64_t *out_rows)
{
  const Results *r = results_of(view);
  if (index >= r->sheets->len) return NULL;
  const Sheet *s = r->sheets->pdata[index];
  if (out_name) *out_name = s->name;
  if (out_rows) *out_rows = s->rows->len;
  return s->table;
}

static uint32_t view_columns(const MillResults *view, uint32_t index, const MillColumn **out)
{
  const Sheet *s = results_of(view)->sheets->pdata[index];
  *out = column_at(s, 0);
  return s->columns->len;
}

static const MillValue *view_row(const MillResults *view, uint32_t index, uint64_t row)
{
  return ((const Sheet *)results_of(view)->sheets->pdata[index])->rows->pdata[row];
}

static const MillMetric *view_metric(const MillResults *view, uint32_t index, const char **out_name,
                                     const char **out_stat, MillValue *out_value, uint64_t *out_n,
                                     uint32_t *out_lane, const char **out_reason)
{
  const Results *r = results_of(view);
  if (index >= r->values->len) return NULL;
  const Value *v = &g_array_index(r->values, Value, index);
  *out_name = v->name;
  *out_stat = v->value->stat;
  *out_value = v->value->value;
  *out_n = v->value->n;
  *out_lane = v->lane;
  *out_reason = v->value->reason;
  return v->metric;
}

static const char *view_group(const MillResults *view, uint32_t metric)
{
  const Results *r = results_of(view);
  return metric < r->values->len ? g_array_index(r->values, Value, metric).group : "";
}

static const MillNotice *view_notice(const MillResults *view, uint32_t index, const char **out_code,
                                     uint64_t *out_count, const char **out_what,
                                     const char **out_effect, const char **out_help)
{
  const Results *r = results_of(view);
  if (index >= r->told->len) return NULL;
  const Told *t = r->told->pdata[index];
  *out_code = t->code;
  *out_count = t->count;
  *out_what = t->what;
  *out_effect = t->effect;
  *out_help = t->help;
  return t->notice;
}

static const char *count_text(const Results *r, uint64_t n)
{
  char buf[NUM_BUF];
  num_format_uint(buf, n);
  return g_string_chunk_insert_const(r->texts, buf);
}

static const char *tag_list(const Results *r)
{
  g_autofree char *list = g_strjoinv(",", r->tag_names);
  return g_string_chunk_insert_const(r->texts, list);
}

static const char *view_info(const MillResults *view, const char *key)
{
  const Results *r = results_of(view);
  const Profile *profile = r->run->plan->profile;
  if (!strcmp(key, "program")) return "stagemill";
  if (!strcmp(key, "version")) return STAGEMILL_VERSION;
  if (!strcmp(key, "profile")) return profile->name;
  if (!strcmp(key, "title")) return profile->description;
  if (!strcmp(key, "tags")) return tag_list(r);
  if (!strcmp(key, "inputs")) return count_text(r, r->run->inputs->len);
  if (!strcmp(key, "lanes")) return count_text(r, r->run->lanes->len);
  if (!strcmp(key, "events")) return count_text(r, run_events(r->run));
  return NULL;
}

Results *results_new(Run *run)
{
  Results *r = g_new0(Results, 1);
  r->run = run;
  r->texts = g_string_chunk_new(256);
  r->sheets = g_ptr_array_new_with_free_func(sheet_free);
  r->values = g_array_new(FALSE, FALSE, sizeof(Value));
  g_array_set_clear_func(r->values, value_clear);
  look_at_lanes(r);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    if (!run->plan->stages[s].used) continue;
    gather_stage(r, s);
    gather_metrics(r, s);
  }
  r->told = told_gather(run);
  r->pub = (MillResults){ .size = sizeof r->pub,
                          .n_tables = r->sheets->len,
                          .n_metrics = r->values->len,
                          .n_notices = r->told->len,
                          .table = view_table,
                          .columns = view_columns,
                          .row = view_row,
                          .metric = view_metric,
                          .notice = view_notice,
                          .info = view_info,
                          .group = view_group };
  return r;
}

void results_free(Results *r)
{
  if (!r) return;
  g_ptr_array_unref(r->sheets);
  g_array_unref(r->values);
  g_ptr_array_unref(r->told);
  g_free(r->tag_names);
  g_string_chunk_free(r->texts);
  g_free(r);
}

const MillResults *results_view(const Results *r) { return &r->pub; }
