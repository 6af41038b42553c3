/* Pieces that all marks are made of; see draw.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/draw.h"

#include <math.h>

#include "kit/display/ticks.h"
#include "kit/display/words.h"

/* ------------------------------------------------------------------- numbers */

double draw_at(const PictureNumbers *n, guint i)
{
  return n && i < n->len ? g_array_index(n, double, i) : (double)NAN;
}

double draw_middle(const PictureSeries *s, guint i)
{
  double x = draw_at(s->x, i);
  return s->n_slots > 1 ? x - 0.4 + (s->slot + 0.5) * 0.8 / s->n_slots : x;
}

/* On an axis of numbers bars leave a fifth of the least distance between them. */
double draw_half(const PictureSeries *s, const PicturePanel *p)
{
  double slots = MAX(s->n_slots, 1), least = fabs(p->x.high - p->x.low) / 8;
  if (p->x.scale == SCALE_CATEGORIES) return 0.4 / slots * (slots > 1 ? 0.94 : 1);
  for (guint i = 1; i < draw_n(s->x); i++) {
    double step = fabs(draw_at(s->x, i) - draw_at(s->x, i - 1));
    if (step > 0) least = fmin(least, step);
  }
  return least * 0.4;
}

double draw_part(const PictureAxis *a, double v)
{
  if (ticks_is_log(a) && a->low > 0) return v > 0 ? log(v / a->low) / log(a->high / a->low) : 0;
  return (v - a->low) / (a->high - a->low);
}

double draw_pixels_x(const Draw *d, double from, double to)
{
  const Box *b = &d->tile->plot;
  double room = d->panel->sideways ? b->bottom - b->top : b->right - b->left;
  return fabs(draw_part(&d->panel->x, to) - draw_part(&d->panel->x, from)) * room;
}

/* --------------------------------------------------------------------- data */

void draw_place(const Draw *d, double x, double y, double *out_across, double *out_down)
{
  double a = scale_place(&d->x, &d->panel->x, x), b = scale_place(&d->y, &d->panel->y, y);
  *out_across = d->panel->sideways ? b : a;
  *out_down = d->panel->sideways ? a : b;
}

static void put_pair(Draw *d, double across, double down)
{
  g_array_append_val(d->data, across);
  g_array_append_val(d->data, down);
}

void draw_point(Draw *d, double x, double y)
{
  double across, down;
  draw_place(d, x, y, &across, &down);
  put_pair(d, across, down);
}

void draw_gap(Draw *d) { put_pair(d, (double)NAN, (double)NAN); }

void draw_segment(Draw *d, double x0, double y0, double x1, double y1)
{
  draw_point(d, x0, y0);
  draw_point(d, x1, y1);
  draw_gap(d);
}

static bool is_inside(const Box *b, double x, double y)
{
  return x >= b->left - 0.5 && x <= b->right + 0.5 && y >= b->top - 0.5 && y <= b->bottom + 0.5;
}

/* What is beyond the panel is cut off; of what is there alone nothing is left. */
void draw_rect(Draw *d, double x0, double x1, double y0, double y1)
{
  const Box *b = &d->tile->plot;
  double a0, a1, b0, b1;
  draw_place(d, x0, y0, &a0, &b0);
  draw_place(d, x1, y1, &a1, &b1);
  Box r = { fmin(a0, a1), fmin(b0, b1), fmax(a0, a1), fmax(b0, b1) };
  bool there = isfinite(a0) && isfinite(a1) && isfinite(b0) && isfinite(b1) && r.left <= b->right &&
               r.right >= b->left && r.top <= b->bottom && r.bottom >= b->top;
  put_pair(d, there ? fmax(r.left, b->left) : (double)NAN, fmax(r.top, b->top));
  put_pair(d, fmin(r.right, b->right), fmin(r.bottom, b->bottom));
}

void draw_color(Draw *d, unsigned rgb)
{
  guint32 color = 0xff000000u | rgb;
  g_array_append_val(d->colors, color);
}

/* ---------------------------------------------------------------------- marks */

static double *numbers_of(const Draw *d) { return (double *)(void *)d->data->data; }

void draw_keep_bars(Draw *d)
{
  const double *r = numbers_of(d);
  for (guint i = 0; i + 3 < d->data->len; i += 4) {
    Box b = { r[i], r[i + 1], r[i + 2], r[i + 3] };
    if (isfinite(b.left)) g_array_append_val(d->bars, b);
  }
}

static bool any_is_finite(const Draw *d)
{
  for (guint i = 0; i < d->data->len; i++)
    if (isfinite(numbers_of(d)[i])) return true;
  return false;
}

/* Discs stand inside as a whole, or not at all. */
static void drop_outside(Draw *d)
{
  for (guint i = 0; i + 1 < d->data->len; i += 2) {
    double *p = numbers_of(d) + i;
    if (!is_inside(&d->tile->plot, p[0], p[1])) p[0] = p[1] = (double)NAN;
  }
}

static bool any_is_outside(const Draw *d)
{
  const double *p = numbers_of(d);
  for (guint i = 0; i + 1 < d->data->len; i += 2)
    if (isfinite(p[i]) && isfinite(p[i + 1]) && !is_inside(&d->tile->plot, p[i], p[i + 1]))
      return true;
  return false;
}

static void put_levels(GArray *out, const double *before, const double *p, bool sideways)
{
  double corner[2] = { sideways ? before[0] : p[0], sideways ? p[1] : before[1] };
  if (isfinite(before[0]) && isfinite(before[1])) g_array_append_vals(out, corner, 2);
}

/* A corner between each two: level from the one to where the other is. */
static void make_steps(Draw *d)
{
  g_autoptr(GArray) out = g_array_sized_new(FALSE, FALSE, sizeof(double), 2 * d->data->len);
  for (guint i = 0; i + 1 < d->data->len; i += 2) {
    const double *p = numbers_of(d) + i;
    if (i) put_levels(out, p - 2, p, d->panel->sideways);
    g_array_append_vals(out, p, 2);
  }
  g_array_set_size(d->data, 0);
  g_array_append_vals(d->data, out->data, out->len);
}

static void add_mark(Draw *d, const DrawStyle *style)
{
  const Box *b = &d->tile->plot;
  double edge = style->kind == DISPLAY_LINES ? style->width : 0; /* its middle may be at the end */
  bool is_clipped = style->kind < DISPLAY_RECTS && any_is_outside(d);
  DisplayMark *m = display_add(d->marks, style, numbers_of(d), d->data->len);
  if (is_clipped)
    m->clip = (Box){ b->left - edge, b->top - edge, b->right + edge, b->bottom + edge };
  if (!d->colors->len) return;
  m->colors = g_array_sized_new(FALSE, FALSE, sizeof(guint32), d->colors->len);
  g_array_append_vals(m->colors, d->colors->data, d->colors->len);
}

void draw_with(Draw *d, const DrawStyle *style)
{
  if (style->kind == DISPLAY_DISCS) drop_outside(d);
  if (style->steps) make_steps(d);
  if (any_is_finite(d)) add_mark(d, style);
  g_array_set_size(d->data, 0);
  g_array_set_size(d->colors, 0);
}

/* -------------------------------------------------------------------- letters */

enum { AWAY_X = 5, AWAY_Y = 9 }; /* pixels from what a text stands at */

static DisplayMark *put_text(Draw *d, GPtrArray *out, const char *text, double x, double y,
                             DrawSide side, double size, unsigned rgb)
{
  static const struct {
    DisplayAlign align;
    int across, up;
  } sides[] = {
    [SIDE_CENTRE] = { ALIGN_CENTRE, 0, 0 },          [SIDE_AFTER] = { ALIGN_LEFT, 1, 1 },
    [SIDE_BEFORE] = { ALIGN_RIGHT, -1, -1 },         [SIDE_CORNER] = { ALIGN_LEFT, 1, 1 },
    [SIDE_LEFT_CORNER] = { ALIGN_RIGHT, -1, 1 },     [SIDE_LOW_CORNER] = { ALIGN_LEFT, 1, -1 },
    [SIDE_LOW_LEFT_CORNER] = { ALIGN_RIGHT, -1, -1 }
  };
  bool swap = d->panel->sideways, corner = side >= SIDE_CORNER;
  double across, down;
  draw_place(d, x, y, &across, &down);
  if (!isfinite(across) || !isfinite(down)) return NULL;
  if (swap || corner) across += AWAY_X * sides[side].across;
  if (!swap || corner) down -= AWAY_Y * sides[side].up;
  DisplayAlign align = swap || corner ? sides[side].align : ALIGN_CENTRE;
  return display_text(out, text, across, down, align, size, 0, rgb);
}

void draw_text(Draw *d, const char *text, double x, double y, DrawSide side, double size,
               unsigned rgb)
{
  put_text(d, d->front, text, x, y, side, size, rgb);
}

void draw_end_text(Draw *d, const char *text, double x, double y, DrawSide side)
{
  put_text(d, d->ends, text, x, y, side, SIZE_SMALL, 0x333333);
}

unsigned draw_rgb(const char *color)
{
  return color && *color == '#' ? (unsigned)g_ascii_strtoull(color + 1, NULL, 16) & 0xffffffu
                                : 0x666666u;
}

unsigned draw_letters_on(unsigned rgb)
{
  double light = 0.299 * (rgb >> 16 & 255) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255);
  return light > 140 ? 0x1a1a1a : 0xffffff;
}

/* ---------------------------------------------------------------------- all */

static void keep_rules(Draw *d, const PictureSeries *s)
{
  const Box *b = &d->tile->plot;
  for (guint i = 0; s->mark == MARK_RULE && i < draw_n_rules(s); i++) {
    double at;
    bool upright = draw_rule_at(d, s, i, &at);
    Box line = upright ? (Box){ at - 1, b->top, at + 1, b->bottom }
                       : (Box){ b->left, at - 1, b->right, at + 1 };
    if (isfinite(at)) g_array_append_val(d->rules, line);
  }
}

Draw draw_begin(const Page *page, const Tile *t, GPtrArray *marks)
{
  return (Draw){ .page = page,
                 .tile = t,
                 .panel = t->panel,
                 .x = t->panel->sideways ? t->up_scale : t->across_scale,
                 .y = t->panel->sideways ? t->across_scale : t->up_scale,
                 .marks = marks,
                 .front = display_marks_new(),
                 .data = g_array_new(FALSE, FALSE, sizeof(double)),
                 .colors = g_array_new(FALSE, FALSE, sizeof(guint32)),
                 .texts = g_array_new(FALSE, FALSE, sizeof(Box)),
                 .bars = g_array_new(FALSE, FALSE, sizeof(Box)),
                 .rules = g_array_new(FALSE, FALSE, sizeof(Box)),
                 .ends = display_marks_new() };
}

void draw_end(Draw *d)
{
  display_move(d->marks, d->front);
  g_ptr_array_unref(d->front);
  g_array_unref(d->data);
  g_array_unref(d->colors);
  g_array_unref(d->texts);
  g_array_unref(d->bars);
  g_array_unref(d->rules);
  g_ptr_array_unref(d->ends);
}

/* When all bars and texts of points are there; texts at ends of bars give way to them. */
static void draw_all_rule_texts(Draw *d)
{
  for (guint i = 0; i < d->panel->series->len; i++) keep_rules(d, d->panel->series->pdata[i]);
  for (guint i = 0; i < d->panel->series->len; i++) {
    const PictureSeries *s = d->panel->series->pdata[i];
    if (s->mark == MARK_RULE) draw_rule_texts(d, s);
  }
}

void draw_marks(Draw *d)
{
  static void (*const marks[])(Draw *, const PictureSeries *) = {
    [MARK_LINE] = draw_lines,  [MARK_STEPS] = draw_lines,         [MARK_POINTS] = draw_scatter,
    [MARK_FRONT] = draw_lines, [MARK_BARS] = draw_bars,           [MARK_BINS] = draw_bins,
    [MARK_BOXES] = draw_boxes, [MARK_VIOLINS] = draw_violins,     [MARK_CELLS] = draw_cells,
    [MARK_FIELD] = draw_field, [MARK_INTERVALS] = draw_intervals, [MARK_RULE] = draw_rule,
  };
  for (guint i = 0; i < d->panel->series->len; i++) {
    const PictureSeries *s = d->panel->series->pdata[i];
    marks[s->mark](d, s);
  }
  draw_all_rule_texts(d);
  draw_end_texts(d);
}
