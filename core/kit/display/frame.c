/* What stands around the marks of panels; see frame.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/frame.h"

#include <math.h>

#include "kit/display/ticks.h"
#include "kit/display/words.h"

enum {
  COLOR_TEXT = 0x222222,
  COLOR_QUIET = 0x777777,
  COLOR_NOTE = 0x444444,
  COLOR_AXIS = 0x888888,
  COLOR_GRID = 0xe4e4e4
};
enum { HEIGHT = 700, PANELS_HEIGHT = 400 }; /* at least */
enum { GAP = 8, BAR_WIDTH = 16, TICK_LENGTH = 5, TICK_AWAY = 5 };
#define TURNED 40.0 /* degrees, of texts below an axis */

/* --------------------------------------------------------------------- texts */

typedef struct Place {
  double x, y;
  DisplayAlign align;
  double turn;
} Place;

/* Cleaned, and cut to what there is of room. */
static void put_text(GPtrArray *out, const char *text, Place at, double size, double room,
                     unsigned rgb)
{
  if (!text || !*text) return;
  g_autofree char *clean = words_clean(text), *cut = words_cut(clean, size, room);
  display_text(out, cut, at.x, at.y, at.align, size, at.turn, rgb);
}

static void put_swatch(GPtrArray *out, const Swatch *s)
{
  double side = 6.5;
  Box b = { s->x, s->y - side, s->x + 2 * side, s->y + side };
  if (s->key) display_rect(out, &b, draw_rgb(s->key->color));
  display_text(out, s->text, s->x + 20, s->y, ALIGN_LEFT, SIZE_TICK, 0, COLOR_TEXT);
}

static void put_page_texts(GPtrArray *out, const Page *page)
{
  const Picture *p = page->picture;
  double room = page->width - 2 * PAGE_EDGE, foot = page->height - 14;
  Place title = { PAGE_EDGE, PAGE_EDGE + 8, ALIGN_LEFT, 0 },
        footer = { page->width - PAGE_EDGE, foot, ALIGN_RIGHT, 0 },
        left_out = { PAGE_EDGE, foot - SIZE_FOOTER - GAP, ALIGN_LEFT, 0 };
  put_text(out, p->title, title, SIZE_TITLE, room, COLOR_TEXT);
  put_text(out, p->footer, footer, SIZE_FOOTER, room, COLOR_QUIET);
  put_text(out, p->left_out, left_out, SIZE_SMALL, room, COLOR_QUIET);
  for (guint i = 0; i < page->swatches->len; i++)
    put_swatch(out, &g_array_index(page->swatches, Swatch, i));
}

/* ---------------------------------------------------------------------- axes */

static bool is_area(const PicturePanel *p)
{
  const PictureSeries *s = p->series->len ? p->series->pdata[0] : NULL;
  return s && (s->mark == MARK_CELLS || s->mark == MARK_FIELD);
}

/* Where a mark of an axis stands; NaN beyond its ends. */
static double tick_at(const Scale *s, const Tick *t)
{
  double at = scale_at(s, t->at), low = fmin(s->from, s->to), high = fmax(s->from, s->to);
  return at >= low - 0.01 && at <= high + 0.01 ? at : (double)NAN;
}

/* Lines through the panel at marks with a text. */
static void put_grid(GPtrArray *out, const Tile *t, bool across)
{
  const Box *b = &t->plot;
  const GArray *ticks = across ? t->across_ticks : t->up_ticks;
  for (guint i = 0; i < ticks->len; i++) {
    const Tick *tick = &g_array_index(ticks, Tick, i);
    double at = tick_at(across ? &t->across_scale : &t->up_scale, tick);
    if (!tick->text || !isfinite(at)) continue;
    if (across)
      display_line(out, at, b->top, at, b->bottom, 0.6, COLOR_GRID);
    else
      display_line(out, b->left, at, b->right, at, 0.6, COLOR_GRID);
  }
}

static void put_tick_across(GPtrArray *out, const Tile *t, const Tick *tick, double length)
{
  double at = tick_at(&t->across_scale, tick), edge = t->plot.bottom;
  double end = edge + (tick->text ? length : length / 2);
  if (!isfinite(at)) return;
  if (length > 0) display_line(out, at, edge, at, end, 0.8, COLOR_AXIS);
  if (!tick->text) return;
  double away = edge + TICK_LENGTH + TICK_AWAY;
  if (t->turned)
    display_text(out, tick->text, at + 3, away, ALIGN_RIGHT, SIZE_TICK, TURNED, COLOR_TEXT);
  else
    display_text(out, tick->text, at, away + SIZE_TICK / 2.0 - 1, ALIGN_CENTRE, SIZE_TICK, 0,
                 COLOR_TEXT);
}

static void put_tick_up(GPtrArray *out, const Tile *t, const Tick *tick, double length)
{
  double at = tick_at(&t->up_scale, tick), edge = t->plot.left;
  double end = edge - (tick->text ? length : length / 2);
  if (!isfinite(at)) return;
  if (length > 0) display_line(out, end, at, edge, at, 0.8, COLOR_AXIS);
  if (tick->text && !t->bare)
    display_text(out, tick->text, edge - TICK_LENGTH - TICK_AWAY, at, ALIGN_RIGHT, SIZE_TICK, 0,
                 COLOR_TEXT);
}

static void put_border(GPtrArray *out, const Box *b, bool all_around)
{
  display_line(out, b->left, b->bottom, b->right, b->bottom, 0.8, COLOR_AXIS);
  display_line(out, b->left, b->top, b->left, b->bottom, 0.8, COLOR_AXIS);
  if (!all_around) return;
  display_line(out, b->left, b->top, b->right, b->top, 0.8, COLOR_AXIS);
  display_line(out, b->right, b->top, b->right, b->bottom, 0.8, COLOR_AXIS);
}

static void put_axes(GPtrArray *out, const Tile *t)
{
  bool area = is_area(t->panel);
  double length = area ? 0 : TICK_LENGTH;
  if (!area && t->across->scale != SCALE_CATEGORIES) put_grid(out, t, true);
  if (!area && t->up->scale != SCALE_CATEGORIES) put_grid(out, t, false);
  put_border(out, &t->plot, area);
  for (guint i = 0; i < t->across_ticks->len; i++)
    put_tick_across(out, t, &g_array_index(t->across_ticks, Tick, i), length);
  for (guint i = 0; i < t->up_ticks->len; i++)
    put_tick_up(out, t, &g_array_index(t->up_ticks, Tick, i), length);
}

static void put_axis_labels(GPtrArray *out, const Page *page, const Tile *t)
{
  const Box *b = &t->plot;
  double x = (b->left + b->right) / 2, y = (b->top + b->bottom) / 2;
  double width = b->right - b->left + 60, height = b->bottom - b->top + 60;
  double room = page->tiles->len > 1 ? b->right - b->left + GAP : width; /* others are beside it */
  Place below = { x, b->bottom + t->across_height + 2.5 * GAP + 4, ALIGN_CENTRE, 0 },
        left = { b->left - t->up_width - 2 * GAP - SIZE_LABEL / 2.0 - 3, y, ALIGN_CENTRE, 90 },
        above = { x, b->top - page_note_height(t) - GAP - 5, ALIGN_CENTRE, 0 };
  put_text(out, t->across->label, below, SIZE_LABEL, width, COLOR_TEXT);
  if (!t->bare) put_text(out, t->up->label, left, SIZE_LABEL, height, COLOR_TEXT);
  put_text(out, t->panel->title, above, SIZE_PANEL, room, COLOR_TEXT);
}

/* Above the panel at the right: it hides nothing. */
static void put_note(GPtrArray *out, const Tile *t)
{
  Place at = { t->plot.right, t->plot.top - SIZE_SMALL / 2.0 - 3, ALIGN_RIGHT, 0 };
  put_text(out, t->panel->note, at, SIZE_SMALL, t->plot.right - t->plot.left, COLOR_NOTE);
}

/* ----------------------------------------------------------------- colour bars */

static void put_gradient(GPtrArray *out, PicturePalette palette, const Box *b)
{
  static const DrawStyle style = { DISPLAY_GRADIENT };
  const unsigned *rgb;
  guint n = palette_colors(palette, &rgb);
  DisplayMark *m =
      display_add(out, &style, (const double[]){ b->left, b->top, b->right, b->bottom }, 4);
  m->colors = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; i < n; i++) {
    guint32 color = 0xff000000u | rgb[i];
    g_array_append_val(m->colors, color);
  }
}

static void put_bar(GPtrArray *out, const PictureColorBar *bar, const Box *b)
{
  Scale scale = scale_of(&bar->axis, 0, b->bottom, b->top);
  g_autoptr(GArray) ticks = ticks_of(&bar->axis, PAGE_BAR_TICKS);
  put_gradient(out, bar->palette, b);
  for (guint i = 0; i < ticks->len; i++) {
    const Tick *tick = &g_array_index(ticks, Tick, i);
    double at = tick_at(&scale, tick);
    if (!isfinite(at)) continue;
    display_line(out, b->right, at, b->right + (tick->text ? 3 : 1.5), at, 0.8, COLOR_AXIS);
    Place text = { b->right + GAP, at, ALIGN_LEFT, 0 };
    put_text(out, tick->text, text, SIZE_TICK, PAGE_WIDTH, COLOR_TEXT);
  }
  Place label = { b->left + page_bar_width(bar) - GAP - SIZE_LABEL, (b->top + b->bottom) / 2,
                  ALIGN_CENTRE, 90 };
  put_text(out, bar->axis.label, label, SIZE_LABEL, b->bottom - b->top + 60, COLOR_TEXT);
}

static void put_color(GPtrArray *out, const Page *page, const Tile *t, guint index)
{
  const Box *b = &t->plot;
  Box own = { b->right + 2 * GAP, b->top, b->right + 2 * GAP + BAR_WIDTH, b->bottom };
  if (!t->has_bar) return;
  if (!page->shared_bar)
    put_bar(out, t->panel->color, &own);
  else if (index == 0)
    put_bar(out, t->panel->color, &page->bar);
}

/* -------------------------------------------------------------------- panels */

static void put_panel(GPtrArray *out, const Page *page, guint index)
{
  const Tile *t = &g_array_index(page->tiles, Tile, index);
  put_axes(out, t);
  put_axis_labels(out, page, t);
  put_note(out, t);
  put_color(out, page, t, index);
  Draw d = draw_begin(page, t, out);
  draw_marks(&d);
  draw_end(&d);
}

static Display *display_from(const Picture *p, double least)
{
  Page page;
  page_init(&page, p, least);
  Display *d = display_new(page.width, page.height);
  put_page_texts(d->marks, &page);
  for (guint i = 0; i < page.tiles->len; i++) put_panel(d->marks, &page, i);
  page_clear(&page);
  return d;
}

Display *display_of(const Picture *p) { return display_from(p, HEIGHT); }

Display *display_of_panels(const Picture *p)
{
  g_autofree char *none = g_strdup("");
  g_autoptr(GPtrArray) no_legend = g_ptr_array_new();
  Picture panels = *p;
  panels.title = panels.footer = none;
  panels.left_out = panels.legend_title = NULL;
  panels.legend = no_legend;
  return display_from(&panels, PANELS_HEIGHT);
}
