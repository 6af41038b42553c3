/* The headline: metrics of the whole run.  Those with statistics have a line each, the others are
 * joined into lines. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/trees.h"
#include "block.h"
#include "kit/sink/cell.h"
#include "grid.h"

#define MAX_METRICS 10
#define MAX_STATS 8
#define MAX_ABSENT 2

typedef MillMetricResult Item;

typedef struct Metric {
  const char *name;
  GArray *items; /* Item, as the results list them */
} Metric;

typedef struct Headline {
  GPtrArray *metrics; /* Metric, in order of first appearance */
  GPtrArray *stats;   /* of the metrics in the grid at hand */
} Headline;

static void metric_free(gpointer data)
{
  Metric *m = data;
  g_array_free(m->items, TRUE);
  g_free(m);
}

static const Item *item_at(const Metric *m, guint index)
{
  return &g_array_index(m->items, Item, index);
}

/* A run of one lane is summed up by that lane's metrics. */
static bool for_headline(const MillHost *common, const Item *item)
{
  if (item->metric->kind == MILL_JSON || *item->group) return false;
  return item->lane == MILL_NO_LANE || common->n_lanes(common) == 1;
}

static bool number_of(const Item *item, double *out)
{
  return !item->reason && cell_has_number(&item->value, out);
}

/* None of many, where neither less nor more is better. */
static bool says_nothing(const Item *item)
{
  static const char *const sums[] = { "count", "ns", "bytes", NULL };
  double number;
  const char *unit = item->metric->unit;
  if (*item->stat || !item->n || item->metric->better != MILL_NEITHER) return false;
  return number_of(item, &number) && number == 0 && unit && g_strv_contains(sums, unit);
}

static Metric *metric_named(Headline *h, GTree *by_name, const char *name)
{
  Metric *m = g_tree_lookup(by_name, name);
  if (m) return m;
  m = g_new(Metric, 1);
  *m = (Metric){ name, g_array_new(FALSE, FALSE, sizeof(Item)) };
  g_tree_insert(by_name, (gpointer)name, m);
  g_ptr_array_add(h->metrics, m);
  return m;
}

static void collect(Headline *h, const MillHost *common, const MillResults *r, bool all)
{
  g_autoptr(GTree) by_name = g_tree_new_full(trees_by_text, NULL, NULL, NULL);
  Item item = { .size = sizeof item };
  for (uint32_t i = 0; r->metric(r, i, &item); i++) {
    if (!for_headline(common, &item) || (!all && says_nothing(&item))) continue;
    g_array_append_val(metric_named(h, by_name, item.name)->items, item);
  }
}

/* Columns of a metric: "" stands for one that is its own value, and n has a column anyway. */
static GPtrArray *stats_of(const Metric *m)
{
  GPtrArray *stats = g_ptr_array_new();
  for (guint i = 0; i < m->items->len && stats->len < MAX_STATS; i++) {
    const Item *item = item_at(m, i);
    if (item->reason || !*item->stat || !strcmp(item->stat, "n")) continue;
    if (!g_ptr_array_find_with_equal_func(stats, item->stat, g_str_equal, NULL))
      g_ptr_array_add(stats, (gpointer)item->stat);
  }
  return stats;
}

static bool same_stats(const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len) return false;
  for (guint i = 0; i < a->len; i++)
    if (strcmp(a->pdata[i], b->pdata[i])) return false;
  return true;
}

static const Item *find_item(const Metric *m, const char *stat)
{
  for (guint i = 0; i < m->items->len; i++)
    if (!strcmp(item_at(m, i)->stat, stat)) return item_at(m, i);
  return NULL;
}

/* A count that was added as a real number is still a count. */
static bool is_whole(const Item *item, double number)
{
  if (item->value.type == MILL_INT) return true;
  return item->metric->unit && !strcmp(item->metric->unit, "count") && rint(number) == number;
}

/* False when the metric has no number at all. */
static bool scale_of(const Metric *m, NumScale *out, uint64_t *out_n)
{
  double largest = 0, number;
  bool whole = true, any = false;
  const char *unit = NULL;
  *out_n = 0;
  for (guint i = 0; i < m->items->len; i++) {
    const Item *item = item_at(m, i);
    if (!number_of(item, &number)) continue;
    any = true;
    unit = item->metric->unit;
    largest = MAX(largest, fabs(number));
    whole = whole && is_whole(item, number);
    *out_n = MAX(*out_n, item->n);
  }
  *out = num_scale(unit, largest, whole);
  return any;
}

static void put_metric(const Headline *h, Grid *grid, const Metric *m, const NumScale *scale,
                       uint64_t n)
{
  g_autoptr(GString) cell = g_string_new(m->name);
  NumScale count = num_scale("count", 0, true);
  double number;
  grid_cell(grid, cell->str);
  grid_cell(grid, scale->unit);
  for (guint i = 0; i < h->stats->len; i++) {
    const Item *item = find_item(m, h->stats->pdata[i]);
    g_string_truncate(cell, 0);
    if (item && number_of(item, &number))
      num_scale_put(cell, scale, number);
    else if (item)
      g_string_append_c(cell, '-');
    grid_cell(grid, cell->str);
  }
  g_string_truncate(cell, 0);
  num_scale_put(cell, &count, (double)n);
  grid_cell(grid, cell->str);
}

static void put_titles(const Headline *h, Grid *grid)
{
  grid_left(grid, 0);
  grid_left(grid, 1);
  grid_cell(grid, "");
  grid_cell(grid, "");
  for (guint i = 0; i < h->stats->len; i++) {
    grid_cell(grid, h->stats->pdata[i]);
  }
  grid_cell(grid, "n");
}

static void put_absent(GString *out, const Metric *m, size_t width)
{
  enum { LONGEST = 400 };
  const Item *item = item_at(m, 0);
  const char *reason = item->reason && *item->reason ? item->reason : "not applicable";
  g_autoptr(GString) text = g_string_new(m->name);
  g_string_append(text, ": ");
  cell_text(text, reason, strlen(reason), LONGEST);
  cell_wrap(out, text->str, width, 2);
}

/* kernel_time 9.51 ms (n 70) */
static void put_value(const Item *item, GString *out)
{
  NumScale count = num_scale("count", 0, true);
  double number;
  if (!number_of(item, &number)) return;
  NumScale scale = num_scale(item->metric->unit, fabs(number), is_whole(item, number));
  g_string_append_printf(out, "%s ", item->name);
  num_scale_put(out, &scale, number);
  if (*scale.unit) g_string_append_printf(out, " %s", scale.unit);
  if (item->n < 2 || (double)item->n == number) return;
  g_string_append(out, " (n ");
  num_scale_put(out, &count, (double)item->n);
  g_string_append_c(out, ')');
}

static void join_value(GString *lines, size_t *width, const char *text, size_t max_width)
{
  size_t len = cell_width(text);
  if (*width && *width + 3 + len > max_width) {
    g_string_append_c(lines, '\n');
    *width = 0;
  }
  if (*width) g_string_append(lines, " · ");
  *width += len + (*width ? 3 : 0);
  g_string_append(lines, text);
}

typedef struct Page {
  GString *out;
  const Extent *extent;
  GString *values, *absent;
  size_t width; /* of the last line of values */
  guint n_absent;
  Grid *grid;
} Page;

static void end_grid(Page *p)
{
  if (p->grid) grid_print(p->grid, p->extent->width, p->out);
  g_clear_pointer(&p->grid, grid_free);
}

/* Metrics with the same statistics that follow each other share a grid. */
static void add_to_grid(Headline *h, Page *p, const Metric *m, const NumScale *scale, uint64_t n)
{
  GPtrArray *stats = stats_of(m);
  if (!stats->len || (p->grid && same_stats(stats, h->stats))) {
    bool any = stats->len > 0;
    g_ptr_array_unref(stats);
    if (any) put_metric(h, p->grid, m, scale, n);
    return;
  }
  end_grid(p);
  g_ptr_array_unref(h->stats);
  h->stats = stats;
  p->grid = grid_new(stats->len + 3);
  put_titles(h, p->grid);
  put_metric(h, p->grid, m, scale, n);
}

static void add_metric(Headline *h, Page *p, const Metric *m)
{
  g_autoptr(GString) text = g_string_new(NULL);
  const Item *value = find_item(m, "");
  NumScale scale;
  uint64_t n;
  if (!scale_of(m, &scale, &n)) {
    p->n_absent++;
    put_absent(p->absent, m, p->extent->width);
    return;
  }
  add_to_grid(h, p, m, &scale, n);
  if (value) put_value(value, text);
  if (text->len) join_value(p->values, &p->width, text->str, p->extent->width);
}

/* A few reasons are read; many are looked up. */
static void print_absent(const Headline *h, const Page *p)
{
  NumScale scale;
  uint64_t n;
  const char *joint = "not applicable: ";
  if (p->n_absent <= MAX_ABSENT) {
    g_string_append(p->out, p->absent->str);
    return;
  }
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < h->metrics->len; i++) {
    const Metric *m = h->metrics->pdata[i];
    if (scale_of(m, &scale, &n)) continue;
    g_string_append_printf(names, "%s%s", joint, m->name);
    joint = ", ";
  }
  cell_wrap(p->out, names->str, p->extent->width, 2);
}

static void print(GString *out, Headline *h, const Extent *x)
{
  Page p = { .out = out, .extent = x, .values = g_string_new(NULL), .absent = g_string_new(NULL) };
  guint shown = 0, most = x->rows ? G_MAXUINT : MAX_METRICS;
  NumScale scale;
  uint64_t n;
  g_string_append_c(out, '\n');
  for (guint i = 0; i < h->metrics->len; i++) {
    const Metric *m = h->metrics->pdata[i];
    bool present = scale_of(m, &scale, &n);
    if (!present || shown++ < most) add_metric(h, &p, m);
  }
  end_grid(&p);
  if (p.values->len) g_string_append_printf(out, "%s\n", p.values->str);
  print_absent(h, &p);
  if (shown > most)
    g_string_append_printf(out, "and %u more metric%s: --rows all\n", shown - most,
                           shown - most == 1 ? "" : "s");
  g_string_free(p.values, TRUE);
  g_string_free(p.absent, TRUE);
}

void block_metrics(GString *out, const MillHost *common, const MillResults *r, const Extent *x)
{
  Headline h = { g_ptr_array_new_with_free_func(metric_free), g_ptr_array_new() };
  collect(&h, common, r, x->rows != 0);
  if (h.metrics->len) print(out, &h, x);
  g_ptr_array_unref(h.metrics);
  g_ptr_array_unref(h.stats);
}
