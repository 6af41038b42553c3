/* Lines, points, bars and intervals; see draw.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/display/draw.h"
#include "kit/display/ticks.h"
#include "kit/display/words.h"

enum { FEW_POINTS = 60 };

static unsigned rgb_of(const PictureSeries *s) { return draw_rgb(s->color); }

static char *text_of(const PictureSeries *s, guint i)
{
  const char *text = s->text && i < s->text->len ? s->text->pdata[i] : NULL;
  return text && *text ? words_clean(text) : NULL;
}

/* --------------------------------------------------------------------- lines */

/* A point of a line that was thinned: painters take the square of their number. */
typedef struct Column {
  guint least, most, first, last;
  bool any;
} Column;

static void put_index(Draw *d, const PictureSeries *s, const PictureNumbers *y, guint i)
{
  draw_point(d, draw_middle(s, i), draw_at(y, i));
}

static void end_column(Draw *d, const PictureSeries *s, const PictureNumbers *y, Column *c)
{
  if (!c->any) return;
  guint a = MIN(c->least, c->most), b = MAX(c->least, c->most);
  put_index(d, s, y, a);
  if (b != a) put_index(d, s, y, b);
  c->any = false;
}

/* The lowest and the highest of each column of pixels, where there are more. */
static void put_thinned(Draw *d, const PictureSeries *s, const PictureNumbers *y, double columns)
{
  double low = d->panel->x.low, last = -1;
  Column c = { .any = false };
  for (guint i = 0; i < draw_n(s->x); i++) {
    double v = draw_at(y, i), at = floor(draw_pixels_x(d, low, draw_at(s->x, i)) * columns);
    if (!isfinite(v) || at != last) end_column(d, s, y, &c);
    last = at;
    if (!isfinite(v)) {
      draw_gap(d);
      continue;
    }
    if (!c.any || v < draw_at(y, c.least)) c.least = i;
    if (!c.any || v > draw_at(y, c.most)) c.most = i;
    c.any = true;
  }
  end_column(d, s, y, &c);
}

void draw_path(Draw *d, const PictureSeries *s)
{
  const PictureNumbers *y = s->y;
  const Box *b = &d->tile->plot;
  double pixels = d->panel->sideways ? b->bottom - b->top : b->right - b->left;
  if (draw_n(s->x) > pixels * 4) { /* of 2,400 across */
    put_thinned(d, s, y, 2);
    return;
  }
  for (guint i = 0; i < draw_n(s->x); i++) {
    if (isfinite(draw_at(y, i)))
      put_index(d, s, y, i);
    else
      draw_gap(d);
  }
}

static double level_end(const PictureSeries *s, guint i)
{
  return i + 1 < draw_n(s->x) ? draw_middle(s, i + 1) : draw_middle(s, i);
}

/* There along the upper edge and back along the lower one. */
static void put_band(Draw *d, const PictureSeries *s, guint first, guint end)
{
  bool steps = s->mark == MARK_STEPS;
  for (guint i = first; i < end; i++) {
    draw_point(d, draw_middle(s, i), draw_at(s->high, i));
    if (steps) draw_point(d, level_end(s, i), draw_at(s->high, i));
  }
  for (guint i = end; i > first; i--) {
    if (steps) draw_point(d, level_end(s, i - 1), draw_at(s->low, i - 1));
    draw_point(d, draw_middle(s, i - 1), draw_at(s->low, i - 1));
  }
  draw_gap(d);
}

static void draw_bands(Draw *d, const PictureSeries *s)
{
  guint n = draw_n(s->x), first = 0;
  for (guint i = 0; s->low && s->high && i <= n; i++) {
    bool there = i < n && isfinite(draw_at(s->low, i)) && isfinite(draw_at(s->high, i));
    if (there) continue;
    if (i > first) put_band(d, s, first, i);
    first = i + 1;
  }
  draw_with(d, &(DrawStyle){ DISPLAY_POLYGONS, .rgb = rgb_of(s), .alpha = 0.18 });
}

static void put_line_points(Draw *d, const PictureSeries *s)
{
  if (s->mark != MARK_LINE || draw_n(s->x) > FEW_POINTS) return;
  draw_path(d, s);
  draw_with(d, &(DrawStyle){ DISPLAY_DISCS, .rgb = rgb_of(s), .radius = 2.2 });
}

static void draw_point_texts(Draw *d, const PictureSeries *s)
{
  for (guint i = 0; s->text && i < draw_n(s->x); i++) {
    g_autofree char *text = text_of(s, i);
    if (text) draw_point_text(d, text, draw_middle(s, i), draw_at(s->y, i));
  }
}

void draw_lines(Draw *d, const PictureSeries *s)
{
  draw_bands(d, s);
  draw_path(d, s);
  bool front = s->mark == MARK_FRONT;
  draw_with(d, &(DrawStyle){ DISPLAY_LINES, .rgb = rgb_of(s), .width = front ? 1.2 : 1.6,
                             .dashed = front, .steps = s->mark == MARK_STEPS });
  put_line_points(d, s);
  draw_point_texts(d, s);
}

guint draw_n_rules(const PictureSeries *s) { return draw_n(s->x ? s->x : s->y); }

bool draw_rule_at(const Draw *d, const PictureSeries *s, guint i, double *out_at)
{
  *out_at = s->x ? scale_place(&d->x, &d->panel->x, draw_at(s->x, i))
                 : scale_place(&d->y, &d->panel->y, draw_at(s->y, i));
  return (s->x != NULL) != d->panel->sideways;
}

/* From edge to edge, also where the panel reaches beyond its axis. */
void draw_rule(Draw *d, const PictureSeries *s)
{
  const Box *b = &d->tile->plot;
  for (guint i = 0; i < draw_n_rules(s); i++) {
    double at;
    bool upright = draw_rule_at(d, s, i, &at);
    const double ends[] = { upright ? at : b->left,
                            upright ? b->top : at,
                            upright ? at : b->right,
                            upright ? b->bottom : at,
                            NAN,
                            NAN };
    if (isfinite(at)) g_array_append_vals(d->data, ends, G_N_ELEMENTS(ends));
  }
  draw_with(d, &(DrawStyle){ DISPLAY_LINES, .rgb = rgb_of(s), .width = 1.2, .dashed = true });
}

/* -------------------------------------------------------------------- points */

/* Ends that no column has are those of the point itself. */
static double or_else(const PictureNumbers *n, guint i, double otherwise)
{
  double v = draw_at(n, i);
  return isfinite(v) ? v : otherwise;
}

static void put_error_lines(Draw *d, const PictureSeries *s)
{
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i), y = draw_at(s->y, i);
    if (s->low || s->high) draw_segment(d, x, or_else(s->low, i, y), x, or_else(s->high, i, y));
    if (s->x_low || s->x_high)
      draw_segment(d, or_else(s->x_low, i, x), y, or_else(s->x_high, i, x), y);
  }
  draw_with(d, &(DrawStyle){ DISPLAY_LINES, .rgb = rgb_of(s), .width = 0.9 });
}

/* Coloured by value where there is a colour bar. */
static bool is_valued(const Draw *d, const PictureSeries *s)
{
  return s->value && d->panel->color && !s->color;
}

void draw_scatter(Draw *d, const PictureSeries *s)
{
  double radius = draw_n(s->x) > 2000 ? 1.4 : draw_n(s->x) > 200 ? 2.2 : 3;
  bool valued = is_valued(d, s);
  put_error_lines(d, s);
  for (guint i = 0; i < draw_n(s->x); i++) {
    if (valued && !isfinite(draw_at(s->value, i))) continue;
    draw_point(d, draw_middle(s, i), draw_at(s->y, i));
    if (valued) draw_color(d, draw_value_rgb(d->panel->color, s, draw_at(s->value, i)));
  }
  draw_with(d, &(DrawStyle){ DISPLAY_DISCS, .rgb = rgb_of(s), .radius = radius });
  draw_point_texts(d, s);
}

/* ---------------------------------------------------------------------- bars */

static void put_error_bars(Draw *d, const PictureSeries *s)
{
  double cap = draw_half(s, d->panel) * 0.35;
  for (guint i = 0; s->error_low && s->error_high && i < draw_n(s->x); i++) {
    double x = draw_middle(s, i), low = draw_at(s->error_low, i), high = draw_at(s->error_high, i);
    if (!isfinite(low) || !isfinite(high)) continue;
    draw_segment(d, x, low, x, high);
    draw_segment(d, x - cap, low, x + cap, low);
    draw_segment(d, x - cap, high, x + cap, high);
  }
  draw_with(d, &(DrawStyle){ DISPLAY_LINES, .rgb = 0x333333, .width = 1 });
}

/* The width that a text at the end of a bar may take. */
static bool has_room(const Draw *d, const char *text, double half, double x)
{
  if (d->panel->sideways) return draw_pixels_x(d, x - half, x + half) >= SIZE_SMALL * 0.8;
  return words_width(text, SIZE_SMALL) <= draw_pixels_x(d, x - half, x + half) * 1.25;
}

void draw_bars(Draw *d, const PictureSeries *s)
{
  double half = draw_half(s, d->panel);
  for (guint i = 0; i < draw_n(s->x); i++) {
    double x = draw_middle(s, i), low = draw_at(s->low, i), high = draw_at(s->high, i);
    if (!isfinite(low) || !isfinite(high)) continue;
    draw_rect(d, x - half, x + half, low, high);
    g_autofree char *text = text_of(s, i);
    bool down = high <= 0 && low < 0;
    if (text && has_room(d, text, half, x))
      draw_end_text(d, text, x,
                    down ? or_else(s->error_low, i, low) : or_else(s->error_high, i, high),
                    down ? SIDE_BEFORE : SIDE_AFTER);
  }
  draw_keep_bars(d);
  draw_with(d, &(DrawStyle){ DISPLAY_RECTS, .rgb = rgb_of(s) });
  put_error_bars(d, s);
}

void draw_bins(Draw *d, const PictureSeries *s)
{
  for (guint i = 0; i < draw_n(s->x); i++) {
    double high = draw_at(s->high, i);
    if (!isfinite(high)) continue;
    draw_rect(d, draw_at(s->x, i), draw_at(s->x_high, i), or_else(s->low, i, 0), high);
  }
  bool thin = draw_n(s->x) > 150;
  draw_keep_bars(d);
  draw_with(d, &(DrawStyle){ DISPLAY_RECTS, .rgb = rgb_of(s), .alpha = 0.75,
                             .width = thin ? 0 : 0.5, .edge = 0xffffff });
}

/* Only where it fits into the bar: beside it there are others. */
static void put_interval_text(Draw *d, const PictureSeries *s, guint i, double y)
{
  g_autofree char *text = text_of(s, i);
  double from = draw_at(s->x, i), to = draw_at(s->x_high, i);
  if (!text) return;
  if (words_width(text, SIZE_SMALL) + 6 <= draw_pixels_x(d, from, to)) {
    bool log = ticks_is_log(&d->panel->x) && from > 0;
    double middle = log ? sqrt(from) * sqrt(to) : from / 2 + to / 2;
    draw_text(d, text, middle, y, SIDE_CENTRE, SIZE_SMALL, draw_letters_on(rgb_of(s)));
  }
}

/* Of no length nothing would be drawn. */
static void widen(const PictureAxis *a, double *io_from, double *io_to)
{
  double least = a->high / (2.0 * PAGE_WIDTH) - a->low / (2.0 * PAGE_WIDTH);
  if (ticks_is_log(a) || !(*io_to - *io_from < least)) return;
  *io_from = fmin(*io_from, a->high - least);
  *io_to = *io_from + least;
}

/* Those of less than a few pixels have an edge of their own colour: it is what is seen of them. */
static void put_intervals(Draw *d, const PictureSeries *s, bool thin)
{
  enum { THIN = 3 };
  double slots = MAX(s->n_slots, 1), half = 0.4 / slots;
  for (guint i = 0; i < draw_n(s->x); i++) {
    double from = draw_at(s->x, i), to = draw_at(s->x_high, i);
    double y = draw_at(s->y, i) - (s->n_slots > 1 ? 0.4 - (s->slot + 0.5) * 0.8 / slots : 0);
    if ((draw_pixels_x(d, from, to) < THIN) != thin) continue;
    widen(&d->panel->x, &from, &to);
    draw_rect(d, from, to, y - half, y + half);
    if (!thin) put_interval_text(d, s, i, y);
  }
}

void draw_intervals(Draw *d, const PictureSeries *s)
{
  bool few = draw_n(s->x) <= 400;
  put_intervals(d, s, false);
  draw_with(d, &(DrawStyle){ DISPLAY_RECTS, .rgb = rgb_of(s), .width = 0.4, .edge = 0xffffff,
                             .own_edge = !few });
  put_intervals(d, s, true);
  draw_with(
      d, &(DrawStyle){ DISPLAY_RECTS, .rgb = rgb_of(s), .width = few ? 1 : 0.4, .own_edge = true });
}
