/* Pictures of characters; see term.h. */
/* SPDX-License-Identifier: MIT */
#include "term.h"

#include <math.h>
#include <string.h>

#include "kit/display/ticks.h"
#include "kit/display/words.h"

enum {
  GAP = 2,           /* cells between keys of the legend */
  LEGEND_ROWS = 3,   /* more keys are counted */
  LEAST_INSIDE = 5,  /* rows inside the axes */
  MOST_INSIDE = 64,  /* of a panel that is made higher for its categories */
  TICK_ROWS = 3,     /* between two marks of the axis at the left */
  CATEGORY_LEAST = 8 /* cells of a name below the panel */
};

/* --------------------------------------------------------------------- words */

static char *ends_of(const GArray *cells, guint most)
{
  GString *out = g_string_new(NULL);
  guint head = cells->len > most ? most / 2 : cells->len, tail = most - most / 2 - 1;
  for (guint i = 0; i < head; i++) g_string_append_unichar(out, g_array_index(cells, gunichar, i));
  if (head == cells->len) return g_string_free(out, FALSE);
  g_string_append_unichar(out, 0x2026);
  for (guint i = cells->len - tail; i < cells->len; i++)
    g_string_append_unichar(out, g_array_index(cells, gunichar, i));
  return g_string_free(out, FALSE);
}

char *term_words(const char *text, unsigned most)
{
  static const gunichar filler = TERM_FILLER;
  g_autofree char *clean = words_clean(text ? text : "");
  g_autoptr(GArray) cells = g_array_new(FALSE, FALSE, sizeof(gunichar));
  for (const char *at = clean; *at; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (g_unichar_iszerowidth(c)) continue;
    g_array_append_val(cells, c);
    if (g_unichar_iswide(c)) g_array_append_val(cells, filler);
  }
  return ends_of(cells, MAX(most, 3));
}

static unsigned n_cells(const char *text) { return (unsigned)g_utf8_strlen(text, -1); }

/* What term_words() made. */
static void put_made(GPtrArray *out, const char *words, double column, double row,
                     DisplayAlign align)
{
  display_text(out, words, column, row, align, 1, 0, 0);
}

static void put_words(GPtrArray *out, const char *text, double column, double row,
                      DisplayAlign align, double room)
{
  if (!text || !*text || room < 1) return;
  g_autofree char *words = term_words(text, (unsigned)room);
  put_made(out, words, column, row, align);
}

/* -------------------------------------------------------------------- layout */

static Tile *tile_at(const Page *page, guint i) { return &g_array_index(page->tiles, Tile, i); }
static bool has_text(const char *text) { return text && *text; }

static unsigned widest_of(const GArray *ticks)
{
  unsigned widest = 0;
  for (guint i = 0; i < ticks->len; i++) {
    const char *text = g_array_index(ticks, Tick, i).text;
    if (text) widest = MAX(widest, n_cells(text));
  }
  return widest;
}

static guint n_categories(const PictureAxis *a)
{
  return a->scale == SCALE_CATEGORIES && a->categories ? a->categories->len : 0;
}

static GArray *ticks_cut(const PictureAxis *a, unsigned most, unsigned room)
{
  GArray *ticks = ticks_of(a, most);
  for (guint i = 0; i < ticks->len; i++) {
    Tick *t = &g_array_index(ticks, Tick, i);
    g_autofree char *text = t->text;
    t->text = text ? term_words(text, room) : NULL;
  }
  return ticks;
}

/* Names stand side by side: cut to their room, and every so many-th where there is little of it. */
static GArray *ticks_across(const PictureAxis *a, unsigned width)
{
  guint n = n_categories(a);
  unsigned room = MAX(width / MAX(n, 1), CATEGORY_LEAST + 1) - 1;
  return n ? ticks_cut(a, width / (room + 1), room) : ticks_cut(a, MAX(width / 12, 2), width);
}

static unsigned legend_rows(const Page *page, unsigned width, GPtrArray *out);

static unsigned head_rows(const Page *page, const Tile *t, bool first, unsigned columns)
{
  unsigned rows = first ? 1 + legend_rows(page, columns, NULL) : 0;
  return rows + has_text(t->panel->title) + has_text(t->panel->note) + t->has_bar +
         (has_text(t->up->label) || !first);
}

static unsigned foot_rows(const Page *page, const Tile *t, bool last)
{
  return 2 + has_text(t->across->label) + (last && has_text(page->picture->left_out));
}

/* Each name at the left has a row, as long as there are not too many; the row after the panel. */
static unsigned place(const Page *page, Tile *t, unsigned row, unsigned columns, unsigned lines)
{
  bool first = row == 0, last = t == tile_at(page, page->tiles->len - 1);
  unsigned head = head_rows(page, t, first, columns), foot = foot_rows(page, t, last);
  unsigned inside = lines > head + foot ? lines - head - foot : 0, n = n_categories(t->up);
  inside = MAX(inside, MIN(MAX(n, LEAST_INSIDE), MOST_INSIDE));
  t->up_ticks = ticks_cut(t->up, n ? inside : inside / TICK_ROWS, columns / 3);
  t->up_width = widest_of(t->up_ticks);
  double left = t->up_width + 3;
  t->across_ticks = ticks_across(t->across, columns - (unsigned)left - GAP);
  t->plot = (Box){ left, row + head, columns - GAP - 1, row + head + inside };
  return row + head + inside + foot;
}

static void init(Page *page, const Picture *p, unsigned columns, unsigned lines)
{
  unsigned row = 0;
  *page = (Page){ .picture = p, .width = columns - 1 };
  page->tiles = g_array_new(FALSE, TRUE, sizeof(Tile));
  page->swatches = g_array_new(FALSE, TRUE, sizeof(Swatch));
  for (guint i = 0; i < p->panels->len; i++) {
    const PicturePanel *panel = p->panels->pdata[i];
    Tile t = { .panel = panel,
               .across = panel->sideways ? &panel->y : &panel->x,
               .up = panel->sideways ? &panel->x : &panel->y,
               .has_bar = panel->color != NULL };
    g_array_append_val(page->tiles, t);
  }
  for (guint i = 0; i < page->tiles->len; i++)
    row = place(page, tile_at(page, i), row, columns, lines), page_set_scales(tile_at(page, i));
  page->height = row - 1;
}

/* --------------------------------------------------------------------- texts */

/* "Phase:" before the names; how many cells that takes. */
static unsigned legend_title(const Page *page, unsigned width, GPtrArray *out)
{
  const Picture *p = page->picture;
  if (!p->legend->len || !has_text(p->legend_title)) return 0;
  g_autofree char *name = term_words(p->legend_title, width / 3);
  g_autofree char *text = g_strconcat(name, ":", NULL);
  if (out) put_made(out, text, 0, 1, ALIGN_LEFT);
  return n_cells(text) + 1;
}

/* "* name  # other"; out NULL: how many rows that takes. */
static unsigned legend_rows(const Page *page, unsigned width, GPtrArray *out)
{
  const GPtrArray *legend = page->picture->legend;
  unsigned row = 0, x = legend_title(page, width, out);
  for (guint i = 0; i < legend->len; i++) {
    g_autofree char *text = picture_key_text(legend->pdata[i]);
    g_autofree char *name = term_words(text, width / 2);
    unsigned needs = n_cells(name) + 2;
    if (x && x + needs > width) x = 0, row++;
    if (row == LEGEND_ROWS) {
      g_autofree char *more = g_strdup_printf("and %u more", legend->len - i);
      if (out) put_words(out, more, 0, row + 1, ALIGN_LEFT, width);
      return row + 1;
    }
    g_autofree char *key = g_strdup_printf("%c %s", term_char(i), name);
    if (out) put_made(out, key, x, row + 1, ALIGN_LEFT);
    x += needs + GAP;
  }
  return legend->len ? row + 1 : 0;
}

/* "Time (ms): 0 .:-=+*#%@ 410" */
static void put_bar(GPtrArray *out, const Page *page, const PictureColorBar *bar, double row)
{
  char low[32], high[32];
  g_ascii_formatd(low, sizeof low, "%.4g", ticks_scaled(&bar->axis, bar->axis.low));
  g_ascii_formatd(high, sizeof high, "%.4g", ticks_scaled(&bar->axis, bar->axis.high));
  guint n = n_categories(&bar->axis);
  const char *from = n ? bar->axis.categories->pdata[0] : low;
  const char *to = n ? bar->axis.categories->pdata[n - 1] : high;
  g_autofree char *text =
      g_strdup_printf("%s%s%s %s %s", has_text(bar->axis.label) ? bar->axis.label : "",
                      has_text(bar->axis.label) ? ": " : "", from, term_levels(), to);
  put_words(out, text, 0, row, ALIGN_LEFT, page->width + 1);
}

static void put_head(GPtrArray *out, const Page *page, const Tile *t, guint index)
{
  double width = page->width + 1, row = t->plot.top;
  if (index == 0) {
    put_words(out, page->picture->title, 0, 0, ALIGN_LEFT, width);
    legend_rows(page, (unsigned)width, out);
  }
  if (has_text(t->up->label) || index > 0)
    put_words(out, t->up->label, 0, --row, ALIGN_LEFT, width);
  if (t->has_bar) put_bar(out, page, t->panel->color, --row);
  if (has_text(t->panel->note))
    put_words(out, t->panel->note, page->width, --row, ALIGN_RIGHT, width);
  if (has_text(t->panel->title))
    put_words(out, t->panel->title, page->width / 2, --row, ALIGN_CENTRE, width);
}

static void put_foot(GPtrArray *out, const Page *page, const Tile *t)
{
  bool last = t == tile_at(page, page->tiles->len - 1);
  double middle = (t->plot.left + t->plot.right) / 2, row = t->plot.bottom + 1;
  if (has_text(t->across->label))
    put_words(out, t->across->label, middle, ++row, ALIGN_CENTRE, t->plot.right - t->plot.left);
  if (last) put_words(out, page->picture->left_out, 0, ++row, ALIGN_LEFT, page->width + 1);
}

/* ---------------------------------------------------------------------- axes */

static void put_sign(GPtrArray *out, gunichar sign, double x0, double y0, double x1, double y1)
{
  DrawStyle style = { .kind = DISPLAY_LINES, .sign = sign };
  if (isfinite(x0) && isfinite(y0)) display_add(out, &style, (const double[]){ x0, y0, x1, y1 }, 4);
}

static bool is_area(const PicturePanel *p)
{
  const PictureSeries *s = p->series->len ? p->series->pdata[0] : NULL;
  return s && (s->mark == MARK_CELLS || s->mark == MARK_FIELD);
}

/* Where a mark of an axis stands; NaN beyond its ends. */
static double tick_at(const Scale *s, const Tick *t)
{
  double at = scale_at(s, t->at), low = fmin(s->from, s->to), high = fmax(s->from, s->to);
  return at >= low - 0.01 && at <= high + 0.01 ? round(at) : (double)NAN;
}

static void put_ticks_across(GPtrArray *out, const Page *page, const Tile *t, bool area)
{
  const Box *b = &t->plot;
  for (guint i = 0; i < t->across_ticks->len; i++) {
    const Tick *tick = &g_array_index(t->across_ticks, Tick, i);
    double at = tick_at(&t->across_scale, tick);
    if (!tick->text || !isfinite(at)) continue;
    double half = n_cells(tick->text) / 2, most = page->width - n_cells(tick->text) + 1;
    if (!area) put_sign(out, '+', at, b->bottom, at, b->bottom);
    put_made(out, tick->text, fmax(fmin(at - half, most), 0), b->bottom + 1, ALIGN_LEFT);
  }
}

static void put_ticks_up(GPtrArray *out, const Tile *t, bool area)
{
  for (guint i = 0; i < t->up_ticks->len; i++) {
    const Tick *tick = &g_array_index(t->up_ticks, Tick, i);
    double at = tick_at(&t->up_scale, tick), left = t->plot.left;
    if (!tick->text || !isfinite(at)) continue;
    if (!area) put_sign(out, '+', left - 1, at, left - 1, at);
    put_made(out, tick->text, left - (area ? 2 : 3), at, ALIGN_RIGHT);
  }
}

/* Areas fill the panel up to its edges: they need no lines. */
static void put_axes(GPtrArray *out, const Page *page, const Tile *t)
{
  const Box *b = &t->plot;
  bool area = is_area(t->panel);
  if (!area) {
    put_sign(out, '-', b->left, b->bottom, b->right, b->bottom);
    put_sign(out, '|', b->left, b->top, b->left, b->bottom);
    put_sign(out, '+', b->left, b->bottom, b->left, b->bottom);
  }
  put_ticks_across(out, page, t, area);
  put_ticks_up(out, t, area);
}

static void put_panel(GPtrArray *out, const Page *page, guint index)
{
  const Tile *t = tile_at(page, index);
  put_axes(out, page, t);
  Draw d = draw_begin(page, t, out);
  term_draw_marks(&d);
  put_head(d.front, page, t, index);
  put_foot(d.front, page, t);
  draw_end(&d);
}

char *term_text(const Picture *p, unsigned columns, unsigned lines)
{
  Page page;
  init(&page, p, columns, lines);
  g_autoptr(Display) d = display_new(page.width + 1, page.height + 1);
  for (guint i = 0; i < page.tiles->len; i++) put_panel(d->marks, &page, i);
  page_clear(&page);
  return canvas_text(d);
}
