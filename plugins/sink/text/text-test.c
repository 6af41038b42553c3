/* The text sink: what a person sees, safe on any terminal. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/columns.h"

#include "check.h"
#include "fake-run.h"

typedef struct Options {
  int64_t lines, rows, width, screen;
} Options;

static char *summary_of(const FakeLane *lanes, uint32_t n_lanes, const FakeResults *r,
                        int64_t lines)
{
  const Options options = { lines, 0, 100 };
  return fake_run_file(lanes, n_lanes, r, &options, "summary.txt");
}

static char *summary(const FakeLane *lanes, uint32_t n_lanes, const FakeResults *r)
{
  return summary_of(lanes, n_lanes, r, 15);
}

static void test_full(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = summary(fake_run_lanes, 2, &r);
  CHECK_STR(text,
            "kernels · 2 inputs\n"
            "\n"
            "           p50    p99       n\n"
            "ttft  ms  96.4  410.8  24,000\n"
            "throughput 2,140.2 tok/s (n 12)\n"
            "comm: no collectives in \\x1bthis trace\n"
            "\n"
            "kernel-time (3 of 4)                 total ms  share %      calls  traffic TiB\n"
            "=cmd|' /C calc'!A0                      12.35     41.0  1,482,113         <0.1\n"
            "\\x1b[31mred\\x07 \\x9b \\u202e end\\xff     <0.01      0.1          1          0.0\n"
            "a, \"b\"\\x0d\\x0ac                        >-0.01        -          -  8,388,608.0\n"
            "\n"
            "busy-time\n"
            "rank  busy s\n"
            "   0  <0.001\n"
            "   1   2.000\n"
            "\n"
            "more rows: --rows all\n"
            "\n"
            "warning[OVC-02]: odd \\x01 times (30 times)\n"
            "  help: do\n"
            "warning[JSN-01]: odd \\x01 times (1,207 times)\n"
            "  help: do\n");
}

/* Rows are given up first, in turn, then whole tables; those with a row for each lane are not. */
static void test_few_lines(void)
{
  static const struct {
    int64_t lines;
    const char *has, *has_not;
  } rows[] = {
    { 0, "(3 of 4)", "more table" },
    { 15, "(3 of 4)", "more table" },
    { 11, "(3 of 4)", "more table" }, /* to hide two rows would save no line */
    { 10, "and 1 more table: --rows all\n", "kernel-time" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    FakeResults r;
    fake_run_init(&r);
    g_autofree char *text = summary_of(fake_run_lanes, 2, &r, rows[i].lines);
    if (!CHECK(strstr(text, rows[i].has) && !strstr(text, rows[i].has_not))) CHECK_ROW(text);
    CHECK(strstr(text, "   1   2.000\n") != NULL);
    CHECK(strstr(text, "warning[JSN-01]: ") != NULL);
    CHECK(strstr(text, "--rows all") != NULL);
  }
}

static const struct {
  const char *unit;
  MillValue value;
  uint64_t n;
  const char *wanted;
} values[] = {
  { "ns", { .type = MILL_INT, .u.i = 9514000 }, 70, "m 9.514 ms (n 70)" },
  { "count", { .type = MILL_INT, .u.i = 3288 }, 3288, "m 3,288" },
  { "count", { .type = MILL_REAL, .u.r = 678 }, 3288, "m 678 (n 3,288)" },
  { "count", { .type = MILL_REAL, .u.r = 2.5 }, 1, "m 2.500" },
  { "percent", { .type = MILL_REAL, .u.r = 45.75 }, 1, "m 45.8 %" },
  { NULL, { .type = MILL_REAL, .u.r = 0 }, 0, "m 0.000" },
};

/* A metric without statistics shows what it is. */
static void test_values(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    MillMetric metric = { .name = "m", .unit = values[i].unit };
    FakeMetric one = { &metric, "", values[i].value, values[i].n, MILL_NO_LANE, NULL };
    FakeResults r = { .metrics = &one };
    r.results.n_metrics = 1;
    fake_results_init(&r);
    g_autofree char *text = summary(fake_run_one_lane, 1, &r);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    if (!CHECK_STR(lines[2], values[i].wanted)) CHECK_ROW(values[i].wanted);
  }
}

static void test_values_are_joined(void)
{
  enum { N = 10 };
  MillMetric metrics[N];
  FakeMetric all[N];
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (int64_t i = 0; i < N; i++) {
    g_ptr_array_add(names, g_strdup_printf("metric_number_%d", (int)i));
    metrics[i] = (MillMetric){ .name = names->pdata[i], .unit = "count" };
    all[i] = (FakeMetric){ &metrics[i], NULL, mill_int(i), (uint64_t)i, MILL_NO_LANE, NULL };
  }
  FakeResults r = { .metrics = all };
  r.results.n_metrics = N;
  fake_results_init(&r);
  g_autofree char *text = summary(fake_run_one_lane, 1, &r);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  CHECK_INT(g_strv_length(lines), 5);
  CHECK(g_str_has_prefix(lines[2], "metric_number_0 0 · metric_number_1 1 · "));
  CHECK(g_str_has_suffix(lines[3], "metric_number_9 9"));
  for (guint i = 0; lines[i]; i++) CHECK(g_utf8_strlen(lines[i], -1) <= 100);
}

static void test_one_lane_and_nothing(void)
{
  FakeResults r;
  fake_run_empty(&r);
  g_autofree char *text = summary(fake_run_one_lane, 1, &r);
  CHECK_STR(text, "kernels · 1 input\n");
}

static void test_metrics_of_the_only_lane(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *one = summary(fake_run_one_lane, 1, &r);
  g_autofree char *two = summary(fake_run_lanes, 2, &r);
  CHECK(strstr(one, "by_lane") != NULL);
  CHECK(strstr(two, "by_lane") == NULL);
}

static void test_harmless_bytes_only(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = summary(fake_run_lanes, 2, &r);
  for (const char *c = text; c && *c; c++) CHECK(*c == '\n' || (unsigned char)*c >= 0x20);
  CHECK(g_utf8_validate(text, -1, NULL));
}

static const struct {
  const char *unit;
  MillValue cells[2];
  const char *wanted;
} scales[] = {
  { "ns",
    { { .type = MILL_INT, .u.i = 999 }, { .type = MILL_INT, .u.i = 1 } },
    "t\nc ns\n 999\n   1\n" },
  { "ns",
    { { .type = MILL_INT, .u.i = 1000 }, { .type = MILL_INT, .u.i = 1 } },
    "t\n c us\n1.000\n0.001\n" },
  { "bytes",
    { { .type = MILL_INT, .u.i = 15728640 }, { .type = MILL_NONE } },
    "t\nc MiB\n15.00\n    -\n" },
  { "count",
    { { .type = MILL_INT, .u.i = -12345 }, { .type = MILL_INT, .u.i = 0 } },
    "t\n      c\n-12,345\n      0\n" },
  { "percent",
    { { .type = MILL_REAL, .u.r = 99.96 }, { .type = MILL_INT, .u.i = 3 } },
    "t\n  c %\n100.0\n  3.0\n" },
  { "MHz",
    { { .type = MILL_REAL, .u.r = 0.00042 }, { .type = MILL_REAL, .u.r = -0.0 } },
    "t\n    c MHz\n0.0004200\n0.0000000\n" },
  { NULL,
    { { .type = MILL_REAL, .u.r = 1e300 }, { .type = MILL_BOOL, .u.i = 1 } },
    "t\n     c\n1e+300\n   yes\n" },
};

static void test_scales(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(scales); i++) {
    MillColumn columns[] = { MILL_CELL_COLUMN("c", scales[i].unit, MILL_REAL, MILL_COLUMN_BRIEF,
                                              NULL) };
    MillTable table = { .brief_rows = 5, .name = "t", .columns = MILL_ROWS(columns) };
    FakeTable one = { &table, "t", table.columns, scales[i].cells, 2 };
    FakeResults r = { .tables = &one };
    r.results.n_tables = 1;
    fake_results_init(&r);
    g_autofree char *text = summary(fake_run_one_lane, 1, &r);
    const char *at = strchr(text, '\n') + 2;
    if (!CHECK_STR(at, scales[i].wanted)) CHECK_ROW(scales[i].unit ? scales[i].unit : "no unit");
  }
}

static void test_long_names_lose_their_middle(void)
{
  static const MillColumn columns[] = { MILL_CELL_COLUMN("c", NULL, MILL_TEXT, 0, NULL) };
  static const MillTable table = { .brief_rows = 1, .name = "t", .columns = MILL_ROWS(columns) };
  for (size_t len = 49; len < 5000; len += 707) {
    g_autoptr(GString) name = g_string_new("é");
    while (name->len < len) g_string_append(name, "ü");
    g_string_append(name, "end");
    MillValue cell = mill_text(name->str, name->len);
    FakeTable one = { &table, "t", table.columns, &cell, 1 };
    FakeResults r = { .tables = &one };
    r.results.n_tables = 1;
    fake_results_init(&r);
    g_autofree char *text = summary(fake_run_one_lane, 1, &r);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    CHECK(g_utf8_strlen(lines[3], -1) <= 48);
    CHECK(g_str_has_prefix(lines[3], "éü") && g_str_has_suffix(lines[3], "üend"));
    CHECK(len < 100 || strstr(lines[3], "ü…ü") != NULL);
  }
}

/* A table of two lanes: names, the model that both have, and two numbers. */
static char *two_lanes(const char *first, const char *second, int64_t width)
{
  const MillColumn columns[] = { MILL_CELL_COLUMN("input", NULL, MILL_TEXT, 0, NULL),
                                 MILL_CELL_COLUMN("model", NULL, MILL_TEXT, 0, NULL),
                                 MILL_CELL_COLUMN("request_throughput", "req/s", MILL_REAL, 0,
                                                  NULL),
                                 MILL_CELL_COLUMN("n", NULL, MILL_INT, 0, NULL) };
  const MillTable table = { .per = MILL_PER_LANE,
                            .brief_rows = 5,
                            .name = "runs",
                            .columns = { &columns[2], 2, sizeof *columns } };
  const MillValue cells[] = {
    mill_text(first, strlen(first)),   mill_text("m-8x7b", 6), mill_real(1.5), mill_int(3),
    mill_text(second, strlen(second)), mill_text("m-8x7b", 6), mill_real(2.5), mill_int(4),
  };
  const MillColumnRows all = { columns, 4, sizeof *columns };
  const Options options = { 1, 0, width };
  FakeTable one = { &table, "runs", all, cells, 2 };
  FakeResults r = { .tables = &one };
  r.results.n_tables = 1;
  fake_results_init(&r);
  return fake_run_file(fake_run_lanes, 2, &r, &options, "summary.txt");
}

static void test_what_is_alike_is_said_once(void)
{
  g_autofree char *text = two_lanes("a.json", "b.json", 100);
  CHECK_STR(strchr(text, '\n') + 2, "all rows: model m-8x7b\n"
                                    "runs    request_throughput req/s  n\n"
                                    "a.json                     1.500  3\n"
                                    "b.json                     2.500  4\n");
}

static const struct {
  const char *idea, *first, *second, *wanted;
} narrow[] = {
  { "titles take several lines", "a-name.json", "b-name.json",
    "               request_\n             throughput\nruns              req/s  n\n"
    "a-name.json       1.500  3\nb-name.json       2.500  4\n" },
  { "parts of paths that are alike give way", "some/long/folder/a/results.json",
    "some/long/folder/b/results.json",
    "         request_\n       throughput\nruns        req/s  n\n"
    "…/a/…       1.500  3\n…/b/…       2.500  4\n" },
  { "what differs stays", "void_kernel_with_a_long_name_A_and_a_long_end_of_it",
    "void_kernel_with_a_long_name_B_and_a_long_end_of_it",
    "        request_\n      throughput\nruns       req/s  n\n"
    "…A…        1.500  3\n…B…        2.500  4\n" },
};

static void test_names_are_cut_where_they_are_alike(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(narrow); i++) {
    g_autofree char *text = two_lanes(narrow[i].first, narrow[i].second, 32);
    const char *table = strstr(text, "m-8x7b\n");
    if (!CHECK(table) || !CHECK_STR(table + 7, narrow[i].wanted)) CHECK_ROW(narrow[i].idea);
  }
}

/* A wide character takes two columns, a mark none. */
static void test_wide_names(void)
{
  g_autofree char *text = two_lanes("漢字.json", "e\xcc\x81.json", 100);
  CHECK_STR(strchr(text, '\n') + 2, "all rows: model m-8x7b\n"
                                    "runs       request_throughput req/s  n\n"
                                    "漢字.json                     1.500  3\n"
                                    "e\xcc\x81.json                        2.500  4\n");
  for (int64_t width = 24; width < 50; width++) {
    g_autofree char *narrow_text =
        two_lanes("漢字漢字漢字漢字漢字漢字漢字A漢字漢字漢字漢字.json",
                  "漢字漢字漢字漢字漢字漢字漢字B漢字漢字漢字漢字.json", width);
    g_auto(GStrv) lines = g_strsplit(narrow_text, "\n", -1);
    CHECK(strstr(narrow_text, "A") != NULL && strstr(narrow_text, "B") != NULL);
    for (char **line = lines; *line; line++)
      if (!CHECK(columns_of(*line, strlen(*line)) <= (size_t)width)) CHECK_ROW(*line);
  }
}

/* What is 0 of many, and nobody wants less or more of, is shown with all the rest. */
static void test_nothing_is_no_headline(void)
{
  static const struct {
    const char *unit;
    uint32_t better;
    double value;
    uint64_t n;
    bool shown;
  } rows[] = {
    { "count", MILL_NEITHER, 0, 140, false },  { "ns", MILL_NEITHER, 0, 140, false },
    { "bytes", MILL_NEITHER, 0, 1, false },    { "count", MILL_NEITHER, 1, 140, true },
    { "count", MILL_NEITHER, 0, 0, true },     { "count", MILL_LOWER, 0, 140, true },
    { "percent", MILL_NEITHER, 0, 140, true }, { "number", MILL_NEITHER, 0, 140, true },
    { NULL, MILL_NEITHER, 0, 140, true },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    for (int64_t all = 0; all < 2; all++) {
      MillMetric metric = {
        .kind = MILL_REAL, .name = "odd", .unit = rows[i].unit, .better = rows[i].better
      };
      FakeMetric item = { &metric, NULL, mill_real(rows[i].value), rows[i].n, MILL_NO_LANE, NULL };
      FakeResults r = { .metrics = &item };
      r.results.n_metrics = 1;
      fake_results_init(&r);
      const Options options = { 15, all ? -1 : 0, 100 };
      g_autofree char *text = fake_run_file(fake_run_lanes, 2, &r, &options, "summary.txt");
      if (!CHECK((strstr(text, "\nodd ") != NULL) == (rows[i].shown || all)))
        CHECK_ROW(text), printf("%zu", i);
    }
}

/* Facts that no input has, or some lack; many of these are only counted. */
static void test_left_out(void)
{
  static const struct {
    const char *lines, *wanted;
  } rows[] = {
    { "operators 1 1 op-summary,op-perf\n",
      "\nleft out: op-summary, op-perf (no operators)\n" },
    { "a 2 2 s\nb.c 2 2 t,u,v,w,x,y\n", "\nleft out: s (no a); t, u, v, w and 2 more (no b.c)\n" },
    { "a 2 2 t,u,v,w,x\n", "\nleft out: t, u, v, w, x (no a)\n" },
    { "a 1 3 s,t\n", "\nleft out: s, t (no a in 1 of 3 inputs)\n" },
    { "a 3 3 s\nb 1 3 t,u\nc 2 3 v\n",
      "\nleft out: s (no a)\nleft out: 3 stages of some inputs (see: stagemill plan)\n" },
    { "", "" },
    { "nothing\n", "" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *const info[] = { "profile", "p", "left-out", rows[i].lines, NULL };
    FakeResults r = { .info = info };
    fake_results_init(&r);
    g_autofree char *text = summary(fake_run_lanes, 2, &r);
    g_autofree char *wanted = g_strconcat("p · 2 inputs\n", rows[i].wanted, NULL);
    CHECK_STR(text, wanted);
  }
}

TEST_MAIN({ "writes a summary", test_full }, { "keeps to few lines", test_few_lines },
          { "shows single values", test_values }, { "joins single values", test_values_are_joined },
          { "writes little when there is little", test_one_lane_and_nothing },
          { "shows the metrics of the only lane", test_metrics_of_the_only_lane },
          { "writes no control characters", test_harmless_bytes_only },
          { "scales columns", test_scales },
          { "says once what is alike", test_what_is_alike_is_said_once },
          { "cuts names where they are alike", test_names_are_cut_where_they_are_alike },
          { "shortens long names", test_long_names_lose_their_middle },
          { "gives wide names their room", test_wide_names },
          { "has no headline of nothing", test_nothing_is_no_headline },
          { "names stages that were left out", test_left_out })
