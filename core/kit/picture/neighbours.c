/* Colours of a timeline with more names than colours: names whose bars lie side by side keep apart; see panels.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/picture/panels.h"

enum { MOST_ACROSS = 16 }; /* bars of the next row: a long one lies beside thousands */

typedef struct Bar {
  guint panel, name;
  double row, from, to;
} Bar;

typedef struct Pair {
  guint a, b; /* names */
} Pair;

typedef struct Neighbours {
  Names *names;
  GPtrArray *colors; /* char *, of each name */
  GArray *bars;      /* Bar */
  GArray *pairs;     /* Pair, both ways */
} Neighbours;

/* ---------------------------------------------------------------------- bars */

static void add_bars(Neighbours *n, guint panel, const PictureSeries *s)
{
  uint32_t name = names_add(n->names, s->name, strlen(s->name));
  if (name == n->colors->len) g_ptr_array_add(n->colors, g_strdup(s->color));
  for (guint i = 0; s->x && s->x_high && s->y && i < s->x->len; i++) {
    Bar bar = { panel, name, g_array_index(s->y, double, i), g_array_index(s->x, double, i),
                g_array_index(s->x_high, double, i) };
    if (isfinite(bar.row) && isfinite(bar.from)) g_array_append_val(n->bars, bar);
  }
}

static void read_bars(Neighbours *n, const Picture *p)
{
  for (guint i = 0; i < p->panels->len; i++) {
    const PicturePanel *panel = p->panels->pdata[i];
    for (guint k = 0; k < panel->series->len; k++) {
      const PictureSeries *s = panel->series->pdata[k];
      if (s->mark == MARK_INTERVALS && s->color && *s->name) add_bars(n, i, s);
    }
  }
}

static gint compare_bars(gconstpointer a, gconstpointer b)
{
  const Bar *p = a, *q = b;
  if (p->panel != q->panel) return p->panel < q->panel ? -1 : 1;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  return p->from < q->from ? -1 : p->from > q->from;
}

/* --------------------------------------------------------------------- pairs */

static const Bar *bar_at(const Neighbours *n, guint i) { return &g_array_index(n->bars, Bar, i); }

static void add_pair(Neighbours *n, guint i, guint k)
{
  Pair one = { bar_at(n, i)->name, bar_at(n, k)->name }, other = { one.b, one.a };
  if (one.a == one.b) return;
  g_array_append_val(n->pairs, one);
  g_array_append_val(n->pairs, other);
}

static bool same_row(const Bar *a, const Bar *b)
{
  return a->panel == b->panel && a->row == b->row;
}

/* Of two rows: at the same time, or nothing begins between them. */
static bool is_beside(const Neighbours *n, guint i, guint k)
{
  const Bar *bar = bar_at(n, i), *other = bar_at(n, k);
  if (other->to <= bar->from)
    return i == 0 || !same_row(bar, bar_at(n, i - 1)) || bar_at(n, i - 1)->from < other->to;
  if (other->from < bar->to || i + 1 == n->bars->len) return true;
  return !same_row(bar, bar_at(n, i + 1)) || bar_at(n, i + 1)->from > other->from;
}

/* In the next row, from `*io_at` on to its end: the last that begins before the bar does, and those up to the first
 * one behind the bar. */
static void add_across(Neighbours *n, guint i, guint end, guint *io_at)
{
  while (*io_at + 1 < end && bar_at(n, *io_at + 1)->from <= bar_at(n, i)->from) ++*io_at;
  for (guint k = *io_at; k < MIN(end, *io_at + MOST_ACROSS); k++) {
    if (is_beside(n, i, k)) add_pair(n, i, k);
    if (bar_at(n, k)->from > bar_at(n, i)->to) return;
  }
}

static guint row_end(const Neighbours *n, guint begin)
{
  guint end = begin;
  while (end < n->bars->len && same_row(bar_at(n, begin), bar_at(n, end))) end++;
  return end;
}

static void find_pairs(Neighbours *n)
{
  for (guint begin = 0, end; begin < n->bars->len; begin = end) {
    end = row_end(n, begin);
    bool more = end < n->bars->len && bar_at(n, end)->panel == bar_at(n, begin)->panel;
    guint next_end = more ? row_end(n, end) : end, at = end;
    for (guint i = begin; i < end; i++) {
      if (i + 1 < end) add_pair(n, i, i + 1);
      add_across(n, i, next_end, &at);
    }
  }
}

static gint compare_pairs(gconstpointer a, gconstpointer b)
{
  const Pair *p = a, *q = b;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

/* ------------------------------------------------------------------- colours */

/* Of that colour, among the names before `end`. */
static bool has_neighbour(const Neighbours *n, guint first, guint name, const char *color,
                          guint end)
{
  for (guint i = first; i < n->pairs->len; i++) {
    const Pair *p = &g_array_index(n->pairs, Pair, i);
    if (p->a != name) return false;
    if (p->b < end && !strcmp(n->colors->pdata[p->b], color)) return true;
  }
  return false;
}

/* The first one after its own that no neighbour has; NULL: its own has to do. */
static const char *free_color(const Neighbours *n, guint first, guint name)
{
  guint n_colors, own = 0;
  const char *const *palette = colors_palette(&n_colors);
  while (own < n_colors && strcmp(palette[own], n->colors->pdata[name]) != 0) own++;
  if (own == n_colors) return NULL; /* it was given */
  for (guint k = 1; k < n_colors; k++) {
    const char *color = palette[(own + k) % n_colors];
    if (!has_neighbour(n, first, name, color, n->colors->len)) return color;
  }
  return NULL;
}

/* Of two the later one gives way. */
static void settle(Neighbours *n)
{
  for (guint first = 0, end; first < n->pairs->len; first = end) {
    guint name = g_array_index(n->pairs, Pair, first).a;
    size_t len;
    const char *key = names_key(n->names, name, &len);
    for (end = first; end < n->pairs->len && g_array_index(n->pairs, Pair, end).a == name;) end++;
    if (category_color(key) || !has_neighbour(n, first, name, n->colors->pdata[name], name))
      continue;
    const char *color = free_color(n, first, name);
    if (!color) continue;
    g_free(n->colors->pdata[name]);
    n->colors->pdata[name] = g_strdup(color);
  }
}

static void take_colors(const Neighbours *n, Picture *io_picture)
{
  for (guint i = 0; i < io_picture->panels->len; i++) {
    const PicturePanel *panel = io_picture->panels->pdata[i];
    for (guint k = 0; k < panel->series->len; k++) {
      PictureSeries *s = panel->series->pdata[k];
      if (s->mark != MARK_INTERVALS || !s->color || !*s->name) continue;
      uint32_t name = names_find(n->names, s->name, strlen(s->name));
      char *color = g_strdup(n->colors->pdata[name]);
      g_free(s->color);
      s->color = color;
    }
  }
}

static bool any_repeats(const Neighbours *n)
{
  for (guint i = 0; i < n->colors->len; i++)
    for (guint k = 0; k < i; k++)
      if (!strcmp(n->colors->pdata[i], n->colors->pdata[k])) return true;
  return false;
}

void colors_keep_apart(const Marks *m, Picture *io_picture)
{
  Neighbours n = { names_new(m->chart->layer->source->seed), g_ptr_array_new_with_free_func(g_free),
                   g_array_new(FALSE, FALSE, sizeof(Bar)),
                   g_array_new(FALSE, FALSE, sizeof(Pair)) };
  read_bars(&n, io_picture);
  if (any_repeats(&n)) {
    g_array_sort(n.bars, compare_bars);
    find_pairs(&n);
    g_array_sort(n.pairs, compare_pairs);
    settle(&n);
    take_colors(&n, io_picture);
  }
  names_free(n.names);
  g_ptr_array_unref(n.colors);
  g_array_unref(n.bars);
  g_array_unref(n.pairs);
}
