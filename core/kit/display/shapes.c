/* Boxes, violins, cells and fields; see draw.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/display/draw.h"
#include "kit/display/ticks.h"
#include "kit/display/words.h"

enum { NARROW = 12, MOST_GAPS = 2500, IMAGE_FROM = 400, FINE_VIOLINS = 200 };

static unsigned rgb_of(const PictureSeries *s) { return draw_rgb(s->color); }

/* ------------------------------------------------------------ boxes, violins */

static void put_count(Draw *d, const char *text, double at, bool turned)
{
  const Box *b = &d->tile->plot;
  double height = b->bottom - b->top;
  if (d->panel->sideways)
    display_text(d->front, text, b->right - 4, at, ALIGN_RIGHT, SIZE_SMALL, 0, 0x666666);
  else
    display_text(d->front, text, at, b->top + height * (turned ? 0.01 : 0.035),
                 turned ? ALIGN_RIGHT : ALIGN_CENTRE, SIZE_SMALL, turned ? 90 : 0, 0x666666);
}

static double widest_count(const PictureSeries *s)
{
  double widest = 0;
  for (guint i = 0; i < draw_n(s->x); i++) {
    g_autofree char *text = g_strdup_printf("n=%.0f", draw_at(s->n, i));
    if (isfinite(draw_at(s->n, i))) widest = fmax(widest, words_width(text, SIZE_SMALL));
  }
  return widest;
}

/* The count that it rests on, at the upper or right edge. */
static void put_counts(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel), room = draw_pixels_x(d, 0, 2 * half);
  bool turned = widest_count(s) + 4 > room;
  if (room < NARROW) return;
  for (guint i = 0; i < draw_n(s->x); i++) {
    double n = draw_at(s->n, i), at = scale_place(&d->x, &d->panel->x, draw_middle(s, i));
    if (!isfinite(n) || !isfinite(at)) continue;
    g_autofree char *text = g_strdup_printf("n=%.0f", n);
    put_count(d, text, at, turned);
  }
}

static void put_across(Draw *d, const PictureSeries *s, const PictureNumbers *y, double half)
{
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i);
    if (isfinite(draw_at(y, i))) draw_segment(d, x - half, draw_at(y, i), x + half, draw_at(y, i));
  }
}

static void put_along(Draw *d, const PictureSeries *s, const PictureNumbers *from,
                      const PictureNumbers *to)
{
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i), a = draw_at(from, i), b = draw_at(to, i);
    if (isfinite(a) && isfinite(b)) draw_segment(d, x, a, x, b);
  }
}

static void put_lines(Draw *d, double width, bool dashed, unsigned rgb)
{
  draw_with(d, &(DrawStyle){ DISPLAY_LINES, .rgb = rgb, .width = width, .dashed = dashed });
}

void draw_boxes(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel) * 0.8;
  put_along(d, s, s->low, s->q1);
  put_along(d, s, s->q3, s->high);
  put_across(d, s, s->low, half * 0.5);
  put_across(d, s, s->high, half * 0.5);
  put_lines(d, 1, false, rgb_of(s));
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i);
    if (!isfinite(draw_at(s->q1, i)) || !isfinite(draw_at(s->q3, i))) continue;
    draw_rect(d, x - half, x + half, draw_at(s->q1, i), draw_at(s->q3, i));
  }
  draw_with(d, &(DrawStyle){ DISPLAY_RECTS, .rgb = rgb_of(s), .alpha = 0.35, .width = 1,
                             .own_edge = true });
  put_across(d, s, s->median, half);
  put_lines(d, 2, false, 0x222222);
  put_across(d, s, s->mean, half);
  put_lines(d, 1.1, true, 0x222222);
  put_counts(d, s);
}

/* A width of 0.5 fills the slot.  Of the points of a side every `step`th, and the last. */
static void put_violin(Draw *d, const PictureShape *shape, double x, double half, guint step)
{
  guint n = shape->width ? shape->width->len : 0;
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; n && i < n - 1 + step; i += step) {
      guint k = side ? n - 1 - MIN(i, n - 1) : MIN(i, n - 1);
      double out = 2 * half * draw_at(shape->width, k);
      draw_point(d, side ? x + out : x - out, shape->low + k * shape->step);
    }
  if (n) draw_gap(d);
}

void draw_violins(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel);
  guint n = s->shapes ? s->shapes->len : 0, step = 1 + n / FINE_VIOLINS;
  for (guint i = 0; i < n; i++) put_violin(d, s->shapes->pdata[i], draw_middle(s, i), half, step);
  draw_with(d, &(DrawStyle){ DISPLAY_POLYGONS, .rgb = rgb_of(s), .alpha = 0.4, .width = 1,
                             .own_edge = true });
  put_along(d, s, s->low, s->high);
  put_across(d, s, s->low, half * 0.3);
  put_across(d, s, s->high, half * 0.3);
  put_lines(d, 1, false, rgb_of(s));
  put_across(d, s, s->median, half * 0.55);
  put_lines(d, 2, false, 0x222222);
  put_across(d, s, s->mean, half * 0.55);
  put_lines(d, 1.1, true, 0x222222);
  put_counts(d, s);
}

/* -------------------------------------------------------------- cells, fields */

/* Rectangles reach a little into the next one: else the ground shines through between them. */
#define OVERLAP 0.08

/* What overflows on the way or at the last edge is the largest number. */
double draw_edge(const PictureAxis *a, double low, double step, double k)
{
  long double at = (long double)low + (long double)k * step;
  if (ticks_is_log(a)) at = powl(10, at);
  return (double)fmaxl(fminl(at, G_MAXDOUBLE), -G_MAXDOUBLE);
}

unsigned draw_value_rgb(const PictureColorBar *bar, const PictureSeries *s, double value)
{
  if (bar->colors && value >= 0 && value < bar->colors->len)
    return draw_rgb(bar->colors->pdata[(guint)value]);
  return palette_rgb(bar->palette, s->color, palette_part(&bar->axis, value));
}

static const char *given_text(const PictureSeries *s, guint i)
{
  const char *text = s->text && i < s->text->len ? s->text->pdata[i] : NULL;
  return text && *text ? text : NULL;
}

/* Of the letters of all cells of a panel: the widest text that can be read fits into its cell. */
static double cell_letters(const PictureSeries *s, double width)
{
  double size = SIZE_TICK;
  for (guint i = 0; i < draw_n(s->x); i++) {
    if (!given_text(s, i)) continue;
    g_autofree char *text = words_clean(given_text(s, i));
    double fit = SIZE_TICK * (width - 4) / fmax(words_width(text, SIZE_TICK), 1);
    if (fit >= SIZE_LEAST) size = fmin(size, fit);
  }
  return size;
}

static void put_cell_text(Draw *d, const PictureSeries *s, guint i, double width, double size)
{
  const PictureColorBar *bar = d->panel->color;
  if (!given_text(s, i)) return;
  g_autofree char *text = words_clean(given_text(s, i));
  if (words_width(text, SIZE_LEAST) > width - 4) return;
  unsigned under = draw_value_rgb(bar, s, draw_at(s->value, i));
  draw_text(d, text, draw_at(s->x, i), draw_at(s->y, i), SIDE_CENTRE, size, draw_letters_on(under));
}

void draw_cells(Draw *d, const PictureSeries *s)
{
  guint n = draw_n(s->x);
  double width = draw_pixels_x(d, 0, 1);
  bool gaps = n <= MOST_GAPS && width > 6;
  double letters = cell_letters(s, width);
  if (!d->panel->color) return;
  for (guint i = 0; i < n; i++) {
    double x = draw_at(s->x, i), y = draw_at(s->y, i), v = draw_at(s->value, i);
    if (!isfinite(v)) continue;
    double over = gaps ? 0 : OVERLAP;
    draw_rect(d, x - 0.5, x + 0.5 + over, y - 0.5, y + 0.5 + over);
    draw_color(d, draw_value_rgb(d->panel->color, s, v));
    put_cell_text(d, s, i, width, letters);
  }
  draw_with(d, &(DrawStyle){ DISPLAY_RECTS, .width = gaps ? 0.7 : 0, .edge = 0xffffff });
}

/* Cells of an image are of one size, and lie as the panel does. */
static bool is_image(const Draw *d, const PictureField *f)
{
  return f->n_x * (guint64)f->n_y > IMAGE_FROM && !d->panel->sideways && !d->panel->x.down &&
         !d->panel->y.down;
}

/* From the upper left cell. */
static GArray *image_colors(const Draw *d, const PictureSeries *s)
{
  const PictureField *f = s->field;
  GArray *colors = g_array_sized_new(FALSE, FALSE, sizeof(guint32), f->n_x * f->n_y);
  for (guint k = 0; k < f->n_x * f->n_y; k++) {
    double v = draw_at(f->value, (f->n_y - 1 - k / f->n_x) * f->n_x + k % f->n_x);
    guint32 color =
        isfinite(v) ? 0xff000000u | draw_value_rgb(d->panel->color, s, v) : (guint32)NO_COLOR;
    g_array_append_val(colors, color);
  }
  return colors;
}

static void put_image(Draw *d, const PictureSeries *s)
{
  static const DrawStyle style = { DISPLAY_IMAGE };
  const PictureField *f = s->field;
  const PictureAxis *x = &d->panel->x, *y = &d->panel->y;
  double left, top, right, bottom;
  draw_place(d, draw_edge(x, f->x_low, f->x_step, 0), draw_edge(y, f->y_low, f->y_step, 0), &left,
             &bottom);
  draw_place(d, draw_edge(x, f->x_low, f->x_step, f->n_x),
             draw_edge(y, f->y_low, f->y_step, f->n_y), &right, &top);
  if (!isfinite(left) || !isfinite(right) || !isfinite(top) || !isfinite(bottom)) return;
  DisplayMark *m = display_add(d->marks, &style, (const double[]){ left, top, right, bottom }, 4);
  m->clip = d->tile->plot;
  m->n_across = f->n_x;
  m->colors = image_colors(d, s);
}

/* How far a step reaches: a little into one that is drawn over it, and into nothing else. */
static double reach(const PictureField *f, guint i, guint j, bool across)
{
  guint next_i = i + across, next_j = j + !across;
  bool there = next_i < f->n_x && next_j < f->n_y;
  return there && isfinite(draw_at(f->value, next_j * f->n_x + next_i)) ? 1 + OVERLAP : 1;
}

void draw_field(Draw *d, const PictureSeries *s)
{
  const PictureField *f = s->field;
  const PictureAxis *x = &d->panel->x, *y = &d->panel->y;
  if (!f || !d->panel->color) return;
  if (is_image(d, f)) {
    put_image(d, s);
    return;
  }
  for (guint k = 0; k < f->n_x * f->n_y; k++) {
    guint i = k % f->n_x, j = k / f->n_x;
    if (!isfinite(draw_at(f->value, k))) continue;
    draw_rect(d, draw_edge(x, f->x_low, f->x_step, i),
              draw_edge(x, f->x_low, f->x_step, i + reach(f, i, j, true)),
              draw_edge(y, f->y_low, f->y_step, j),
              draw_edge(y, f->y_low, f->y_step, j + reach(f, i, j, false)));
    draw_color(d, draw_value_rgb(d->panel->color, s, draw_at(f->value, k)));
  }
  draw_with(d, &(DrawStyle){ DISPLAY_RECTS });
}
