/* Texts beside points: none covers another one; see draw.h. */
#include <math.h>

#include "draw.h"
#include "words.h"

enum {
  AWAY_X = 5, /* as draw_text() places it */
  AWAY_Y = 9,
  HALF_LINE = 7,
  LEAST = 60 /* width of a text that is cut */
};

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

static bool is_free(const Draw *d, const Box *b)
{
  for (guint i = 0; i < d->texts->len; i++) {
    const Box *other = &g_array_index(d->texts, Box, i);
    if (b->left < other->right && other->left < b->right && b->top < other->bottom &&
        other->top < b->bottom)
      return false;
  }
  return true;
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
  if (!is_free(d, &box)) return false;
  g_array_append_val(d->texts, box);
  draw_text(d, text, x, y, c->side, SIZE_SMALL, 0x444444);
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
