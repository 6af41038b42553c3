/* The largest names of an axis, and one for all others; see chart.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/picture/chart.h"

enum { MOST_RANKED = 30, MOST_NAMES = 60 }; /* bars when the figure does not say how many */

typedef struct Size {
  double size;
  uint32_t index;
} Size;

typedef struct XY {
  uint32_t x;
  double y;
} XY;

static double size_of(const Layer *l, const Point *p)
{
  return l->y_place == PLACE_NAMES ? p->value : p->y;
}

static GArray *all_points(const Chart *c, const Names *n)
{
  GArray *all = g_array_new(FALSE, FALSE, sizeof(XY));
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; p->x_names == n && k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      for (guint m = 0; s->layer == c->layer && m < s->points->len; m++) {
        XY at = { (uint32_t)strand_point(s, m)->x, size_of(s->layer, strand_point(s, m)) };
        g_array_append_val(all, at);
      }
    }
  }
  return all;
}

static gint compare_x(gconstpointer a, gconstpointer b)
{
  const XY *p = a, *q = b;
  return p->x < q->x ? -1 : p->x > q->x;
}

static const char *how_of(const Layer *l)
{
  bool spread = l->kind == MILL_FIGURE_BOX || l->kind == MILL_FIGURE_VIOLIN;
  return spread ? "median" : reduce_how(l);
}

static Size *sizes_of(const Chart *c, const Names *n)
{
  Size *sizes = g_new(Size, names_len(n));
  for (uint32_t i = 0; i < names_len(n); i++) sizes[i] = (Size){ 0, i };
  g_autoptr(GArray) all = all_points(c, n);
  g_array_sort(all, compare_x);
  g_autofree double *values = g_new(double, all->len + 1);
  for (guint first = 0, end; first < all->len; first = end) {
    uint32_t x = g_array_index(all, XY, first).x;
    for (end = first; end < all->len && g_array_index(all, XY, end).x == x; end++)
      values[end - first] = g_array_index(all, XY, end).y;
    sizes[x].size = fabs(reduce_values(how_of(c->layer), values, end - first));
  }
  return sizes;
}

static gint compare_sizes(gconstpointer a, gconstpointer b, gpointer unused)
{
  const Size *x = a, *y = b;
  (void)unused;
  if (x->size != y->size) return x->size > y->size ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static gint compare_places(gconstpointer a, gconstpointer b, gpointer unused)
{
  const Size *x = a, *y = b;
  (void)unused;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* ------------------------------------------------------------------ places */

static void move_points(Chart *c, const Names *n, const uint32_t *places)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; p->x_names == n && k < p->strands->len; k++) {
      GArray *points = ((Strand *)p->strands->pdata[k])->points;
      guint kept = 0;
      for (guint m = 0; m < points->len; m++) {
        Point at = g_array_index(points, Point, m);
        uint32_t place = places[(uint32_t)at.x];
        at.x = place;
        if (place != NAMES_NONE) g_array_index(points, Point, kept++) = at;
      }
      g_array_set_size(points, kept);
    }
  }
}

/* Of a column's name. */
static char *plural(const char *name)
{
  size_t len = strlen(name);
  bool y = len > 1 && name[len - 1] == 'y' && !strchr("aeiou", name[len - 2]);
  return g_strdup_printf("%.*s%s", (int)(y ? len - 1 : len), name,
                         y                             ? "ies"
                         : g_str_has_suffix(name, "s") ? "es"
                                                       : "s");
}

static void drop_empty(Chart *c)
{
  for (guint i = 0; i < c->panes->len; i++) {
    GPtrArray *strands = ((Pane *)c->panes->pdata[i])->strands;
    for (guint k = strands->len; k-- > 0;)
      if (!((Strand *)strands->pdata[k])->points->len) g_ptr_array_remove_index(strands, k);
  }
}

/* "20 of 62 names, by total" */
static void say_part(Chart *c, uint32_t kept, uint32_t count)
{
  const Layer *l = c->layer;
  int x = g_array_index(l->x, int, 0);
  g_autofree char *names = plural(x < 0 ? "lane" : source_column_at(l->source, x)->name);
  chart_leave_out(c, "%u of %u %s, by %s", kept, count, names,
                  l->counts ? "count" : layer_measured(l));
}

/* Keeps the first `keep` of sizes; others become one, or are left out. */
static void keep(Chart *c, Names *n, const Size *sizes, uint32_t kept, bool sum_up)
{
  uint32_t count = names_len(n), rest = count - kept;
  g_autofree uint32_t *order = g_new(uint32_t, count);
  g_autofree uint32_t *places = g_new(uint32_t, count);
  for (uint32_t i = 0; i < count; i++) {
    order[i] = sizes[i].index;
    places[order[i]] = i < kept ? i : sum_up ? kept : NAMES_NONE;
  }
  names_pick(n, order, kept);
  if (rest && sum_up) {
    say_part(c, kept, count);
    g_autofree char *label = g_strdup_printf("others (%u)", rest);
    names_set_label(n, names_add(n, "\x1fothers", 7), label);
  } else if (rest)
    say_part(c, kept, count);
  move_points(c, n, places);
  drop_empty(c);
}

/* 0: all of them. */
static uint32_t limit_of(const Chart *c, Names *n)
{
  const Layer *l = c->layer;
  double number;
  if (l->figure->top) return l->figure->top;
  if (c->kind == MILL_FIGURE_RANKED) return MOST_RANKED;
  if (c->kind != MILL_FIGURE_BAR && c->kind != MILL_FIGURE_STACKED_BAR &&
      c->kind != MILL_FIGURE_BOX && c->kind != MILL_FIGURE_VIOLIN)
    return 0;
  size_t len;
  const char *key = names_key(n, 0, &len);
  return num_real(key, len, &number) ? 0 : MOST_NAMES;
}

static bool has_x_names(const Chart *c, const Names *n)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    if (p->x_names == n && p->x_place == PLACE_NAMES) return true;
  }
  return false;
}

static void keep_top_of(Chart *c, Names *n)
{
  uint32_t count = names_len(n), limit = limit_of(c, n), kept = count;
  bool ranked = c->kind == MILL_FIGURE_RANKED;
  if (limit && count - 1 > limit) kept = limit; /* one other is no "others" */
  if (kept == count && !ranked) return;
  g_autofree Size *sizes = sizes_of(c, n);
  g_qsort_with_data(sizes, (gint)count, sizeof *sizes, compare_sizes, NULL);
  if (!ranked) g_qsort_with_data(sizes, (gint)kept, sizeof *sizes, compare_places, NULL);
  keep(c, n, sizes, kept, ranked || c->layer->figure->top > 0);
}

void chart_keep_top(Chart *c)
{
  for (guint i = 0; i < c->names->len; i++) {
    Names *n = c->names->pdata[i];
    if (names_len(n) && has_x_names(c, n)) keep_top_of(c, n);
  }
}
