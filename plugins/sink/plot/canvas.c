/* A display list painted with characters; see term.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "term.h"

typedef struct Canvas {
  GArray *cells; /* gunichar, row by row */
  int columns, rows;
} Canvas;

static gunichar *cell_at(const Canvas *c, int x, int y)
{
  bool inside = x >= 0 && y >= 0 && x < c->columns && y < c->rows;
  return inside ? &g_array_index(c->cells, gunichar, (guint)(y * c->columns + x)) : NULL;
}

/* Of a wide character no half stays. */
static void put(const Canvas *c, int x, int y, gunichar sign)
{
  gunichar *cell = cell_at(c, x, y), *before = cell_at(c, x - 1, y), *after = cell_at(c, x + 1, y);
  if (!cell) return;
  if (*cell == TERM_FILLER && before) *before = ' ';
  if (after && *after == TERM_FILLER) *after = ' ';
  *cell = sign;
}

/* --------------------------------------------------------------------- marks */

static void paint_text(const Canvas *c, const DisplayMark *m)
{
  int n = (int)g_utf8_strlen(m->text, -1), x = (int)lround(m->x), y = (int)lround(m->y);
  if (m->align == ALIGN_CENTRE) x -= n / 2;
  if (m->align == ALIGN_RIGHT) x -= n - 1;
  for (const char *at = m->text; *at; at = g_utf8_next_char(at), x++)
    put(c, x, y, g_utf8_get_char(at));
}

/* Dots below each other are far apart. */
static gunichar sign_of(const DisplayMark *m, const double *a, const double *b)
{
  bool steep = fabs(b[1] - a[1]) > fabs(b[0] - a[0]);
  return m->style.sign == '.' && steep ? ':' : m->style.sign;
}

static void put_clipped(const Canvas *c, const DisplayMark *m, double x, double y, gunichar sign)
{
  const Box *b = &m->clip;
  bool outside = !box_is_empty(b) && (x < b->left - 0.5 || x > b->right + 0.5 || y < b->top - 0.5 ||
                                      y > b->bottom + 0.5);
  if (!outside) put(c, (int)lround(x), (int)lround(y), sign);
}

/* The part of a line inside of the page: what is far outside has too many cells. */
static bool cut_to_page(const Canvas *c, const double *a, const double *b, double *out_from,
                        double *out_to)
{
  double ends[2] = { c->columns, c->rows };
  *out_from = 0, *out_to = 1;
  for (int k = 0; k < 2; k++) {
    double step = b[k] - a[k], low = (-1 - a[k]) / step, high = (ends[k] - a[k]) / step;
    if (step == 0) continue;
    *out_from = fmax(*out_from, fmin(low, high));
    *out_to = fmin(*out_to, fmax(low, high));
  }
  return *out_from <= *out_to;
}

static void paint_line(const Canvas *c, const DisplayMark *m, const double *a, const double *b)
{
  gunichar sign = sign_of(m, a, b);
  double from, to, length = fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])), n = fmax(ceil(length), 1);
  if (!cut_to_page(c, a, b, &from, &to)) return;
  for (double k = ceil(from * n); k <= to * n; k++)
    put_clipped(c, m, a[0] + (b[0] - a[0]) * k / n, a[1] + (b[1] - a[1]) * k / n, sign);
}

static void paint_lines(const Canvas *c, const DisplayMark *m)
{
  const double *p = (const double *)(const void *)m->numbers->data;
  for (guint i = 2; i + 1 < m->numbers->len; i += 2)
    if (isfinite(p[i]) && isfinite(p[i + 1]) && isfinite(p[i - 2]) && isfinite(p[i - 1]))
      paint_line(c, m, p + i - 2, p + i);
}

static void paint_discs(const Canvas *c, const DisplayMark *m)
{
  const double *p = (const double *)(const void *)m->numbers->data;
  for (guint i = 0; i + 1 < m->numbers->len; i += 2)
    if (isfinite(p[i]) && isfinite(p[i + 1])) put_clipped(c, m, p[i], p[i + 1], m->style.sign);
}

static void paint_mark(const Canvas *c, const DisplayMark *m)
{
  if (m->style.kind == DISPLAY_TEXT) paint_text(c, m);
  if (m->style.kind == DISPLAY_LINES) paint_lines(c, m);
  if (m->style.kind == DISPLAY_DISCS) paint_discs(c, m);
}

/* ---------------------------------------------------------------------- text */

static void put_row(const Canvas *c, int y, GString *out)
{
  int n = c->columns;
  while (n > 0 && *cell_at(c, n - 1, y) == ' ') n--;
  for (int x = 0; x < n; x++)
    if (*cell_at(c, x, y) != TERM_FILLER) g_string_append_unichar(out, *cell_at(c, x, y));
  g_string_append_c(out, '\n');
}

char *canvas_text(const Display *d)
{
  static const gunichar blank = ' ';
  Canvas c = { g_array_new(FALSE, FALSE, sizeof(gunichar)), (int)d->width, (int)d->height };
  GString *out = g_string_new(NULL);
  for (int i = 0; i < c.columns * c.rows; i++) g_array_append_val(c.cells, blank);
  for (guint i = 0; i < d->marks->len; i++) paint_mark(&c, d->marks->pdata[i]);
  for (int y = 0; y < c.rows; y++) put_row(&c, y, out);
  while (out->len > 1 && g_str_has_suffix(out->str, "\n\n")) g_string_truncate(out, out->len - 1);
  g_array_unref(c.cells);
  return g_string_free(out, FALSE);
}
