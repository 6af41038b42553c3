/* Cells of a heatmap, and fields of numbers; see marks.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/spread.h"
#include "kit/picture/marks.h"

/* A colour for each series, pale to full by value: elsewhere the value alone is the colour. */
static bool has_hues(const Layer *l) { return !g_strcmp0(l->figure->palette, "ramps"); }

void marks_cells(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  PictureSeries *series = marks_series(m, s, MARK_CELLS, out);
  series->x = marks_column(s->points, offsetof(Point, x));
  series->y = marks_column(s->points, offsetof(Point, y));
  series->value = marks_column(s->points, offsetof(Point, value));
  series->text = marks_texts(m, p, s, s->points);
  if (!has_hues(s->layer)) g_clear_pointer(&series->color, g_free);
}

/* ------------------------------------------------------------------- grids */

enum { MOST_ACROSS = 200, MOST_UP = 100 }; /* together MOST_CELLS */

typedef struct Grid { /* of one axis */
  double low, step;   /* of the lower end of the first cell */
  uint32_t n;
  bool log;
} Grid;

static double place(const Grid *g, double v) { return g->log ? log10(v) : v; }

/* The distance of all neighbours when they stand regularly, one more than `most` of them at most; 0: they do not. */
static double regular_step(const double *sorted, size_t n, uint32_t most)
{
  double least = G_MAXDOUBLE, span = sorted[n - 1] - sorted[0];
  for (size_t i = 1; i < n; i++)
    if (sorted[i] > sorted[i - 1]) least = fmin(least, sorted[i] - sorted[i - 1]);
  if (!isfinite(span) || span <= 0 || span / least > most + 1e-6) return 0;
  for (size_t i = 1; i < n; i++) {
    double steps = (sorted[i] - sorted[0]) / least;
    if (fabs(steps - round(steps)) > 1e-6) return 0;
  }
  return span / round(span / least);
}

static void add_coordinates(GArray *to, const Strand *s, size_t offset)
{
  g_autoptr(GArray) of_strand = marks_column(s->points, offset);
  if (of_strand) g_array_append_vals(to, of_strand->data, of_strand->len);
}

/* Of all series of the panel: their cells lie upon each other. */
static Grid grid_of(const Pane *p, const Layer *l, size_t offset, bool log, uint32_t most)
{
  Grid g = { .log = log };
  g_autoptr(GArray) values = numbers_new(0);
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    if (s->layer == l) add_coordinates(values, s, offset);
  }
  double *sorted = (double *)(void *)values->data;
  size_t n = values->len;
  for (size_t i = 0; i < n; i++) sorted[i] = place(&g, sorted[i]);
  spread_sort(sorted, n);
  double low = sorted[0], high = sorted[n - 1];
  g.step = regular_step(sorted, n, most);
  if (low == high) {
    g.step = low == 0 ? 1 : fabs(low) / 10;
    g.n = 1;
    g.low = low - g.step / 2;
  } else if (g.step > 0) {
    g.n = (uint32_t)round((high - low) / g.step) + 1;
    g.low = low - g.step / 2;
  } else {
    g.n = most;
    g.step = high / most - low / most;
    g.low = low;
  }
  return g;
}

static uint32_t cell_of(const Grid *g, double v)
{
  return (uint32_t)fmin(fmax((place(g, v) - g->low) / g->step, 0), g->n - 1);
}

typedef struct Cell {
  uint32_t index;
  double value;
} Cell;

static gint compare_cells(gconstpointer a, gconstpointer b)
{
  const Cell *x = a, *y = b;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Rows of one cell become one value as the figure says. */
static PictureNumbers *cell_values(const Strand *s, const Grid *x, const Grid *y)
{
  g_autoptr(GArray) cells = g_array_sized_new(FALSE, FALSE, sizeof(Cell), s->points->len);
  g_autofree double *run = g_new(double, s->points->len + 1);
  PictureNumbers *values = numbers_new(x->n * y->n);
  for (uint32_t i = 0; i < x->n * y->n; i++) numbers_add(values, (double)NAN);
  for (guint i = 0; i < s->points->len; i++) {
    const Point *p = strand_point(s, i);
    Cell c = { cell_of(y, p->y) * x->n + cell_of(x, p->x), p->value };
    g_array_append_val(cells, c);
  }
  g_array_sort(cells, compare_cells);
  for (guint first = 0, end; first < cells->len; first = end) {
    uint32_t index = g_array_index(cells, Cell, first).index;
    for (end = first; end < cells->len && g_array_index(cells, Cell, end).index == index; end++)
      run[end - first] = g_array_index(cells, Cell, end).value;
    g_array_index(values, double, index) = reduce_values(reduce_how(s->layer), run, end - first);
  }
  return values;
}

void marks_field(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  const Layer *l = s->layer;
  Grid x = grid_of(p, l, offsetof(Point, x), layer_x_scale(l) != SCALE_LINEAR, MOST_ACROSS);
  Grid y = grid_of(p, l, offsetof(Point, y), layer_y_scale(l) != SCALE_LINEAR, MOST_UP);
  PictureSeries *series = marks_series(m, s, MARK_FIELD, out);
  if (!has_hues(l)) g_clear_pointer(&series->color, g_free);
  series->field = g_new0(PictureField, 1);
  *series->field = (PictureField){ x.low, x.step, y.low, y.step, x.n, y.n, NULL };
  series->field->value = cell_values(s, &x, &y);
}
