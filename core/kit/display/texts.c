/* Texts beside points, lines of rules and ends of bars: none covers another one; see draw.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/display/draw.h"
#include "kit/display/words.h"

enum {
  AWAY_X = 5, /* as draw_text() places it */
  AWAY_Y = 9,
  HALF_LINE = 7,
  LEAST = 60, /* width of a text that is cut */
  RULE_AWAY = 4,
  RULE_TEXT = 12, /* from the upper edge to the first text of a rule */
  RULE_ROW = 16,
  RULE_ROWS = 12 /* that are tried */
};

bool draw_meets(const GArray *boxes, const Box *b)
{
  for (guint i = 0; i < boxes->len; i++) {
    const Box *other = &g_array_index(boxes, Box, i);
    if (b->left < other->right && other->left < b->right && b->top < other->bottom &&
        other->top < b->bottom)
      return true;
  }
  return false;
}

static Box box_of(const char *text, double x, double y, DisplayAlign align)
{
  double width = words_width(text, SIZE_SMALL), left = x - width * align / 2;
  return (Box){ left, y - HALF_LINE, left + width, y + HALF_LINE };
}

static bool is_within(const Box *plot, const Box *b)
{
  return b->left >= plot->left && b->right <= plot->right && b->top >= plot->top &&
         b->bottom <= plot->bottom;
}

/* -------------------------------------------------------------------- points */

typedef struct Corner {
  DrawSide side;
  int across, up; /* towards it */
} Corner;

static const Corner corners[] = { { SIDE_CORNER, 1, 1 },
                                  { SIDE_LEFT_CORNER, -1, 1 },
                                  { SIDE_LOW_CORNER, 1, -1 },
                                  { SIDE_LOW_LEFT_CORNER, -1, -1 } };

/* Where the text would stand. */
static Box box_at(const Draw *d, const char *text, double x, double y, const Corner *c)
{
  double width = words_width(text, SIZE_SMALL), across, down;
  draw_place(d, x, y, &across, &down);
  double left = c->across > 0 ? across + AWAY_X : across - AWAY_X - width;
  double middle = down - c->up * AWAY_Y;
  return (Box){ left, middle - HALF_LINE, left + width, middle + HALF_LINE };
}

/* What there is of room to the left or right of it. */
static double room_at(const Draw *d, double x, double y, const Corner *c)
{
  const Box *plot = &d->tile->plot;
  double across, down;
  draw_place(d, x, y, &across, &down);
  return (c->across > 0 ? plot->right - across : across - plot->left) - AWAY_X;
}

static bool stands(Draw *d, const char *text, double x, double y, const Corner *c)
{
  Box box = box_at(d, text, x, y, c);
  if (draw_meets(d->texts, &box)) return false;
  g_array_append_val(d->texts, box);
  draw_text(d, text, x, y, c->side, SIZE_SMALL, 0x444444);
  ((DisplayMark *)d->front->pdata[d->front->len - 1])->style.rim = true;
  return true;
}

void draw_point_text(Draw *d, const char *text, double x, double y)
{
  double width = words_width(text, SIZE_SMALL);
  if (!isfinite(x) || !isfinite(y)) return;
  for (size_t i = 0; i < G_N_ELEMENTS(corners); i++)
    if (room_at(d, x, y, &corners[i]) >= width && stands(d, text, x, y, &corners[i])) return;
  for (size_t i = 0; i < G_N_ELEMENTS(corners); i++) {
    double room = room_at(d, x, y, &corners[i]);
    if (room >= width || room < LEAST) continue;
    g_autofree char *cut = words_cut(text, SIZE_SMALL, room);
    if (stands(d, cut, x, y, &corners[i])) return;
  }
}

/* ---------------------------------------------------------------------- bars */

void draw_end_texts(Draw *d)
{
  while (d->ends->len) {
    DisplayMark *m = g_ptr_array_steal_index(d->ends, 0);
    Box box = box_of(m->text, m->x, m->y, m->align);
    bool is_free =
        !draw_meets(d->texts, &box) && !draw_meets(d->bars, &box) && !draw_meets(d->rules, &box);
    if (is_free) g_array_append_val(d->texts, box);
    if (is_free)
      g_ptr_array_add(d->front, m);
    else
      display_mark_free(m);
  }
}

/* --------------------------------------------------------------------- rules */

/* What may lie below a text: its rim parts it from that. */
typedef enum Below { BELOW_NOTHING, BELOW_BARS, BELOW_ALL } Below;

typedef struct Words {
  const char *text;
  unsigned rgb;
} Words;

static bool put_rule_text(Draw *d, const Words *w, double x, double y, DisplayAlign align,
                          Below below)
{
  Box box = box_of(w->text, x, y, align);
  if (!is_within(&d->tile->plot, &box) || draw_meets(d->texts, &box)) return false;
  if (below == BELOW_NOTHING && draw_meets(d->bars, &box)) return false;
  if (below < BELOW_ALL && draw_meets(d->rules, &box)) return false;
  g_array_append_val(d->texts, box);
  display_text(d->front, w->text, x, y, align, SIZE_SMALL, 0, w->rgb)->style.rim = true;
  return true;
}

/* At the side that has more room, else at the other one, each below those before. */
static bool put_upright(Draw *d, const Words *w, double at, guint first_row, Below below)
{
  const Box *b = &d->tile->plot;
  bool before = at - b->left > b->right - at;
  for (guint k = 0; k < 2 * RULE_ROWS; k++) {
    bool left = before != (k % 2 > 0);
    double y = b->top + RULE_TEXT + RULE_ROW * (double)(first_row + k / 2);
    if (put_rule_text(d, w, at + (left ? -RULE_AWAY : RULE_AWAY), y,
                      left ? ALIGN_RIGHT : ALIGN_LEFT, below))
      return true;
  }
  return false;
}

/* Above its line or below it: at the right end, at the left one, in the middle. */
static bool put_level(Draw *d, const Words *w, double at, Below below)
{
  const Box *b = &d->tile->plot;
  static const DisplayAlign aligns[] = { ALIGN_RIGHT, ALIGN_LEFT, ALIGN_CENTRE };
  const double x[] = { b->right - RULE_AWAY, b->left + RULE_AWAY, (b->left + b->right) / 2 };
  for (guint k = 0; k < 2 * G_N_ELEMENTS(aligns); k++)
    if (put_rule_text(d, w, x[k / 2], at + (k % 2 ? AWAY_Y : -AWAY_Y), aligns[k / 2], below))
      return true;
  return false;
}

char *draw_rule_text(const PictureSeries *s, guint i)
{
  const char *own = s->text && i < s->text->len ? s->text->pdata[i] : "";
  return words_clean(*own ? own : s->name);
}

void draw_rule_texts(Draw *d, const PictureSeries *s)
{
  for (guint i = 0; i < draw_n_rules(s); i++) {
    double at, room = d->tile->plot.right - d->tile->plot.left - 2 * RULE_AWAY;
    bool upright = draw_rule_at(d, s, i, &at), stands = false;
    g_autofree char *whole = draw_rule_text(s, i), *text = words_cut(whole, SIZE_SMALL, room);
    const Words w = { text, draw_rgb(s->color) };
    for (Below k = BELOW_NOTHING; k <= BELOW_ALL && !stands && *text && isfinite(at); k++)
      stands = upright ? put_upright(d, &w, at, s->slot + i, k) : put_level(d, &w, at, k);
  }
}
