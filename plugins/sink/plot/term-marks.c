/* Marks of pictures of characters: every filled shape is a sign in each cell that it covers; see term.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "term.h"

enum { LINE_SIGNS = 7 }; /* of `chars`: letters would look like words */

static const char chars[] = "*#$%@&=+oxsABCDEFGHIJKLNOPQRSTUVWXYZ";
static const char levels[] = ".:-=+*#%@";

char term_char(guint key) { return chars[key % (sizeof chars - 1)]; }
const char *term_levels(void) { return levels; }

guint term_key(const Draw *d, const PictureSeries *s)
{
  const GPtrArray *legend = d->page->picture->legend;
  for (guint i = 0; i < legend->len; i++)
    if (!g_strcmp0(((const PictureKey *)legend->pdata[i])->name, s->name)) return i;
  for (guint i = 0; i < legend->len; i++)
    if (!g_strcmp0(((const PictureKey *)legend->pdata[i])->color, s->color)) return i;
  return 0;
}

static void draw_dots(Draw *d, char c)
{
  draw_with(d, &(DrawStyle){ DISPLAY_DISCS, .sign = (gunichar)c });
}

/* --------------------------------------------------------------------- cells */

static double cells_of(const Draw *d, bool along_x)
{
  const Box *b = &d->tile->plot;
  return along_x != d->panel->sideways ? b->right - b->left : b->bottom - b->top;
}

/* The cells whose middles are in a range that is cut to the panel; one where there is none, none beyond it. */
typedef struct Span {
  double first, last;
} Span;

static Span span_of(double a, double b, double low, double high)
{
  double from = fmax(fmin(a, b), low), to = fmin(fmax(a, b), high);
  Span s = { ceil(from - 1e-6), floor(to + 1e-6) };
  if (from <= to && s.first > s.last) s.first = s.last = round((from + to) / 2);
  return s;
}

static void fill(Draw *d, double x0, double x1, double y0, double y1)
{
  const Box *b = &d->tile->plot;
  double a0, a1, b0, b1;
  draw_place(d, x0, y0, &a0, &b0);
  draw_place(d, x1, y1, &a1, &b1);
  if (!isfinite(a0) || !isfinite(a1) || !isfinite(b0) || !isfinite(b1)) return;
  Span across = span_of(a0, a1, b->left, b->right), down = span_of(b0, b1, b->top, b->bottom);
  for (double x = across.first; x <= across.last; x++)
    for (double y = down.first; y <= down.last; y++)
      g_array_append_vals(d->data, ((const double[]){ x, y }), 2);
}

/* --------------------------------------------------------------- one mark each */

/* A front is dotted: its corners are points of another series. */
static void put_lines(Draw *d, const PictureSeries *s)
{
  bool front = s->mark == MARK_FRONT;
  guint key = term_key(d, s);
  char sign = front ? '.' : term_char(key % LINE_SIGNS);
  draw_path(d, s);
  draw_with(d,
            &(DrawStyle){ DISPLAY_LINES, .sign = (gunichar)sign, .steps = s->mark == MARK_STEPS });
  if (front || draw_n(s->x) > 2 * cells_of(d, true)) return;
  draw_path(d, s);
  draw_dots(d, term_char(key));
}

static void put_points(Draw *d, const PictureSeries *s)
{
  for (guint i = 0; i < draw_n(s->x); i++)
    if (isfinite(draw_at(s->y, i))) draw_point(d, draw_middle(s, i), draw_at(s->y, i));
  draw_dots(d, term_char(term_key(d, s)));
}

static void put_bars(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel);
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i);
    fill(d, x - half, x + half, draw_at(s->low, i), draw_at(s->high, i));
  }
  draw_dots(d, term_char(term_key(d, s)));
}

static void put_bins(Draw *d, const PictureSeries *s)
{
  for (guint i = 0; i < draw_n(s->x); i++) {
    double low = draw_at(s->low, i);
    fill(d, draw_at(s->x, i), draw_at(s->x_high, i), isfinite(low) ? low : 0, draw_at(s->high, i));
  }
  draw_dots(d, term_char(term_key(d, s)));
}

static void put_intervals(Draw *d, const PictureSeries *s)
{
  double slots = MAX(s->n_slots, 1), half = 0.4 / slots;
  for (guint i = 0; i < draw_n(s->x); i++) {
    double y = draw_at(s->y, i) - (s->n_slots > 1 ? 0.4 - (s->slot + 0.5) * 0.8 / slots : 0);
    fill(d, draw_at(s->x, i), draw_at(s->x_high, i), y - half, y + half);
  }
  draw_dots(d, term_char(term_key(d, s)));
}

static void put_range(Draw *d, const PictureSeries *s, const PictureNumbers *low,
                      const PictureNumbers *high, double half, char c)
{
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i);
    fill(d, x - half, x + half, draw_at(low, i), draw_at(high, i));
  }
  draw_dots(d, c);
}

/* Whiskers are dotted, boxes filled, and an M is where the median is. */
static void put_boxes(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel) * 0.8;
  put_range(d, s, s->low, s->high, 0, '.');
  put_range(d, s, s->q1, s->q3, half, term_char(term_key(d, s)));
  put_range(d, s, s->median, s->median, half, 'M');
}

static void put_shape(Draw *d, const PictureShape *shape, double x, double half)
{
  for (guint k = 0; shape->width && k < shape->width->len; k++) {
    double wide = 2 * half * draw_at(shape->width, k), y = shape->low + k * shape->step;
    fill(d, x - wide, x + wide, y - shape->step / 2, y + shape->step / 2);
  }
}

static void put_violins(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel);
  for (guint i = 0; s->shapes && i < s->shapes->len; i++)
    put_shape(d, s->shapes->pdata[i], draw_middle(s, i), half);
  draw_dots(d, term_char(term_key(d, s)));
  put_range(d, s, s->median, s->median, half * 0.55, 'M');
}

static int level_of(const Draw *d, double value)
{
  double part = d->panel->color ? palette_part(&d->panel->color->axis, value) : (double)NAN;
  int n = (int)strlen(levels);
  return isfinite(part) ? CLAMP((int)(part * n), 0, n - 1) : -1;
}

static void put_cells(Draw *d, const PictureSeries *s)
{
  for (int level = 0; levels[level]; level++) {
    for (guint i = 0; i < draw_n(s->x); i++) {
      double x = draw_at(s->x, i), y = draw_at(s->y, i);
      if (level_of(d, draw_at(s->value, i)) == level) fill(d, x - 0.5, x + 0.5, y - 0.5, y + 0.5);
    }
    draw_dots(d, levels[level]);
  }
}

static void put_field(Draw *d, const PictureSeries *s)
{
  const PictureField *f = s->field;
  const PictureAxis *x = &d->panel->x, *y = &d->panel->y;
  for (int level = 0; f && levels[level]; level++) {
    for (guint k = 0; k < f->n_x * f->n_y; k++) {
      guint i = k % f->n_x, j = k / f->n_x;
      if (level_of(d, draw_at(f->value, k)) != level) continue;
      fill(d, draw_edge(x, f->x_low, f->x_step, i), draw_edge(x, f->x_low, f->x_step, i + 1),
           draw_edge(y, f->y_low, f->y_step, j), draw_edge(y, f->y_low, f->y_step, j + 1));
    }
    draw_dots(d, levels[level]);
  }
}

/* Texts of rules lie in the row of their line, or near it; none covers another one. */
static bool put_words(Draw *d, const char *words, double x, double y)
{
  double n = (double)g_utf8_strlen(words, -1);
  Box box = { x, y, x + n, y + 1 };
  const Box *b = &d->tile->plot;
  bool inside = x > b->left && x + n <= b->right + 1 && y >= b->top && y < b->bottom;
  if (!inside || draw_meets(d->texts, &box)) return false;
  g_array_append_val(d->texts, box);
  display_text(d->front, words, x, y, ALIGN_LEFT, 1, 0, 0);
  return true;
}

static void put_upright(Draw *d, const char *words, double at)
{
  const Box *b = &d->tile->plot;
  double n = (double)g_utf8_strlen(words, -1);
  bool before = at - b->left > b->right - at;
  for (double y = b->top; y < b->bottom; y++)
    if (put_words(d, words, before ? at - n : at + 1, y) ||
        put_words(d, words, before ? at + 1 : at - n, y))
      return;
}

static void put_level(Draw *d, const char *words, double at)
{
  static const int rows[] = { 0, -1, 1 };
  const Box *b = &d->tile->plot;
  double n = (double)g_utf8_strlen(words, -1);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (put_words(d, words, b->right - n, at + rows[i]) ||
        put_words(d, words, b->left + 2, at + rows[i]))
      return;
}

static void put_rule(Draw *d, const PictureSeries *s)
{
  const Box *b = &d->tile->plot;
  bool upright = false;
  for (guint i = 0; i < draw_n_rules(s); i++) {
    double at;
    upright = draw_rule_at(d, s, i, &at);
    if (!isfinite(at)) continue;
    at = round(at);
    for (double k = upright ? b->top : b->left; k <= (upright ? b->bottom : b->right); k++)
      g_array_append_vals(d->data, ((const double[]){ upright ? at : k, upright ? k : at }), 2);
    g_autofree char *text = draw_rule_text(s, i),
                    *words = term_words(text, (unsigned)fmax(b->right - b->left - 4, 3));
    if (*words && upright) put_upright(d, words, at);
    if (*words && !upright) put_level(d, words, at);
  }
  draw_dots(d, upright ? ':' : '-');
}

void term_draw_marks(Draw *d)
{
  static void (*const marks[])(Draw *, const PictureSeries *) = {
    [MARK_LINE] = put_lines,  [MARK_STEPS] = put_lines,         [MARK_POINTS] = put_points,
    [MARK_FRONT] = put_lines, [MARK_BARS] = put_bars,           [MARK_BINS] = put_bins,
    [MARK_BOXES] = put_boxes, [MARK_VIOLINS] = put_violins,     [MARK_CELLS] = put_cells,
    [MARK_FIELD] = put_field, [MARK_INTERVALS] = put_intervals, [MARK_RULE] = put_rule,
  };
  for (guint i = 0; i < d->panel->series->len; i++) {
    const PictureSeries *s = d->panel->series->pdata[i];
    marks[s->mark](d, s);
  }
}
