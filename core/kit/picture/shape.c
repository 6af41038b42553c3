/* Order of names, merging what is equal, and adding up; see chart.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/spread.h"
#include "kit/picture/chart.h"

/* What sums and bins came to has no place on a log axis either. */
static void drop_from(Chart *c, GArray *points)
{
  guint kept = 0;
  for (guint i = 0; i < points->len; i++) {
    Point at = g_array_index(points, Point, i);
    if (at.y > 0) g_array_index(points, Point, kept++) = at;
  }
  c->n_not_positive += points->len - kept;
  g_array_set_size(points, kept);
}

static void drop_not_positive(Chart *c)
{
  const Layer *l = c->layer;
  if (l->y_place == PLACE_NAMES || layer_y_scale(l) == SCALE_LINEAR) return;
  if (l->kind == MILL_FIGURE_DENSITY && l->y < 0) return;
  for (guint i = 0; i < c->panes->len; i++) {
    GPtrArray *strands = ((Pane *)c->panes->pdata[i])->strands;
    for (guint k = strands->len; k-- > 0;) {
      Strand *s = strands->pdata[k];
      if (s->layer->kind == MILL_FIGURE_RULE && s->layer->y < 0) continue; /* it has no y */
      drop_from(c, s->points);
      if (!s->points->len) g_ptr_array_remove_index(strands, k);
    }
  }
}

void chart_shape(Chart *c)
{
  chart_sort_names(c);
  chart_keep_top(c);
  chart_bin(c);
  chart_merge_cells(c);
  chart_reduce(c);
  chart_drop_bare(c);
  chart_crowd(c);
  chart_limit_values(c);
  chart_add_up(c);
  drop_not_positive(c);
  chart_drop_empty(c);
}

/* ------------------------------------------------------------------- names */

static bool is_x_of(const Pane *p, const Names *n) { return p->x_names == n; }

static void move_x(Chart *c, const Names *n, const uint32_t *places)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    if (!is_x_of(p, n) || p->x_place != PLACE_NAMES) continue;
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; m < s->points->len; m++)
        strand_point(s, m)->x = places[(uint32_t)strand_point(s, m)->x];
    }
  }
}

static void move_y(Chart *c, const Names *n, const uint32_t *places)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; p->y_names == n && k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; s->layer->y_place == PLACE_NAMES && m < s->points->len; m++)
        strand_point(s, m)->y = places[(uint32_t)strand_point(s, m)->y];
    }
  }
}

/* Rules are seen across what they are drawn with. */
static int height_of(const Chart *c, const Strand *s)
{
  return s->layer == c->layer ? 1 : s->layer->kind == MILL_FIGURE_RULE ? 2 : 0;
}

static gint compare_strands(gconstpointer a, gconstpointer b, gpointer chart)
{
  const Strand *x = *(Strand *const *)a, *y = *(Strand *const *)b;
  int x_height = height_of(chart, x), y_height = height_of(chart, y);
  if (x_height != y_height) return x_height < y_height ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static void sort_series(Chart *c)
{
  g_autofree uint32_t *places = names_sort(c->series, false);
  for (guint i = 0; i < c->panes->len; i++) {
    Pane *p = c->panes->pdata[i];
    for (guint k = 0; places && k < p->strands->len; k++) {
      Strand *s = p->strands->pdata[k];
      s->name = places[s->name];
    }
    g_ptr_array_sort_with_data(p->strands, compare_strands, c);
    g_array_set_size(p->by_name, 0);
  }
}

static void sort_groups(Chart *c)
{
  g_autofree uint32_t *places = names_sort(c->groups, false);
  for (guint i = 0; places && i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; s->layer->kind != MILL_FIGURE_RULE && m < s->points->len; m++)
        strand_point(s, m)->group = places[strand_point(s, m)->group];
    }
  }
}

static gint compare_panes(gconstpointer a, gconstpointer b)
{
  const Pane *x = *(Pane *const *)a, *y = *(Pane *const *)b;
  if (x->facet != y->facet) return x->facet < y->facet ? -1 : 1;
  return x->x < y->x ? -1 : x->x > y->x;
}

static void sort_panes(Chart *c)
{
  g_autofree uint32_t *places = names_sort(c->facets, false);
  for (guint i = 0; places && i < c->panes->len; i++) {
    Pane *p = c->panes->pdata[i];
    p->facet = places[p->facet];
  }
  g_ptr_array_sort(c->panes, compare_panes);
  if (c->panes->len <= CHART_PANELS) return;
  chart_leave_out(c, "%u of %u panels are left out", c->panes->len - CHART_PANELS, c->panes->len);
  g_ptr_array_set_size(c->panes, CHART_PANELS);
}

/* Cells stand in order; bars as the table has them, unless they are numbers. */
void chart_sort_names(Chart *c)
{
  bool always = c->kind == MILL_FIGURE_HEATMAP;
  sort_panes(c);
  sort_series(c);
  sort_groups(c);
  for (guint i = 0; i < c->names->len; i++) {
    Names *n = c->names->pdata[i];
    g_autofree uint32_t *places = names_sort(n, always);
    if (!places) continue;
    move_x(c, n, places);
    move_y(c, n, places);
  }
}

/* ------------------------------------------------------------------ reduce */

double reduce_values(const char *how, double *values, size_t n)
{
  double out = values[0];
  if (!strcmp(how, "mean")) return spread_mean(values, n);
  if (!strcmp(how, "median")) {
    spread_sort(values, n);
    return spread_quantile(values, n, 0.5);
  }
  if (!strcmp(how, "min") || !strcmp(how, "max")) {
    bool most = !strcmp(how, "max");
    for (size_t i = 1; i < n; i++) out = most ? fmax(out, values[i]) : fmin(out, values[i]);
    return out;
  }
  long double sum = 0;
  for (size_t i = 0; i < n; i++) sum += values[i];
  return (double)fmaxl(fminl(sum, (long double)G_MAXDOUBLE), -(long double)G_MAXDOUBLE);
}

const char *reduce_how(const Layer *l)
{
  bool heat = l->kind == MILL_FIGURE_HEATMAP || l->kind == MILL_FIGURE_DENSITY;
  if (l->counts) return "sum";
  if (l->figure->reduce) return l->figure->reduce;
  return heat ? "mean" : "sum";
}

static bool is_reduced(const Layer *l)
{
  switch (l->kind) {
  case MILL_FIGURE_BAR:
  case MILL_FIGURE_STACKED_BAR:
  case MILL_FIGURE_RANKED:
  case MILL_FIGURE_HEATMAP: return true;
  case MILL_FIGURE_HISTOGRAM: return true;
  case MILL_FIGURE_LINE:
  case MILL_FIGURE_SCATTER:
  case MILL_FIGURE_PARETO: return l->figure->reduce != NULL;
  default: return false;
  }
}

static int compare_reals(double a, double b) { return a < b ? -1 : a > b; }

static gint compare_points(gconstpointer a, gconstpointer b, gpointer layer)
{
  const Point *x = a, *y = b;
  const Layer *l = layer;
  int order = compare_reals(x->x, y->x);
  if (!order && l->kind == MILL_FIGURE_HEATMAP) order = compare_reals(x->y, y->y);
  if (!order && l->kind == MILL_FIGURE_HISTOGRAM) order = compare_reals(x->x_end, y->x_end);
  if (!order) order = x->group < y->group ? -1 : x->group > y->group;
  return order;
}

static double reduce_field(const GArray *points, guint first, guint end, size_t offset,
                           const char *how, double *values)
{
  size_t n = 0;
  for (guint i = first; i < end; i++) {
    double v;
    memcpy(&v, (const char *)&g_array_index(points, Point, i) + offset, sizeof v);
    if (!isnan(v)) values[n++] = v;
  }
  return n ? reduce_values(how, values, n) : (double)NAN;
}

static Point reduce_run(const Layer *l, const GArray *points, guint first, guint end,
                        double *values)
{
  static const size_t offsets[] = { offsetof(Point, y), offsetof(Point, y_low),
                                    offsetof(Point, y_high), offsetof(Point, value) };
  Point out = g_array_index(points, Point, first);
  for (size_t f = 0; f < G_N_ELEMENTS(offsets); f++) {
    bool is_name =
        (f == 0 && l->y_place == PLACE_NAMES) || (f == 3 && l->value_place == PLACE_NAMES);
    if (is_name || end - first == 1) continue;
    double v = reduce_field(points, first, end, offsets[f], reduce_how(l), values);
    memcpy((char *)&out + offsets[f], &v, sizeof v);
  }
  return out;
}

static void reduce_strand(Strand *s)
{
  GArray *points = s->points;
  g_array_sort_with_data(points, compare_points, (gpointer)s->layer);
  g_autofree double *values = g_new(double, points->len);
  guint kept = 0;
  for (guint first = 0, end; first < points->len; first = end) {
    for (end = first + 1; end < points->len; end++)
      if (compare_points(strand_point(s, first), strand_point(s, end), (gpointer)s->layer)) break;
    *strand_point(s, kept++) = reduce_run(s->layer, points, first, end, values);
  }
  g_array_set_size(points, kept);
}

void chart_reduce(Chart *c)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      Strand *s = p->strands->pdata[k];
      if (is_reduced(s->layer)) reduce_strand(s);
    }
  }
}

/* ------------------------------------------------------------------ adding */

/* Points of a line are joined along x, unless the table's key is another number: along that. */
static bool is_parametric(const Layer *l)
{
  const MillTable *t = l->source->table.table;
  int x = g_array_index(l->x, int, 0);
  if (l->kind != MILL_FIGURE_LINE || (t && t->order) || x < 0) return false;
  if (l->figure->flags & (MILL_FIGURE_CUMULATIVE | MILL_FIGURE_STEP)) return false;
  if (source_column_at(l->source, x)->flags & MILL_COLUMN_KEY) return false;
  for (int k = (int)l->source->n_lead; k < (int)l->source->table.columns.n; k++) {
    const MillColumn *column = source_column_at(l->source, k);
    bool shown = k == l->series.column || k == l->facet.column;
    if (column->flags & MILL_COLUMN_KEY && !shown) return column->type == MILL_INT;
  }
  return false;
}

static void add_up(Strand *s)
{
  long double sum = 0;
  for (guint i = 0; i < s->points->len; i++) {
    Point *p = strand_point(s, i);
    sum += p->y;
    p->y = (double)fmaxl(fminl(sum, (long double)G_MAXDOUBLE), -(long double)G_MAXDOUBLE);
  }
}

void chart_add_up(Chart *c)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      Strand *s = p->strands->pdata[k];
      bool lines = s->layer->kind == MILL_FIGURE_LINE || s->layer->kind == MILL_FIGURE_DENSITY ||
                   s->layer->kind == MILL_FIGURE_HISTOGRAM;
      bool cumulative =
          s->layer->figure->flags & MILL_FIGURE_CUMULATIVE && s->layer->y_place == PLACE_NUMBERS;
      if ((lines || cumulative) && !is_parametric(s->layer))
        g_array_sort_with_data(s->points, compare_points, (gpointer)s->layer);
      if (cumulative && !s->band) add_up(s);
    }
  }
}
