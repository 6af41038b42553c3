/* What a picture leaves to words, and what its lanes and series must not hide: steps, moments, bands, outlines. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/colors.h"
#include "picture-make.h"

static const PictureSeries *draw(Case *c, const char *columns, const char *rows, MillFigure f)
{
  return made_series(case_draw(c, columns, rows, f), 0);
}

static MillFigure bar(const char *x, const char *y)
{
  return (MillFigure){ .kind = MILL_FIGURE_BAR, .x = x, .y = y };
}

/* A series of steps has its value until it changes: of 15 that are at 32, and each for a moment of its own at 20,
 * the median is 32 all the time. */
static void test_many_steps(void)
{
  Case c;
  g_autoptr(GString) rows = g_string_new(NULL);
  for (int r = 0; r < 15; r++)
    g_string_append_printf(rows, "%d|0|32 %d|%d|20 %d|%d|32 ", r, r, 10 + 2 * r, r, 11 + 2 * r);
  g_string_append(rows, "15|35|0 15|35|4 "); /* begins late; of two at once the last one holds */
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "x", .y = "v", .flags = MILL_FIGURE_STEP };
  const PictureSeries *s = draw(&c, "*sm:int x:int::key v:int", rows->str, f);
  if (s && CHECK(s->mark == MARK_STEPS)) {
    CHECK_INT(s->x->len, 31); /* 0, 10 to 39 */
    for (guint i = 0; i < s->y->len; i++) CHECK(g_array_index(s->y, double, i) == 32);
    /* From 35 on 16 series: a tenth from below is between the second and the third. */
    CHECK(g_array_index(s->low, double, 30) == 32 && g_array_index(s->low, double, 0) == 32);
    CHECK_INT(g_array_index(made_series(c.panel, 1)->y, double, 0), 32);
  }
  case_end(&c);
  g_string_truncate(rows, 0);
  for (int r = 0; r < 13; r++)
    for (int x = 0; x < 1000; x++) g_string_append_printf(rows, "%d|%d|%d ", r, 13 * x + r, r);
  s = draw(&c, "*sm:int x:int::key v:int", rows->str, f);
  if (s) { /* 2000 of 13000 places; all 13 hold but at the begin */
    CHECK_INT(s->x->len, 2000);
    CHECK(g_array_index(s->y, double, 1999) == 6 && g_array_index(s->x, double, 1999) == 12999);
    CHECK(g_array_index(s->y, double, 2) == 6);
  }
  case_end(&c);
}

/* Times of a trace count from the first of all figures of moments, to the nanosecond; the label says which it is. */
static void test_moments(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "t", .y = "v", .flags = MILL_FIGURE_MOMENTS };
  c.figures[0] = f;
  c.figures[0].name = "f";
  c.figures[0].table = "t";
  c.figures[1] = (MillFigure){ .kind = MILL_FIGURE_TIMELINE,
                               .name = "g",
                               .table = "u",
                               .x = "begin",
                               .x_end = "end",
                               .y = "n",
                               .x_label = "Time",
                               .flags = MILL_FIGURE_MOMENTS };
  made_open(&c.made);
  made_all(&c.made, "t", "t:int:ns:key v:int", "1700000000000000123|1 1700000000000000125|2");
  made_all(&c.made, "u", "n:text begin:int:ns end:int:ns",
           "a|1700000000000000120|1700000000000000122");
  for (guint i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  const PicturePanel *first = made_panel(made_picture(c.sets, 0), 0);
  const PicturePanel *second = made_panel(made_picture(c.sets, 1), 0);
  if (first && second) {
    CHECK_NUMBERS(made_series(first, 0)->x, "3 5");
    CHECK_STR(first->x.label, "T since 1700000000.00000012 s (ns)");
    CHECK(first->x.low == 0); /* the origin is seen, though this one begins later */
    CHECK_NUMBERS(made_series(second, 0)->x, "0");
    CHECK_NUMBERS(made_series(second, 0)->x_high, "2");
    CHECK_STR(second->x.label, "Time since 1700000000.00000012 s (ns)");
  }
  case_end(&c);
  f.y = "v";
  const PictureSeries *s = draw(&c, "t:int:ticks:key v:int", "9000000000123|1 9000000000133|2", f);
  if (s) CHECK_NUMBERS(s->x, "0 10");
  if (s) CHECK_STR(c.panel->x.label, "T since 9000000000123 ticks (ticks)");
  case_end(&c);
}

/* A bar has the colour that its name has in a later picture. */
static void test_one_color(void)
{
  Case c;
  c.figures[0] = bar("n", "v");
  c.figures[1] = bar("side", "v");
  c.figures[1].series = "n";
  for (guint i = 0; i < 2; i++) c.figures[i].table = "t";
  c.figures[0].name = "f";
  c.figures[1].name = "g";
  made_open(&c.made);
  made_all(&c.made, "t", "n:text side:text v:int", "gemm|x|1 copy|x|2 idle|x|3 gemm|y|1");
  for (guint i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  const PicturePanel *plain = made_panel(made_picture(c.sets, 0), 0);
  const PicturePanel *named = made_panel(made_picture(c.sets, 1), 0);
  for (guint i = 0; plain && named && i < 3; i++) {
    CHECK_STR(made_series(plain, i)->color, made_series(named, i)->color);
    for (guint k = 0; k < i; k++)
      CHECK(strcmp(made_series(plain, i)->color, made_series(plain, k)->color) != 0);
  }
  case_end(&c);
}

/* A category has its colour in any picture, and idle is grey; where most bars are categories others are dark. */
static void test_categories(void)
{
  static const char *const same[][3] = {
    { "computation_time", "gpu_compute", "Computation" },
    { "exposed_comm_time", "COMM", "gpu_communication" },
    { "exposed_memcpy_time", "Memory", "memcpy" },
    { "idle_time", "idle", "IDLE" },
    { "GEMM", "gemm", "GEMM" },
  };
  Case c;
  for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
    for (size_t k = 1; k < 3; k++)
      CHECK_STR(category_color(same[i][k]), category_color(same[i][0]));
    for (size_t k = 0; k < i; k++)
      CHECK(strcmp(category_color(same[i][0]), category_color(same[k][0])) != 0);
  }
  CHECK_STR(category_color("idle"), "#bbbbbb");
  CHECK(!category_color("") && !category_color("comm|") && !category_color("gem"));
  const PictureSeries *s = draw(&c, "n:text v:int", "GEMM|1 elementwise|2 mine|3", bar("n", "v"));
  if (s) CHECK_STR(s->color, "#666666");
  if (s) CHECK_STR(made_series(c.panel, 1)->color, category_color("gemm"));
  case_end(&c);
  s = draw(&c, "n:text v:int", "copy|1 a|2 b|3", bar("n", "v"));
  CHECK(s && c.panel->series->len == 1);
  case_end(&c);
}

/* A panel in which nothing is goes. */
static void test_empty(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "y", .value = "v", .facet = "g" };
  draw(&c, "g:text x:text y:text v:int", "a|p|q|1 a|r|q|2 b|p|q|-", f);
  if (c.picture) {
    CHECK_INT(c.picture->panels->len, 1);
    CHECK_STR(c.picture->left_out, "b has no value, and no panel; 1 of 3 rows have no number in v");
  }
  case_end(&c);
}

/* A picture of a part says which. */
static void test_part(void)
{
  Case c;
  MillFigure f = bar("category", "time");
  f.top = 2;
  draw(&c, "category:text time:int", "a|4 b|3 c|2 d|1", f);
  if (c.picture) CHECK_STR(c.picture->left_out, "2 of 4 categories, by time");
  case_end(&c);
  /* Areas of two series would cover one another. */
  f = (MillFigure){ .kind = MILL_FIGURE_DENSITY, .x = "time", .series = "category" };
  const PictureSeries *s = draw(&c, "category:text time:int", "a|4 a|3 b|2 b|1", f);
  CHECK(s && !s->low && !s->high);
  case_end(&c);
}

/* Marks along y of a field are what the annotation says of its rows, each once, from the lowest. */
static void test_marks(void)
{
  Case c;
  MillFigure f = {
    .kind = MILL_FIGURE_DENSITY, .x = "t", .y = "row", .value = "n", .annotation = "page"
  };
  draw(&c, "t:int:ticks row:int page:text n:int", "0|1|0x7f10|3 1|0|0x7f00|1 2|1|0x7f10|1", f);
  if (c.panel && CHECK(c.panel->y.mark_at != NULL)) {
    CHECK_NUMBERS(c.panel->y.mark_at, "0 1");
    CHECK_NAMES(c.panel->y.mark_text, "0x7f00|0x7f10");
  }
  case_end(&c);
}

/* A log scale of colours that begins at 1: what is below is there, in the first colour. */
static void test_clipped(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_HEATMAP,
                   .x = "x",
                   .y = "y",
                   .value = "v",
                   .value_scale = "log",
                   .value_low = "1" };
  const PictureSeries *s = draw(&c, "x:text y:text v:real", "a|b|0 c|b|0.2 d|b|100", f);
  if (s) {
    CHECK_NUMBERS(s->value, "1 1 100");
    CHECK(c.panel->color->axis.low == 1 && c.panel->color->axis.high == 100);
    CHECK(c.picture->left_out == NULL);
  }
  case_end(&c);
}

/* What a line of text says better. */
static void test_in_words(void)
{
  static const struct {
    uint32_t kind;
    const char *columns, *rows, *reason;
  } table[] = {
    { MILL_FIGURE_BAR, "n:text v:int:ns", "gemm|5200000", "it would be one bar: gemm: 5.2 ms" },
    { MILL_FIGURE_RANKED, "n:text v:int:ns", "gemm|2 gemm|3", "it would be one bar: gemm: 5 ns" },
    { MILL_FIGURE_BAR, "n:text v:int:ns", "gemm|2 copy|0", NULL },
    { MILL_FIGURE_SCATTER, "n:real:ms v:int:tok/s", "247.4|200",
      "it would be one point: n is 247 ms, v is 200 tok/s" },
    { MILL_FIGURE_SCATTER, "n:real:ms v:int:tok/s", "247.4|200 3|-", NULL },
    { MILL_FIGURE_HEATMAP, "n:text m:text v:int:ns", "a|x|0 a|y|0 b|x|0 b|y|0",
      "it would have one colour: v is 0 ns in all 4 cells" },
    { MILL_FIGURE_HEATMAP, "n:text m:text v:int:ns", "a|x|0 a|y|0 b|x|0", NULL },
    { MILL_FIGURE_HEATMAP, "n:text m:text v:int:ns", "a|x|0 a|y|0 b|x|0 b|y|1", NULL },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c = { .figures[0] = { .kind = table[i].kind, .name = "f", .table = "t", .x = "n" } };
    bool cells = table[i].kind == MILL_FIGURE_HEATMAP;
    c.figures[0].y = cells ? "m" : "v";
    c.figures[0].value = cells ? "v" : NULL;
    made_open(&c.made);
    made_all(&c.made, "t", table[i].columns, table[i].rows);
    made_figure(&c.made, &c.figures[0]);
    c.sets = made_sets(&c.made);
    g_autofree char *reason = picture_reason(&c.made.host, results_view(c.made.results), 0);
    CHECK_STR(reason, table[i].reason);
    if (!CHECK_STR(((PictureSet *)c.sets->pdata[0])->reason, table[i].reason))
      CHECK_ROW(table[i].rows);
    case_end(&c);
  }
}

/* Beside a line a panel of points at one place is empty paper: it is said instead. */
static void test_bare_panels(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "x", .y = "v", .facet = "axis" };
  if (draw(&c, "axis:text x:int v:int", "seqs|8|1 seqs|32|2 tokens|8192|2 tokens|8192|1", f)) {
    CHECK_INT(c.picture->panels->len, 1);
    CHECK_STR(c.picture->left_out, "tokens has one value alone, and no panel");
  }
  case_end(&c);
  draw(&c, "axis:text x:int v:int", "seqs|8|1 tokens|8192|2", f); /* all of them alike */
  CHECK_INT(c.picture->panels->len, 2);
  case_end(&c);
}

/* One stack alone becomes its parts beside each other, in the colours that they have anywhere; idle is grey. */
static void test_one_stack(void)
{
  Case c;
  MillFigure f = bar("rank", "v");
  f.kind = MILL_FIGURE_STACKED_BAR;
  f.series = "type";
  f.where = "type!=total";
  const PictureSeries *s =
      draw(&c, "*rank:int type:text v:int", "0|busy|3 0|idle_time|5 0|total|8", f);
  const PictureSeries *idle = made_series(c.panel, 1);
  if (s && idle) {
    CHECK_NAMES(c.panel->x.categories, "busy|idle_time");
    CHECK_STR(c.panel->x.label, "Type");
    CHECK_NUMBERS(idle->x, "1");
    CHECK_NUMBERS(idle->high, "5");
    CHECK(idle->n_slots == 1 && !c.picture->legend->len);
    CHECK_STR(idle->color, "#bbbbbb");
    CHECK_STR(c.picture->left_out, "2 of 3 rows: type is not total");
  }
  case_end(&c);
  s = draw(&c, "*rank:int type:text v:int", "0|busy|3 0|idle|5 1|busy|8 1|idle|1", f);
  CHECK(s && c.picture->kind == MILL_FIGURE_STACKED_BAR && c.picture->legend->len == 2);
  case_end(&c);
}

/* Bands of lanes would cover one another: a panel each. */
static void test_bands(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "t", .y = "v", .y_high = "most" };
  const PictureSeries *s =
      draw(&c, "*rank:int t:int::key v:int most:int", "0|1|3|9 0|2|3|9 1|1|3|9 1|2|3|9", f);
  if (s) {
    CHECK_INT(c.picture->panels->len, 2);
    CHECK_STR(made_panel(c.picture, 1)->title, "rank 1");
    CHECK_INT(made_panel(c.picture, 1)->series->len, 1);
  }
  case_end(&c);
}

/* Bins of several series are outlines, at 0 where there is none. */
static void test_outlines(void)
{
  Case c;
  MillFigure f = {
    .kind = MILL_FIGURE_HISTOGRAM, .x = "low", .x_end = "high", .y = "n", .series = "kind"
  };
  const PictureSeries *s =
      draw(&c, "kind:text low:int::key high:int n:int", "a|1|2|5 a|2|3|6 a|7|8|1 b|1|2|4", f);
  if (s && CHECK(s->mark == MARK_STEPS)) {
    CHECK_NUMBERS(s->x, "1 1 2 3 7 8");
    CHECK_NUMBERS(s->y, "0 5 6 0 1 0");
    CHECK(c.panel->y.low == 0);
  }
  case_end(&c);
  s = draw(&c, "*rank:int low:int::key high:int n:int", "0|1|2|5 0|2|3|6 1|1|2|5", f);
  CHECK(s && s->mark == MARK_BINS && c.picture->panels->len == 2); /* lanes have panels */
  case_end(&c);
}

/* Lines of another figure stand across its bins, called by their columns; that figure has no picture of its own. */
static void test_rules(void)
{
  Case c;
  c.figures[0] = (MillFigure){ .kind = MILL_FIGURE_HISTOGRAM,
                               .name = "f",
                               .table = "t",
                               .x = "low",
                               .x_end = "high",
                               .y = "n",
                               .facet = "kind",
                               .over = "g" };
  c.figures[1] = (MillFigure){
    .kind = MILL_FIGURE_RULE, .name = "g", .table = "u", .x = "p50,p99", .facet = "kind"
  };
  made_open(&c.made);
  made_all(&c.made, "t", "kind:text low:int:ms:key high:int:ms n:int", "a|1|2|5 a|2|9|6 b|1|2|4");
  made_all(&c.made, "u", "kind:text p50:real:ms p99:real:ms", "a|2.5|8 b|1.5|-");
  for (guint i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  const Picture *p = made_picture(c.sets, 0);
  const PictureSeries *a = made_series(made_panel(p, 0), 1), *b = made_series(made_panel(p, 1), 1);
  if (a && b && CHECK(a->mark == MARK_RULE && b->mark == MARK_RULE)) {
    CHECK_NUMBERS(a->x, "2.5 8");
    CHECK_NAMES(a->text, "p50 2.5 ms|p99 8 ms");
    CHECK_NUMBERS(b->x, "1.5");
    CHECK(!a->y && made_panel(p, 0)->x.ends && !p->legend->len && !p->left_out);
  }
  const PictureSet *below = c.sets->pdata[1];
  CHECK_INT(below->pictures->len, 0);
  CHECK_STR(below->reason, "it is drawn in f");
  case_end(&c);
}

/* Up to where which line is chosen; a rule has no y that could be below a log axis. */
static void test_rules_on_log_axes(void)
{
  Case c;
  c.figures[0] = (MillFigure){ .kind = MILL_FIGURE_LINE,
                               .name = "f",
                               .table = "t",
                               .x = "size",
                               .y = "time",
                               .series = "who",
                               .x_scale = "log2",
                               .y_scale = "log",
                               .over = "g" };
  c.figures[1] = (MillFigure){ .kind = MILL_FIGURE_RULE,
                               .name = "g",
                               .table = "t",
                               .x = "until",
                               .series = "who",
                               .annotation = "who",
                               .x_scale = "log2" };
  made_open(&c.made);
  made_all(&c.made, "t", "who:text size:int:bytes time:real:us until:int:bytes",
           "ring|1024|2|32768 ring|65536|9|- tree|1024|3|- tree|65536|8|-");
  for (guint i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  const Picture *p = made_picture(c.sets, 0);
  const PictureSeries *rule = made_series(made_panel(p, 0), 2);
  if (rule && CHECK(rule->mark == MARK_RULE)) {
    CHECK_NUMBERS(rule->x, "32768");
    CHECK_NAMES(rule->text, "ring until 32 KiB");
    CHECK_STR(rule->color, made_series(made_panel(p, 0), 0)->color);
    CHECK(p->legend->len == 2 && !p->left_out);
  }
  case_end(&c);
}

/* From side to side, above the bars: one line where all rows have one y. */
static void test_rules_across(void)
{
  Case c;
  c.figures[0] = (MillFigure){ .kind = MILL_FIGURE_BAR,
                               .name = "f",
                               .table = "t",
                               .x = "policy",
                               .y = "cost",
                               .series = "tp",
                               .over = "g" };
  c.figures[1] = (MillFigure){
    .kind = MILL_FIGURE_RULE, .name = "g", .title = "Best", .table = "t", .x = "policy", .y = "best"
  };
  made_open(&c.made);
  made_all(&c.made, "t", "policy:text tp:text cost:real best:real",
           "fit|two|1.5|1 fit|four|1.2|1 all|two|2|1 all|four|3|1");
  for (guint i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  const Picture *p = made_picture(c.sets, 0);
  const PictureSeries *rule = made_series(made_panel(p, 0), 2);
  if (rule && CHECK(rule->mark == MARK_RULE)) {
    CHECK(!rule->x);
    CHECK_NUMBERS(rule->y, "1");
    CHECK_STR(rule->name, "Best");
    CHECK_NAMES(made_panel(p, 0)->x.categories, "fit|all");
  }
  case_end(&c);
}

static void test_no_text(void)
{
  Case c;
  MillFigure f = bar("op", "v");
  f.facet = "g";
  draw(&c, "g:text op:text v:int", "|a|1 x|a|2 x||3", f);
  if (c.panel) CHECK_STR(c.panel->title, "no g");
  if (c.panel) CHECK_NAMES(c.panel->x.categories, "a|no op");
  case_end(&c);
}

TEST_MAIN({ "many steps", test_many_steps }, { "moments", test_moments },
          { "in words", test_in_words }, { "bare panels", test_bare_panels },
          { "one stack", test_one_stack }, { "bands", test_bands }, { "outlines", test_outlines },
          { "rules", test_rules }, { "rules on log axes", test_rules_on_log_axes },
          { "rules across", test_rules_across }, { "no text", test_no_text },
          { "clipped", test_clipped }, { "one colour", test_one_color },
          { "categories", test_categories }, { "empty panels", test_empty },
          { "a part", test_part }, { "marks", test_marks })
