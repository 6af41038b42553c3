/* Bars, stacks of them, and bins; see marks.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/picture/marks.h"

static void add_bar(PictureSeries *series, double x, double low, double high)
{
  if (!series->x) {
    series->x = numbers_new(0);
    series->low = numbers_new(0);
    series->high = numbers_new(0);
  }
  numbers_add(series->x, x);
  numbers_add(series->low, low);
  numbers_add(series->high, high);
}

/* ----------------------------------------------------------------- grouped */

/* Of the many only the farthest stand out: as points beside the median's bar. */
static void far_points(Marks *m, const Strand *s, PicturePanel *out)
{
  PictureSeries *series = marks_series(m, s, MARK_POINTS, out);
  series->x = marks_column(s->points, offsetof(Point, x));
  series->y = marks_column(s->points, offsetof(Point, y));
}

/* A series of one colour; names that have a colour of their own are series of their own.  A ranking is of kernels and
 * the like, which may be called as a category. */
static void color_names(Marks *m, const Pane *p, PictureSeries *series, PicturePanel *out)
{
  PictureNumbers *x = series->x, *low = series->low, *high = series->high;
  bool plain = !m->alone || m->chart->kind == MILL_FIGURE_RANKED || series->value || series->text ||
               series->error_low;
  guint known = 0;
  for (guint i = 0; x && i < x->len && !plain; i++)
    known += colors_has(m->colors, names_label(p->x_names, (uint32_t)g_array_index(x, double, i)));
  if (!known || 2 * known < x->len) return;
  g_free(series->color);
  series->color = g_strdup(COLOR_MANY);
  series->x = series->low = series->high = NULL;
  for (guint i = 0; i < x->len; i++) {
    double at = g_array_index(x, double, i);
    const char *label = names_label(p->x_names, (uint32_t)at);
    PictureSeries *into = series;
    if (colors_has(m->colors, label)) {
      into = g_new0(PictureSeries, 1);
      *into = (PictureSeries){ .mark = MARK_BARS, .name = g_strdup(""), .n_slots = 1 };
      into->color = g_strdup(colors_of(m->colors, label));
      g_ptr_array_add(out->series, into);
    }
    add_bar(into, at, g_array_index(low, double, i), g_array_index(high, double, i));
  }
  g_array_unref(x);
  g_array_unref(low);
  g_array_unref(high);
  if (!series->x) g_ptr_array_remove(out->series, series);
}

void marks_bars(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  if (s->far) return far_points(m, s, out);
  PictureSeries *series = marks_series(m, s, MARK_BARS, out);
  for (guint i = 0; i < s->points->len; i++)
    add_bar(series, strand_point(s, i)->x, 0, strand_point(s, i)->y);
  series->error_low = marks_column(s->points, offsetof(Point, y_low));
  series->error_high = marks_column(s->points, offsetof(Point, y_high));
  if (s->layer->value >= 0) series->value = marks_column(s->points, offsetof(Point, value));
  series->text = marks_texts(m, p, s, s->points);
  marks_slot(m, p, s, series);
  color_names(m, p, series, out);
}

/* ------------------------------------------------------------------ stacks */

typedef struct Stacks {
  uint32_t n_groups;
  long double *up, *down; /* heights so far, of each name and group */
  guint *top;             /* series + 1 that is its last part */
} Stacks;

static uint32_t stack_of(const Stacks *k, const Point *p)
{
  return (uint32_t)p->x * k->n_groups + p->group;
}

static double clamped(long double v)
{
  return (double)fmaxl(fminl(v, (long double)G_MAXDOUBLE), -(long double)G_MAXDOUBLE);
}

static void add_part(Stacks *k, PictureSeries *series, const Point *p)
{
  long double *height = p->y < 0 ? &k->down[stack_of(k, p)] : &k->up[stack_of(k, p)];
  long double low = *height;
  *height += p->y;
  add_bar(series, (double)(uint32_t)p->x, clamped(low), clamped(*height));
}

static void add_text(PictureSeries *series, char *text)
{
  if (!series->text) series->text = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(series->text, text);
}

/* One series for each group: a series has one slot. */
static void add_strand(Marks *m, const Pane *p, Stacks *k, const Strand *s, PicturePanel *out)
{
  for (uint32_t g = 0; g < k->n_groups; g++) {
    PictureSeries *series = NULL;
    for (guint i = 0; i < s->points->len; i++) {
      const Point *at = strand_point(s, i);
      if (at->group != g) continue;
      if (!series) series = marks_series(m, s, MARK_BARS, out);
      add_part(k, series, at);
      if (k->n_groups > 1 && s->layer->annotation >= 0)
        add_text(series, marks_annotation(s->layer, at));
      k->top[stack_of(k, at)] = out->series->len;
    }
    if (!series) continue;
    series->slot = g;
    series->n_slots = k->n_groups;
    if (k->n_groups == 1) series->text = marks_texts(m, p, s, s->points);
  }
}

/* Each stack has the name of its group above it, unless its parts are annotated. */
static void name_groups(Marks *m, const Stacks *k, uint32_t n_names, PicturePanel *out)
{
  if (k->n_groups < 2 || n_names * k->n_groups > MOST_TEXTS || m->chart->layer->annotation >= 0)
    return;
  for (guint i = 0; i < out->series->len; i++) {
    PictureSeries *s = out->series->pdata[i];
    if (s->mark != MARK_BARS || s->n_slots != k->n_groups || !s->x) continue;
    for (guint b = 0; b < s->x->len; b++) {
      uint32_t stack = (uint32_t)g_array_index(s->x, double, b) * k->n_groups + s->slot;
      bool top = k->top[stack] == i + 1;
      add_text(s, g_strdup(top ? names_label(m->chart->groups, s->slot) : ""));
    }
  }
}

void marks_stacks(Marks *m, const Pane *p, PicturePanel *out)
{
  uint32_t n_names = MAX(1, names_len(p->x_names)), groups = MAX(1, names_len(m->chart->groups));
  size_t n = (size_t)n_names * groups;
  g_autofree long double *up = g_new0(long double, n);
  g_autofree long double *down = g_new0(long double, n);
  g_autofree guint *top = g_new0(guint, n);
  Stacks k = { groups, up, down, top };
  guint before = out->series->len;
  for (guint i = 0; i < p->strands->len; i++) {
    const Strand *s = p->strands->pdata[i];
    if (s->layer == m->chart->layer) add_strand(m, p, &k, s, out);
  }
  name_groups(m, &k, n_names, out);
  if (groups == 1 && out->series->len == before + 1)
    color_names(m, p, out->series->pdata[before], out);
}

/* Of a ranking: what share of the sum the names are together; nothing where that makes no sense. */
void marks_shares(Marks *m, const Pane *p, PicturePanel *out)
{
  uint32_t n = names_len(p->x_names);
  g_autofree long double *sums = g_new0(long double, n + 1);
  long double all = 0, so_far = 0;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == m->chart->layer && i < s->points->len; i++) {
      if (strand_point(s, i)->y < 0) return;
      sums[(uint32_t)strand_point(s, i)->x] += strand_point(s, i)->y;
      all += strand_point(s, i)->y;
    }
  }
  if (!(all > 0)) return;
  PictureSeries *series = g_new0(PictureSeries, 1);
  *series = (PictureSeries){ .mark = MARK_LINE, .name = g_strdup(""), .n_slots = 1 };
  series->color = g_strdup(COLOR_ALONE);
  series->x = numbers_new(n);
  series->y = numbers_new(n);
  for (uint32_t i = 0; i < n; i++) {
    so_far += sums[i];
    numbers_add(series->x, i);
    numbers_add(series->y, (double)(so_far / all * 100));
  }
  g_ptr_array_add(out->series, series);
}

/* -------------------------------------------------------------------- bins */

void marks_bins(Marks *m, const Strand *s, PicturePanel *out)
{
  PictureSeries *series = marks_series(m, s, MARK_BINS, out);
  for (guint i = 0; i < s->points->len; i++)
    add_bar(series, strand_point(s, i)->x, 0, strand_point(s, i)->y);
  series->x_high = marks_column(s->points, offsetof(Point, x_end));
}
