/* Boxes, violins, cells and fields; see draw.h. */
#include <math.h>

#include "draw.h"
#include "ticks.h"
#include "words.h"

enum { NARROW = 12, TURNED_BELOW = 44, IMAGE_FROM = 2500, FINE_VIOLINS = 200 };

static unsigned rgb_of(const PictureSeries *s) { return draw_rgb(s->color); }

/* ------------------------------------------------------------ boxes, violins */

/* The count that it rests on, at the upper or right edge. */
static void put_counts(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel), room = draw_pixels_x(d, 0, 2 * half);
  if (room < NARROW) return;
  for (guint i = 0; i < draw_n(s->x); i++) {
    double n = draw_at(s->n, i), at = draw_x(d, draw_middle(s, i));
    if (!isfinite(n)) continue;
    g_string_append_printf(d->labels, "set label 'n=%.0f' at ", n);
    g_string_append(d->labels, d->panel->sideways ? "graph 0.995, first " : "first ");
    draw_number(d->labels, at);
    g_string_append_printf(d->labels, "%s front font ',%.4g' textcolor rgb '#666666'\n",
                           d->panel->sideways    ? " right"
                           : room < TURNED_BELOW ? ", graph 0.99 right rotate by 90"
                                                 : ", graph 0.965 center",
                           draw_points(d->page, SIZE_SMALL));
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

void draw_boxes(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel) * 0.8;
  put_along(d, s, s->low, s->q1);
  put_along(d, s, s->q3, s->high);
  put_across(d, s, s->low, half * 0.5);
  put_across(d, s, s->high, half * 0.5);
  draw_with(d, "using 1:2 with lines lw 1 lc rgb '#%06x'", rgb_of(s));
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i);
    if (!isfinite(draw_at(s->q1, i)) || !isfinite(draw_at(s->q3, i))) continue;
    draw_rect(d, x - half, x + half, draw_at(s->q1, i), draw_at(s->q3, i));
    g_string_append_c(d->data, '\n');
  }
  draw_with(d,
            "using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.35 border rgb '#%06x' fc rgb "
            "'#%06x' lw 1",
            rgb_of(s), rgb_of(s));
  put_across(d, s, s->median, half);
  draw_with(d, "using 1:2 with lines lw 2 lc rgb '#222222'");
  put_across(d, s, s->mean, half);
  draw_with(d, "using 1:2 with lines lw 1.1 dt 2 lc rgb '#222222'");
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
  draw_with(d,
            "using 1:2 with filledcurves closed fc rgb '#%06x' fs transparent solid 0.4 border rgb "
            "'#%06x'",
            rgb_of(s), rgb_of(s));
  put_along(d, s, s->low, s->high);
  put_across(d, s, s->low, half * 0.3);
  put_across(d, s, s->high, half * 0.3);
  draw_with(d, "using 1:2 with lines lw 1 lc rgb '#%06x'", rgb_of(s));
  put_across(d, s, s->median, half * 0.55);
  draw_with(d, "using 1:2 with lines lw 2 lc rgb '#222222'");
  put_across(d, s, s->mean, half * 0.55);
  draw_with(d, "using 1:2 with lines lw 1.1 dt 2 lc rgb '#222222'");
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

static bool is_colored(const PictureColorBar *bar, const PictureSeries *s)
{
  return bar->colors || (bar->palette == PALETTE_RAMPS && s->color);
}

static unsigned color_at(const PictureColorBar *bar, const PictureSeries *s, double value)
{
  if (bar->colors && value >= 0 && value < bar->colors->len)
    return draw_rgb(bar->colors->pdata[(guint)value]);
  return palette_rgb(bar->palette, s->color, palette_part(&bar->axis, value));
}

static void put_value(Draw *d, const PictureSeries *s, double value)
{
  const PictureColorBar *bar = d->panel->color;
  g_string_append_c(d->data, '\t');
  if (is_colored(bar, s))
    g_string_append_printf(d->data, "%u", color_at(bar, s, value));
  else
    draw_number(d->data, ticks_scaled(&bar->axis, value));
  g_string_append_c(d->data, '\n');
}

static const char *value_colors(const Draw *d, const PictureSeries *s)
{
  return is_colored(d->panel->color, s) ? "rgb variable" : "palette";
}

static const char *given_text(const PictureSeries *s, guint i)
{
  const char *text = s->text && i < s->text->len ? s->text->pdata[i] : NULL;
  return text && *text ? text : NULL;
}

/* Of the letters of all cells of a panel: the widest text that can be read fits into its cell. */
static double cell_letters(const Draw *d, const PictureSeries *s, double width)
{
  double size = SIZE_TICK;
  for (guint i = 0; i < draw_n(s->x); i++) {
    if (!given_text(s, i)) continue;
    g_autofree char *text = words_clean(d->page->fonts, given_text(s, i));
    double fit = SIZE_TICK * (width - 4) / fmax(words_width(text, SIZE_TICK), 1);
    if (fit >= SIZE_LEAST) size = fmin(size, fit);
  }
  return size;
}

static void put_cell_text(Draw *d, const PictureSeries *s, guint i, double width, double size)
{
  const PictureColorBar *bar = d->panel->color;
  if (!given_text(s, i)) return;
  g_autofree char *text = words_clean(d->page->fonts, given_text(s, i));
  if (words_width(text, SIZE_LEAST) > width - 4) return;
  unsigned under = color_at(bar, s, draw_at(s->value, i));
  draw_text(d, text, draw_at(s->x, i), draw_at(s->y, i), SIDE_CENTRE, size, draw_letters_on(under));
}

void draw_cells(Draw *d, const PictureSeries *s)
{
  guint n = draw_n(s->x);
  double width = draw_pixels_x(d, 0, 1);
  bool gaps = n <= IMAGE_FROM && width > 6;
  double letters = cell_letters(d, s, width);
  if (!d->panel->color) return;
  for (guint i = 0; i < n; i++) {
    double x = draw_at(s->x, i), y = draw_at(s->y, i), v = draw_at(s->value, i);
    if (!isfinite(v)) continue;
    double over = gaps ? 0 : OVERLAP;
    draw_rect(d, x - 0.5, x + 0.5 + over, y - 0.5, y + 0.5 + over);
    put_value(d, s, v);
    put_cell_text(d, s, i, width, letters);
  }
  draw_with(d, "using 1:2:3:4:5:6:7 with boxxyerror fs solid %s fc %s lw 0.7",
            gaps ? "border rgb '#ffffff'" : "noborder", value_colors(d, s));
}

/* gnuplot draws images on linear axes alone, and of two by two points at least. */
static bool is_image(const Draw *d, const PictureField *f)
{
  return f->n_x > 1 && f->n_y > 1 && !ticks_is_log(&d->panel->x) && !ticks_is_log(&d->panel->y) &&
         !d->panel->sideways && d->panel->color->palette != PALETTE_RAMPS &&
         !d->panel->color->colors;
}

static void put_image(Draw *d, const PictureSeries *s)
{
  const PictureField *f = s->field;
  for (guint k = 0; k < f->n_x * f->n_y; k++) {
    draw_point(d, draw_edge(&d->panel->x, f->x_low, f->x_step, k % f->n_x + 0.5),
               draw_edge(&d->panel->y, f->y_low, f->y_step, k / f->n_x + 0.5));
    g_string_truncate(d->data, d->data->len - 1);
    put_value(d, s, draw_at(f->value, k));
  }
  draw_with(d, "using 1:2:3 with image");
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
    put_value(d, s, draw_at(f->value, k));
  }
  draw_with(d, "using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder fc %s", value_colors(d, s));
}
