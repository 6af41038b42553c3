/* Marks of an axis with texts of their own; see axis.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/axis.h"
#include "kit/picture/marks.h"

enum { MARKS = 24 }; /* whoever draws them leaves out those that are too near */

static gint compare_y(gconstpointer a, gconstpointer b)
{
  const Point *const *p = a, *const *q = b;
  return (*p)->y < (*q)->y ? -1 : (*p)->y > (*q)->y;
}

/* A point of each row, from the lowest on. */
static GPtrArray *rows_of(const Layer *l, const Pane *p)
{
  GPtrArray *points = g_ptr_array_new();
  guint kept = 0;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == l && i < s->points->len; i++)
      if (strand_point(s, i)->row) g_ptr_array_add(points, strand_point(s, i));
  }
  g_ptr_array_sort(points, compare_y);
  for (guint i = 0; i < points->len; i++)
    if (!kept || ((Point *)points->pdata[kept - 1])->y < ((Point *)points->pdata[i])->y)
      points->pdata[kept++] = points->pdata[i];
  g_ptr_array_set_size(points, (gint)kept);
  return points;
}

void axis_mark(const Layer *l, const Pane *p, PictureAxis *io_axis)
{
  if (l->kind != MILL_FIGURE_DENSITY || l->annotation < 0 || l->y_place != PLACE_NUMBERS) return;
  g_autoptr(GPtrArray) rows = rows_of(l, p);
  io_axis->mark_at = g_array_new(FALSE, FALSE, sizeof(double));
  io_axis->mark_text = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < rows->len; i += (rows->len + MARKS - 1) / MARKS) {
    const Point *at = rows->pdata[i];
    g_array_append_val(io_axis->mark_at, at->y);
    g_ptr_array_add(io_axis->mark_text, marks_annotation(l, at));
  }
}
