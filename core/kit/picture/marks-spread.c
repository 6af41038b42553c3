/* Boxes, violins and densities of samples; see marks.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/spread.h"
#include "kit/picture/marks.h"

static gint compare_samples(gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

typedef struct Samples { /* of one name: a run of sorted points */
  const Strand *strand;
  guint first, end;
} Samples;

static double *values_of(const Samples *s)
{
  double *values = g_new(double, s->end - s->first);
  for (guint i = s->first; i < s->end; i++) values[i - s->first] = strand_point(s->strand, i)->y;
  return values;
}

static void add_common(PictureSeries *out, double x, const SpreadBox *b, size_t n)
{
  numbers_add(out->x, x);
  numbers_add(out->median, b->median);
  numbers_add(out->mean, b->mean);
  numbers_add(out->n, (double)n);
}

static void add_box(PictureSeries *out, PictureSeries *outliers, const Samples *s)
{
  g_autofree double *values = values_of(s);
  size_t n = s->end - s->first;
  double x = strand_point(s->strand, s->first)->x;
  SpreadBox b;
  spread_box(values, n, &b);
  add_common(out, x, &b, n);
  numbers_add(out->low, b.low);
  numbers_add(out->q1, b.q1);
  numbers_add(out->q3, b.q3);
  numbers_add(out->high, b.high);
  for (size_t i = 0; i < n; i++) {
    if (i >= b.first && i < b.end) continue;
    numbers_add(outliers->x, x);
    numbers_add(outliers->y, values[i]);
  }
}

static void shape_free(gpointer data)
{
  PictureShape *shape = data;
  g_array_unref(shape->width);
  g_free(shape);
}

static void add_violin(PictureSeries *out, const Samples *s)
{
  g_autofree double *values = values_of(s);
  size_t n = s->end - s->first;
  double density[SPREAD_POINTS], largest = 0;
  PictureShape *shape = g_new0(PictureShape, 1);
  SpreadBox b;
  spread_box(values, n, &b);
  add_common(out, strand_point(s->strand, s->first)->x, &b, n);
  numbers_add(out->low, values[0]);
  numbers_add(out->high, values[n - 1]);
  spread_density(values, n, density);
  for (size_t i = 0; i < SPREAD_POINTS; i++) largest = fmax(largest, density[i]);
  shape->low = values[0];
  shape->step = (double)(((long double)values[n - 1] - values[0]) / (SPREAD_POINTS - 1));
  shape->width = numbers_new(SPREAD_POINTS);
  for (size_t i = 0; i < SPREAD_POINTS; i++)
    numbers_add(shape->width, largest > 0 ? 0.5 * density[i] / largest : 0);
  if (!out->shapes) out->shapes = g_ptr_array_new_with_free_func(shape_free);
  g_ptr_array_add(out->shapes, shape);
}

static void open_columns(PictureSeries *s, bool boxes)
{
  PictureNumbers **const columns[] = { &s->x, &s->low, &s->median, &s->high, &s->mean, &s->n };
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) *columns[i] = numbers_new(0);
  s->q1 = boxes ? numbers_new(0) : NULL;
  s->q3 = boxes ? numbers_new(0) : NULL;
}

/* The median of one that is far from the others. */
static void add_median(PictureSeries *out, const Samples *s)
{
  g_autofree double *values = values_of(s);
  numbers_add(out->x, strand_point(s->strand, s->first)->x);
  numbers_add(out->y, spread_quantile(values, s->end - s->first, 0.5));
}

static PictureSeries *points_series(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  PictureSeries *points = marks_series(m, s, MARK_POINTS, out);
  points->x = numbers_new(0);
  points->y = numbers_new(0);
  marks_slot(m, p, s, points);
  return points;
}

static void thin(Marks *m, PictureSeries *points)
{
  guint n = points->x->len, step = (n + MOST_POINTS - 1) / MOST_POINTS, kept = 0;
  if (step < 2) return;
  for (guint i = 0; i < n; i += step, kept++) {
    g_array_index(points->x, double, kept) = g_array_index(points->x, double, i);
    g_array_index(points->y, double, kept) = g_array_index(points->y, double, i);
  }
  g_array_set_size(points->x, kept);
  g_array_set_size(points->y, kept);
  m->n_thinned += n;
}

void marks_spread(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  bool boxes = s->layer->kind == MILL_FIGURE_BOX;
  PictureSeries *series = NULL, *points = NULL;
  g_array_sort(s->points, compare_samples);
  if (!s->far) {
    series = marks_series(m, s, boxes ? MARK_BOXES : MARK_VIOLINS, out);
    open_columns(series, boxes);
    marks_slot(m, p, s, series);
  }
  if (s->far || boxes) points = points_series(m, p, s, out);
  for (guint first = 0, end; first < s->points->len; first = end) {
    double x = strand_point(s, first)->x;
    for (end = first + 1; end < s->points->len && strand_point(s, end)->x == x;) end++;
    Samples samples = { s, first, end };
    if (s->far)
      add_median(points, &samples);
    else if (boxes)
      add_box(series, points, &samples);
    else
      add_violin(series, &samples);
  }
  if (!points || s->far) return;
  thin(m, points);
  g_free(points->name); /* outliers belong to their boxes */
  points->name = g_strdup("");
  if (!points->x->len) g_ptr_array_remove(out->series, points);
}

/* Down to 0; of several series, whose areas would cover one another, only the line. */
static void fill_curve(PictureSeries *io_series)
{
  io_series->low = numbers_new(SPREAD_POINTS);
  for (guint i = 0; i < SPREAD_POINTS; i++) numbers_add(io_series->low, 0);
  io_series->high = g_array_ref(io_series->y);
}

void marks_curve(Marks *m, const Strand *s, PicturePanel *out, bool alone)
{
  bool log = layer_x_scale(s->layer) != SCALE_LINEAR;
  guint n = s->points->len;
  double density[SPREAD_POINTS];
  g_autofree double *values = g_new(double, n + 1);
  for (guint i = 0; i < n; i++)
    values[i] = log ? log10(strand_point(s, i)->x) : strand_point(s, i)->x;
  spread_sort(values, n);
  spread_density(values, n, density);
  PictureSeries *series = marks_series(m, s, MARK_LINE, out);
  series->x = numbers_new(SPREAD_POINTS);
  series->y = numbers_new(SPREAD_POINTS);
  for (guint i = 0; i < SPREAD_POINTS; i++) {
    double part = i / (double)(SPREAD_POINTS - 1);
    double x = values[0] * (1 - part) + values[n - 1] * part;
    numbers_add(series->x, log ? pow(10, x) : x);
    numbers_add(series->y, density[i]);
  }
  if (alone) fill_curve(series);
}
