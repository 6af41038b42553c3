/* Reports of one rank across threads, side by side: a file for each number of channels and rank. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "base/trees.h"
#include "table.h"

typedef struct Column {
  const char *header, *column;
  Form form;
  bool compared;
} Column;

typedef struct Kind {
  const char *file, *key_header, *key;
  const Column *columns;
  uint32_t n;
  bool sorted; /* by the first compared column of the base, the largest first */
} Kind;

static const Column timeline_columns[] = {
  { "time ms", "time", IN_MS, true },
  { "percent", "share", AS_IS, true },
};
static const Column ops_columns[] = {
  { "total_direct_kernel_time_sum", "total", IN_US, false },
  { "total_subtree_kernel_time_sum", "subtree", IN_US, false },
  { "Count", "calls", AS_IS, true },
  { "total_direct_kernel_time_ms", "total", IN_MS, true },
  { "Percentage (%)", "share", AS_IS, false },
  { "Cumulative Percentage (%)", "cumulative", AS_IS, false },
  { "Categories", "category", AS_IS, false },
};
static const Kind kinds[] = {
  { "ops_summary", "name", "name", ops_columns, MILL_COUNT(ops_columns), true },
  { "gpu_timeline", "type", "type", timeline_columns, MILL_COUNT(timeline_columns), false },
};
enum { MAX_COLUMNS = MILL_COUNT(ops_columns) };

typedef struct Entry { /* a row of a report */
  int64_t channels, rank, threads;
  uint64_t index;
  char *key; /* as a cell */
  char *cells[MAX_COLUMNS];
  int64_t time; /* of the row, for the order */
} Entry;

static void free_entry(gpointer p)
{
  Entry *e = p;
  for (int i = 0; i < MAX_COLUMNS; i++) g_free(e->cells[i]);
  g_free(e->key);
  g_free(e);
}

static char *text_of(const MillHost *common, MillValue v, Form form)
{
  GString *text = g_string_new(NULL);
  table_put(text, common, v, form);
  return g_string_free(text, FALSE);
}

static bool number_of(const MillHost *common, MillValue v, int64_t *out)
{
  g_autofree char *text = text_of(common, v, AS_IS);
  return num_int(text, strlen(text), out);
}

/* The original's sheet has no row for it. */
static bool is_ours_alone(const Kind *kind, const char *key)
{
  return !kind->sorted && strcmp(key, "unlinked_time") == 0;
}

/* NULL: it is not known of which configuration and rank it is. */
static Entry *entry_of(const MillHost *common, const Table *t, const Kind *kind, uint64_t i,
                       MillValue channels)
{
  const MillValue *row = t->results->row(t->results, t->index, i);
  Entry at = { .index = i };
  const bool has_channels = table_has(t, "channels");
  if (!number_of(common, table_cell(t, row, "threads"), &at.threads) ||
      !number_of(common, has_channels ? table_cell(t, row, "channels") : channels, &at.channels) ||
      !number_of(common, table_cell(t, row, "rank"), &at.rank))
    return NULL;
  Entry *e = g_memdup2(&at, sizeof at);
  e->key = text_of(common, table_cell(t, row, kind->key), AS_IS);
  for (uint32_t c = 0; c < kind->n; c++)
    e->cells[c] =
        text_of(common, table_cell(t, row, kind->columns[c].column), kind->columns[c].form);
  const MillValue total = table_cell(t, row, "total");
  e->time = total.type == MILL_INT ? total.u.i : 0;
  return e;
}

static gint by_report(gconstpointer a, gconstpointer b)
{
  const Entry *x = *(const Entry *const *)a, *y = *(const Entry *const *)b;
  if (x->channels != y->channels) return x->channels < y->channels ? -1 : 1;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->threads != y->threads) return x->threads < y->threads ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* ---- one comparison */

typedef struct Comparison {
  const Kind *kind;
  GArray *threads; /* int64_t, the base first */
  GTree *entries;  /* key and place in threads to an Entry */
  GPtrArray *keys; /* of Entry: the first with each key */
} Comparison;

static char *place_of(const char *key, guint threads)
{
  return g_strdup_printf("%u %s", threads, key);
}

static const Entry *find(const Comparison *c, const char *key, guint threads)
{
  g_autofree char *place = place_of(key, threads);
  return g_tree_lookup(c->entries, place);
}

/* Those of the base first, as it has them; the base's largest time first where that is asked for. */
static gint by_time(gconstpointer a, gconstpointer b, gpointer base)
{
  const Entry *x = *(const Entry *const *)a, *y = *(const Entry *const *)b;
  const int64_t *threads = base;
  bool x_base = x->threads == *threads, y_base = y->threads == *threads;
  if (x_base != y_base) return x_base ? -1 : 1;
  if (x_base && x->time != y->time) return x->time > y->time ? -1 : 1;
  return by_report(a, b);
}

static void collect(Comparison *c, GPtrArray *all, guint from, guint to)
{
  for (guint i = from; i < to; i++) {
    Entry *e = all->pdata[i];
    bool is_new = i == from || e->threads != ((const Entry *)all->pdata[i - 1])->threads;
    if (is_new) g_array_append_val(c->threads, e->threads);
    bool is_known = false;
    for (guint k = 0; k < c->threads->len && !is_known; k++) is_known = find(c, e->key, k) != NULL;
    if (!is_known) g_ptr_array_add(c->keys, e);
    g_tree_insert(c->entries, place_of(e->key, c->threads->len - 1), e);
  }
  if (c->kind->sorted) g_ptr_array_sort_with_data(c->keys, by_time, c->threads->data);
}

static int64_t threads_at(const Comparison *c, guint i)
{
  return g_array_index(c->threads, int64_t, i);
}

static void put_header(GString *out, const Comparison *c)
{
  const Kind *kind = c->kind;
  g_string_append(out, kind->key_header);
  for (guint i = 0; i < c->threads->len; i++)
    for (uint32_t k = 0; k < kind->n; k++)
      g_string_append_printf(out, ",%" G_GINT64_FORMAT "thread::%s", threads_at(c, i),
                             kind->columns[k].header);
  for (uint32_t k = 0; k < kind->n; k++)
    for (guint i = 1; kind->columns[k].compared && i < c->threads->len; i++)
      for (int part = 0; part < 2; part++)
        g_string_append_printf(out, ",%s__%" G_GINT64_FORMAT "thread_%s", kind->columns[k].header,
                               threads_at(c, i), part ? "pct" : "diff");
  g_string_append_c(out, '\n');
}

static void put_number(GString *out, double value)
{
  char buf[NUM_BUF];
  g_string_append_len(out, buf, (gssize)num_format_real(buf, value));
}

static void put_difference(GString *out, const char *from, const char *to)
{
  int64_t whole_from, whole_to;
  double real_from = 0, real_to = 0;
  if (num_int(from, strlen(from), &whole_from) && num_int(to, strlen(to), &whole_to)) {
    g_string_append_printf(out, "%" G_GINT64_FORMAT, whole_to - whole_from);
    return;
  }
  (void)num_real(from, strlen(from), &real_from);
  (void)num_real(to, strlen(to), &real_to);
  put_number(out, real_to - real_from);
}

/* Empty where one of them has no such row; the share also where the base is 0. */
static void put_change(GString *out, const Entry *base, const Entry *other, uint32_t column)
{
  double from = 0, to = 0;
  bool both = base && other && num_real(base->cells[column], strlen(base->cells[column]), &from) &&
              num_real(other->cells[column], strlen(other->cells[column]), &to);
  g_string_append_c(out, ',');
  if (both) put_difference(out, base->cells[column], other->cells[column]);
  g_string_append_c(out, ',');
  if (both && from != 0) put_number(out, 100 * (to - from) / from);
}

static void put_key(GString *out, const Comparison *c, const char *key)
{
  const Kind *kind = c->kind;
  const Entry *base = find(c, key, 0);
  g_string_append(out, key);
  for (guint i = 0; i < c->threads->len; i++) {
    const Entry *e = find(c, key, i);
    for (uint32_t k = 0; k < kind->n; k++) g_string_append_printf(out, ",%s", e ? e->cells[k] : "");
  }
  for (uint32_t k = 0; k < kind->n; k++)
    for (guint i = 1; kind->columns[k].compared && i < c->threads->len; i++)
      put_change(out, base, find(c, key, i), k);
  g_string_append_c(out, '\n');
}

static int write_one(const MillSinkHost *host, const Kind *kind, GPtrArray *all, guint from,
                     guint to)
{
  const Entry *first = all->pdata[from];
  Comparison c = { kind, g_array_new(FALSE, FALSE, sizeof(int64_t)),
                   g_tree_new_full(trees_by_text, NULL, g_free, NULL), g_ptr_array_new() };
  int status = 0;
  collect(&c, all, from, to);
  if (c.threads->len > 1) {
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *name = g_strdup_printf("compare_%" G_GINT64_FORMAT "ch_rank%" G_GINT64_FORMAT
                                            "_across_threads_%s.csv",
                                            first->channels, first->rank, kind->file);
    put_header(text, &c);
    for (guint i = 0; i < c.keys->len; i++)
      put_key(text, &c, ((const Entry *)c.keys->pdata[i])->key);
    status = host->output(host, name, NULL, text->str, text->len);
  }
  g_array_unref(c.threads);
  g_tree_unref(c.entries);
  g_ptr_array_unref(c.keys);
  return status;
}

int write_compared(const MillSinkHost *host, const Table *t, bool is_timeline, MillValue channels)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_entry);
  const Kind *kind = &kinds[is_timeline];
  int64_t shared;
  const MillValue own = number_of(host->common, channels, &shared) ? mill_int(shared) : mill_none();
  int status = 0;
  for (uint64_t i = 0; i < t->t.n_rows; i++) {
    Entry *e = entry_of(host->common, t, kind, i, own);
    if (!e) continue;
    if (is_ours_alone(kind, e->key))
      free_entry(e);
    else
      g_ptr_array_add(all, e);
  }
  g_ptr_array_sort(all, by_report);
  for (guint from = 0, to; from < all->len && status == 0; from = to) {
    const Entry *first = all->pdata[from];
    for (to = from + 1; to < all->len; to++) {
      const Entry *e = all->pdata[to];
      if (e->channels != first->channels || e->rank != first->rank) break;
    }
    status = write_one(host, kind, all, from, to);
  }
  return status;
}
