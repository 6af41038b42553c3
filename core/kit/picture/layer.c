/* A figure with its columns found; see chart.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/chart.h"

#include <string.h>

#include "base/figure.h"

/* ----------------------------------------------------------------- columns */

static int find(const Layer *l, const char *name) { return source_column(l->source, name); }

static void find_x(Layer *l)
{
  l->x = g_array_new(FALSE, FALSE, sizeof(int));
  for (const char *p = l->figure->x; p && *p; p += *p == ',') {
    size_t len = strcspn(p, ",");
    int column = source_column_len(l->source, p, len);
    if (column >= 0) g_array_append_val(l->x, column);
    p += len;
  }
  int none = -1;
  if (!l->x->len) g_array_append_val(l->x, none);
}

static void find_columns(Layer *l)
{
  const MillFigure *f = l->figure;
  bool colored = f->kind == MILL_FIGURE_HEATMAP && !f->value;
  find_x(l);
  l->y = find(l, f->y);
  l->series = (Key){ colored ? -1 : find(l, f->series), false };
  l->facet = (Key){ find(l, f->facet), false };
  l->group = (Key){ find(l, f->group), false };
  l->annotation = find(l, f->annotation);
  l->value = find(l, colored ? f->series : f->value);
  l->x_end_is_length = f->x_end && *f->x_end == '+';
  l->x_end = find(l, f->x_end ? f->x_end + l->x_end_is_length : NULL);
  l->x_low = find(l, f->x_low);
  l->x_high = find(l, f->x_high);
  l->y_low = find(l, f->y_low);
  l->y_high = find(l, f->y_high);
  l->note = find(l, f->note);
  l->value_low = find(l, f->value_low);
  l->value_high = find(l, f->value_high);
}

/* ------------------------------------------------------------------- kinds */

static bool is_kind(const Layer *l, uint32_t a, uint32_t b, uint32_t c)
{
  return l->kind == a || l->kind == b || l->kind == c;
}

Place layer_x_place(const Layer *l, int column)
{
  bool is_across = l->kind == MILL_FIGURE_RULE && l->y >= 0;
  if (is_kind(l, MILL_FIGURE_LINE, MILL_FIGURE_SCATTER, MILL_FIGURE_PARETO) || is_across)
    return column < 0 || source_cells(l->source, column) == CELLS_TEXTS ? PLACE_NAMES
                                                                        : PLACE_NUMBERS;
  if (is_kind(l, MILL_FIGURE_DENSITY, MILL_FIGURE_TIMELINE, MILL_FIGURE_HISTOGRAM) ||
      l->kind == MILL_FIGURE_RULE)
    return PLACE_NUMBERS;
  return PLACE_NAMES;
}

static PictureScale scale_of(const char *word)
{
  if (!word || !strcmp(word, "linear")) return SCALE_LINEAR;
  return strcmp(word, "log2") ? SCALE_LOG : SCALE_LOG2;
}

PictureScale layer_x_scale(const Layer *l)
{
  const MillFigure *f = l->figure;
  return scale_of(!f->x_scale && f->kind == MILL_FIGURE_DENSITY ? f->scale : f->x_scale);
}

PictureScale layer_y_scale(const Layer *l)
{
  const MillFigure *f = l->figure;
  bool elsewhere = f->kind == MILL_FIGURE_DENSITY || f->kind == MILL_FIGURE_HEATMAP;
  return scale_of(!f->y_scale && !elsewhere ? f->scale : f->y_scale);
}

PictureScale layer_value_scale(const Layer *l)
{
  const MillFigure *f = l->figure;
  return scale_of(!f->value_scale && f->kind == MILL_FIGURE_HEATMAP ? f->scale : f->value_scale);
}

/* A front of names is a ranking of them. */
static void choose_kind(Layer *l)
{
  int x = g_array_index(l->x, int, 0);
  l->kind = l->figure->kind;
  if (l->kind == MILL_FIGURE_PARETO && (x < 0 || source_cells(l->source, x) == CELLS_TEXTS))
    l->kind = MILL_FIGURE_RANKED;
}

/* ------------------------------------------------------------------- lanes */

static void mark(const Layer *l, bool *flags, int column)
{
  if (column >= 0 && column < (int)l->source->n_lead) flags[column] = true;
}

static void mark_names(const Layer *l, bool *flags, const char *names)
{
  for (const char *p = names; p && *p; p += *p == ',') {
    size_t len = strcspn(p, ",");
    mark(l, flags, source_column_len(l->source, p, len));
    p += len;
  }
}

static void open_lanes(Layer *l, const Rows *rows, const char *pages)
{
  g_autofree bool *used = g_new0(bool, l->source->n_lead + 1);
  g_autofree bool *named = g_new0(bool, l->source->n_lead + 1);
  const int separate[] = { l->y, l->series.column, l->facet.column, l->group.column };
  const int shown[] = { l->annotation, l->value,  l->x_end, l->x_low,     l->x_high,
                        l->y_low,      l->y_high, l->note,  l->value_low, l->value_high };
  for (guint i = 0; i < l->x->len; i++) mark(l, used, g_array_index(l->x, int, i));
  for (size_t i = 0; i < G_N_ELEMENTS(separate); i++) mark(l, used, separate[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) mark(l, named, shown[i]);
  mark_names(l, used, pages);
  lanes_open(&l->lanes, l->source, rows, used, named);
}

/* Of one row for each lane the points are the lanes: series of single points would say nothing. */
static bool lanes_are_points(const Layer *l, const Rows *rows)
{
  return is_kind(l, MILL_FIGURE_LINE, MILL_FIGURE_SCATTER, MILL_FIGURE_PARETO) &&
         lanes_count(&l->lanes) >= rows->len && l->x->len == 1;
}

/* Bands and bins cover one another: each lane has a panel, as long as there are few. */
static bool lanes_hide_each_other(const Layer *l)
{
  bool banded = l->kind == MILL_FIGURE_LINE && (l->y_low >= 0 || l->y_high >= 0);
  bool covers = banded || l->kind == MILL_FIGURE_HISTOGRAM;
  return covers && !key_is_set(l->series) && !key_is_set(l->facet) && l->x->len == 1 &&
         lanes_count(&l->lanes) <= CHART_SERIES;
}

static void share_lanes(Layer *l, const Rows *rows)
{
  if (lanes_count(&l->lanes) < 2) return;
  bool has_x = g_array_index(l->x, int, 0) >= 0;
  if (!has_x && layer_x_place(l, -1) == PLACE_NAMES)
    l->x_lanes = true;
  else if (!key_is_set(l->y_key) && l->kind == MILL_FIGURE_TIMELINE)
    l->y_key.lanes = true;
  else if (lanes_are_points(l, rows))
    l->annotates_lanes = true;
  else if (lanes_hide_each_other(l))
    l->facet.lanes = true;
  else if (!key_is_set(l->series) && l->kind != MILL_FIGURE_HEATMAP &&
           !(l->kind == MILL_FIGURE_DENSITY && l->value >= 0))
    l->series.lanes = true;
  else
    l->facet.lanes = true;
}

/* ------------------------------------------------------------------ a stack */

static bool is_same_text(const Layer *l, const Rows *rows, int column)
{
  char buf[NUM_BUF], other[NUM_BUF];
  size_t len, other_len;
  if (!rows->len) return false;
  const char *first = source_text(l->source, &source_row(l->source, rows, 0)[column], buf, &len);
  for (guint i = 1; i < rows->len; i++) {
    const char *text =
        source_text(l->source, &source_row(l->source, rows, i)[column], other, &other_len);
    if (len != other_len || memcmp(first, text, len) != 0) return false;
  }
  return true;
}

/* One stack alone is a wall of colours: its parts say more beside each other. */
static void unstack(Layer *l, const Rows *rows)
{
  int x = g_array_index(l->x, int, 0);
  if (l->kind != MILL_FIGURE_STACKED_BAR || l->series.column < 0 || key_is_set(l->group)) return;
  if (l->x->len != 1 || key_is_set(l->facet) || lanes_count(&l->lanes) > 1) return;
  if (x >= 0 && !is_same_text(l, rows, x)) return;
  g_array_index(l->x, int, 0) = l->series.column;
  l->kind = MILL_FIGURE_BAR;
}

/* ----------------------------------------------------------------- missing */

static void miss(Layer *l, const char *role, const char *name)
{
  if (l->problem) return;
  l->problem =
      name ? g_strdup_printf("table \"%s\" has no column \"%s\"", l->source->table.name, name)
           : g_strdup_printf("no column is named as %s", role);
}

static void check_missing(Layer *l)
{
  const MillFigure *f = l->figure;
  bool has_x = g_array_index(l->x, int, 0) >= 0;
  bool along_x = is_kind(l, MILL_FIGURE_LINE, MILL_FIGURE_SCATTER, MILL_FIGURE_PARETO) ||
                 layer_x_place(l, -1) == PLACE_NUMBERS;
  if (!has_x && !l->x_lanes && along_x) miss(l, "x", f->x);
  bool needs_y = is_kind(l, MILL_FIGURE_LINE, MILL_FIGURE_SCATTER, MILL_FIGURE_PARETO) ||
                 is_kind(l, MILL_FIGURE_BOX, MILL_FIGURE_VIOLIN, MILL_FIGURE_HEATMAP) || f->y;
  if (needs_y && l->y < 0 && !l->counts && !key_is_set(l->y_key)) miss(l, "y", f->y);
  if (l->kind == MILL_FIGURE_TIMELINE && l->x_end < 0) miss(l, "x_end", f->x_end);
  const char *value = f->value ? f->value : f->kind == MILL_FIGURE_HEATMAP ? f->series : NULL;
  if (value && l->value < 0 && l->kind == MILL_FIGURE_HEATMAP) miss(l, "value", value);
  if (!f->kind || f->kind > MILL_FIGURE_RULE) miss(l, "a kind that can be drawn", NULL);
}

/* A strip for each rank: between two of them is nothing. */
static bool has_strips(const Layer *l)
{
  return l->kind == MILL_FIGURE_DENSITY && l->value >= 0 && l->y >= 0 &&
         l->y < (int)l->source->n_lead;
}

static void choose_y(Layer *l)
{
  bool names = l->kind == MILL_FIGURE_HEATMAP || l->kind == MILL_FIGURE_TIMELINE || has_strips(l);
  if (l->kind == MILL_FIGURE_SCATTER && l->y >= 0)
    names = source_cells(l->source, l->y) == CELLS_TEXTS;
  l->y_place = names ? PLACE_NAMES : PLACE_NUMBERS;
  l->y_key = (Key){ names ? l->y : -1, false };
  bool words = l->value >= 0 && source_cells(l->source, l->value) == CELLS_TEXTS;
  l->value_place = words ? PLACE_NAMES : PLACE_NUMBERS;
}

void layer_open(Layer *l, const Source *s, const MillFigure *figure, const Rows *rows,
                const char *pages)
{
  *l = (Layer){ .source = s, .figure = figure };
  find_columns(l);
  choose_kind(l);
  choose_y(l);
  bool counted = !g_strcmp0(figure->reduce, "count");
  bool heat = l->kind == MILL_FIGURE_HEATMAP || l->kind == MILL_FIGURE_DENSITY;
  bool bars = l->kind == MILL_FIGURE_BAR || l->kind == MILL_FIGURE_STACKED_BAR ||
              l->kind == MILL_FIGURE_RANKED || l->kind == MILL_FIGURE_HISTOGRAM;
  l->counts = counted || (bars && !figure->y);
  if (heat) l->counts = counted || (l->kind == MILL_FIGURE_HEATMAP && l->value < 0);
  open_lanes(l, rows, pages);
  share_lanes(l, rows);
  unstack(l, rows);
  check_missing(l);
}

void layer_close(Layer *l)
{
  if (l->x) g_array_unref(l->x);
  lanes_close(&l->lanes);
  g_free(l->problem);
}
