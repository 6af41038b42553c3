/* The text sink: what a person sees, safe on any terminal. */
#include "check.h"
#include "fake-run.h"

static char *summary_of(const FakeLane *lanes, uint32_t n_lanes, const FakeResults *r,
                        int64_t lines)
{
  const struct {
    int64_t lines;
  } options = { lines };
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
            "=cmd|' /C calc'!A0                      12.35     41.0  1,482,113          0.0\n"
            "\\x1b[31mred\\x07 \\x9b \\u202e end\\xff      0.00      0.1          1          0.0\n"
            "a, \"b\"\\x0d\\x0ac                          0.00        -          -  8,388,608.0\n"
            "\n"
            "busy-time\n"
            "rank  busy s\n"
            "   0   0.000\n"
            "   1   2.000\n"
            "\n"
            "2 kinds of warning (1,237 events): OVC-02, JSN-01   stagemill explain OVC-02\n");
}

static int64_t full_lines(const char *text)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  int64_t n = 0;
  for (guint i = 0; lines[i]; i++) n += *lines[i] != 0;
  return n;
}

/* Rows are given up first, in turn, then whole tables. */
static void test_few_lines(void)
{
  static const struct {
    int64_t lines;
    const char *has, *has_not;
  } rows[] = {
    { 0, "   1   2.000\n", "more table" },
    { 14, "   1   2.000\n", "more table" },
    { 13, "   1   2.000\n", "(3 of 4)" },
    { 12, "(2 of 4)", "   1   2.000\n" },
    { 11, "(1 of 4)", "more table" },
    { 10, "and 1 more table\n", "busy-time" },
    { 1, "and 2 more tables\n", "kernel-time" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    FakeResults r;
    fake_run_init(&r);
    g_autofree char *text = summary_of(fake_run_lanes, 2, &r, rows[i].lines);
    if (!CHECK(strstr(text, rows[i].has) && !strstr(text, rows[i].has_not))) CHECK_ROW(text);
    CHECK(strstr(text, "2 kinds of warning") != NULL);
    CHECK(rows[i].lines < 10 || full_lines(text) <= rows[i].lines);
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
    all[i] = (FakeMetric){ &metrics[i], NULL, mill_int(i), 1, MILL_NO_LANE, NULL };
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
    MillColumn columns[] = { MILL_BRIEF("c", scales[i].unit, MILL_REAL, NULL) };
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
  static const MillColumn columns[] = { MILL_COLUMN("c", NULL, MILL_TEXT, NULL) };
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

TEST_MAIN({ "writes a summary", test_full }, { "keeps to few lines", test_few_lines },
          { "shows single values", test_values }, { "joins single values", test_values_are_joined },
          { "writes little when there is little", test_one_lane_and_nothing },
          { "shows the metrics of the only lane", test_metrics_of_the_only_lane },
          { "writes no control characters", test_harmless_bytes_only },
          { "scales columns", test_scales },
          { "shortens long names", test_long_names_lose_their_middle })
