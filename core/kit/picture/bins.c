/* Samples of a histogram counted into bins, and cells of a heatmap that share one; see chart.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/picture/chart.h"
#include "kit/picture/marks.h"

typedef struct Bins {
  double low, high;
  uint32_t n;
  bool log;
} Bins;

/* The lower end of a bin. */
static double edge(const Bins *b, uint32_t i)
{
  long double part = (long double)i / b->n;
  if (i == b->n) return b->high;
  if (b->log) return (double)(b->low * powl((long double)b->high / b->low, part));
  return (double)(b->low + ((long double)b->high - b->low) * part);
}

static uint32_t bin_of(const Bins *b, double x)
{
  long double part = b->log ? logl((long double)x / b->low) / logl((long double)b->high / b->low)
                            : ((long double)x - b->low) / ((long double)b->high - b->low);
  return (uint32_t)fminl(fmaxl(part * b->n, 0), b->n - 1);
}

/* As many as Sturges says for the longest series. */
static Bins bins_of(const Chart *c)
{
  Bins b = { G_MAXDOUBLE, -G_MAXDOUBLE, 1, layer_x_scale(c->layer) != SCALE_LINEAR };
  guint most = 1;
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      most = MAX(most, s->points->len);
      for (guint m = 0; m < s->points->len; m++) {
        b.low = fmin(b.low, strand_point(s, m)->x);
        b.high = fmax(b.high, strand_point(s, m)->x);
      }
    }
  }
  if (b.low < b.high) b.n = (uint32_t)ceil(log2(most)) + 1;
  return b;
}

static void bin_strand(const Bins *b, Strand *s)
{
  g_autoptr(GArray) bins = g_array_sized_new(FALSE, TRUE, sizeof(Point), b->n);
  for (uint32_t i = 0; i < b->n; i++) {
    Point at = { .x = edge(b, i), .x_end = edge(b, i + 1), .row = strand_point(s, 0)->row };
    if (b->low == b->high) at.x_end = at.x + fmax(1, fabs(at.x) * 0.01);
    at.x_low = at.x_high = at.y_low = at.y_high = at.value = (double)NAN;
    g_array_append_val(bins, at);
  }
  for (guint i = 0; i < s->points->len; i++) {
    uint32_t bin = b->n > 1 ? bin_of(b, strand_point(s, i)->x) : 0;
    g_array_index(bins, Point, bin).y += strand_point(s, i)->y;
  }
  g_array_set_size(s->points, 0);
  g_array_append_vals(s->points, bins->data, bins->len);
}

void chart_bin(Chart *c)
{
  if (c->kind != MILL_FIGURE_HISTOGRAM || c->layer->x_end >= 0) return;
  Bins b = bins_of(c);
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      Strand *s = p->strands->pdata[k];
      if (s->layer == c->layer && s->points->len) bin_strand(&b, s);
    }
  }
}

/* ------------------------------------------------------------------- cells */

/* So many neighbours become one name. */
static void merge_names(Names *n, uint32_t times)
{
  uint32_t count = names_len(n), kept = (count + times - 1) / times;
  g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
  g_autofree uint32_t *order = g_new(uint32_t, kept);
  for (uint32_t i = 0; i < kept; i++) {
    uint32_t last = MIN((i + 1) * times, count) - 1;
    order[i] = i * times;
    g_ptr_array_add(labels,
                    g_strdup_printf("%s … %s", names_label(n, order[i]), names_label(n, last)));
  }
  names_pick(n, order, kept);
  for (uint32_t i = 0; i < kept; i++) names_set_label(n, i, labels->pdata[i]);
}

static void merge_points(Chart *c, const Names *n, uint32_t times)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; m < s->points->len; m++) {
        Point *at = strand_point(s, m);
        if (p->x_names == n) at->x = floor(at->x / times);
        if (p->y_names == n) at->y = floor(at->y / times);
      }
    }
  }
}

static void merge(Chart *c, Names *n, uint32_t times)
{
  if (times < 2) return;
  chart_leave_out(c, "a cell stands for %u of %u along an axis", times, names_len(n));
  merge_points(c, n, times);
  merge_names(n, times);
}

/* The longer axis first. */
void chart_merge_cells(Chart *c)
{
  if (c->kind != MILL_FIGURE_HEATMAP || !c->panes->len) return;
  uint64_t most = MAX(1000, MOST_CELLS / c->panes->len); /* of a panel */
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    uint64_t n_x = names_len(p->x_names), n_y = names_len(p->y_names), times_x = 1, times_y = 1;
    while (((n_x + times_x - 1) / times_x) * ((n_y + times_y - 1) / times_y) > most)
      if (n_x / times_x > n_y / times_y)
        times_x++;
      else
        times_y++;
    merge(c, p->x_names, (uint32_t)times_x);
    merge(c, p->y_names, (uint32_t)times_y);
  }
}
