/* More series than can be told apart: their median, where most of them are, and the farthest by name.
 * See chart.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/spread.h"
#include "kit/picture/crowd.h"

enum { FARTHEST = 5, LARGEST = CHART_SERIES - 1 };

typedef struct Far {
  long double distance;
  uint64_t n;
  uint32_t name;
} Far;

static bool is_ours(const Chart *c, const Strand *s) { return s->layer == c->layer; }

static uint32_t count_series(const Chart *c, const Pane *p)
{
  uint32_t n = 0;
  for (guint k = 0; k < p->strands->len; k++) n += is_ours(c, p->strands->pdata[k]);
  return n;
}

static gint compare_at(gconstpointer a, gconstpointer b)
{
  const At *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->name < q->name ? -1 : p->name > q->name;
}

static GArray *points_of(const Chart *c, const Pane *p)
{
  GArray *all = g_array_new(FALSE, FALSE, sizeof(At));
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint m = 0; is_ours(c, s) && m < s->points->len; m++) {
      At at = { strand_point(s, m)->x, strand_point(s, m)->y, s->name };
      g_array_append_val(all, at);
    }
  }
  return all;
}

/* ----------------------------------------------------------------- columns */

static uint32_t count_x(const GArray *sorted)
{
  uint32_t n = 0;
  for (guint i = 0; i < sorted->len; i++)
    n += !i || g_array_index(sorted, At, i).x != g_array_index(sorted, At, i - 1).x;
  return n;
}

/* Series that share hardly an x are compared in columns of a width. */
static void align_x(GArray *io_points, const Pane *p, uint32_t n_series)
{
  enum { COLUMNS = 200 };
  g_array_sort(io_points, compare_at);
  if (p->x_place == PLACE_NAMES) return;
  uint32_t distinct = count_x(io_points);
  if ((uint64_t)distinct * n_series < 2 * (uint64_t)io_points->len || distinct <= COLUMNS) return;
  double low = g_array_index(io_points, At, 0).x;
  double high = g_array_index(io_points, At, io_points->len - 1).x;
  double width = high / COLUMNS - low / COLUMNS;
  for (guint i = 0; i < io_points->len; i++) {
    At *at = &g_array_index(io_points, At, i);
    double column = fmin(floor((at->x - low) / width), COLUMNS - 1);
    at->x = low + (column + 0.5) * width;
  }
  g_array_sort(io_points, compare_at);
}

/* One value for each series at that x; gives how many. */
static size_t values_at(const GArray *points, guint first, guint end, double *out)
{
  size_t n = 0;
  for (guint i = first, next; i < end; i = next) {
    uint32_t name = g_array_index(points, At, i).name;
    long double sum = 0;
    for (next = i; next < end && g_array_index(points, At, next).name == name; next++)
      sum += g_array_index(points, At, next).y;
    out[n++] = (double)(sum / (next - i));
  }
  return n;
}

static void measure(const GArray *points, guint first, guint end, double median, Far *io_far)
{
  for (guint i = first; i < end; i++) {
    const At *at = &g_array_index(points, At, i);
    io_far[at->name].distance += fabsl((long double)at->y - median);
    io_far[at->name].n++;
  }
}

/* Where the last bin ends. */
static double last_end(const Chart *c, const Pane *p)
{
  double last = -G_MAXDOUBLE;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint m = 0; is_ours(c, s) && m < s->points->len; m++)
      last = fmax(last, strand_point(s, m)->x_end);
  }
  return last;
}

/* The values that are compared, at the same places for all series. */
static GArray *compared(const Chart *c, const Pane *p)
{
  bool holds = c->kind == MILL_FIGURE_LINE && c->layer->figure->flags & MILL_FIGURE_STEP &&
               p->x_place == PLACE_NUMBERS;
  GArray *points = points_of(c, p);
  if (!holds) {
    align_x(points, p, count_series(c, p));
    return points;
  }
  g_array_sort(points, compare_at); /* stable: of two at one place the later one holds */
  GArray *held = crowd_held(points, names_len(c->series), count_series(c, p));
  g_array_unref(points);
  return held;
}

/* The medians of a panel, and how far each series is from them. */
static Strand *median_of(const Chart *c, const Pane *p, uint32_t name, Far *io_far)
{
  Strand *s = strand_new(c->layer, name);
  g_autoptr(GArray) points = compared(c, p);
  g_autofree double *values = g_new(double, points->len + 1);
  for (guint first = 0, end; first < points->len; first = end) {
    Point at = { .x = g_array_index(points, At, first).x };
    for (end = first; end < points->len && g_array_index(points, At, end).x == at.x;) end++;
    size_t n = values_at(points, first, end, values);
    spread_sort(values, n);
    at.y = spread_quantile(values, n, 0.5);
    at.y_low = spread_quantile(values, n, 0.1);
    at.y_high = spread_quantile(values, n, 0.9);
    at.x_end = at.x_low = at.x_high = at.value = (double)NAN;
    g_array_append_val(s->points, at);
    measure(points, first, end, at.y, io_far);
  }
  if (c->kind == MILL_FIGURE_HISTOGRAM && s->points->len)
    strand_point(s, s->points->len - 1)->x_end = last_end(c, p);
  s->band = true;
  return s;
}

/* ---------------------------------------------------------------- farthest */

static gint compare_far(gconstpointer a, gconstpointer b, gpointer unused)
{
  const Far *x = a, *y = b;
  (void)unused;
  if (x->distance != y->distance) return x->distance > y->distance ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static bool *choose_far(Far *io_far, uint32_t n)
{
  bool *chosen = g_new0(bool, n);
  for (uint32_t i = 0; i < n; i++) {
    io_far[i].name = i;
    if (io_far[i].n) io_far[i].distance /= io_far[i].n;
  }
  g_qsort_with_data(io_far, (gint)n, sizeof *io_far, compare_far, NULL);
  for (uint32_t i = 0; i < MIN(n, FARTHEST); i++)
    if (io_far[i].distance > 0) chosen[io_far[i].name] = true;
  return chosen;
}

static void keep_chosen(const Chart *c, Pane *p, const bool *chosen)
{
  for (guint k = p->strands->len; k-- > 0;) {
    Strand *s = p->strands->pdata[k];
    if (!is_ours(c, s)) continue;
    s->far = true;
    if (!chosen[s->name]) g_ptr_array_remove_index(p->strands, k);
  }
}

static void insert_first(Pane *p, Strand *s)
{
  if (s->points->len)
    g_ptr_array_insert(p->strands, 0, s);
  else
    strand_free(s);
}

static void draw_medians(Chart *c, uint32_t all)
{
  g_autofree char *label = g_strdup_printf("median of %u, 10–90 %%", all);
  uint32_t n = names_len(c->series), name = names_add(c->series, "\x1fmedian", 7);
  names_set_label(c->series, name, label);
  g_autofree Far *far = g_new0(Far, n);
  g_autoptr(GPtrArray) medians = g_ptr_array_new();
  for (guint i = 0; i < c->panes->len; i++)
    g_ptr_array_add(medians, median_of(c, c->panes->pdata[i], name, far));
  g_autofree bool *chosen = choose_far(far, n);
  for (guint i = 0; i < c->panes->len; i++) {
    Pane *p = c->panes->pdata[i];
    keep_chosen(c, p, chosen);
    insert_first(p, medians->pdata[i]);
  }
}

/* -------------------------------------------------------------------- pool */

/* Of points and boxes: those that are not chosen become one series. */
static void pool(const Chart *c, Pane *p, const bool *chosen, uint32_t name)
{
  Strand *all = strand_new(c->layer, name);
  bool spread = c->kind == MILL_FIGURE_BOX || c->kind == MILL_FIGURE_VIOLIN;
  for (guint k = 0; k < p->strands->len; k++) {
    Strand *s = p->strands->pdata[k];
    s->far = is_ours(c, s) && chosen[s->name];
    if (is_ours(c, s) && (spread || !s->far))
      g_array_append_vals(all->points, s->points->data, s->points->len);
  }
  for (guint k = p->strands->len; k-- > 0;) {
    const Strand *s = p->strands->pdata[k];
    if (is_ours(c, s) && !s->far) g_ptr_array_remove_index(p->strands, k);
  }
  insert_first(p, all);
}

static void pool_others(Chart *c, const bool *chosen, const char *format, uint32_t n)
{
  uint32_t name = names_add(c->series, "\x1fothers", 7);
  g_autofree char *label = g_strdup_printf(format, n);
  names_set_label(c->series, name, label);
  for (guint i = 0; i < c->panes->len; i++) pool(c, c->panes->pdata[i], chosen, name);
  chart_reduce(c);
}

static void pool_far(Chart *c, uint32_t all)
{
  uint32_t n = names_len(c->series);
  bool spread = c->kind == MILL_FIGURE_BOX || c->kind == MILL_FIGURE_VIOLIN;
  g_autofree Far *far = g_new0(Far, n);
  for (guint i = 0; i < c->panes->len; i++) strand_free(median_of(c, c->panes->pdata[i], 0, far));
  g_autofree bool *chosen = choose_far(far, n);
  uint32_t others = all;
  for (uint32_t i = 0; i < n && !spread; i++) others -= chosen[i];
  pool_others(c, chosen, spread ? "all (%u)" : "others (%u)", others);
}

/* Parts of a stack are added, so that its height stays. */
static void pool_small(Chart *c, uint32_t all)
{
  uint32_t n = names_len(c->series);
  g_autofree Far *sums = g_new0(Far, n);
  g_autofree bool *chosen = g_new0(bool, n);
  for (uint32_t i = 0; i < n; i++) sums[i].name = i;
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; m < s->points->len; m++)
        sums[s->name].distance += fabs(strand_point(s, m)->y);
    }
  }
  g_qsort_with_data(sums, (gint)n, sizeof *sums, compare_far, NULL);
  for (uint32_t i = 0; i < LARGEST; i++) chosen[sums[i].name] = true;
  pool_others(c, chosen, "others (%u)", all - LARGEST);
}

/* In all panels together: they share a legend. */
uint32_t chart_count_series(const Chart *c, bool ours)
{
  uint32_t n = 0;
  g_autofree bool *seen = g_new0(bool, names_len(c->series) + 1);
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      n += is_ours(c, s) == ours && !seen[s->name];
      seen[s->name] |= is_ours(c, s) == ours;
    }
  }
  return n;
}

/* Cells have places of their own: their series are one. */
static bool has_cells(const Chart *c)
{
  bool field = c->kind == MILL_FIGURE_DENSITY && c->layer->value >= 0;
  return field || c->kind == MILL_FIGURE_HEATMAP;
}

static void pool_cells(Chart *c, uint32_t all)
{
  g_autofree bool *chosen = g_new0(bool, names_len(c->series));
  pool_others(c, chosen, "all (%u)", all);
}

void chart_crowd(Chart *c)
{
  uint32_t n = chart_count_series(c, true);
  if (n <= CHART_SERIES || c->kind == MILL_FIGURE_TIMELINE) return;
  if (has_cells(c)) {
    pool_cells(c, n);
    return;
  }
  switch (c->kind) {
  case MILL_FIGURE_STACKED_BAR:
  case MILL_FIGURE_RANKED: pool_small(c, n); break;
  case MILL_FIGURE_BOX:
  case MILL_FIGURE_VIOLIN:
  case MILL_FIGURE_SCATTER:
  case MILL_FIGURE_PARETO: pool_far(c, n); break;
  default: draw_medians(c, n); break;
  }
}

void chart_limit_over(Chart *c)
{
  if (chart_count_series(c, false) <= CHART_SERIES) return;
  for (guint i = 0; i < c->panes->len; i++) {
    GPtrArray *strands = ((Pane *)c->panes->pdata[i])->strands;
    for (guint k = strands->len; k-- > 0;)
      if (!is_ours(c, strands->pdata[k])) g_ptr_array_remove_index(strands, k);
  }
  chart_leave_out(c, "the figure below it has too many series");
}

/* ------------------------------------------------------------------ values */

static void count_values(const Chart *c, Far *io_counts)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; s->layer->value_place == PLACE_NAMES && m < s->points->len; m++)
        if (!isnan(strand_point(s, m)->value))
          io_counts[(uint32_t)strand_point(s, m)->value].distance++;
    }
  }
}

static void move_values(Chart *c, const uint32_t *places)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; s->layer->value_place == PLACE_NAMES && m < s->points->len; m++) {
        Point *at = strand_point(s, m);
        if (!isnan(at->value)) at->value = places[(uint32_t)at->value];
      }
    }
  }
}

/* The most frequent texts have a colour each, all others one. */
void chart_limit_values(Chart *c)
{
  uint32_t n = names_len(c->values);
  if (n <= CHART_SERIES) return;
  g_autofree Far *counts = g_new0(Far, n);
  g_autofree uint32_t *places = g_new(uint32_t, n);
  uint32_t order[LARGEST];
  for (uint32_t i = 0; i < n; i++) counts[i].name = i;
  count_values(c, counts);
  g_qsort_with_data(counts, (gint)n, sizeof *counts, compare_far, NULL);
  for (uint32_t i = 0; i < n; i++) places[counts[i].name] = MIN(i, LARGEST);
  for (uint32_t i = 0; i < LARGEST; i++) order[i] = counts[i].name;
  names_pick(c->values, order, LARGEST);
  g_autofree char *label = g_strdup_printf("others (%u)", n - LARGEST);
  names_set_label(c->values, names_add(c->values, "\x1fothers", 7), label);
  move_values(c, places);
}
