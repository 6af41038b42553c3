/* What figures leave unsaid: lanes, many series, colours, units, notes, pages, conditions, reasons. */
/* SPDX-License-Identifier: MIT */
#include "picture-make.h"

static const PictureSeries *draw(Case *c, const char *columns, const char *rows, MillFigure f)
{
  return made_series(case_draw(c, columns, rows, f), 0);
}

static MillFigure bar(const char *x, const char *y)
{
  return (MillFigure){ .kind = MILL_FIGURE_BAR, .x = x, .y = y };
}

static void check_legend(const Picture *p, const char *wanted)
{
  g_autoptr(GString) got = g_string_new(NULL);
  for (guint i = 0; p && i < p->legend->len; i++)
    g_string_append_printf(got, "%s%s", i ? "|" : "", ((PictureKey *)p->legend->pdata[i])->name);
  CHECK_STR(got->str, wanted);
}

/* A column that is not there counts as not named; lanes become series under their shortest names. */
static void test_lanes(void)
{
  static const struct {
    const char *columns, *rows, *x, *legend, *names;
  } table[] = {
    { "*rank:int n:text v:int", "0|a|1 1|a|2", "n", "rank 0|rank 1", "a" },
    { "*rank:int *input:text n:text v:int", "0|r/x0.json|a|1 1|r/x1.json|a|2", "n", "rank 0|rank 1",
      "a" },
    { "*rank:int *input:text n:text v:int", "-|runs/base/t.json|a|1 -|runs/new/t.json|a|2", "n",
      "base|new", "a" },
    { "*rank:int *input:text *label:text n:text v:int", "0|x|off|a|1 0|y|on|a|2", "n", "x|y", "a" },
    { "*tp:text *ep:text n:text v:int", "8|1|a|1 8|2|a|2", "n", "ep 1|ep 2", "a" },
    { "*rank:int *input:text v:int", "0|a.json|1 1|b.json|2", "rank", "", "0|1" },
    { "*rank:int *input:text v:int", "-|x/a.json|1 -|x/b.json|2", "rank", "", "a|b" },
    /* The ending alone names no file. */
    { "*rank:int *input:text v:int", "-|x/4100_all.json|1 -|x/4100_all.json(2)|2", "rank", "",
      "all.json|all.json(2)" },
    { "*rank:int n:text v:int", "3|a|1 3|b|2", "n", "", "a|b" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    MillFigure f = bar(table[i].x, "v");
    f.series = "gone";
    draw(&c, table[i].columns, table[i].rows, f);
    check_legend(c.picture, table[i].legend);
    if (c.panel && !CHECK_NAMES(c.panel->x.categories, table[i].names)) CHECK_ROW(table[i].rows);
    case_end(&c);
  }
}

/* Where series are named lanes become panels, which share their axes unless they are their own. */
static void test_panels(void)
{
  Case c;
  MillFigure f = bar("n", "v");
  f.series = "s";
  draw(&c, "*rank:int n:text s:text v:int", "0|a|x|1 0|a|y|2 1|b|x|90", f);
  const PicturePanel *second = made_panel(c.picture, 1);
  if (second) {
    CHECK_STR(c.panel->title, "rank 0");
    CHECK_STR(second->title, "rank 1");
    CHECK(c.panel->y.high == second->y.high && c.panel->y.high == 100);
    CHECK_NAMES(second->x.categories, "a|b");
    CHECK_INT(c.picture->n_columns, 2);
  }
  case_end(&c);
  f.flags = MILL_FIGURE_OWN_AXES;
  f.y_label = "$facet";
  draw(&c, "*rank:int n:text s:text v:int", "0|a|x|1 0|a|y|2 1|b|x|90", f);
  second = made_panel(c.picture, 1);
  if (second) {
    CHECK(c.panel->y.high < 3 && second->y.high == 100);
    CHECK_NAMES(second->x.categories, "b");
    CHECK_STR(second->y.label, "Rank 1");
  }
  case_end(&c);
  draw(&c, "a:int b:int v:int", "1|5|1 2|6|2", bar("a,b", "v"));
  second = made_panel(c.picture, 1);
  if (second) CHECK_NAMES(second->x.categories, "5|6");
  case_end(&c);
}

/* One row a lane: the lanes are the points, and tell their annotations too; what those are, a note says. */
static void test_points(void)
{
  static const struct {
    const char *rows, *annotation, *text, *note;
  } table[] = {
    { "0|1|2|5|a 1|3|4|6|b", NULL, "rank 0|rank 1", NULL },
    { "0|1|2|5|a 1|3|4|6|b", "k", "rank 0 (5)|rank 1 (6)", "numbers: K" },
    { "0|1|2|5|a 1|3|4|5|b", "k", "rank 0|rank 1", "K 5" },
    { "0|1|2|5|a 1|3|4|6|b", "w", "rank 0 (a)|rank 1 (b)", NULL },
    { "0|1|2|5|a 1|3|4|-|b 1|7|4|9|c", "k", "5||9", "numbers: K" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    MillFigure f = { .kind = MILL_FIGURE_SCATTER,
                     .x = "x",
                     .y = "y",
                     .series = "label",
                     .annotation = table[i].annotation };
    const char *columns = "*rank:int x:real y:real k:int w:text";
    const PictureSeries *s = draw(&c, i < 4 ? columns : columns + 1, table[i].rows, f);
    if (s) CHECK_NAMES(s->text, table[i].text);
    if (s) CHECK_STR(c.panel->note, table[i].note);
    case_end(&c);
  }
}

/* Each cell has its value. */
static bool has_values(const PicturePanel *p)
{
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if (!s->value || s->value->len != s->x->len) return false;
  }
  return true;
}

static void test_many_series(void)
{
  Case c;
  g_autoptr(GString) rows = g_string_new(NULL);
  for (int r = 0; r < 20; r++)
    for (int x = 0; x < 2; x++)
      g_string_append_printf(rows, "%d|%d|%d ", r, x, r == 7 ? 1000 : r + x);
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "x", .y = "v" };
  const PictureSeries *s = draw(&c, "*rank:int x:int::key v:real", rows->str, f);
  const PictureSeries *far = made_series(c.panel, 1);
  if (s && far) {
    CHECK_STR(s->name, "median of 20, 10–90 %");
    /* 0..6, 8..19 and 1000: the median of 20 is between 10 and 11 */
    CHECK_NUMBERS(s->y, "10.5 11.5");
    CHECK_NUMBERS(s->low, "1.9 2.9");
    CHECK_NUMBERS(s->high, "18.1 19.1");
    CHECK_INT(c.panel->series->len, 6);
    check_legend(c.picture, "median of 20, 10–90 %|rank 0|rank 1|rank 2|rank 7|rank 19");
  }
  case_end(&c);
  f = bar("x", "v");
  f.kind = MILL_FIGURE_STACKED_BAR;
  s = draw(&c, "*rank:int x:int::key v:real", rows->str, f);
  CHECK(s && c.picture->legend->len == 12);
  case_end(&c);
  f = (MillFigure){ .kind = MILL_FIGURE_HEATMAP, .x = "x", .y = "r", .value = "v", .series = "r" };
  s = draw(&c, "r:int x:int::key v:real", rows->str, f);
  CHECK(s && s->value->len == 40 && has_values(c.panel));
  case_end(&c);
}

static void test_colors(void)
{
  Case c;
  MillFigure f = bar("n", "v");
  f.series = "s";
  c.figures[1] = f;
  c.figures[1].name = "g";
  c.figures[1].table = "u";
  c.figures[1].colors = "NCCL=#123456,bad=red";
  c.figures[0] = f;
  c.figures[0].name = "f";
  c.figures[0].table = "t";
  made_open(&c.made);
  made_all(&c.made, "t", "n:text s:text v:int", "a|x|1 a|y|2 a|NCCL|3");
  made_all(&c.made, "u", "n:text s:text v:int", "a|z|1 a|y|2 a|NCCL|3");
  for (size_t i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  static const char *const wanted[2][3] = { { "#0072b2", "#e69f00", "#123456" },
                                            { "#009e73", "#e69f00", "#123456" } };
  for (guint i = 0; i < 2; i++) {
    const Picture *p = made_picture(c.sets, i);
    for (guint k = 0; p && k < 3; k++)
      CHECK_STR(((PictureKey *)p->legend->pdata[k])->color, wanted[i][k]);
  }
  case_end(&c);
}

static void test_units(void)
{
  static const struct {
    const char *columns, *rows, *label;
    double factor;
  } table[] = {
    { "n:text v:int:ns", "a|999 b|0", "V (ns)", 1 },
    { "n:text v:int:ns", "a|1500000 b|0", "V (ms)", 1e-6 },
    { "n:text v:real:ms", "a|2500 b|0", "V (s)", 1e-3 },
    { "n:text v:int:bytes", "a|2097152 b|0", "V (MiB)", 1.0 / 1048576 },
    { "n:text v:real:percent", "a|50 b|0", "V (%)", 1 },
    { "n:text v:real:ratio", "a|0.5 b|0", "V", 1 },
    { "n:text v:int:count", "a|5000 b|0", "V", 1 },
    { "n:text v:int:count", "a|2500000 b|0", "V (thousand)", 1e-3 },
    { "n:text v:real:tok/s", "a|5 b|0", "V (tok/s)", 1 },
    { "n:text v:real", "a|5 b|0", "V", 1 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    const PictureSeries *s = draw(&c, table[i].columns, table[i].rows, bar("n", "v"));
    if (s && !CHECK_STR(c.panel->y.label, table[i].label)) CHECK_ROW(table[i].rows);
    if (s) CHECK(c.panel->y.factor == table[i].factor);
    case_end(&c);
  }
}

/* A label that is a unit is that of a plain number; beside a unit of its own it is a name. */
static void test_unit_as_label(void)
{
  static const struct {
    const char *columns, *rows, *label;
    double factor;
  } table[] = {
    { "n:text v:real:count", "a|1307.4 b|0", "PFLOP/s", 1e-3 },
    { "n:text v:real", "a|130.7 b|0", "TFLOP/s", 1 },
    { "n:text v:real:ms", "a|2500 b|0", "TFLOP/s (s)", 1e-3 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    MillFigure f = bar("n", "v");
    f.y_label = "TFLOP/s";
    if (draw(&c, table[i].columns, table[i].rows, f)) {
      CHECK_STR(c.panel->y.label, table[i].label);
      CHECK(fabs(c.panel->y.factor - table[i].factor) < 1e-12);
    }
    case_end(&c);
  }
}

/* Along powers of two the marks say the unit; the label need not. */
static void test_sizes(void)
{
  Case c;
  MillFigure f = { .kind = MILL_FIGURE_LINE, .x = "n", .y = "v", .x_scale = "log2" };
  if (draw(&c, "n:real:KiB:key v:int", "1|5 4096|9", f)) {
    CHECK_STR(c.panel->x.label, "N");
    CHECK_STR(c.panel->x.unit, "bytes");
    CHECK(c.panel->x.factor == 1024);
    CHECK_STR(c.picture->description, "Line chart of V by N.  The largest is 9, at 4 MiB.");
  }
  case_end(&c);
}

static void test_notes(void)
{
  static const struct {
    const char *rows, *format, *note, *text;
  } table[] = {
    { "a|1|0.25 b|2|0.25", NULL, "K 0.25", "" },
    { "a|1|0.25 b|2|0.5", NULL, NULL, "0.25|0.5" },
    { "a|1|0.256 b|2|0.5", "0.1", NULL, "0.3|0.5" },
    { "a|1|0.256 b|2|2", "0.01x", NULL, "0.26x|2.00x" },
    { "a|1|0.256 b|2|2", "0%", NULL, "26%|200%" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    MillFigure f = bar("n", "v");
    f.annotation = "k";
    f.format = table[i].format;
    const PictureSeries *s = draw(&c, "n:text v:int k:real", table[i].rows, f);
    if (s) CHECK_STR(c.panel->note, table[i].note);
    if (s) CHECK_NAMES(s->text, table[i].text);
    case_end(&c);
  }
}

static void test_where_and_reduce(void)
{
  static const struct {
    const char *where, *reduce, *names, *high;
  } table[] = {
    { NULL, NULL, "a|b|c", "4 9 5" },     { "n=a|b", "mean", "a|b", "2 4.5" },
    { "n!=a;v=4|5", NULL, "b|c", "9 5" }, { NULL, "max", "a|b|c", "3 5 5" },
    { NULL, "count", "a|b|c", "2 2 1" },  { "gone=1", "median", "a|b|c", "2 4.5 5" },
    { "v=5.0", "min", "b|c", "5 5" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    MillFigure f = bar("n", "v");
    f.where = table[i].where;
    f.reduce = table[i].reduce;
    const PictureSeries *s = draw(&c, "n:text v:int", "a|1 a|3 b|4 b|5 c|5", f);
    if (s && !CHECK_NAMES(c.panel->x.categories, table[i].names)) CHECK_ROW(table[i].names);
    if (s) CHECK_NUMBERS(s->high, table[i].high);
    case_end(&c);
  }
}

static void test_pages(void)
{
  Case c;
  MillFigure f = bar("n", "v");
  f.pages = "tp,how";
  f.file = "{how}/tp{tp}";
  c.figures[0] = f;
  c.figures[0].name = "f";
  c.figures[0].table = "t";
  made_open(&c.made);
  made_all(&c.made, "t", "*tp:text how:text n:text v:int",
           "16|../x|a|1 8|a/b|a|2 8|a_b|b|3 8|A_B|b|3");
  made_figure(&c.made, &c.figures[0]);
  c.sets = made_sets(&c.made);
  const PictureSet *set = c.sets->pdata[0];
  static const char *const files[] = { "A_B/tp8", "a_b-2d8d7a7f/tp8", "a_b/tp8-2", "x" };
  if (CHECK_INT(set->pictures->len, 4)) {
    const Picture *first = set->pictures->pdata[0], *last = set->pictures->pdata[3];
    CHECK_STR(first->file, files[0]);
    CHECK(g_str_has_prefix(last->file, "_._x-") && g_str_has_suffix(last->file, "/tp16"));
    CHECK_STR(first->title, "f · TP 8, How A_B");
    CHECK_STR(first->name, "f-tp8-howA_B");
    for (guint i = 0; i < 4; i++)
      for (guint k = 0; k < i; k++)
        CHECK(g_ascii_strcasecmp(((Picture *)set->pictures->pdata[i])->file,
                                 ((Picture *)set->pictures->pdata[k])->file) != 0);
  }
  case_end(&c);
}

static void test_reasons(void)
{
  static const struct {
    const char *rows, *where, *scale, *y, *reason;
  } table[] = {
    { "", NULL, NULL, "v", "table \"t\" has no rows" },
    { "a|1", "n=b", NULL, "v", "table \"t\" has no rows where n=b" },
    { "a|- b|-", NULL, NULL, "v", "no value of v is a number" },
    { "a|-1 b|0", NULL, "log", "v", "no positive value for a log axis" },
    { "a|1", NULL, NULL, "w", "table \"t\" has no column \"w\"" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    Case c;
    MillFigure f = bar("n", table[i].y);
    f.name = "f";
    f.table = "t";
    f.where = table[i].where;
    f.y_scale = table[i].scale;
    made_open(&c.made);
    made_all(&c.made, "t", "n:text v:real", table[i].rows);
    made_figure(&c.made, &f);
    c.sets = made_sets(&c.made);
    CHECK_STR(((PictureSet *)c.sets->pdata[0])->reason, table[i].reason);
    g_autofree char *reason = picture_reason(&c.made.host, results_view(c.made.results), 0);
    CHECK_STR(reason, table[i].reason);
    case_end(&c);
  }
}

static void test_over(void)
{
  Case c;
  c.figures[0] = (MillFigure){
    .kind = MILL_FIGURE_SCATTER, .name = "f", .table = "t", .x = "x", .y = "y", .over = "roof"
  };
  c.figures[1] = (MillFigure){
    .kind = MILL_FIGURE_LINE, .name = "roof", .title = "Roof", .table = "u", .x = "x", .y = "y"
  };
  made_open(&c.made);
  made_all(&c.made, "t", "x:real y:real", "1|2 3|4");
  made_all(&c.made, "u", "x:real::key y:real", "1|10 100|20");
  for (size_t i = 0; i < 2; i++) made_figure(&c.made, &c.figures[i]);
  c.sets = made_sets(&c.made);
  const PicturePanel *panel = made_panel(made_picture(c.sets, 0), 0);
  const PictureSeries *roof = made_series(panel, 0), *points = made_series(panel, 1);
  if (roof && points) {
    CHECK(roof->mark == MARK_LINE && points->mark == MARK_POINTS);
    CHECK_STR(roof->name, "Roof");
    CHECK(panel->x.high >= 100 && panel->y.high >= 20);
  }
  case_end(&c);
}

/* Names are clean and short, and two long ones that differ stay two. */
static void test_names(void)
{
  Case c;
  MadeTable *t;
  g_autofree char *a = g_strnfill(100000, 'k'), *b = g_strnfill(100000, 'k');
  a[50000] = 'x';
  c.figures[0] = bar("n", "v");
  c.figures[0].name = "f";
  c.figures[0].table = "t";
  made_open(&c.made);
  t = made_table(&c.made, "t", "n:text v:int");
  const char *const names[] = { a, b, "\t\x1b[1mx\xff" };
  for (int i = 0; i < 3; i++) {
    const MillValue cells[] = { mill_text(names[i], strlen(names[i])), mill_int(i + 1) };
    sheet_add_row(t->sheet, cells);
  }
  made_end(&c.made, t);
  made_figure(&c.made, &c.figures[0]);
  c.sets = made_sets(&c.made);
  const PicturePanel *panel = made_panel(made_picture(c.sets, 0), 0);
  if (panel && CHECK_INT(panel->x.categories->len, 3)) {
    char **labels = (char **)panel->x.categories->pdata;
    CHECK_INT(g_utf8_strlen(labels[0], -1), 60);
    CHECK(strstr(labels[0], "…") && g_str_has_suffix(labels[1], " (2)"));
    CHECK_STR(labels[2], "  [1mx\xef\xbf\xbd");
    CHECK(panel->sideways);
  }
  case_end(&c);
}

/* As many as can be seen: the lowest and highest of each column of pixels. */
static void test_thinning(void)
{
  Case c;
  g_autoptr(GString) rows = g_string_new(NULL);
  for (int i = 0; i < 30000; i++) g_string_append_printf(rows, "%d|%d ", i, i == 777 ? 5 : i % 2);
  const PictureSeries *s = draw(&c, "x:int::key v:int", rows->str,
                                (MillFigure){ .kind = MILL_FIGURE_LINE, .x = "x", .y = "v" });
  if (s) {
    double most = 0;
    for (guint i = 0; i < s->y->len; i++) most = MAX(most, g_array_index(s->y, double, i));
    CHECK(s->x->len <= 4800 && s->x->len > 4000 && most == 5);
    CHECK(c.picture->left_out != NULL);
  }
  case_end(&c);
  s = draw(&c, "x:int::key v:int", rows->str,
           (MillFigure){ .kind = MILL_FIGURE_SCATTER, .x = "x", .y = "v" });
  if (s) CHECK_INT(s->x->len, 15000);
  case_end(&c);
}

/* Ends of the colour bar: of the values, around 0, numbers, or the least and most of a column. */
static void test_color_bars(void)
{
  static const struct {
    const char *palette, *low, *high;
    double wanted_low, wanted_high;
  } rows[] = {
    { NULL, NULL, NULL, -4, 2 },
    { "magnitude", NULL, NULL, -4, 2 },
    { "worse", NULL, NULL, -4, 2 },
    { "ramps", NULL, NULL, -4, 2 },
    { "change", NULL, NULL, -4, 4 },
    { "change", "-10", "6", -10, 6 },
    { "change", NULL, "6", -6, 6 },
    { "magnitude", "-8", NULL, -8, 2 },
    { "magnitude", NULL, "1e3", -4, 1000 },
    { "magnitude", "lo", "hi", -7, 9 },
    { "magnitude", "0", "hi", 0, 9 },
    { "magnitude", "5", "1", -4, 2 },
    { "magnitude", "gone", "gone", -4, 2 },
    { "no such", NULL, NULL, -4, 2 },
  };
  static const char *const names[] = { "magnitude", "worse", "change", "ramps" };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Case c;
    MillFigure f = { .kind = MILL_FIGURE_HEATMAP, .x = "a", .y = "b", .value = "v" };
    f.palette = rows[i].palette;
    f.value_low = rows[i].low;
    f.value_high = rows[i].high;
    draw(&c, "a:text b:text v:real lo:real hi:real", "p|q|-4|-5|1 p|r|2|-7|9 s|q|1|-6|8", f);
    const PictureColorBar *bar = c.panel ? c.panel->color : NULL;
    guint palette = 0;
    while (rows[i].palette && palette < 3 && strcmp(names[palette], rows[i].palette) != 0)
      palette++;
    if (rows[i].palette && !strcmp(rows[i].palette, "no such")) palette = 0;
    if (CHECK(bar != NULL)) {
      bool good = CHECK_INT(bar->palette, palette);
      good &= CHECK(bar->axis.low == rows[i].wanted_low && bar->axis.high == rows[i].wanted_high);
      if (!good) printf("\n    row %zu: %g %g", i, bar->axis.low, bar->axis.high);
    }
    case_end(&c);
  }
}

/* "$facet" is what the panel shows, on each axis and on the colour bar; the unit is that of the column. */
static void test_labels_of_facets(void)
{
  Case c;
  MillFigure f = bar("n", "v");
  f.facet = "g";
  f.y_label = "$facet";
  f.x_label = "Name";
  draw(&c, "n:text g:text v:int:ns", "a|alpha|1 a|beta_max|2", f);
  const PicturePanel *second = made_panel(c.picture, 1);
  if (second) {
    CHECK_STR(c.panel->y.label, "Alpha (ns)");
    CHECK_STR(second->y.label, "Beta max (ns)");
    CHECK_STR(second->x.label, "Name");
  }
  case_end(&c);
  f = (MillFigure){ .kind = MILL_FIGURE_HEATMAP, .x = "a", .y = "b", .value = "v", .facet = "g" };
  f.value_label = "$facet";
  draw(&c, "a:text b:text g:text v:real", "p|q|one|1 p|q|two|2", f);
  second = made_panel(c.picture, 1);
  if (second && CHECK(second->color && c.panel->color)) {
    CHECK_STR(c.panel->color->axis.label, "One");
    CHECK_STR(second->color->axis.label, "Two");
  }
  case_end(&c);
}

TEST_MAIN({ "colour bars", test_color_bars }, { "labels of facets", test_labels_of_facets },
          { "lanes", test_lanes }, { "panels", test_panels }, { "lanes as points", test_points },
          { "many series", test_many_series }, { "colours", test_colors }, { "units", test_units },
          { "unit as label", test_unit_as_label }, { "sizes", test_sizes },
          { "notes and formats", test_notes }, { "where and reduce", test_where_and_reduce },
          { "pages", test_pages }, { "reasons", test_reasons }, { "over", test_over },
          { "names", test_names }, { "thinning", test_thinning })
