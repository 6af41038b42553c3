/* Pieces that all marks are made of; see draw.h. */
#include "draw.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "ticks.h"
#include "words.h"

#define END_OF_BLOCK "END" /* lines of data begin with a number, or are empty */

/* ------------------------------------------------------------------- numbers */

double draw_at(const PictureNumbers *n, guint i)
{
  return n && i < n->len ? g_array_index(n, double, i) : (double)NAN;
}

void draw_number(GString *out, double v)
{
  char buf[NUM_BUF];
  if (isfinite(v))
    g_string_append_len(out, buf, (gssize)num_format_real(buf, v));
  else
    g_string_append(out, "NaN");
}

static double scaled(const PictureAxis *a, double v)
{
  double low = fmin(a->low, a->high);
  if (ticks_is_log(a) && v <= 0) v = low; /* a bar that begins at zero begins at the edge */
  return ticks_scaled(a, v);
}

double draw_x(const Draw *d, double x) { return scaled(&d->panel->x, x); }
double draw_y(const Draw *d, double y) { return scaled(&d->panel->y, y); }

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

static void put_pair(Draw *d, double a, double b)
{
  draw_number(d->data, a);
  g_string_append_c(d->data, '\t');
  draw_number(d->data, b);
}

void draw_point(Draw *d, double x, double y)
{
  double a = draw_x(d, x), b = draw_y(d, y);
  put_pair(d, d->panel->sideways ? b : a, d->panel->sideways ? a : b);
  g_string_append_c(d->data, '\n');
}

void draw_gap(Draw *d) { g_string_append_c(d->data, '\n'); }

void draw_segment(Draw *d, double x0, double y0, double x1, double y1)
{
  draw_point(d, x0, y0);
  draw_point(d, x1, y1);
  draw_gap(d);
}

/* A corner, and from where to where it goes on both axes. */
void draw_rect(Draw *d, double x0, double x1, double y0, double y1)
{
  double a0 = draw_x(d, x0), a1 = draw_x(d, x1), b0 = draw_y(d, y0), b1 = draw_y(d, y1);
  bool swap = d->panel->sideways;
  put_pair(d, swap ? b0 : a0, swap ? a0 : b0);
  g_string_append_c(d->data, '\t');
  put_pair(d, swap ? b0 : a0, swap ? b1 : a1);
  g_string_append_c(d->data, '\t');
  put_pair(d, swap ? a0 : b0, swap ? a1 : b1);
}

/* gnuplot complains of blocks without any. */
static bool has_finite(const char *data)
{
  for (const char *line = data; *line; line++) {
    const char *end = strchrnul(line, '\n');
    if (end > line && !memmem(line, (size_t)(end - line), "NaN", 3)) return true;
    if (!*end) return false;
    line = end;
  }
  return false;
}

void draw_with(Draw *d, const char *format, ...)
{
  va_list args;
  if (!has_finite(d->data->str)) {
    g_string_truncate(d->data, 0);
    return;
  }
  d->n_blocks++;
  g_string_append_printf(d->blocks, "$d%u << " END_OF_BLOCK "\n", d->n_blocks);
  g_string_append_len(d->blocks, d->data->str, (gssize)d->data->len);
  g_string_append(d->blocks, END_OF_BLOCK "\n");
  g_string_append_printf(d->clauses, "%s$d%u ", d->clauses->len ? ", \\\n     " : "", d->n_blocks);
  va_start(args, format);
  g_string_append_vprintf(d->clauses, format, args);
  va_end(args);
  g_string_append(d->clauses, " notitle");
  g_string_truncate(d->data, 0);
}

/* -------------------------------------------------------------------- letters */

double draw_points(const Page *page, double size)
{
  return page->type == PLOT_SVG ? size : size * 0.75;
}

void draw_text(Draw *d, const char *text, double x, double y, DrawSide side, double size,
               const char *color)
{
  double a = draw_x(d, x), b = draw_y(d, y);
  static const struct {
    const char *align;
    int across, up;
  } sides[] = { [SIDE_CENTRE] = { "center", 0, 0 },          [SIDE_AFTER] = { "left", 1, 1 },
                [SIDE_BEFORE] = { "right", -1, -1 },         [SIDE_CORNER] = { "left", 1, 1 },
                [SIDE_LEFT_CORNER] = { "right", -1, 1 },     [SIDE_LOW_CORNER] = { "left", 1, -1 },
                [SIDE_LOW_LEFT_CORNER] = { "right", -1, -1 } };
  bool swap = d->panel->sideways, corner = side >= SIDE_CORNER;
  if (!isfinite(a) || !isfinite(b)) return;
  g_string_append(d->labels, "set label ");
  words_put(d->labels, text);
  g_string_append(d->labels, " at first ");
  draw_number(d->labels, swap ? b : a);
  g_string_append(d->labels, ", first ");
  draw_number(d->labels, swap ? a : b);
  g_string_append_printf(d->labels,
                         " %s front font ',%.4g' textcolor rgb '%s' offset character %g, %g\n",
                         swap || corner ? sides[side].align : "center", draw_points(d->page, size),
                         color, swap || corner ? 0.6 * sides[side].across : 0.0,
                         swap && !corner ? 0.0 : 0.6 * sides[side].up);
}

unsigned draw_rgb(const char *color)
{
  return color && *color == '#' ? (unsigned)g_ascii_strtoull(color + 1, NULL, 16) & 0xffffffu
                                : 0x666666u;
}

const char *draw_letters_on(unsigned rgb)
{
  double light = 0.299 * (rgb >> 16 & 255) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255);
  return light > 140 ? "#1a1a1a" : "#ffffff";
}

/* gnuplot draws a colour bar only where something has its colours: a point beyond the axes. */
static void draw_for_bar(Draw *d)
{
  const PictureAxis *x = &d->panel->x, *y = &d->panel->y, *bar = &d->panel->color->axis;
  draw_point(d, ticks_is_log(x) ? x->high * 4 : x->high + (x->high - x->low), y->low);
  g_string_truncate(d->data, d->data->len - 1);
  g_string_append_c(d->data, '\t');
  draw_number(d->data, ticks_scaled(bar, bar->low));
  g_string_append_c(d->data, '\n');
  draw_with(d, "using 1:2:3 with points pt 7 ps 0.1 lc palette");
}

/* ---------------------------------------------------------------------- all */

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
  if (d->panel->color && !d->panel->color->colors) draw_for_bar(d);
}
