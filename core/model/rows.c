/* Rows and metric values that an instance reported. */
/* SPDX-License-Identifier: MIT */
#include "model/rows.h"

#include <string.h>

/* Chunks grow: of very many lanes each may have but a row or two. */
#define FIRST_CHUNK 64u
#define LAST_CHUNK (64u << 10)
#define CHARGED_FROM (64u << 10)
#define FIRST_ROWS 4u
#define ROW_AROUND 32u /* of a row: what the table that is written knows of it */
/* Bytes of cells that go into the file while they grow; others go when there are no more. */
#define LARGE_SET (1u << 20)
#define METRIC_AROUND (2 * (sizeof(MetricValue) + 128)) /* here, and in the results */

typedef struct TextChunk {
  struct TextChunk *older;
  size_t used, max;
  bool in_file;
  char bytes[];
} TextChunk;

/* Few large charges for many small rows. */
static void count(Reported *r, uint64_t bytes)
{
  r->bytes += bytes;
  if (!r->budget || r->bytes - r->charged < CHARGED_FROM) return;
  budget_take(r->budget, USE_RESULTS, r->bytes - r->charged);
  r->charged = r->bytes;
}

static void uncount(Reported *r, uint64_t bytes)
{
  r->bytes -= bytes;
  if (r->charged <= r->bytes) return;
  budget_give(r->budget, USE_RESULTS, r->charged - r->bytes);
  r->charged = r->bytes;
}

static bool goes_into_file(const Reported *r)
{
  return r->file && r->budget && budget_has_many_results(r->budget);
}

static TextChunk *new_chunk(const Reported *r, size_t max)
{
  TextChunk *c = goes_into_file(r) ? file_memory_take(r->file, sizeof *c + max) : NULL;
  const bool in_file = c != NULL;
  if (!c) c = g_malloc(sizeof *c + max);
  *c = (TextChunk){ .older = r->texts, .max = max, .in_file = in_file };
  return c;
}

/* Ends in NUL, as do the bytes that are given. */
static const char *keep_text(Reported *r, const char *text, size_t len)
{
  TextChunk *c = r->texts;
  if (!c || c->max - c->used < len + 1)
    c = r->texts = new_chunk(r, MAX(c ? MIN(c->max * 2, LAST_CHUNK) : FIRST_CHUNK, len + 1));
  char *copy = c->bytes + c->used;
  if (len) memcpy(copy, text, len);
  copy[len] = '\0';
  c->used += len + 1;
  if (c->in_file)
    file_memory_touch(r->file, copy);
  else
    count(r, len + 1);
  return copy;
}

static void metric_clear(gpointer data)
{
  MetricValue *m = data;
  g_free(m->stat);
  g_free(m->reason);
}

Reported *reported_new(const Descriptor *stage)
{
  Reported *r = g_new0(Reported, 1);
  r->descriptor = stage;
  r->tables = g_new0(RowSet, stage->n_tables + 1);
  for (uint32_t i = 0; i < stage->n_tables; i++) {
    r->tables[i].n_columns = stage->tables[i].columns.n;
  }
  r->metrics = g_array_new(FALSE, TRUE, sizeof(MetricValue));
  g_array_set_clear_func(r->metrics, metric_clear);
  return r;
}

void reported_free(Reported *r)
{
  if (!r) return;
  for (uint32_t i = 0; i < r->descriptor->n_tables; i++)
    if (!r->tables[i].in_file) g_free(r->tables[i].cells);
  g_free(r->tables);
  if (r->budget) budget_give(r->budget, USE_RESULTS, r->charged);
  g_array_unref(r->metrics);
  for (TextChunk *c = r->texts, *older; c; c = older) {
    older = c->older;
    if (!c->in_file) g_free(c);
  }
  g_free(r);
}

void reported_leave_lead(Reported *r, uint32_t n_lead)
{
  for (uint32_t i = 0; i < r->descriptor->n_tables; i++) r->tables[i].n_lead = n_lead;
}

static size_t bytes_of(const RowSet *set, uint64_t n_rows)
{
  return n_rows * (set->n_lead + set->n_columns) * sizeof(MillValue);
}

/* False: there is no room for them. */
static bool move_to_file(Reported *r, RowSet *set, uint64_t max_rows)
{
  MillValue *cells = file_memory_take(r->file, bytes_of(set, max_rows));
  if (!cells) return false;
  file_memory_copy(r->file, cells, set->cells, bytes_of(set, set->n_rows));
  if (!set->in_file) {
    g_free(set->cells);
    uncount(r, bytes_of(set, set->n_rows));
  }
  set->cells = cells;
  set->max_rows = max_rows;
  set->in_file = true;
  return true;
}

static void move_to_memory(Reported *r, RowSet *set, uint64_t max_rows)
{
  MillValue *cells = g_malloc(bytes_of(set, max_rows));
  file_memory_copy(r->file, cells, set->cells, bytes_of(set, set->n_rows));
  count(r, bytes_of(set, set->n_rows));
  set->cells = cells;
  set->max_rows = max_rows;
  set->in_file = false;
}

static void resize(Reported *r, RowSet *set, uint64_t max_rows)
{
  const bool large = bytes_of(set, set->n_rows) >= LARGE_SET && goes_into_file(r);
  if ((set->in_file || large) && move_to_file(r, set, max_rows)) return;
  if (set->in_file) {
    move_to_memory(r, set, max_rows);
    return;
  }
  set->max_rows = max_rows;
  set->cells = g_realloc(set->cells, bytes_of(set, max_rows));
}

void reported_trim(Reported *r)
{
  for (uint32_t i = 0; i < r->descriptor->n_tables; i++) {
    RowSet *set = &r->tables[i];
    if (!set->cells || set->in_file) continue;
    if (!goes_into_file(r) || !move_to_file(r, set, set->n_rows)) resize(r, set, set->n_rows);
  }
}

bool reported_is_empty(const Reported *r)
{
  bool empty = !r->metrics->len;
  for (uint32_t i = 0; i < r->descriptor->n_tables && empty; i++) empty = !r->tables[i].n_rows;
  return empty;
}

static const char *check_cell(const MillColumn *column, const MillValue *v)
{
  if (v->type == MILL_NONE || v->type == column->type) return NULL;
  if (v->type == MILL_SYM && column->type == MILL_TEXT) return NULL;
  if (v->type == MILL_INT && column->type == MILL_REAL) return NULL;
  return "a cell's type is not its column's";
}

static bool is_text(const MillValue *v) { return v->type == MILL_TEXT || v->type == MILL_JSON; }

/* `above`: the cell of the row before, or NULL.  Its text often comes again. */
static MillValue kept_value(Reported *r, MillValue v, const MillValue *above)
{
  r->n_clipped += v.type == MILL_INT && (v.u.i == INT64_MAX || v.u.i == INT64_MIN);
  if (!is_text(&v)) return v;
  bool again = above && is_text(above) && above->len == v.len &&
               (v.len == 0 || !memcmp(above->u.text, v.u.text, v.len));
  v.u.text = again ? above->u.text : keep_text(r, v.u.text, v.len);
  return v;
}

static MillValue *new_row(Reported *r, RowSet *set)
{
  if (set->n_rows == set->max_rows) resize(r, set, MAX(2 * set->max_rows, FIRST_ROWS));
  return row_set_at(set, set->n_rows++);
}

const char *reported_add_row(Reported *r, uint32_t table, const MillValue *cells, uint32_t n_cells)
{
  if (table >= r->descriptor->n_tables) return "no such table";
  const MillTable *t = &r->descriptor->tables[table];
  if (n_cells != t->columns.n) return "the number of cells is not that of the columns";
  for (uint32_t i = 0; i < n_cells; i++) {
    const char *wrong = check_cell(&t->columns.at[i], &cells[i]);
    if (wrong) return wrong;
  }
  RowSet *set = &r->tables[table];
  MillValue *to = new_row(r, set);
  const MillValue *above = set->n_rows > 1 ? row_set_at(set, set->n_rows - 2) : NULL;
  for (uint32_t i = 0; i < n_cells; i++) {
    MillValue v = kept_value(r, cells[i], above ? &above[i] : NULL);
    if (v.type == MILL_INT && t->columns.at[i].type == MILL_REAL) v = mill_real((double)v.u.i);
    to[i] = v;
  }
  count(r, ROW_AROUND + (set->in_file ? 0 : bytes_of(set, 1)));
  if (set->in_file) file_memory_touch(r->file, to);
  return NULL;
}

static bool list_has(const char *list, const char *word)
{
  g_auto(GStrv) words = g_strsplit(list ? list : "", ",", -1);
  return g_strv_contains((const char *const *)words, word);
}

bool metric_has_stat(const MillMetric *m, const char *stat)
{
  bool percentile = stat[0] == 'p' && g_ascii_isdigit(stat[1]);
  return list_has(m->stats, stat) || (percentile && list_has(m->stats, "p*"));
}

bool metric_is_headline(const MillMetric *m, const char *stat)
{
  return list_has(m->headline, *stat ? stat : MILL_HEADLINE_VALUE);
}

/* An integer will do for a real number. */
static bool is_of_kind(const MillMetric *m, const MillValue *v)
{
  bool whole = v->type == MILL_INT && m->kind == MILL_REAL;
  return v->type == MILL_NONE || v->type == m->kind || whole;
}

const char *reported_add_metric(Reported *r, uint32_t metric, const char *stat, MillValue value,
                                uint64_t n, const char *reason)
{
  if (metric >= r->descriptor->n_metrics) return "no such metric";
  const MillMetric *m = &r->descriptor->metrics[metric];
  if (stat && *stat && !metric_has_stat(m, stat)) return "the metric declares no such statistic";
  if (!is_of_kind(m, &value)) return "the metric's value is not of its kind";
  MetricValue v = { metric, g_strdup(stat ? stat : ""), kept_value(r, value, NULL), n,
                    g_strdup(reason) };
  if (v.value.type == MILL_NONE && !v.reason) v.reason = g_strdup("there is no value");
  g_array_append_val(r->metrics, v);
  count(r, METRIC_AROUND);
  return NULL;
}

/* ---------------------------------------------------------------- as bytes */

static void save_value(Summary *out, const MillValue *v)
{
  summary_put_int(out, v->type);
  switch (v->type) {
  case MILL_NONE: break;
  case MILL_REAL: summary_put_real(out, v->u.r); break;
  case MILL_TEXT:
  case MILL_JSON: summary_put_text(out, v->len ? v->u.text : "", v->len); break;
  default: summary_put_int(out, v->u.i);
  }
}

/* Texts are those of the summary. */
static MillValue load_value(Summary *from)
{
  size_t len;
  MillValue v = mill_none();
  int64_t type = summary_get_int(from);
  switch (type) {
  case MILL_NONE: return v;
  case MILL_INT: return mill_int(summary_get_int(from));
  case MILL_BOOL: return mill_bool(summary_get_int(from) != 0);
  case MILL_REAL: return mill_real(summary_get_real(from));
  case MILL_TEXT:
  case MILL_JSON: break;
  default: from->broken = true; return v;
  }
  const char *text = summary_get_text(from, &len);
  v = mill_text(text, len);
  v.type = (uint8_t)type;
  return v;
}

static void save_table(const RowSet *set, Summary *out)
{
  summary_put_int(out, (int64_t)set->n_rows);
  for (uint64_t row = 0; row < set->n_rows; row++)
    for (uint32_t c = 0; c < set->n_columns; c++) save_value(out, &row_set_at(set, row)[c]);
}

void reported_save(const Reported *r, Summary *out)
{
  for (uint32_t t = 0; t < r->descriptor->n_tables; t++) save_table(&r->tables[t], out);
  summary_put_int(out, r->metrics->len);
  for (guint i = 0; i < r->metrics->len; i++) {
    const MetricValue *m = &g_array_index(r->metrics, MetricValue, i);
    summary_put_int(out, m->metric);
    summary_put_string(out, m->stat);
    save_value(out, &m->value);
    summary_put_int(out, (int64_t)m->n);
    summary_put_string(out, m->reason);
  }
  summary_put_int(out, (int64_t)r->n_clipped);
}

static void load_table(Reported *r, uint32_t table, Summary *from)
{
  uint32_t n_columns = r->descriptor->tables[table].columns.n;
  uint64_t n = summary_get_count(from, n_columns);
  g_autofree MillValue *cells = g_new(MillValue, n_columns + 1);
  for (uint64_t i = 0; i < n && !from->broken; i++) {
    for (uint32_t c = 0; c < n_columns; c++) cells[c] = load_value(from);
    if (!from->broken && reported_add_row(r, table, cells, n_columns)) from->broken = true;
  }
}

static void load_metric(Reported *r, Summary *from)
{
  uint32_t metric = (uint32_t)summary_get_int(from);
  g_autofree char *stat = summary_get_string(from);
  MillValue value = load_value(from);
  uint64_t n = (uint64_t)summary_get_int(from);
  g_autofree char *reason = summary_get_string(from);
  if (!from->broken && reported_add_metric(r, metric, stat, value, n, reason)) from->broken = true;
}

void reported_load(Reported *r, Summary *from)
{
  for (uint32_t t = 0; t < r->descriptor->n_tables && !from->broken; t++) load_table(r, t, from);
  uint64_t n = summary_get_count(from, 5);
  for (uint64_t i = 0; i < n && !from->broken; i++) load_metric(r, from);
  r->n_clipped = (uint64_t)summary_get_int(from);
}
