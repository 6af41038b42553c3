/* What a line of text says better than a picture: one value alone, cells that are all the same, and panels of
 * lines with one place; see chart.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/picture/axis.h"
#include "kit/picture/chart.h"

typedef struct Own { /* the points of the figure itself */
  uint64_t n;
  const Pane *pane;
  const Point *first;
  bool differ; /* in their values */
} Own;

static Own own_points(const Chart *c)
{
  Own own = { 0, NULL, NULL, false };
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Strand *s = p->strands->pdata[k];
      if (s->layer != c->layer || !s->points->len) continue;
      if (!own.first) own = (Own){ 0, p, strand_point(s, 0), false };
      for (guint m = 0; m < s->points->len; m++)
        own.differ |= !(strand_point(s, m)->value == own.first->value);
      own.n += s->points->len;
    }
  }
  return own;
}

static char *number_of(const Layer *l, int column, double value)
{
  return number_text(value, column < 0 ? NULL : source_column_at(l->source, column)->unit, NULL);
}

static bool has_bars(const Chart *c)
{
  return c->kind == MILL_FIGURE_BAR || c->kind == MILL_FIGURE_STACKED_BAR ||
         c->kind == MILL_FIGURE_RANKED;
}

/* "GEMM: 5.2 ms" */
static char *one_bar(const Chart *c, const Own *own)
{
  const Layer *l = c->layer;
  g_autofree char *number = number_of(l, l->counts ? -1 : l->y, own->first->y);
  const char *name = names_label(own->pane->x_names, (uint32_t)own->first->x);
  return g_strdup_printf("it would be one bar: %s%s%s", name, *name ? ": " : "", number);
}

/* "e2e_mean is 247 ms, output_throughput is 200 tok/s" */
static char *one_point(const Chart *c, const Own *own)
{
  const Layer *l = c->layer;
  int x = g_array_index(l->x, int, own->pane->x);
  if (own->pane->x_place == PLACE_NAMES || l->y_place == PLACE_NAMES || x < 0 || l->y < 0)
    return NULL;
  g_autofree char *x_text = number_of(l, x, own->first->x),
                  *y_text = number_of(l, l->y, own->first->y);
  return g_strdup_printf("it would be one point: %s is %s, %s is %s",
                         source_column_at(l->source, x)->name, x_text,
                         source_column_at(l->source, l->y)->name, y_text);
}

/* Nothing was left out, which a picture would say, nor lies below. */
static bool has_points(const Chart *c)
{
  if (c->n_not_positive || c->n_without_x || c->n_without_y || c->layer->figure->over) return false;
  return c->kind == MILL_FIGURE_SCATTER || c->kind == MILL_FIGURE_PARETO ||
         c->kind == MILL_FIGURE_LINE;
}

static bool is_full(const Chart *c, const Own *own)
{
  uint64_t cells = (uint64_t)names_len(own->pane->x_names) * names_len(own->pane->y_names);
  return own->n == cells * c->panes->len;
}

/* "wait is 0 ns in all 4 cells": whole heatmaps; holes in one say something. */
static char *one_color(const Chart *c, const Own *own)
{
  const Layer *l = c->layer;
  if (l->counts || l->value < 0 || l->value_place == PLACE_NAMES) return NULL;
  if (own->differ || !is_full(c, own)) return NULL;
  g_autofree char *number = number_of(l, l->value, own->first->value);
  return g_strdup_printf("it would have one colour: %s is %s in all %" G_GUINT64_FORMAT " cells",
                         source_column_at(l->source, l->value)->name, number, own->n);
}

char *chart_in_words(const Chart *c)
{
  Own own = own_points(c);
  if (c->kind == MILL_FIGURE_RULE) return g_strdup("its lines belong to another figure");
  if (!own.first || c->layer->figure->pages) return NULL; /* pages are for each other */
  if (has_bars(c) && own.n == 1 && own.pane->x_place == PLACE_NAMES) return one_bar(c, &own);
  if (has_points(c) && own.n == 1) return one_point(c, &own);
  return c->kind == MILL_FIGURE_HEATMAP ? one_color(c, &own) : NULL;
}

/* ------------------------------------------------------------------- panels */

/* Whether a line would go from one place to another. */
static bool has_way(const Chart *c, const Pane *p)
{
  double first = (double)NAN;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == c->layer && i < s->points->len; i++) {
      double x = strand_point(s, i)->x;
      if (!isnan(first) && x != first) return true;
      first = x;
    }
  }
  return false;
}

static bool is_empty(const Chart *c, const Pane *p)
{
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    if (s->layer == c->layer && s->points->len) return false;
  }
  return true;
}

/* Beside others that are not. */
void chart_drop_empty(Chart *c)
{
  guint n_empty = 0;
  for (guint i = 0; i < c->panes->len; i++) n_empty += is_empty(c, c->panes->pdata[i]);
  if (n_empty == c->panes->len) return;
  for (guint i = c->panes->len; i-- > 0;) {
    const Pane *p = c->panes->pdata[i];
    if (!is_empty(c, p)) continue;
    chart_leave_out(c, "%s has no value, and no panel", names_label(c->facets, p->facet));
    g_ptr_array_remove_index(c->panes, i);
  }
}

/* Beside lines a panel with points at one place is a column of dots on an empty axis. */
void chart_drop_bare(Chart *c)
{
  guint n_bare = 0;
  if (c->kind != MILL_FIGURE_LINE) return;
  for (guint i = 0; i < c->panes->len; i++) n_bare += !has_way(c, c->panes->pdata[i]);
  if (!n_bare || n_bare == c->panes->len) return;
  for (guint i = c->panes->len; i-- > 0;) {
    const Pane *p = c->panes->pdata[i];
    if (has_way(c, p)) continue;
    chart_leave_out(c, "%s has one value alone, and no panel", names_label(c->facets, p->facet));
    g_ptr_array_remove_index(c->panes, i);
  }
}
