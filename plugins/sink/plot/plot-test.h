/* Pictures made by hand: one of each mark, few and many, with every oddity of text. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_PLOT_PLOT_TEST_H
#define SINK_PLOT_PLOT_TEST_H

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "kit/display/frame.h"
#include "check.h"

/* Numbers that end in an infinity. */
#define MADE_END ((double)INFINITY)
#define NUMBERS(...) made_numbers((const double[]){ __VA_ARGS__, MADE_END })

static inline PictureNumbers *made_numbers(const double *v)
{
  PictureNumbers *n = g_array_new(FALSE, FALSE, sizeof(double));
  for (; *v != MADE_END; v++) g_array_append_val(n, *v);
  return n;
}

static inline GPtrArray *made_words(const char *words)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) parts = g_strsplit(words, "|", -1);
  for (char **p = parts; *p; p++) g_ptr_array_add(list, g_strdup(*p));
  return list;
}

static inline PictureAxis made_axis(const char *label, double factor, PictureScale scale,
                                    double low, double high)
{
  return (PictureAxis){ .label = g_strdup(label),
                        .unit = g_strdup(""),
                        .factor = factor,
                        .scale = scale,
                        .low = low,
                        .high = high };
}

static inline PictureAxis made_categories(const char *label, const char *words)
{
  PictureAxis a = made_axis(label, 1, SCALE_CATEGORIES, -0.5, 0);
  a.categories = made_words(words);
  a.high = a.categories->len - 0.5;
  return a;
}

static inline Picture *made_picture(const char *name, const char *title)
{
  Picture *p = g_new0(Picture, 1);
  p->name = g_strdup(name);
  p->file = g_strdup(name);
  p->title = g_strdup(title);
  p->table = g_strdup("table");
  p->description = g_strdup("");
  p->footer = g_strdup("profile 0a1b2c");
  p->n_columns = 1;
  p->panels = g_ptr_array_new();
  p->legend = g_ptr_array_new();
  return p;
}

static inline PicturePanel *made_panel(Picture *p, const char *title, PictureAxis x, PictureAxis y)
{
  PicturePanel *panel = g_new0(PicturePanel, 1);
  panel->title = g_strdup(title);
  panel->x = x;
  panel->y = y;
  panel->series = g_ptr_array_new();
  g_ptr_array_add(p->panels, panel);
  return panel;
}

static inline PictureSeries *made_series(PicturePanel *panel, PictureMark mark, const char *name,
                                         const char *color)
{
  PictureSeries *s = g_new0(PictureSeries, 1);
  s->mark = mark;
  s->name = g_strdup(name);
  s->color = g_strdup(color);
  s->n_slots = 1;
  g_ptr_array_add(panel->series, s);
  return s;
}

static inline void made_key(Picture *p, const char *name, const char *color)
{
  PictureKey *k = g_new0(PictureKey, 1);
  k->name = g_strdup(name);
  k->color = g_strdup(color);
  g_ptr_array_add(p->legend, k);
}

static inline void made_bar(PicturePanel *panel, const char *label, PictureScale scale, double low,
                            double high, PicturePalette palette)
{
  panel->color = g_new0(PictureColorBar, 1);
  panel->color->axis = made_axis(label, 1, scale, low, high);
  panel->color->palette = palette;
}

/* The same in every run. */
static inline double made_random(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

/* -------------------------------------------------------------------- looking */

/* The first text that begins so, or NULL; the number of them. */
static inline const DisplayMark *made_text(const Display *d, const char *begin)
{
  for (guint i = 0; i < d->marks->len; i++) {
    const DisplayMark *m = d->marks->pdata[i];
    if (m->text && g_str_has_prefix(m->text, begin)) return m;
  }
  return NULL;
}

static inline guint made_count_texts(const Display *d, const char *part)
{
  guint n = 0;
  for (guint i = 0; i < d->marks->len; i++) {
    const DisplayMark *m = d->marks->pdata[i];
    n += m->text && strstr(m->text, part);
  }
  return n;
}

/* The k-th mark of that kind and colour. */
static inline const DisplayMark *made_mark(const Display *d, DisplayKind kind, const char *color,
                                           guint k)
{
  unsigned rgb = (unsigned)strtoul(color + 1, NULL, 16);
  for (guint i = 0; i < d->marks->len; i++) {
    const DisplayMark *m = d->marks->pdata[i];
    if (m->style.kind == kind && m->style.rgb == rgb && !k--) return m;
  }
  return NULL;
}

static inline double made_number(const DisplayMark *m, guint i)
{
  return m && i < m->numbers->len ? g_array_index(m->numbers, double, i) : (double)NAN;
}

/* ------------------------------------------------------------------- freeing */

static inline void made_free_numbers(PictureNumbers *n)
{
  if (n) g_array_unref(n);
}

static inline void made_free_axis(PictureAxis *a)
{
  g_free(a->label);
  g_free(a->unit);
  if (a->categories) g_ptr_array_unref(a->categories);
}

static inline void made_free_series(PictureSeries *s)
{
  PictureNumbers *const all[] = { s->x,      s->x_low,     s->x_high,     s->y,     s->low,
                                  s->high,   s->error_low, s->error_high, s->value, s->q1,
                                  s->median, s->q3,        s->mean,       s->n };
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) made_free_numbers(all[i]);
  for (guint i = 0; s->shapes && i < s->shapes->len; i++) {
    PictureShape *shape = s->shapes->pdata[i];
    made_free_numbers(shape->width);
    g_free(shape);
  }
  if (s->shapes) g_ptr_array_unref(s->shapes);
  if (s->text) g_ptr_array_unref(s->text);
  if (s->field) made_free_numbers(s->field->value);
  g_free(s->field);
  g_free(s->name);
  g_free(s->color);
  g_free(s);
}

static inline void made_free(Picture *p)
{
  for (guint i = 0; i < p->panels->len; i++) {
    PicturePanel *panel = p->panels->pdata[i];
    for (guint k = 0; k < panel->series->len; k++) made_free_series(panel->series->pdata[k]);
    g_ptr_array_unref(panel->series);
    made_free_axis(&panel->x);
    made_free_axis(&panel->y);
    if (panel->color) made_free_axis(&panel->color->axis);
    g_free(panel->color);
    g_free(panel->title);
    g_free(panel->note);
    g_free(panel);
  }
  for (guint i = 0; i < p->legend->len; i++) {
    PictureKey *k = p->legend->pdata[i];
    g_free(k->name);
    g_free(k->color);
    g_free(k);
  }
  g_ptr_array_unref(p->panels);
  g_ptr_array_unref(p->legend);
  char *const texts[] = { p->name,        p->file,     p->title,  p->table,
                          p->description, p->left_out, p->footer, p->legend_title };
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
  g_free(p);
}

#endif
