/* Marks of a page; see display.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/display.h"

void display_mark_free(DisplayMark *m)
{
  if (m->numbers) g_array_unref(m->numbers);
  if (m->colors) g_array_unref(m->colors);
  g_free(m->text);
  g_free(m);
}

static void free_mark(gpointer data) { display_mark_free(data); }

GPtrArray *display_marks_new(void) { return g_ptr_array_new_with_free_func(free_mark); }

Display *display_new(double width, double height)
{
  Display *d = g_new0(Display, 1);
  *d = (Display){ width, height, display_marks_new() };
  return d;
}

void display_free(Display *d)
{
  if (!d) return;
  g_ptr_array_unref(d->marks);
  g_free(d);
}

DisplayMark *display_add(GPtrArray *marks, const DrawStyle *style, const double *numbers, guint n)
{
  DisplayMark *m = g_new0(DisplayMark, 1);
  m->style = *style;
  m->numbers = g_array_sized_new(FALSE, FALSE, sizeof(double), n);
  g_array_append_vals(m->numbers, numbers, n);
  g_ptr_array_add(marks, m);
  return m;
}

void display_line(GPtrArray *marks, double x0, double y0, double x1, double y1, double width,
                  unsigned rgb)
{
  DrawStyle style = { .kind = DISPLAY_LINES, .rgb = rgb, .width = width };
  display_add(marks, &style, (const double[]){ x0, y0, x1, y1 }, 4);
}

void display_rect(GPtrArray *marks, const Box *b, unsigned rgb)
{
  DrawStyle style = { .kind = DISPLAY_RECTS, .rgb = rgb };
  display_add(marks, &style, (const double[]){ b->left, b->top, b->right, b->bottom }, 4);
}

DisplayMark *display_text(GPtrArray *marks, const char *text, double x, double y,
                          DisplayAlign align, double size, double turn, unsigned rgb)
{
  DisplayMark *m = g_new0(DisplayMark, 1);
  *m = (DisplayMark){ .style = { .kind = DISPLAY_TEXT, .rgb = rgb },
                      .text = g_strdup(text),
                      .x = x,
                      .y = y,
                      .size = size,
                      .turn = turn,
                      .align = align };
  g_ptr_array_add(marks, m);
  return m;
}

void display_move(GPtrArray *to, GPtrArray *from)
{
  while (from->len) g_ptr_array_add(to, g_ptr_array_steal_index(from, 0));
}
