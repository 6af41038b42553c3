/* Layout: what each part of a page needs, and where it goes; see page.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/page.h"

#include <math.h>
#include <string.h>

#include "kit/display/ticks.h"
#include "kit/display/words.h"

enum {
  GAP = 8,
  ROW_LEAST = 250,     /* height of a row of panels, where there are several */
  CATEGORY_LEAST = 20, /* of a category with its text beside it */
  CATEGORIES_MOST = 1500,
  LEGEND_ROW = 22,
  LEGEND_ROWS = 3, /* above the panels; more stand at their right */
  LEGEND_WIDEST = 290,
  SWATCH = 20,
  TURNED_WIDEST = 200, /* of a text below the axis that is turned */
  BAR = 16,            /* width of a colour bar */
  PAGE_HIGHEST = 4000,
};
#define TURN_SIN 0.64 /* of 40 degrees */
#define TURN_COS 0.77

static bool has_text(const char *text) { return text && *text; }

static Tile *tile_at(const Page *page, guint i) { return &g_array_index(page->tiles, Tile, i); }

static guint columns_of(const Page *page)
{
  guint n = page->picture->panels->len;
  return CLAMP(page->picture->n_columns, 1, MAX(n, 1));
}

static guint rows_of(const Page *page)
{
  guint n = page->picture->panels->len, columns = columns_of(page);
  return MAX((n + columns - 1) / columns, 1);
}

/* -------------------------------------------------------------------- legend */

static double swatch_width(const char *text) { return SWATCH + words_width(text, SIZE_TICK) + 18; }

/* "Phase:"; to be freed. */
static char *legend_title(const Page *page)
{
  g_autofree char *text = g_strconcat(page->picture->legend_title, ":", NULL);
  g_autofree char *clean = words_clean(text);
  return words_cut(clean, SIZE_TICK, LEGEND_WIDEST - SWATCH);
}

static double title_width(const Page *page)
{
  if (!has_text(page->picture->legend_title)) return 0;
  g_autofree char *text = legend_title(page);
  return words_width(text, SIZE_TICK) + 18;
}

static void add_swatch(Page *page, const PictureKey *key, char *text, double x, double y)
{
  Swatch s = { key, text, x, y };
  g_array_append_val(page->swatches, s);
}

static unsigned legend_rows(const Page *page, double width)
{
  double x = title_width(page);
  unsigned rows = 1;
  for (guint i = 0; i < page->picture->legend->len; i++) {
    const PictureKey *key = page->picture->legend->pdata[i];
    g_autofree char *text = picture_key_text(key);
    double needs = fmin(swatch_width(text), width);
    if (x > 0 && x + needs > width) x = 0, rows++;
    x += needs;
  }
  return rows;
}

static char *legend_text(const PictureKey *key, double width)
{
  g_autofree char *text = picture_key_text(key);
  g_autofree char *clean = words_clean(text);
  return words_cut(clean, SIZE_TICK, width);
}

/* Side by side above the panels; the height that it takes. */
static double legend_above(Page *page, double top)
{
  const GPtrArray *legend = page->picture->legend;
  double left = PAGE_EDGE, x = left + title_width(page), width = page->width - 2 * PAGE_EDGE,
         y = top + LEGEND_ROW / 2.0;
  if (x > left) add_swatch(page, NULL, legend_title(page), left - SWATCH, y);
  for (guint i = 0; i < legend->len; i++) {
    char *text = legend_text(legend->pdata[i], width - SWATCH - 18);
    double needs = swatch_width(text);
    if (x > left && x + needs > left + width) x = left, y += LEGEND_ROW;
    add_swatch(page, legend->pdata[i], text, x, y);
    x += needs;
  }
  return y + LEGEND_ROW / 2.0 - top + GAP;
}

/* Below one another at the right of the panels; the width that it takes. */
static double legend_beside(Page *page, double top, double bottom)
{
  const GPtrArray *legend = page->picture->legend;
  double widest = title_width(page);
  if (widest > 0) {
    add_swatch(page, NULL, legend_title(page), 0, top + LEGEND_ROW / 2.0);
    top += LEGEND_ROW;
  }
  guint room = (guint)fmax((bottom - top) / LEGEND_ROW, 2),
        n = legend->len > room ? room - 1 : legend->len;
  for (guint i = 0; i < n; i++) {
    char *text = legend_text(legend->pdata[i], LEGEND_WIDEST - SWATCH);
    widest = fmax(widest, swatch_width(text));
    add_swatch(page, legend->pdata[i], text, 0, top + (i + 0.5) * LEGEND_ROW);
  }
  if (n < legend->len) {
    char *more = g_strdup_printf("and %u more", legend->len - n);
    add_swatch(page, NULL, more, 0, top + (n + 0.5) * LEGEND_ROW);
  }
  for (guint i = 0; i < page->swatches->len; i++)
    g_array_index(page->swatches, Swatch, i).x = page->width - widest - 4;
  return widest + GAP;
}

/* -------------------------------------------------------------- texts of axes */

static double widest_of(const GArray *ticks)
{
  double widest = 0;
  for (guint i = 0; i < ticks->len; i++) {
    const char *text = g_array_index(ticks, Tick, i).text;
    if (text) widest = fmax(widest, words_width(text, SIZE_TICK));
  }
  return widest;
}

static void cut_texts(GArray *ticks, double width)
{
  for (guint i = 0; i < ticks->len; i++) {
    Tick *t = &g_array_index(ticks, Tick, i);
    if (!t->text) continue;
    g_autofree char *clean = words_clean(t->text);
    g_free(t->text);
    t->text = words_cut(clean, SIZE_TICK, width);
  }
}

static guint n_categories(const PictureAxis *a)
{
  return a->scale == SCALE_CATEGORIES && a->categories ? a->categories->len : 0;
}

/* Below the panel: side by side when they fit, else turned. */
static void plan_across(Tile *t, double width)
{
  guint n = n_categories(t->across);
  t->across_ticks = ticks_of(t->across, n ? n : (unsigned)(width / 80));
  cut_texts(t->across_ticks, n ? TURNED_WIDEST : width);
  double widest = widest_of(t->across_ticks), room = width / MAX(n ? n : t->across_ticks->len, 1);
  t->across_height = SIZE_TICK;
  if (!n && widest > room * 0.9) {
    g_array_unref(t->across_ticks);
    t->across_ticks = ticks_of(t->across, (unsigned)(width / (widest * 1.6)));
  }
  if (!n || widest <= room - 8) return;
  t->turned = true;
  g_array_unref(t->across_ticks);
  t->across_ticks = ticks_of(t->across, (unsigned)(width / CATEGORY_LEAST));
  cut_texts(t->across_ticks, TURNED_WIDEST);
  t->across_height = widest_of(t->across_ticks) * TURN_SIN + SIZE_TICK * TURN_COS;
}

static void plan_up(const Page *page, Tile *t, double width, double height)
{
  guint n = n_categories(t->up);
  t->up_ticks = ticks_of(t->up, (unsigned)(height / (n ? CATEGORY_LEAST - 2 : 42)));
  cut_texts(t->up_ticks, width * (columns_of(page) > 1 ? 0.5 : 0.36));
  t->up_width = widest_of(t->up_ticks);
}

static bool same_text(const char *a, const char *b) { return !g_strcmp0(a, b); }

static bool same_axis(const PictureAxis *a, const PictureAxis *b)
{
  guint n = n_categories(a);
  if (a->scale != b->scale || a->low != b->low || a->high != b->high || a->factor != b->factor)
    return false;
  if (n != n_categories(b) || a->down != b->down) return false;
  for (guint i = 0; i < n; i++)
    if (!same_text(a->categories->pdata[i], b->categories->pdata[i])) return false;
  return true;
}

/* ------------------------------------------------------------- margins of tiles */

/* A number below the end of the axis stands out half. */
static double across_half(const Tile *t)
{
  return n_categories(t->across) ? 0 : widest_of(t->across_ticks) / 2 + 4;
}

static double left_of(const Tile *t)
{
  double edge_text = across_half(t);
  if (t->bare) return fmax(2 * GAP, edge_text);
  double left = t->up_width + 2 * GAP + (has_text(t->up->label) ? SIZE_LABEL + 1.5 * GAP : 0);
  left = fmax(left, edge_text);
  if (!t->turned) return left;
  const Tick *first = &g_array_index(t->across_ticks, Tick, 0);
  return fmax(left, words_width(first->text, SIZE_TICK) * TURN_COS - 20);
}

static double below(const Tile *t)
{
  return t->across_height + 2 * GAP + (has_text(t->across->label) ? SIZE_LABEL + GAP : 0);
}

static double above(const Tile *t)
{
  double title = has_text(t->panel->title) ? SIZE_PANEL + GAP + 4 : GAP;
  return title + page_note_height(t);
}

double page_note_height(const Tile *t)
{
  return has_text(t->panel->note) ? SIZE_SMALL + GAP / 2.0 : 0;
}

double page_bar_width(const PictureColorBar *bar)
{
  g_autoptr(GArray) ticks = ticks_of(&bar->axis, PAGE_BAR_TICKS);
  return 2 * GAP + BAR + GAP + widest_of(ticks) + GAP +
         (has_text(bar->axis.label) ? SIZE_LABEL + GAP : 0);
}

static double right_of(const Page *page, const Tile *t)
{
  bool own = t->has_bar && !page->shared_bar;
  return own ? page_bar_width(t->panel->color) : fmax(2 * GAP, across_half(t));
}

/* Each column of panels is as wide as the others inside their axes; margins are those of the widest texts. */
static void place_tiles(Page *page, Box all)
{
  guint columns = columns_of(page), rows = rows_of(page);
  g_autofree double *left = g_new0(double, columns), *right = g_new0(double, columns);
  g_autofree double *top = g_new0(double, rows), *bottom = g_new0(double, rows);
  double taken_x = 0, taken_y = 0;
  for (guint i = 0; i < page->tiles->len; i++) {
    const Tile *t = tile_at(page, i);
    guint c = i % columns, r = i / columns;
    left[c] = fmax(left[c], left_of(t));
    right[c] = fmax(right[c], right_of(page, t));
    top[r] = fmax(top[r], above(t));
    bottom[r] = fmax(bottom[r], below(t));
  }
  for (guint c = 0; c < columns; c++) taken_x += left[c] + right[c];
  for (guint r = 0; r < rows; r++) taken_y += top[r] + bottom[r];
  double width = fmax((all.right - all.left - taken_x) / columns, 30);
  double height = fmax((all.bottom - all.top - taken_y) / rows, 30);
  double y = all.top;
  for (guint r = 0; r < rows; r++) {
    double x = all.left;
    y += top[r];
    for (guint c = 0; c < columns && r * columns + c < page->tiles->len; c++) {
      x += left[c];
      tile_at(page, r * columns + c)->plot = (Box){ x, y, x + width, y + height };
      x += width + right[c];
    }
    y += height + bottom[r];
  }
}

/* ---------------------------------------------------------------------- scales */

/* What is drawn at the upper end of boxes needs some room. */
static bool has_counts(const PicturePanel *p)
{
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if ((s->mark == MARK_BOXES || s->mark == MARK_VIOLINS) && s->n) return true;
  }
  return false;
}

static bool has_bar_texts(const PicturePanel *p)
{
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if (s->mark == MARK_BARS && s->text) return true;
  }
  return false;
}

/* Each has its text in a row above what is drawn. */
static guint n_rules_down(const PicturePanel *p)
{
  guint n = 0;
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if (s->mark == MARK_RULE) n += s->x ? s->x->len : 0;
  }
  return n;
}

/* Of the axis of values: what its marks need beyond the last one. */
static double more_of(const PicturePanel *p)
{
  if (has_counts(p)) return 0.09;
  return has_bar_texts(p) ? 0.06 : fmin(0.06 * n_rules_down(p), 0.24);
}

void page_set_scales(Tile *t)
{
  bool sideways = t->panel->sideways; /* the first category is at the top */
  double more = more_of(t->panel);
  const Box *b = &t->plot;
  t->across_scale = scale_of(t->across, sideways ? more : 0, b->left, b->right);
  t->up_scale = scale_of(t->up, sideways ? 0 : more, sideways ? b->top : b->bottom,
                         sideways ? b->bottom : b->top);
}

/* --------------------------------------------------------------------- the page */

static void add_tiles(Page *page)
{
  for (guint i = 0; i < page->picture->panels->len; i++) {
    const PicturePanel *p = page->picture->panels->pdata[i];
    Tile t = { .panel = p,
               .across = p->sideways ? &p->y : &p->x,
               .up = p->sideways ? &p->x : &p->y,
               .has_bar = p->color && !p->color->colors }; /* the legend has those */
    g_array_append_val(page->tiles, t);
  }
}

static bool same_bar(const PictureColorBar *a, const PictureColorBar *b)
{
  return a->palette == b->palette && same_text(a->axis.label, b->axis.label) &&
         same_axis(&a->axis, &b->axis);
}

static bool is_bar_shared(const Page *page)
{
  for (guint i = 0; i < page->tiles->len; i++) {
    const Tile *t = tile_at(page, i);
    if (!t->has_bar || !same_bar(t->panel->color, tile_at(page, 0)->panel->color)) return false;
  }
  return page->tiles->len > 0;
}

/* Inside the axes: what the categories at the left side of a panel need to be read. */
static double category_height(const Page *page)
{
  double most = 0;
  for (guint i = 0; i < page->tiles->len; i++)
    most = fmax(most, n_categories(tile_at(page, i)->up) * (double)CATEGORY_LEAST);
  return fmin(most, CATEGORIES_MOST);
}

/* A ranking says once what its categories are; other axes need their name when it is another one. */
static bool same_marks(const Tile *a, const Tile *b)
{
  bool named = has_text(a->up->label) && !same_text(a->up->label, b->up->label);
  return same_axis(a->up, b->up) && !named;
}

static void plan_tiles(Page *page, double width, double height)
{
  guint columns = columns_of(page);
  for (guint i = 0; i < page->tiles->len; i++) {
    Tile *t = tile_at(page, i);
    plan_across(t, width - 90);
    plan_up(page, t, width, height);
    t->bare = i % columns > 0 && same_marks(t, tile_at(page, i - 1));
  }
}

static double deepest(const Page *page)
{
  double most = 0;
  for (guint i = 0; i < page->tiles->len; i++)
    most = fmax(most, above(tile_at(page, i)) + below(tile_at(page, i)));
  return most;
}

void page_init(Page *page, const Picture *p, double least)
{
  *page = (Page){ .picture = p, .width = PAGE_WIDTH };
  page->tiles = g_array_new(FALSE, TRUE, sizeof(Tile));
  page->swatches = g_array_new(FALSE, TRUE, sizeof(Swatch));
  add_tiles(page);
  page->shared_bar = is_bar_shared(page);
  guint rows = rows_of(page), columns = columns_of(page);
  bool above_panels = legend_rows(page, page->width - 2 * PAGE_EDGE) <= LEGEND_ROWS;
  double top = has_text(p->title) ? PAGE_EDGE + SIZE_TITLE + 2 * GAP : GAP;
  double bottom = has_text(p->footer) ? SIZE_FOOTER + 2.5 * GAP : 0;
  if (has_text(p->left_out)) bottom += SIZE_SMALL + GAP;
  if (p->legend->len && above_panels) top += legend_above(page, top - GAP);
  double row = fmax(rows > 1 ? ROW_LEAST : 0, category_height(page));
  double inside = fmax(row, (least - top - bottom) / rows - 70);
  double right = page->shared_bar ? page_bar_width(tile_at(page, 0)->panel->color) + GAP : GAP;
  plan_tiles(page, (page->width - PAGE_EDGE - right) / columns, inside);
  page->height = ceil(CLAMP(top + bottom + rows * (row + deepest(page)), least, PAGE_HIGHEST));
  if (p->legend->len && !above_panels) right += legend_beside(page, top, page->height - bottom);
  Box all = { PAGE_EDGE - GAP, top, page->width - right, page->height - bottom };
  place_tiles(page, all);
  for (guint i = 0; i < page->tiles->len; i++) page_set_scales(tile_at(page, i));
  if (!page->shared_bar) return;
  const Tile *first = tile_at(page, 0), *last = tile_at(page, page->tiles->len - 1);
  page->bar = (Box){ all.right, first->plot.top, all.right + BAR, last->plot.bottom };
}

static void clear_tile(Tile *t)
{
  if (t->across_ticks) g_array_unref(t->across_ticks);
  if (t->up_ticks) g_array_unref(t->up_ticks);
}

void page_clear(Page *page)
{
  for (guint i = 0; i < page->tiles->len; i++) clear_tile(tile_at(page, i));
  for (guint i = 0; i < page->swatches->len; i++)
    g_free(g_array_index(page->swatches, Swatch, i).text);
  g_array_unref(page->tiles);
  g_array_unref(page->swatches);
}
