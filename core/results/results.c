/* What stages reported, put together as sinks see it; see results.h. */
#include "results/results.h"

#include <string.h>

#include "base/hash-seed.h"

typedef struct Value {
  const MillMetric *metric;
  char *name;
  const MetricValue *value;
  uint32_t lane;
  char *group;
} Value;

typedef struct Counted { /* a notice in words */
  const MillNotice *notice;
  char *code, *what, *effect, *help;
  uint64_t count;
} Counted;

struct Results {
  MillResults pub;    /* first */
  GPtrArray *sheets;  /* Sheet * */
  GArray *values;     /* Value */
  GPtrArray *notices; /* Counted * */
  GHashTable *info;
};

static void value_clear(gpointer data)
{
  Value *v = data;
  g_free(v->name);
  g_free(v->group);
}

static void counted_free(gpointer data)
{
  Counted *c = data;
  g_free(c->code);
  g_free(c->what);
  g_free(c->effect);
  g_free(c->help);
  g_free(c);
}

/* ------------------------------------------------------------------ adding */

void results_add_sheet(Results *r, Sheet *s)
{
  sheet_sort(s);
  g_ptr_array_add(r->sheets, s);
}

void results_add_metric(Results *r, const MillMetric *metric, char *name, const MetricValue *value,
                        uint32_t lane, char *group)
{
  Value v = { metric, name, value, lane, group };
  g_array_append_val(r->values, v);
}

void results_add_notices(Results *r, const Notices *sum, LaneNamer lane_name, const void *context)
{
  const Descriptor *d = sum->descriptor;
  for (uint32_t i = 0; i < d->n_notices; i++) {
    const NoticeCount *c = &sum->counts[i];
    const MillNotice *n = &d->notices[i];
    if (!c->count) continue;
    const char *lane = lane_name(context, c->lane);
    Counted *counted = g_new0(Counted, 1);
    *counted = (Counted){ .notice = n,
                          .count = c->count,
                          .code = notice_code(d, i),
                          .what = notice_render(c, n->what, lane),
                          .effect = notice_render(c, n->effect, lane),
                          .help = notice_render(c, n->help, lane) };
    g_ptr_array_add(r->notices, counted);
  }
}

void results_set_info(Results *r, const char *key, const char *text)
{
  if (text) g_hash_table_insert(r->info, (gpointer)key, g_strdup(text));
}

/* -------------------------------------------------------------------- view */

static const Results *results_of(const MillResults *view) { return (const Results *)view; }

/* What the caller knows of it. */
static void give(void *out, const void *full, uint32_t our_size)
{
  uint32_t size;
  memcpy(&size, out, sizeof size);
  memcpy(out, full, MIN(size, our_size));
  memcpy(out, &size, sizeof size);
}

static bool view_table(const MillResults *view, uint32_t index, MillTableResult *out)
{
  const Results *r = results_of(view);
  if (index >= r->sheets->len) return false;
  const Sheet *s = r->sheets->pdata[index];
  MillTableResult full = {
    .table = s->table,
    .name = s->name,
    .n_rows = s->rows->len,
    .columns = { (const MillColumn *)(const void *)s->columns->data, s->columns->len,
                 sizeof(MillColumn) },
  };
  give(out, &full, sizeof full);
  return true;
}

static const MillValue *view_row(const MillResults *view, uint32_t index, uint64_t row)
{
  const Results *r = results_of(view);
  const Sheet *s = index < r->sheets->len ? r->sheets->pdata[index] : NULL;
  return s && row < s->rows->len ? s->rows->pdata[row] : NULL;
}

static bool view_metric(const MillResults *view, uint32_t index, MillMetricResult *out)
{
  const Results *r = results_of(view);
  if (index >= r->values->len) return false;
  const Value *v = &g_array_index(r->values, Value, index);
  MillMetricResult full = {
    .lane = v->lane,
    .metric = v->metric,
    .name = v->name,
    .stat = v->value->stat,
    .value = v->value->value,
    .n = v->value->n,
    .reason = v->value->reason,
    .group = v->group,
  };
  give(out, &full, sizeof full);
  return true;
}

static bool view_notice(const MillResults *view, uint32_t index, MillNoticeResult *out)
{
  const Results *r = results_of(view);
  if (index >= r->notices->len) return false;
  const Counted *c = r->notices->pdata[index];
  MillNoticeResult full = {
    .notice = c->notice,
    .code = c->code,
    .count = c->count,
    .what = c->what,
    .effect = c->effect,
    .help = c->help,
  };
  give(out, &full, sizeof full);
  return true;
}

static const char *view_info(const MillResults *view, const char *key)
{
  return g_hash_table_lookup(results_of(view)->info, key);
}

Results *results_new(void)
{
  Results *r = g_new0(Results, 1);
  r->sheets = g_ptr_array_new_with_free_func((GDestroyNotify)sheet_free);
  r->values = g_array_new(FALSE, FALSE, sizeof(Value));
  g_array_set_clear_func(r->values, value_clear);
  r->notices = g_ptr_array_new_with_free_func(counted_free);
  r->info = g_hash_table_new_full(hash_text, g_str_equal, NULL, g_free);
  return r;
}

const MillResults *results_view(Results *r)
{
  r->pub = (MillResults){ .size = sizeof r->pub,
                          .n_tables = r->sheets->len,
                          .n_metrics = r->values->len,
                          .n_notices = r->notices->len,
                          .table = view_table,
                          .row = view_row,
                          .metric = view_metric,
                          .notice = view_notice,
                          .info = view_info };
  return &r->pub;
}

void results_free(Results *r)
{
  if (!r) return;
  g_ptr_array_unref(r->sheets);
  g_array_unref(r->values);
  g_ptr_array_unref(r->notices);
  g_hash_table_unref(r->info);
  g_free(r);
}
