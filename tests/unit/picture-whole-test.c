/* Axes of counts have no mark between two whole numbers, and legends say what their names are: whole.c, legend.c */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "picture-make.h"

/* What columns x and y are, what the rows hold, and whether the axes are of counts. */
static void test_axes(void)
{
  static const struct {
    const char *columns, *rows;
    uint32_t kind;
    const char *reduce;
    bool x, y;
  } rows[] = {
    { "x:int y:int", "1|0 2|1", MILL_FIGURE_LINE, NULL, true, true },
    { "x:int y:real", "1|0 2|1", MILL_FIGURE_LINE, NULL, true, true },
    { "x:real y:real", "1.5|0 2|0.5", MILL_FIGURE_LINE, NULL, false, false },
    { "x:text y:real:count", "1|7 2|7", MILL_FIGURE_LINE, NULL, true, true },
    { "x:int:ns y:int:percent", "1|0 2|1", MILL_FIGURE_LINE, NULL, true, false },
    { "x:int:ns y:int:ratio", "1000|0 2|1", MILL_FIGURE_LINE, NULL, false, false },
    { "x:int:ms y:int:tokens", "1|0 2|1", MILL_FIGURE_LINE, NULL, false, true },
    { "x:int:bytes y:real:tokens", "1|0 2|1", MILL_FIGURE_LINE, NULL, true, false },
    { "x:int y:int", "1|0 1|1 2|1", MILL_FIGURE_LINE, "mean", true, false },
    { "x:int y:int", "1|0 1|1 2|1", MILL_FIGURE_LINE, "count", true, true },
    { "x:text y:int", "a|1 a|2 a|4 b|3", MILL_FIGURE_BOX, NULL, false, true },
    { "x:int y:int", "1|0 2|0 5|0", MILL_FIGURE_HISTOGRAM, "count", true, true },
    { "x:int:us y:int", "1|0 2|0 5|0", MILL_FIGURE_HISTOGRAM, "count", false, true },
    { "x:int y:int", "1|0 2|0 5|0", MILL_FIGURE_DENSITY, NULL, true, true },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Case c;
    MillFigure f = { .kind = rows[i].kind, .x = "x", .y = "y", .reduce = rows[i].reduce };
    if (case_draw(&c, rows[i].columns, rows[i].rows, f) &&
        (!CHECK(c.panel->x.whole == rows[i].x) || !CHECK(c.panel->y.whole == rows[i].y)))
      CHECK_ROW(rows[i].columns);
    case_end(&c);
  }
}

static void test_density(void)
{
  Case c;
  if (case_draw(&c, "x:int", "1 2 5", (MillFigure){ .kind = MILL_FIGURE_DENSITY, .x = "x" })) {
    CHECK_STR(c.panel->y.label, "Density");
    CHECK(!c.panel->y.whole);
  }
  case_end(&c);
}

/* Numbers whose difference is none stand as multiples. */
static void test_largest(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_SCATTER, .x = "x", .y = "y" };
  if (case_draw(&c, "x:real:us y:real", "1.7e308|-1.7e308 1|1.5e308", f)) {
    CHECK_STR(c.panel->y.label, "Y (1e300)");
    CHECK_STR(c.panel->x.label, "X (1e300 s)");
    CHECK(fabs(c.panel->y.factor * 1e300 - 1) < 1e-9);
    CHECK(fabs(c.panel->x.factor * 1e306 - 1) < 1e-9);
  }
  case_end(&c);
}

static bool is_from(const PictureAxis *a, double low, double high)
{
  return fabs(a->low - low) < 1e-9 && fabs(a->high - high) < 1e-9;
}

/* Of one value: from one less to one more, else a tenth of it; and up to the next of a tenth of that. */
static void test_limits(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "y", .value = "v" };
  if (case_draw(&c, "x:text y:text v:int", "a|b|3 c|d|3", f) && CHECK(c.panel->color)) {
    CHECK(c.panel->color->axis.whole);
    CHECK(is_from(&c.panel->color->axis, 1.8, 4.2));
  }
  case_end(&c);
  if (case_draw(&c, "x:text y:text v:real:ratio", "a|b|3 c|d|3", f) && CHECK(c.panel->color)) {
    CHECK(!c.panel->color->axis.whole);
    CHECK(is_from(&c.panel->color->axis, 2.6, 3.4));
  }
  case_end(&c);
}

/* Panels that share a colour bar have the same marks beside it; others each their own. */
static void test_shared(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "y", .value = "v", .facet = "p" };
  const char *columns = "x:text y:text v:real p:text", *rows = "a|b|3|one a|b|0.5|two";
  for (uint32_t own = 0; own < 2; own++) {
    f.flags = own ? MILL_FIGURE_OWN_AXES : 0;
    if (case_draw(&c, columns, rows, f)) {
      const PicturePanel *other = made_panel(c.picture, 1);
      CHECK(c.panel->color->axis.whole == own && other && !other->color->axis.whole);
    }
    case_end(&c);
  }
}

static void test_document(void)
{
  Case c;
  g_autoptr(GString) json = g_string_new(NULL);
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "x", .y = "y", .series = "s" };
  if (case_draw(&c, "x:int y:real s:text", "1|0|a 2|0.5|b", f)) {
    picture_json(c.picture, json);
    CHECK(strstr(json->str, "\"whole\":true,\"down\":false},\"y\":"));
    CHECK(!strstr(json->str, "\"whole\":false"));
    CHECK(strstr(json->str, "\"legend_title\":\"S\",\"legend\":["));
  }
  case_end(&c);
}

/* ------------------------------------------------------------------ legends */

static void test_titles(void)
{
  static const struct {
    const char *columns, *rows;
    MillFigure f;
    const char *title;
  } rows[] = {
    { "x:int y:int kv_cache:text",
      "1|1|on 1|2|off",
      { .kind = MILL_FIGURE_BAR, .x = "x", .y = "y", .series = "kv_cache" },
      "KV cache" },
    { "x:int y:int batch:int",
      "1|1|8 1|2|16",
      { .kind = MILL_FIGURE_BAR, .x = "x", .y = "y", .series = "batch" },
      NULL },
    { "x:int y:int s:text",
      "1|1|a 2|2|a",
      { .kind = MILL_FIGURE_BAR, .x = "x", .y = "y", .series = "s" },
      NULL },
    { "*rank:int x:int y:int",
      "0|1|1 1|1|2",
      { .kind = MILL_FIGURE_BAR, .x = "x", .y = "y" },
      NULL },
    { "*label:text x:text y:int",
      "off|a|1 on|a|2",
      { .kind = MILL_FIGURE_BAR, .x = "x", .y = "y", .series = "label" },
      NULL },
    { "x:text y:text v:text",
      "a|b|good c|d|bad",
      { .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "y", .value = "v" },
      "V" },
    { "x:text y:text v:text",
      "a|b|good c|d|bad",
      { .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "y", .value = "v", .value_label = "Verdict" },
      "Verdict" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Case c;
    if (case_draw(&c, rows[i].columns, rows[i].rows, rows[i].f)) {
      const char *got = c.picture->legend_title;
      CHECK_STR(got ? got : "-", rows[i].title ? rows[i].title : "-");
    }
    case_end(&c);
  }
}

/* Names of what a figure is drawn over are no values of its column. */
static void test_over(void)
{
  Made m;
  static const MillFigure below = {
    .kind = MILL_FIGURE_LINE, .name = "roof", .table = "t", .x = "x", .y = "y", .title = "Roof"
  };
  static const MillFigure own = { .kind = MILL_FIGURE_SCATTER,
                                  .name = "f",
                                  .table = "t",
                                  .x = "x",
                                  .y = "y",
                                  .series = "s",
                                  .over = "roof" };
  made_open(&m);
  made_all(&m, "t", "x:int y:int s:text", "1|1|a 2|2|b");
  made_figure(&m, &below);
  made_figure(&m, &own);
  g_autoptr(GPtrArray) sets = made_sets(&m);
  const Picture *p = made_picture(sets, 1);
  CHECK(p && p->legend->len == 3 && !p->legend_title);
  made_close(&m);
}

/* Two cells of three are of A. */
static void test_shares(void)
{
  Made m;
  static const MillFigure map = {
    .kind = MILL_FIGURE_HEATMAP, .name = "f", .table = "t", .x = "x", .y = "y", .value = "v"
  };
  made_open(&m);
  made_all(&m, "t", "x:text y:text v:text", "1|1|A 2|1|B 1|2|A");
  made_figure(&m, &map);
  g_autoptr(GPtrArray) sets = made_sets(&m);
  const Picture *p = made_picture(sets, 0);
  CHECK(p && p->legend->len == 2);
  g_autofree char *first = picture_key_text(p->legend->pdata[0]);
  g_autofree char *second = picture_key_text(p->legend->pdata[1]);
  CHECK_STR(first, "A (2, 66.7 %)");
  CHECK_STR(second, "B (1, 33.3 %)");
  made_close(&m);
}

TEST_MAIN({ "axes of counts", test_axes }, { "curves", test_density }, { "limits", test_limits },
          { "largest numbers", test_largest }, { "shared colours", test_shared },
          { "document", test_document }, { "titles of legends", test_titles },
          { "over another", test_over }, { "shares of a heatmap", test_shares })
