/* Display lists: text made harmless, marks of axes, places on the page, and colours. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/ticks.h"
#include "kit/display/words.h"
#include "gallery-test.h"

#define BOX "\xe2\x96\xa1"
#define DOTS "\xe2\x80\xa6"

static void test_clean(void)
{
  static const struct {
    const char *text, *clean;
  } rows[] = {
    { "a\tb\r\nc", "a b  c" },
    { "a\x1b[31m\x7f", "a" BOX "[31m" BOX },
    { "\xe2\x80\xae"
      "x",
      BOX "x" }, /* right to left */
    { "\xe4\xb8\xad", "\xe4\xb8\xad" },
    { "\xff", "\xef\xbf\xbd" }, /* no UTF-8 */
    { "\xce\xb1 \xd0\x96 \xc3\xa9", "\xce\xb1 \xd0\x96 \xc3\xa9" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *clean = words_clean(rows[i].text);
    CHECK_STR(clean, rows[i].clean);
  }
  g_autofree char *many = g_strnfill(100000, 'x'), *cut = words_clean(many);
  CHECK_INT(g_utf8_strlen(cut, -1), WORDS_MOST);
  CHECK(strstr(cut, "x" DOTS "x") != NULL);
}

static void test_cut(void)
{
  /* Ten of 0.61 at size 10. */
  CHECK_INT((int)words_width("aaaaaaaaaa", 10), 61);
  CHECK_INT((int)words_width("\xe4\xb8\xad", 10), 10);
  g_autofree char *whole = words_cut("aaaaaaaaaa", 10, 61.1),
                  *cut = words_cut("aaaaaaaaab", 10, 45);
  g_autofree char *nothing = words_cut("aaaaaaaaab", 10, 0);
  CHECK_STR(whole, "aaaaaaaaaa");
  CHECK_STR(cut, "aaa" DOTS "aab"); /* six of 6.1 and the dots are 43.2 */
  CHECK_INT(g_utf8_strlen(nothing, -1), 2);
}

/* -------------------------------------------------------------------- axes */

static char *texts_of(const GArray *ticks)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < ticks->len; i++) {
    const Tick *t = &g_array_index(ticks, Tick, i);
    if (t->text) g_string_append_printf(out, "%s%s", out->len ? "|" : "", t->text);
  }
  return g_string_free(out, FALSE);
}

static void test_ticks(void)
{
  static const struct {
    double factor;
    PictureScale scale;
    double low, high;
    unsigned most;
    const char *texts;
    bool whole;
  } rows[] = {
    { 1, SCALE_LINEAR, 0, 10, 5, "0|2|4|6|8|10" },
    { 1e-6, SCALE_LINEAR, 0, 1e6, 5, "0.0|0.2|0.4|0.6|0.8|1.0" },
    { 1, SCALE_LINEAR, -1, 1, 4, "-1.0|-0.5|0.0|0.5|1.0" },
    { 1, SCALE_LINEAR, 0, 40000, 4, "0|10,000|20,000|30,000|40,000" },
    { 1, SCALE_LINEAR, 0, 1e300, 2, "0|5e+299|1e+300" },
    { 1, SCALE_LINEAR, 0, 2e7, 4, "0|5,000,000|1e+07|1.5e+07|2e+07" },
    { 1, SCALE_LINEAR, -2e296, 0, 4, "-2e+296|-1.5e+296|-1e+296|-5e+295|0" },
    { 1, SCALE_LOG, 1, 1000, 10, "1|10|100|1000" },
    { 1, SCALE_LOG, 20, 300, 10, "20|50|100|200" },
    { 1, SCALE_LOG, 1, 1e8, 10, "1|10|100|1000|1e4|1e5|1e6|1e7|1e8" },
    { 1, SCALE_LOG, 1e-300, 1e300, 6, "1e-200|1|1e200" },
    { 1, SCALE_LOG, 4, 4.5, 5, "4.0|4.1|4.2|4.3|4.4|4.5" },
    { 1, SCALE_LOG2, 1, 64, 10, "1|2|4|8|16|32|64" },
    { 1, SCALE_LOG2, 1.0 / 4096, 4, 10, "1/4096|1/1024|1/256|1/64|1/16|1/4|1|4" },
    { 1, SCALE_LOG2, 1.0 / 65536, 1, 8, "2^-15|1/1024|1/32|1" },
    { 1, SCALE_LOG2, 1, 1ull << 24, 5, "1|32|1024|32,768|1,048,576" },
    { 1, SCALE_LINEAR, 0, 1.1, 10, "0|1", true },
    { 1, SCALE_LINEAR, 2, 4, 8, "2|3|4", true },
    { 1, SCALE_LINEAR, 0, 40, 4, "0|10|20|30|40", true },
    { 1e-3, SCALE_LINEAR, 200000, 200002, 10, "200.000|200.001|200.002", true },
    { 1, SCALE_LOG, 0.5, 20, 10, "1|2|5|10|20", true },
    { 1, SCALE_LOG2, 0.5, 8, 10, "1|2|4|8", true },
    { 1, SCALE_LOG, 0.5, 2, 10, "1|2", true },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    PictureAxis a = { .factor = rows[i].factor,
                      .scale = rows[i].scale,
                      .low = rows[i].low,
                      .high = rows[i].high,
                      .whole = rows[i].whole };
    g_autoptr(GArray) ticks = ticks_of(&a, rows[i].most);
    g_autofree char *texts = texts_of(ticks);
    CHECK_STR(texts, rows[i].texts);
  }
  PictureAxis sizes = {
    .factor = 1, .scale = SCALE_LOG2, .low = 1024, .high = 1 << 22, .unit = (char[]){ "bytes" }
  };
  g_autoptr(GArray) in_sizes = ticks_of(&sizes, 5);
  g_autofree char *of_sizes = texts_of(in_sizes);
  CHECK_STR(of_sizes, "1 KiB|32 KiB|1 MiB");
  PictureAxis names = made_categories("", "a|b|c|d|e");
  g_autoptr(GArray) all = ticks_of(&names, 5), some = ticks_of(&names, 3);
  g_autofree char *of_all = texts_of(all), *of_some = texts_of(some);
  CHECK_STR(of_all, "a|b|c|d|e");
  CHECK_STR(of_some, "a|c|e");
  made_free_axis(&names);
}

static void test_palettes(void)
{
  static const PictureAxis linear = { .scale = SCALE_LINEAR, .low = 1, .high = 3 };
  static const PictureAxis log = { .scale = SCALE_LOG, .low = 1, .high = 100 };
  CHECK(palette_part(&linear, 2) == 0.5 && palette_part(&log, 10) == 0.5 &&
        isnan(palette_part(&log, (double)NAN)));
  CHECK_INT(palette_rgb(PALETTE_MAGNITUDE, NULL, 0), 0x440154);
  CHECK_INT(palette_rgb(PALETTE_MAGNITUDE, NULL, 1), 0xfde725);
  CHECK_INT(palette_rgb(PALETTE_WORSE, NULL, -1), 0xffffff);
  CHECK_INT(palette_rgb(PALETTE_CHANGE, NULL, 0.5), 0xf7f7f7);
  CHECK_INT(palette_rgb(PALETTE_RAMPS, "#0072b2", 1), 0x0072b2);
  CHECK_INT(draw_letters_on(0xffffff), 0x1a1a1a);
  CHECK_INT(draw_letters_on(0x440154), 0xffffff);
}

/* ------------------------------------------------------------------ scales */

/* 100 pixels to the right from 50; up from 200 to 0. */
static void test_scales(void)
{
  PictureAxis linear = made_axis("", 0.001, SCALE_LINEAR, 1000, 3000),
              log = made_axis("", 1, SCALE_LOG, 1, 100), down = linear, negative = linear,
              huge = made_axis("", 1, SCALE_LINEAR, -G_MAXDOUBLE, G_MAXDOUBLE);
  down.down = true;
  negative.low = -1000;
  Scale a = scale_of(&linear, 0, 50, 150), b = scale_of(&log, 0, 200, 0),
        c = scale_of(&down, 0, 50, 150), d = scale_of(&linear, 0.25, 50, 150),
        e = scale_of(&negative, 0.25, 0, 100), f = scale_of(&log, 0.5, 0, 300),
        g = scale_of(&huge, 0, 0, 100);
  CHECK(scale_place(&a, &linear, 1000) == 50 && scale_place(&a, &linear, 2000) == 100);
  CHECK(scale_at(&a, 2.5) == 125 && scale_place(&a, &linear, 3000) == 150);
  CHECK(fabs(scale_place(&b, &log, 10) - 100) < 1e-9 && scale_place(&b, &log, 0) == 200);
  CHECK(scale_place(&c, &down, 1500) == 125);
  CHECK(scale_place(&d, &linear, 3500) == 150);               /* a quarter longer */
  CHECK(fabs(scale_place(&e, &negative, 4000) - 100) < 1e-9); /* from -1000 - 5000 / 4 to 4000 */
  CHECK(fabs(scale_place(&e, &negative, -2250)) < 1e-9);
  CHECK(fabs(scale_place(&f, &log, 1000) - 300) < 1e-9); /* half as many decades more */
  CHECK(scale_place(&g, &huge, 0) == 50 && scale_place(&g, &huge, G_MAXDOUBLE) == 100);
  CHECK(isnan(scale_at(&a, NAN)) && isnan(scale_at(&a, INFINITY)));
  CHECK(scale_at(&a, 1e300) == 1e5); /* as far as painters count */
  made_free_axis(&linear);
  made_free_axis(&log);
  made_free_axis(&huge);
}

/* ------------------------------------------------------------------- places */

/* The box of the only panel: from where its axes meet. */
static Box box_of(const Display *d)
{
  const DisplayMark *below = NULL, *left = NULL;
  for (guint i = 0; i < d->marks->len; i++) {
    const DisplayMark *m = d->marks->pdata[i];
    if (m->style.kind != DISPLAY_LINES || m->style.rgb != 0x888888) continue;
    if (!below)
      below = m;
    else if (!left)
      left = m;
  }
  return (Box){ made_number(below, 0), made_number(left, 1), made_number(below, 2),
                made_number(below, 1) };
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-6; }

/* From 0 to 6 across and from 0 to 10 up: levels from each point to the next one. */
static void test_steps(void)
{
  Picture *p = gallery_steps();
  g_autoptr(Display) d = display_of(p);
  Box b = box_of(d);
  const DisplayMark *line = made_mark(d, DISPLAY_LINES, BLUE, 0),
                    *band = made_mark(d, DISPLAY_POLYGONS, BLUE, 0);
  double x = (b.right - b.left) / 6, y = (b.bottom - b.top) / 10;
  CHECK_INT(line ? line->numbers->len : 0, 2 * 13);
  CHECK(is_near(made_number(line, 0), b.left) && is_near(made_number(line, 1), b.bottom - 2 * y));
  CHECK(is_near(made_number(line, 2), b.left + x) &&
        is_near(made_number(line, 3), b.bottom - 2 * y));
  CHECK(is_near(made_number(line, 4), b.left + x) &&
        is_near(made_number(line, 5), b.bottom - 5 * y));
  CHECK(band && band->style.alpha == 0.18 && !line->style.dashed && line->style.width == 1.6);
  const DisplayMark *title = made_text(d, "Requests in flight"), *tick = made_text(d, "6"),
                    *label = made_text(d, "Requests"), *note = made_text(d, "seed 42");
  CHECK(title && title->x == PAGE_EDGE && title->size == SIZE_TITLE);
  CHECK(tick && label && note && note->align == ALIGN_RIGHT && note->x == b.right &&
        note->y < b.top);
  made_free(p);
}

/* Cells have the colours of their values, and the bar has its palette. */
static void test_cells(void)
{
  Picture *p = made_picture("cells", "");
  PicturePanel *panel = made_panel(p, "", made_categories("x", "a|b"), made_categories("y", "c|d"));
  made_bar(panel, "z", SCALE_LINEAR, 0, 4, PALETTE_WORSE);
  PictureSeries *s = made_series(panel, MARK_CELLS, "", NULL);
  s->x = NUMBERS(0, 1), s->y = NUMBERS(0, 1), s->value = NUMBERS(0, 4);
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *cells = made_mark(d, DISPLAY_RECTS, "#000000", 0),
                    *ramp = made_mark(d, DISPLAY_GRADIENT, "#000000", 0);
  Box b = box_of(d);
  CHECK_INT(cells ? cells->numbers->len : 0, 8);
  CHECK(is_near(made_number(cells, 0), b.left) && is_near(made_number(cells, 3), b.bottom));
  CHECK(is_near(made_number(cells, 4), (b.left + b.right) / 2) &&
        is_near(made_number(cells, 5), b.top));
  CHECK_INT(g_array_index(cells->colors, guint32, 0), 0xffffffff);
  CHECK_INT(g_array_index(cells->colors, guint32, 1), 0xffa50f15);
  CHECK(ramp && ramp->colors->len == 5);
  made_free(p);
}

/* Categories run down the left side; what is beyond the panel is cut off. */
static void test_sideways(void)
{
  Picture *p = made_picture("sideways", "");
  PicturePanel *panel =
      made_panel(p, "", made_categories("x", "a|b"), made_axis("y", 1, SCALE_LINEAR, 0, 10));
  panel->sideways = true;
  PictureSeries *s = made_series(panel, MARK_BARS, "", BLUE);
  s->x = NUMBERS(0, 1), s->low = NUMBERS(0, 0), s->high = NUMBERS(5, 20);
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *bars = made_mark(d, DISPLAY_RECTS, BLUE, 0);
  Box b = box_of(d);
  double half = (b.bottom - b.top) / 2;
  CHECK(is_near(made_number(bars, 0), b.left) && is_near(made_number(bars, 1), b.top + half * 0.1));
  CHECK(is_near(made_number(bars, 2), (b.left + b.right) / 2) &&
        is_near(made_number(bars, 3), b.top + half * 0.9));
  CHECK(is_near(made_number(bars, 6), b.right));
  const DisplayMark *first = made_text(d, "a"), *second = made_text(d, "b");
  CHECK(first && second && first->y < second->y && first->align == ALIGN_RIGHT);
  made_free(p);
}

/* The size of letters of a text. */
static double letters_of(const Display *d, const char *text)
{
  const DisplayMark *m = made_text(d, text);
  return m ? m->size : 0;
}

/* 24 cells of some 45 pixels: the longer text needs smaller letters, and the shorter one has the same. */
static void test_cells_have_one_size(void)
{
  Picture *p = made_picture("size", "");
  g_autoptr(GString) columns = g_string_new("1");
  for (int i = 2; i <= 24; i++) g_string_append_printf(columns, "|%d", i);
  PicturePanel *panel =
      made_panel(p, "", made_categories("x", columns->str), made_categories("y", "1"));
  made_bar(panel, "z", SCALE_LINEAR, 0, 1, PALETTE_WORSE);
  PictureSeries *s = made_series(panel, MARK_CELLS, "", NULL);
  s->x = NUMBERS(0, 1), s->y = NUMBERS(0, 0), s->value = NUMBERS(0, 1);
  s->text = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(s->text, g_strdup("5.5"));
  g_ptr_array_add(s->text, g_strdup("-123.45"));
  g_autoptr(Display) d = display_of(p);
  double letters = letters_of(d, "5.5");
  CHECK(letters >= SIZE_LEAST && letters < SIZE_TICK);
  CHECK(letters == letters_of(d, "-123.45"));
  made_free(p);
}

/* Texts are clean, and numbers are pixels that a painter can count. */
static void test_hostile(void)
{
  Picture *made[] = { gallery_hostile(), gallery_extreme() };
  for (size_t k = 0; k < G_N_ELEMENTS(made); k++) {
    g_autoptr(Display) d = display_of(made[k]);
    for (guint i = 0; i < d->marks->len; i++) {
      const DisplayMark *m = d->marks->pdata[i];
      for (const char *c = m->text; c && *c; c = g_utf8_next_char(c))
        CHECK(g_unichar_isprint(g_utf8_get_char(c)));
      CHECK(!m->text || g_utf8_strlen(m->text, -1) <= WORDS_MOST);
      for (guint n = 0; m->numbers && n < m->numbers->len; n++)
        CHECK(!(fabs(made_number(m, n)) > 2e5));
    }
    made_free(made[k]);
  }
}

/* A line has at most two points a column of pixels, its ends and its peaks among them. */
static void test_thin(void)
{
  Picture *p = made_picture("thin", "");
  PicturePanel *panel = made_panel(p, "", made_axis("", 1, SCALE_LINEAR, 0, 99999),
                                   made_axis("", 1, SCALE_LINEAR, 0, 10));
  PictureSeries *s = made_series(panel, MARK_LINE, "", BLUE);
  s->x = made_numbers((const double[]){ MADE_END }),
  s->y = made_numbers((const double[]){ MADE_END });
  for (int i = 0; i < 100000; i++) {
    double x = i, y = i == 77777 ? 9.5 : i % 5;
    g_array_append_val(s->x, x), g_array_append_val(s->y, y);
  }
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *line = made_mark(d, DISPLAY_LINES, BLUE, 0);
  guint n = line ? line->numbers->len / 2 : 0;
  double highest = 700;
  for (guint i = 0; i < n; i++) highest = fmin(highest, made_number(line, 2 * i + 1));
  Box b = box_of(d);
  CHECK(n > 2000 && n <= 2 * 2400);
  CHECK(is_near(highest, b.bottom - (b.bottom - b.top) * 0.95));
  made_free(p);
}

TEST_MAIN({ "clean text", test_clean }, { "cut text", test_cut }, { "ticks", test_ticks },
          { "palettes", test_palettes }, { "scales", test_scales }, { "steps", test_steps },
          { "cells", test_cells }, { "sideways", test_sideways }, { "hostile text", test_hostile },
          { "thin lines", test_thin }, { "cells have one size", test_cells_have_one_size })
