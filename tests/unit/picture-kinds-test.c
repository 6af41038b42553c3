/* Every kind of figure: its marks with numbers computed by hand. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "picture-make.h"

static const PictureSeries *draw(Case *c, const char *columns, const char *rows, MillFigure f)
{
  return made_series(case_draw(c, columns, rows, f), 0);
}

static void test_bars(void)
{
  Case c;
  const PictureSeries *idle =
      draw(&c, "*rank:int type:text time:int:ns",
           "0|idle|1000 0|busy|3000 1|idle|2000 1|busy|4000 1|busy|500",
           (MillFigure){ .kind = MILL_FIGURE_BAR, .x = "rank", .y = "time", .series = "type" });
  const PictureSeries *busy = made_series(c.panel, 1);
  if (idle && busy) {
    CHECK_NAMES(c.panel->x.categories, "0|1");
    CHECK_NUMBERS(idle->x, "0 1");
    CHECK_NUMBERS(idle->high, "1000 2000");
    CHECK_NUMBERS(busy->high, "3000 4500");
    CHECK_NUMBERS(busy->low, "0 0");
    CHECK(idle->slot == 0 && busy->slot == 1 && busy->n_slots == 2);
    CHECK_STR(c.panel->y.label, "Time (µs)");
    CHECK(c.panel->y.factor == 1e-3 && c.panel->y.low == 0 && c.panel->y.high == 5000);
    CHECK_STR(c.panel->x.label, "Rank");
    CHECK(c.picture->legend->len == 2 && c.picture->kind == MILL_FIGURE_BAR);
    CHECK_STR(c.picture->description, "Bar chart of Time (µs) by Rank, 2 names, 2 series.  The "
                                      "largest is 4.5 µs, at 1, busy.");
  }
  case_end(&c);
}

/* Where each name has one series only, no bar has to make room for another. */
static void test_apart(void)
{
  Case c;
  const PictureSeries *good =
      draw(&c, "n:text v:real verdict:text", "a|1|good b|-2|bad c|3|good",
           (MillFigure){ .kind = MILL_FIGURE_BAR, .x = "n", .y = "v", .series = "verdict" });
  const PictureSeries *bad = made_series(c.panel, 1);
  if (good && bad) {
    CHECK(good->n_slots == 1 && bad->n_slots == 1 && bad->slot == 0);
    CHECK_NUMBERS(good->x, "0 2");
    CHECK_NUMBERS(bad->high, "-2");
  }
  case_end(&c);
}

static void test_stacks(void)
{
  Case c;
  const PictureSeries *a = draw(
      &c, "n:int part:text side:text v:real", "1|a|off|2 1|b|off|3 1|a|on|1 1|b|on|-4 2|b|off|7",
      (MillFigure){
          .kind = MILL_FIGURE_STACKED_BAR, .x = "n", .y = "v", .series = "part", .group = "side" });
  const PictureSeries *b = made_series(c.panel, 2), *below = made_series(c.panel, 3);
  if (a && b && below) {
    CHECK_NUMBERS(a->high, "2");
    CHECK(a->slot == 0 && a->n_slots == 2 && below->slot == 1);
    CHECK_NUMBERS(b->low, "2 0");
    CHECK_NUMBERS(b->high, "5 7");
    CHECK_NUMBERS(below->low, "0");
    CHECK_NUMBERS(below->high, "-4");
    CHECK_NAMES(b->text, "off|off");
    CHECK(c.picture->legend->len == 2);
  }
  case_end(&c);
}

static void test_lines(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "t:int:ns:key v:real low:real high:real", "2|5|4|9 1|3|2|4 4|6|-|-",
           (MillFigure){
               .kind = MILL_FIGURE_LINE, .x = "t", .y = "v", .y_low = "low", .y_high = "high" });
  if (s) {
    CHECK(s->mark == MARK_LINE);
    CHECK_NUMBERS(s->x, "1 2 4");
    CHECK_NUMBERS(s->y, "3 5 6");
    CHECK_NUMBERS(s->low, "2 4 -");
    CHECK(c.panel->x.low == 0.5 && c.panel->x.high == 4.5);
    CHECK(c.panel->y.low == 1 && c.panel->y.high == 10);
    CHECK_STR(s->name, "");
    CHECK(c.picture->legend->len == 0);
  }
  case_end(&c);
  s = draw(&c, "t:int:ns:key v:real", "1|3 2|5 4|6",
           (MillFigure){ .kind = MILL_FIGURE_LINE,
                         .x = "t",
                         .y = "v",
                         .flags = MILL_FIGURE_STEP | MILL_FIGURE_CUMULATIVE | MILL_FIGURE_DOWN });
  if (s) {
    CHECK(s->mark == MARK_STEPS && c.panel->y.down);
    CHECK(c.panel->x.low == 1 && c.panel->x.high == 4);
    CHECK_NUMBERS(s->y, "3 8 14");
  }
  case_end(&c);
}

/* Quartiles 2.25 and 4.75: 100 is beyond the whiskers. */
static void test_boxes(void)
{
  Case c;
  const PictureSeries *s = draw(&c, "n:text v:real", "a|100 a|5 a|1 a|3 a|2 a|4 b|7",
                                (MillFigure){ .kind = MILL_FIGURE_BOX, .x = "n", .y = "v" });
  const PictureSeries *outliers = made_series(c.panel, 1);
  if (s && outliers) {
    CHECK_NUMBERS(s->q1, "2.25 7");
    CHECK_NUMBERS(s->median, "3.5 7");
    CHECK_NUMBERS(s->q3, "4.75 7");
    CHECK_NUMBERS(s->low, "1 7");
    CHECK_NUMBERS(s->high, "5 7");
    CHECK_NUMBERS(s->mean, "19.1667 7");
    CHECK_NUMBERS(s->n, "6 1");
    CHECK_NUMBERS(outliers->y, "100");
    CHECK_STR(outliers->name, "");
  }
  case_end(&c);
}

static void test_violins(void)
{
  Case c;
  const PictureSeries *s = draw(&c, "n:text v:real", "a|0 a|1 b|3",
                                (MillFigure){ .kind = MILL_FIGURE_VIOLIN, .x = "n", .y = "v" });
  if (s && CHECK(s->shapes->len == 2)) {
    const PictureShape *shape = s->shapes->pdata[0];
    double most = 0, h = pow(2, -0.2) * sqrt(0.5);
    for (guint i = 0; i < 100; i++) most = fmax(most, g_array_index(shape->width, double, i));
    CHECK(shape->width->len == 100 && most == 0.5 && shape->low == 0);
    double ends = 1 + exp(-0.5 / (h * h)), x = 49.0 / 99;
    double middle = exp(-0.5 * x * x / (h * h)) + exp(-0.5 * (1 - x) * (1 - x) / (h * h));
    double got = g_array_index(shape->width, double, 0) / g_array_index(shape->width, double, 49);
    CHECK(fabs(got - ends / middle) < 1e-12);
    CHECK_NUMBERS(s->n, "2 1");
  }
  case_end(&c);
}

static void test_heatmap(void)
{
  Case c;
  const PictureSeries *s = draw(
      &c, "layer:text expert:int share:real:percent",
      "layer10|1|5 layer2|0|1 layer2|1|3 layer10|1|7",
      (MillFigure){ .kind = MILL_FIGURE_HEATMAP, .x = "expert", .y = "layer", .series = "share" });
  if (s && CHECK(c.panel->color != NULL)) {
    CHECK_NAMES(c.panel->y.categories, "layer2|layer10");
    CHECK_NUMBERS(s->x, "0 1 1");
    CHECK_NUMBERS(s->y, "0 0 1");
    CHECK_NUMBERS(s->value, "1 3 6");
    CHECK_STR(c.panel->color->axis.label, "Share (%)");
    CHECK(c.panel->color->axis.low == 1 && c.panel->color->axis.high == 6 && !s->color);
  }
  case_end(&c);
}

/* Names have the colours that they have everywhere; NONE was given one. */
static void test_heatmap_of_names(void)
{
  Case c;
  const PictureSeries *s = draw(&c, "a:int b:int who:text", "1|5|NONE 2|5|ALL 1|6|ALL",
                                (MillFigure){ .kind = MILL_FIGURE_HEATMAP,
                                              .x = "a",
                                              .y = "b",
                                              .value = "who",
                                              .colors = "NONE=#123456" });
  if (s && CHECK(c.panel->color && c.panel->color->colors)) {
    CHECK_NUMBERS(s->value, "0 1 1");
    CHECK_NAMES(c.panel->color->colors, "#123456|#0072b2");
    CHECK_INT(c.picture->legend->len, 2);
  }
  case_end(&c);
}

/* The ends are those of all panels, as the bar is theirs. */
static void test_heatmap_ends(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_HEATMAP,
                   .x = "a",
                   .y = "b",
                   .facet = "s",
                   .value = "v",
                   .value_low = "least",
                   .value_high = "most" };
  const char *rows = "x|1|5|3|2|4 y|1|5|30|20|40";
  draw(&c, "s:text a:int b:int v:real least:real most:real", rows, f);
  if (CHECK(c.panel && c.panel->color)) {
    const PicturePanel *second = made_panel(c.picture, 1);
    CHECK(c.panel->color->axis.low == 2 && c.panel->color->axis.high == 40);
    CHECK(second && second->color->axis.low == 2 && second->color->axis.high == 40);
  }
  case_end(&c);
  f.flags = MILL_FIGURE_OWN_AXES;
  draw(&c, "s:text a:int b:int v:real least:real most:real", rows, f);
  if (CHECK(c.panel && c.panel->color))
    CHECK(c.panel->color->axis.low == 2 && c.panel->color->axis.high == 4);
  case_end(&c);
}

static void test_field(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "x:real y:real v:real", "0|0|1 10|0|2 20|5|3 20|5|5",
           (MillFigure){ .kind = MILL_FIGURE_DENSITY, .x = "x", .y = "y", .value = "v" });
  if (s && CHECK(s->field != NULL)) {
    CHECK(s->field->n_x == 3 && s->field->n_y == 2 && s->field->x_step == 10);
    CHECK(s->field->x_low == -5 && s->field->y_low == -2.5);
    CHECK_NUMBERS(s->field->value, "1 2 - - - 4");
    CHECK(c.panel->x.low == -5 && c.panel->x.high == 25);
  }
  case_end(&c);
  s = draw(&c, "x:real:ms y:real", "1|2 10|5",
           (MillFigure){ .kind = MILL_FIGURE_DENSITY, .x = "x", .y = "y", .scale = "log" });
  if (s) {
    CHECK(s->mark == MARK_LINE && c.panel->x.scale == SCALE_LOG && c.panel->y.low == 0);
    CHECK_NUMBERS(s->high, "2 5");
    CHECK_NUMBERS(s->low, "0 0");
  }
  case_end(&c);
}

static void test_timeline(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "*rank:int start:int:ns dur:int:ns what:text", "0|0|500|a 1|100|200|a 0|600|50|b",
           (MillFigure){ .kind = MILL_FIGURE_TIMELINE,
                         .x = "start",
                         .x_end = "+dur",
                         .y = "rank",
                         .series = "what" });
  if (s) {
    CHECK(s->mark == MARK_INTERVALS && c.panel->y.down);
    CHECK_NUMBERS(s->x, "0 100");
    CHECK_NUMBERS(s->x_high, "500 300");
    CHECK_NUMBERS(s->y, "0 1");
    CHECK_NAMES(c.panel->y.categories, "0|1");
    CHECK(c.panel->x.high == 650);
  }
  case_end(&c);
}

/* The thirteenth name would have the first one's colour, and the second one has the next. */
static void check_thirteen(const char *last, const char *color)
{
  Case c;
  g_autofree char *rows = g_strconcat(
      "0|0|10|n0 0|20|10|n1 0|30|10|n2 0|40|10|n3 0|50|10|n4 0|60|10|n5 0|70|10|n6 0|80|10|n7 "
      "0|90|10|n8 0|100|10|n9 0|110|10|n10 0|120|10|n11 ",
      last, NULL);
  draw(&c, "rank:int start:int:ns dur:int:ns what:text", rows,
       (MillFigure){ .kind = MILL_FIGURE_TIMELINE,
                     .x = "start",
                     .x_end = "+dur",
                     .y = "rank",
                     .series = "what" });
  const PictureSeries *n0 = made_series(c.panel, 0), *n12 = made_series(c.panel, 12);
  if (CHECK(n0 && n12)) {
    CHECK_STR(n0->color, "#0072b2");
    CHECK_STR(n12->color, color);
    CHECK_STR(((const PictureKey *)c.picture->legend->pdata[12])->color, color);
  }
  case_end(&c);
}

static void test_timeline_of_many_names(void)
{
  check_thirteen("0|10|10|n12", "#009e73");  /* between both */
  check_thirteen("1|0|10|n12", "#009e73");   /* below the first, and the second one begins next */
  check_thirteen("0|130|10|n12", "#0072b2"); /* far from them */
}

static void test_pareto(void)
{
  Case c;
  const PictureSeries *front = draw(&c, "x:real:ms:lower y:real::higher", "1|1 2|5 3|4 4|6 2|2",
                                    (MillFigure){ .kind = MILL_FIGURE_PARETO, .x = "x", .y = "y" });
  const PictureSeries *points = made_series(c.panel, 1);
  if (front && points) {
    CHECK(front->mark == MARK_FRONT && points->mark == MARK_POINTS);
    CHECK_NUMBERS(front->x, "1 2 2 4 4");
    CHECK_NUMBERS(front->y, "1 1 5 5 6");
    CHECK_INT(points->x->len, 5);
  }
  case_end(&c);
  front = draw(&c, "x:real y:real", "1|1 2|5 3|4 4|6 2|2",
               (MillFigure){ .kind = MILL_FIGURE_PARETO,
                             .x = "x",
                             .y = "y",
                             .x_better = MILL_HIGHER,
                             .y_better = MILL_LOWER });
  if (front) {
    CHECK_NUMBERS(front->x, "1 1 2 2 3 3 4");
    CHECK_NUMBERS(front->y, "1 2 2 4 4 6 6");
  }
  case_end(&c);
}

static void test_ranked(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "name:text t:int:ns", "a|10 b|60 c|5 d|5 e|20",
           (MillFigure){ .kind = MILL_FIGURE_PARETO, .x = "name", .y = "t", .top = 2 });
  const PicturePanel *beside = made_panel(c.picture, 1);
  const PictureSeries *share = made_series(beside, 0);
  if (s && share) {
    CHECK(c.picture->kind == MILL_FIGURE_RANKED && c.panel->sideways && beside->sideways);
    CHECK_NAMES(c.panel->x.categories, "b|e|others (3)");
    CHECK_NUMBERS(s->high, "60 20 20");
    CHECK_NUMBERS(share->y, "60 80 100");
    CHECK_NAMES(beside->x.categories, "b|e|others (3)");
    CHECK(c.picture->n_columns == 2 && beside->y.high == 100);
  }
  case_end(&c);
}

/* The largest so many: of the last two one alone is no "others"; as many as can be counted are all. */
static void test_top(void)
{
  static const struct {
    uint32_t top;
    const char *names;
  } table[] = { { 1, "b|others (2)" }, { 2, "a|b|c" }, { 3, "a|b|c" }, { UINT32_MAX, "a|b|c" } };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    draw(&c, "name:text t:int:ns", "a|10 b|60 c|5",
         (MillFigure){ .kind = MILL_FIGURE_BAR, .x = "name", .y = "t", .top = table[i].top });
    if (CHECK(c.panel != NULL)) CHECK_NAMES(c.panel->x.categories, table[i].names);
    case_end(&c);
  }
}

static void test_histogram(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "low:real:ms high:real:ms n:int", "0|1|3 1|2|5",
           (MillFigure){ .kind = MILL_FIGURE_HISTOGRAM, .x = "low", .x_end = "high", .y = "n" });
  if (s) {
    CHECK(s->mark == MARK_BINS);
    CHECK_NUMBERS(s->x, "0 1");
    CHECK_NUMBERS(s->x_high, "1 2");
    CHECK_NUMBERS(s->high, "3 5");
    CHECK(c.panel->y.low == 0 && c.panel->x.low == 0 && c.panel->x.high == 2);
  }
  case_end(&c);
  /* Sturges: four values have three bins */
  s = draw(&c, "v:real", "0 1 2 6", (MillFigure){ .kind = MILL_FIGURE_HISTOGRAM, .x = "v" });
  if (s) {
    CHECK_NUMBERS(s->x, "0 2 4");
    CHECK_NUMBERS(s->high, "2 1 1");
    CHECK_STR(c.panel->y.label, "Count");
  }
  case_end(&c);
}

static void test_scatter(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "x:int y:real e:real k:text", "1|2|1|a 3|4|3|b",
           (MillFigure){
               .kind = MILL_FIGURE_SCATTER, .x = "x", .y = "y", .y_low = "e", .annotation = "k" });
  if (s) {
    CHECK(s->mark == MARK_POINTS);
    CHECK_NUMBERS(s->y, "2 4");
    CHECK_NUMBERS(s->low, "1 3");
    CHECK_NAMES(s->text, "a|b");
  }
  case_end(&c);
}

/* 13 series of two samples each: bins from 0 to 5 and to 10, one in each, and the last is as wide as the first. */
static void test_many_histograms(void)
{
  Case c;
  g_autoptr(GString) rows = g_string_new(NULL);
  for (int i = 0; i < 13; i++) g_string_append_printf(rows, "s%d|0 s%d|10 ", i, i);
  const PictureSeries *s =
      draw(&c, "s:text v:int", rows->str,
           (MillFigure){ .kind = MILL_FIGURE_HISTOGRAM, .x = "v", .series = "s" });
  if (s) {
    CHECK(s->mark == MARK_STEPS && c.panel->series->len == 1);
    CHECK_NUMBERS(s->x, "0 5 10");
    CHECK_NUMBERS(s->y, "1 1 1");
    CHECK(c.panel->y.low == 0);
  }
  case_end(&c);
}

/* Of one that is farther than the others the steps are drawn, too: bins would hide what is below them. */
static void test_far_histogram(void)
{
  Case c;
  g_autoptr(GString) rows = g_string_new(NULL);
  for (int i = 0; i < 13; i++) g_string_append_printf(rows, "s%d|0 s%d|%d ", i, i, i ? 10 : 0);
  draw(&c, "s:text v:int", rows->str,
       (MillFigure){ .kind = MILL_FIGURE_HISTOGRAM, .x = "v", .series = "s" });
  const PictureSeries *far = made_series(c.panel, 1);
  if (far) {
    CHECK(far->mark == MARK_STEPS);
    CHECK_STR(far->name, "s0");
    CHECK_NUMBERS(far->x, "0 5 10");
    CHECK_NUMBERS(far->y, "2 0 0");
  }
  case_end(&c);
}

static void test_one_step(void)
{
  Case c;
  const PictureSeries *s =
      draw(&c, "x:int y:int", "3|4 5|-",
           (MillFigure){ .kind = MILL_FIGURE_LINE, .x = "x", .y = "y", .flags = MILL_FIGURE_STEP });
  CHECK(s && s->mark == MARK_LINE);
  case_end(&c);
}

/* Twelve colours, of which others have none. */
static void test_many_colors(void)
{
  Case c;
  g_autoptr(GString) rows = g_string_new(NULL);
  for (int i = 0; i < 14; i++) g_string_append_printf(rows, "x%d|y|v%d ", i, i);
  draw(&c, "x:text y:text v:text", rows->str,
       (MillFigure){ .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "y", .value = "v" });
  if (c.panel && CHECK(c.panel->color) && CHECK_INT(c.panel->color->colors->len, 12)) {
    const PictureKey *others = c.picture->legend->pdata[11];
    CHECK_STR(c.panel->color->colors->pdata[11], "#666666");
    CHECK_STR(others->name, "others (3)");
    CHECK_STR(others->color, "#666666");
  }
  case_end(&c);
}

TEST_MAIN({ "bars", test_bars }, { "bars apart", test_apart }, { "stacks", test_stacks },
          { "lines", test_lines }, { "boxes", test_boxes }, { "violins", test_violins },
          { "heatmaps", test_heatmap }, { "heatmaps of names", test_heatmap_of_names },
          { "ends of heatmaps", test_heatmap_ends }, { "densities", test_field },
          { "timelines", test_timeline }, { "timeline of many names", test_timeline_of_many_names },
          { "fronts", test_pareto }, { "rankings", test_ranked }, { "top", test_top },
          { "histograms", test_histogram }, { "scatter", test_scatter },
          { "many histograms", test_many_histograms }, { "far histogram", test_far_histogram },
          { "one step", test_one_step }, { "many colours", test_many_colors })
