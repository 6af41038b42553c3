/* Results as sinks see them; see results.h. */
/* SPDX-License-Identifier: MIT */
#include "results/results.h"

#include <pthread.h>
#include <string.h>

#include "base/hash-seed.h"

#define TEXTS_BYTES 4096u /* of a piece of memory for texts */

typedef struct Value {
  const MillMetric *metric;
  char *name;
  const MetricValue *value;
  uint32_t lane;
  char *group;
} Value;

typedef struct View {
  const MillFigure *figure;
  char *name;
  uint32_t table;
} View;

typedef struct Offer { /* of a text that is made on demand */
  const char *key;
  char *(*make)(void *context);
  void *context;
} Offer;

struct Results {
  MillResults pub;         /* first */
  GPtrArray *sheets;       /* Sheet * */
  GArray *figures;         /* View */
  GArray *values;          /* Value */
  GArray *notices;         /* MillNoticeResult */
  GPtrArray *notice_lanes; /* of each: a GArray of NoticeLane, or NULL */
  GArray *findings;        /* MillFindingResult */
  GPtrArray *lanes;        /* LaneInfo * */
  pthread_mutex_t info_lock;
  GHashTable *info;
  GArray *offers;    /* Offer: info that is not made yet */
  GPtrArray *memory; /* of results_alloc */
  GStringChunk *texts;
};

static void value_clear(gpointer data)
{
  Value *v = data;
  g_free(v->name);
  g_free(v->group);
}

static void view_clear(gpointer data) { g_free(((View *)data)->name); }

static void lane_free(gpointer lane)
{
  lane_info_clear(lane);
  g_free(lane);
}

/* ------------------------------------------------------------------ memory */

void *results_alloc(Results *r, size_t bytes)
{
  void *memory = g_malloc0(bytes);
  g_ptr_array_add(r->memory, memory);
  return memory;
}

const char *results_text(Results *r, const char *text, size_t len)
{
  return g_string_chunk_insert_len(r->texts, text, (gssize)len);
}

GStringChunk *results_texts(Results *r) { return r->texts; }

/* ------------------------------------------------------------------ adding */

void results_add_sorted(Results *r, Sheet *s) { g_ptr_array_add(r->sheets, s); }

void results_add_sheet(Results *r, Sheet *s)
{
  sheet_sort(s);
  results_add_sorted(r, s);
}

void results_add_figure(Results *r, const MillFigure *figure, char *name, const char *table)
{
  View v = { .figure = figure, .name = name };
  while (v.table < r->sheets->len && strcmp(((Sheet *)r->sheets->pdata[v.table])->name, table) != 0)
    v.table++;
  g_assert(v.table < r->sheets->len);
  g_array_append_val(r->figures, v);
}

void results_add_metric(Results *r, const MillMetric *metric, char *name, const MetricValue *value,
                        uint32_t lane, char *group)
{
  Value v = { metric, name, value, lane, group };
  g_array_append_val(r->values, v);
}

static void lanes_unref(gpointer lanes)
{
  if (lanes) g_array_unref(lanes);
}

void results_add_notice(Results *r, const MillNoticeResult *notice)
{
  g_array_append_vals(r->notices, notice, 1);
  g_ptr_array_add(r->notice_lanes, NULL);
}

const NoticeLane *results_notice_lanes(const Results *r, uint32_t notice, guint *out_n)
{
  const GArray *lanes = r->notice_lanes->pdata[notice];
  *out_n = lanes ? lanes->len : 0;
  return *out_n ? &g_array_index(lanes, NoticeLane, 0) : NULL;
}

void results_add_finding(Results *r, const MillFindingResult *finding)
{
  g_array_append_vals(r->findings, finding, 1);
}

/* Keeps the text and frees the given one; NULL gives NULL. */
static const char *kept(Results *r, char *text)
{
  const char *copy = text ? results_text(r, text, strlen(text)) : NULL;
  g_free(text);
  return copy;
}

void results_add_notices(Results *r, const Notices *sum, NoticeLaneName lane_name,
                         const void *context)
{
  const Descriptor *d = sum->descriptor;
  for (uint32_t i = 0; i < d->n_notices; i++) {
    const NoticeCount *c = &sum->counts[i];
    const MillNotice *n = &d->notices[i];
    if (!c->count) continue;
    g_autofree char *inputs = notice_inputs(c, lane_name, context);
    const char *lane = lane_name(context, c->lane);
    MillNoticeResult counted = { .size = sizeof counted,
                                 .notice = n,
                                 .count = c->count,
                                 .code = kept(r, notice_code(d, i)),
                                 .what = kept(r, notice_render(c, n->what, lane, inputs)),
                                 .effect = kept(r, notice_render(c, n->effect, lane, inputs)),
                                 .help = kept(r, notice_render(c, n->help, lane, inputs)) };
    results_add_notice(r, &counted);
    r->notice_lanes->pdata[r->notices->len - 1] = c->lanes ? g_array_copy(c->lanes) : NULL;
  }
}

void results_offer_info(Results *r, const char *key, char *(*make)(void *context), void *context)
{
  Offer offer = { key, make, context };
  g_array_append_val(r->offers, offer);
}

void results_add_lane(Results *r, LaneInfo *lane) { g_ptr_array_add(r->lanes, lane); }

const LaneInfo *results_lane(const Results *r, uint32_t index)
{
  return index < r->lanes->len ? r->lanes->pdata[index] : NULL;
}

uint32_t results_n_lanes(const Results *r) { return r->lanes->len; }

void results_set_info(Results *r, const char *key, const char *text)
{
  if (text) g_hash_table_insert(r->info, (gpointer)key, g_strdup(text));
}

/* -------------------------------------------------------------------- view */

static const Results *results_of(const MillResults *view) { return (const Results *)view; }

/* Copies as much of it as the caller's version of the struct has. */
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
  if (!s || row >= s->rows->len) return NULL;
  const MillValue *cells = s->rows->pdata[row];
  sheet_touch(s, cells);
  return cells;
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
  give(out, &g_array_index(r->notices, MillNoticeResult, index), sizeof *out);
  return true;
}

static bool view_figure(const MillResults *view, uint32_t index, MillFigureResult *out)
{
  const Results *r = results_of(view);
  if (index >= r->figures->len) return false;
  const View *v = &g_array_index(r->figures, View, index);
  MillFigureResult full = { .table = v->table, .figure = v->figure, .name = v->name };
  give(out, &full, sizeof full);
  return true;
}

static bool view_finding(const MillResults *view, uint32_t index, MillFindingResult *out)
{
  const Results *r = results_of(view);
  if (index >= r->findings->len) return false;
  give(out, &g_array_index(r->findings, MillFindingResult, index), sizeof *out);
  return true;
}

/* Cost, the highest first; those without it by share; then name and text. */
static gint by_weight(gconstpointer p, gconstpointer q)
{
  const MillFindingResult *a = p, *b = q;
  const bool has_a = a->cost_ns.type == MILL_INT, has_b = b->cost_ns.type == MILL_INT;
  if (has_a != has_b) return has_a ? -1 : 1;
  if (has_a && a->cost_ns.u.i != b->cost_ns.u.i) return a->cost_ns.u.i > b->cost_ns.u.i ? -1 : 1;
  if (!has_a && a->share != b->share) return a->share > b->share ? -1 : 1;
  const int order = strcmp(a->name, b->name);
  return order ? order : strcmp(a->text, b->text);
}

static void make_offered(Results *r, const char *key)
{
  for (guint i = 0; i < r->offers->len; i++) {
    Offer offer = g_array_index(r->offers, Offer, i);
    if (strcmp(offer.key, key)) continue;
    g_array_remove_index(r->offers, i);
    g_hash_table_insert(r->info, (gpointer)offer.key, offer.make(offer.context));
    break;
  }
}

/* Several sinks may ask at once. */
static const char *view_info(const MillResults *view, const char *key)
{
  Results *r = (Results *)results_of(view);
  pthread_mutex_lock(&r->info_lock);
  make_offered(r, key);
  const char *text = g_hash_table_lookup(r->info, key);
  pthread_mutex_unlock(&r->info_lock);
  return text;
}

Results *results_new(void)
{
  Results *r = g_new0(Results, 1);
  r->sheets = g_ptr_array_new_with_free_func((GDestroyNotify)sheet_free);
  r->figures = g_array_new(FALSE, FALSE, sizeof(View));
  g_array_set_clear_func(r->figures, view_clear);
  r->values = g_array_new(FALSE, FALSE, sizeof(Value));
  g_array_set_clear_func(r->values, value_clear);
  r->notices = g_array_new(FALSE, FALSE, sizeof(MillNoticeResult));
  r->notice_lanes = g_ptr_array_new_with_free_func(lanes_unref);
  r->findings = g_array_new(FALSE, FALSE, sizeof(MillFindingResult));
  r->lanes = g_ptr_array_new_with_free_func(lane_free);
  r->memory = g_ptr_array_new_with_free_func(g_free);
  r->texts = g_string_chunk_new(TEXTS_BYTES);
  pthread_mutex_init(&r->info_lock, NULL);
  r->info = g_hash_table_new_full(hash_text, g_str_equal, NULL, g_free);
  r->offers = g_array_new(FALSE, FALSE, sizeof(Offer));
  return r;
}

const MillResults *results_view(Results *r)
{
  g_array_sort(r->findings, by_weight);
  r->pub = (MillResults){ .size = sizeof r->pub,
                          .n_tables = r->sheets->len,
                          .n_metrics = r->values->len,
                          .n_notices = r->notices->len,
                          .table = view_table,
                          .row = view_row,
                          .metric = view_metric,
                          .notice = view_notice,
                          .info = view_info,
                          .n_figures = r->figures->len,
                          .figure = view_figure,
                          .n_findings = r->findings->len,
                          .finding = view_finding };
  return &r->pub;
}

void results_free(Results *r)
{
  if (!r) return;
  g_ptr_array_unref(r->sheets);
  g_array_unref(r->figures);
  g_array_unref(r->values);
  g_array_unref(r->notices);
  g_ptr_array_unref(r->notice_lanes);
  g_array_unref(r->findings);
  g_ptr_array_unref(r->lanes);
  pthread_mutex_destroy(&r->info_lock);
  g_hash_table_unref(r->info);
  g_array_unref(r->offers);
  g_ptr_array_unref(r->memory);
  g_string_chunk_free(r->texts);
  g_free(r);
}
