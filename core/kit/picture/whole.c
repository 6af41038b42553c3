/* Axes whose values are all whole counts: no mark stands between two of them; see whole.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/whole.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static bool is_whole(double v) { return isnan(v) || v == floor(v); }

/* Of which columns that must be whole numbers: NULL are rows, counted. */
static bool may_count(const PictureAxis *a, const MillColumn *column)
{
  if (a->scale == SCALE_CATEGORIES) return false;
  return !column || unit_counts(column->unit, column->type == MILL_INT, a->factor);
}

/* ------------------------------------------------------------------- points */

/* Of each of the panels that have the axis; offset: of a number in a point. */
static bool strands_are_whole(const Pane *p, size_t offset)
{
  for (guint k = 0; k < p->strands->len; k++) {
    const GArray *points = ((const Strand *)p->strands->pdata[k])->points;
    for (guint i = 0; i < points->len; i++) {
      double v;
      memcpy(&v, (const char *)&g_array_index(points, Point, i) + offset, sizeof v);
      if (!is_whole(v)) return false;
    }
  }
  return true;
}

static bool points_are_whole(const Chart *c, const Pane *own, bool shared, bool same_x,
                             size_t offset)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    if (p != own && (!shared || (same_x && p->x != own->x))) continue;
    if (!strands_are_whole(p, offset)) return false;
  }
  return true;
}

static const MillColumn *column_of(const Layer *l, int column)
{
  return column < 0 ? NULL : source_column_at(l->source, column);
}

static bool counts_x(const Chart *c, const Pane *p, bool shared, const PictureAxis *a)
{
  const Layer *l = c->layer;
  const MillColumn *column = column_of(l, g_array_index(l->x, int, p->x));
  if (!column || !may_count(a, column)) return false;
  bool binned = c->kind == MILL_FIGURE_HISTOGRAM && l->x_end < 0; /* ends of bins are not values */
  if (binned) return column->type == MILL_INT;
  return points_are_whole(c, p, shared, true, offsetof(Point, x)) &&
         (l->x_end < 0 || points_are_whole(c, p, shared, true, offsetof(Point, x_end)));
}

static bool counts_y(const Chart *c, const Pane *p, bool shared, const PictureAxis *a)
{
  const Layer *l = c->layer;
  const MillColumn *column = l->counts ? NULL : column_of(l, l->y);
  bool curve = l->kind == MILL_FIGURE_DENSITY && l->y < 0;
  if (curve || (!column && !l->counts) || !may_count(a, column)) return false;
  return points_are_whole(c, p, shared, false, offsetof(Point, y));
}

void whole_axes(const Chart *c, const Pane *p, bool shared, PicturePanel *io_panel)
{
  io_panel->x.whole = counts_x(c, p, shared, &io_panel->x);
  io_panel->y.whole = counts_y(c, p, shared, &io_panel->y);
}

/* ------------------------------------------------------------------- colours */

static bool numbers_are_whole(const PictureNumbers *n)
{
  for (guint i = 0; n && i < n->len; i++)
    if (!is_whole(g_array_index(n, double, i))) return false;
  return true;
}

static bool values_are_whole(const PicturePanel *panel)
{
  for (guint i = 0; i < panel->series->len; i++) {
    const PictureSeries *s = panel->series->pdata[i];
    if (!numbers_are_whole(s->value)) return false;
    if (s->field && !numbers_are_whole(s->field->value)) return false;
  }
  return true;
}

void whole_color(const Chart *c, PicturePanel *const *panels, guint n, PictureAxis *io_axis)
{
  const Layer *l = c->layer;
  io_axis->whole = may_count(io_axis, l->counts ? NULL : column_of(l, l->value));
  for (guint i = 0; io_axis->whole && i < n; i++) io_axis->whole = values_are_whole(panels[i]);
}
