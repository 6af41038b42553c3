/* Scripts for gnuplot: text made harmless, characters of fonts, marks of axes, whole scripts, and what came back. */
#include "../../plugins/sink/plot/draw.h"
#include "../../plugins/sink/plot/finish.h"
#include "../../plugins/sink/plot/ticks.h"
#include "../../plugins/sink/plot/words.h"
#include "sink-plot-gallery.h"

#define BOX "\xe2\x96\xa1"
#define DOTS "\xe2\x80\xa6"
#define TYPOGRAPHIC "\xe2\x80\x99"

static void test_quotes(void)
{
  static const struct {
    const char *text, *plain, *tick;
  } rows[] = {
    { "", "''", "''" },
    { "it's", "'it''s'", "'it''s'" },
    { "'", "'" TYPOGRAPHIC "'", "'" TYPOGRAPHIC "'" },
    { "''a''", "'" TYPOGRAPHIC TYPOGRAPHIC "a''" TYPOGRAPHIC "'",
      "'" TYPOGRAPHIC TYPOGRAPHIC "a''" TYPOGRAPHIC "'" },
    { "a'", "'a'''", "'a'''" },
    { "100%", "'100%'", "'100%%'" },
    { "`x` \"$(x)\" \\", "'`x` \"$(x)\" \\'", "'`x` \"$(x)\" \\'" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GString) plain = g_string_new(NULL), tick = g_string_new(NULL);
    words_put(plain, rows[i].text);
    words_put_tick(tick, rows[i].text);
    CHECK_STR(plain->str, rows[i].plain);
    CHECK_STR(tick->str, rows[i].tick);
  }
}

static void test_clean(void)
{
  static const struct {
    const char *text, *clean;
  } rows[] = {
    { "a\tb\r\nc", "a b  c" },
    { "a\x1b[31m\x7f", "a" BOX "[31m" BOX },
    { "\xe2\x80\xae"
      "x",
      BOX "x" },                /* right to left */
    { "\xe4\xb8\xad", BOX },    /* no font has it */
    { "\xff", "\xef\xbf\xbd" }, /* no UTF-8; a font has what stands for it */
    { "\xce\xb1 \xd0\x96 \xc3\xa9", "\xce\xb1 \xd0\x96 \xc3\xa9" },
  };
  static const char lists[] = "20-7e fffd\nbad 12- -5 xyz";
  Fonts *fonts = fonts_new(lists, strlen(lists));
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *clean = words_clean(fonts, rows[i].text);
    CHECK_STR(clean, rows[i].clean);
  }
  g_autofree char *shown = words_clean(NULL, "\xe4\xb8\xad");
  CHECK_STR(shown, "\xe4\xb8\xad"); /* whoever shows an SVG has fonts of their own */
  g_autofree char *many = g_strnfill(100000, 'x'), *cut = words_clean(fonts, many);
  CHECK_INT(g_utf8_strlen(cut, -1), WORDS_MOST);
  CHECK(strstr(cut, "x" DOTS "x") != NULL);
  CHECK(fonts_matter("\xe4\xb8\xad") && !fonts_matter("gr\xc3\xb6\xc3\x9f"
                                                      "e \xc2\xb5s"));
  fonts_free(fonts);
  fonts = fonts_new("4e00-4e2d", 9);
  CHECK(fonts_have(fonts, 0x4e2d) && !fonts_have(fonts, 0x4e2e) && !fonts_have(fonts, 0x110000));
  fonts_free(fonts);
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
  CHECK_STR(draw_letters_on(0xffffff), "#1a1a1a");
  CHECK_STR(draw_letters_on(0x440154), "#ffffff");
}

/* ------------------------------------------------------------------ scripts */

/* PLOT_UPDATE=1 writes the files anew. */
static void check_golden(const char *name, const GString *script)
{
  g_autofree char *path =
                      g_strdup_printf("%s/tests/unit/sink-plot/%s", g_getenv("SOURCE_ROOT"), name),
                  *wanted = NULL;
  if (g_getenv("PLOT_UPDATE")) g_file_set_contents(path, script->str, -1, NULL);
  g_file_get_contents(path, &wanted, NULL, NULL);
  if (!CHECK(wanted && !strcmp(wanted, script->str))) CHECK_ROW(path);
}

static void test_golden(void)
{
  Picture *steps = gallery_steps(), *cells = gallery_cells(), *boxes = gallery_boxes_sideways();
  g_autoptr(GString) a = script_of(steps, PLOT_PNG, NULL), b = script_of(cells, PLOT_SVG, NULL),
                     c = script_of(boxes, PLOT_PDF, NULL);
  check_golden("steps.gp", a);
  check_golden("cells.gp", b);
  check_golden("boxes.gp", c);
  made_free(steps);
  made_free(cells);
  made_free(boxes);
}

/* The size of letters that a label of the script has. */
static double letters_of(const GString *script, const char *text)
{
  g_autofree char *label = g_strdup_printf("set label '%s' ", text);
  const char *found = strstr(script->str, label), *font = found ? strstr(found, "font ',") : NULL;
  return font ? g_ascii_strtod(font + strlen("font ',"), NULL) : 0;
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
  g_autoptr(GString) script = script_of(p, PLOT_SVG, NULL);
  double letters = letters_of(script, "5.5");
  CHECK(letters >= SIZE_LEAST && letters < SIZE_TICK);
  CHECK(letters == letters_of(script, "-123.45"));
  made_free(p);
}

/* Outside of texts in single quotes nothing comes from an input, and a block of data holds numbers alone. */
static void test_hostile(void)
{
  Picture *p = gallery_hostile();
  g_autoptr(GString) script = script_of(p, PLOT_PNG, NULL);
  g_auto(GStrv) lines = g_strsplit(script->str, "\n", -1);
  bool in_block = false;
  for (char **line = lines; *line; line++) {
    if (in_block && !strcmp(*line, "END")) {
      in_block = false;
    } else if (in_block) {
      bool numbers = strspn(*line, "0123456789.e+-NaN\t") == strlen(*line);
      if (!CHECK(numbers)) CHECK_ROW(*line);
    } else if (g_str_has_suffix(*line, "<< END")) {
      in_block = true;
    } else {
      bool quoted = false;
      for (const char *c = *line; *c; c++) {
        if (*c == '\'') quoted = !quoted;
        if (!quoted && !CHECK(!strchr("`\"|;", *c))) CHECK_ROW(*line);
      }
      if (!CHECK(!quoted)) CHECK_ROW(*line);
    }
  }
  CHECK(strstr(script->str, "noenhanced") != NULL);
  made_free(p);
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
  g_autoptr(GString) script = script_of(p, PLOT_PNG, NULL);
  unsigned n = 0;
  for (const char *c = script->str; (c = strchr(c, '\t')); c++) n++;
  CHECK(n > 2000 && n <= 2 * 2400);
  CHECK(strstr(script->str, "77777.0\t9.5\n") != NULL);
  made_free(p);
}

/* ------------------------------------------------------------ what came back */

static void test_faults(void)
{
  static const struct {
    PlotType type;
    const char *bytes;
    size_t len;
    const char *fault;
  } rows[] = {
    { PLOT_PNG, "", 0, "wrote nothing" },
    { PLOT_PNG, "hello", 5, "wrote something that is no picture" },
    { PLOT_PNG, "\x89PNG\r\n\x1a\n....", 12, "wrote only the begin of a picture" },
    { PLOT_PNG, "\x89PNG\r\n\x1a\nIEND\xae\x42\x60\x82", 16, NULL },
    { PLOT_SVG, "<?xml><svg></svg>\n\n", 19, NULL },
    { PLOT_SVG, "<?xml><svg>", 11, "wrote only the begin of a picture" },
    { PLOT_PDF, "%PDF-1.5 %%EOF\n", 15, NULL },
    { PLOT_PDF, "%PDF-1.5", 8, "wrote only the begin of a picture" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    CHECK_STR(finish_fault(rows[i].type, rows[i].bytes, rows[i].len), rows[i].fault);
}

static void test_finish(void)
{
  static const char pdf[] = "%PDF-1.5\0 /CreationDate (D:20261123021500+01'00)\n>> %%EOF";
  static const char svg[] = "<?xml?><svg><title>Gnuplot</title><desc/></svg>";
  g_autoptr(GByteArray) a = finish(PLOT_PDF, "t", pdf, sizeof pdf - 1),
                        b = finish(PLOT_SVG, "a < b", svg, sizeof svg - 1);
  CHECK_INT(a->len, sizeof pdf - 1);
  CHECK(memmem(a->data, a->len, "(D:19700101000000Z00'00)", 24) != NULL);
  g_autofree char *text = g_strndup((const char *)b->data, b->len);
  CHECK_STR(text, "<?xml?><svg><title>a &lt; b</title><desc/></svg>");
}

TEST_MAIN({ "quotes", test_quotes }, { "clean text", test_clean }, { "cut text", test_cut },
          { "ticks", test_ticks }, { "palettes", test_palettes }, { "scripts", test_golden },
          { "hostile text", test_hostile }, { "thin lines", test_thin },
          { "cells have one size", test_cells_have_one_size }, { "broken pictures", test_faults },
          { "finishing", test_finish })
