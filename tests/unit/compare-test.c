/* Runs against each other: compare.c, diff.c, frame.c, and what is written: write.c, findings.c, figures.c,
 * headline-write.c. */
/* SPDX-License-Identifier: MIT */
#include "compare/compare.h"

#include <glib.h>

#include "base/num.h"
#include "check.h"
#include "results/load.h"

#define HEAD                                                                                 \
  "{\"schema_version\":\"2.1\",\"program\":{\"name\":\"stagemill\",\"version\":\"1\"},"      \
  "\"profile\":\"p\",\"lanes\":[{\"index\":0,\"rank\":3,\"label\":\"\",\"name\":\"r.json\"," \
  "\"dialect\":\"\",\"tags\":{}}],"
#define COLUMN(name, type, key, unit, more) \
  "{\"name\":\"" name "\",\"unit\":" unit ",\"type\":\"" type "\",\"key\":" key more "}"
#define TABLE(rows)                                                                              \
  "{\"name\":\"t\",\"help\":\"\",\"per\":\"run\",\"order\":\"-total,kernel\",\"columns\":"       \
  "[" COLUMN("kernel", "text", "true", "null", "") "," COLUMN(                                   \
      "input", "text", "true", "null",                                                           \
      "") "," COLUMN("calls", "int", "false", "\"count\"",                                       \
                     "") "," COLUMN("total", "real", "false", "\"ms\"",                          \
                                    ",\"better\":\"lower\"") "," COLUMN("note", "text", "false", \
                                                                        "null",                  \
                                                                        "") "],\"rows\":[" rows  \
                                                                            "]}"
#define ROW(kernel, input, calls, total, note)                                              \
  "{\"kernel\":\"" kernel "\",\"input\":\"" input "\",\"calls\":" calls ",\"total\":" total \
  ",\"note\":" note "}"
#define SUMMARY(metrics, tables, figures)                                                          \
  HEAD "\"metrics\":[" metrics "],\"tables\":[" tables "],\"figures\":[" figures "],\"notices\":[" \
       "]}"

static Results *load(const char *text)
{
  Results *r = NULL;
  Error *e = results_load_text("test", text, strlen(text), &r);
  if (e) {
    g_autoptr(GString) out = g_string_new(NULL);
    error_format(e, true, false, out);
    printf("\n%s", out->str);
    error_free(e);
  }
  CHECK(r != NULL);
  return r;
}

static void put_cell(GString *out, const MillValue *v)
{
  char text[NUM_BUF];
  switch (v->type) {
  case MILL_NONE: g_string_append_c(out, '-'); break;
  case MILL_TEXT: g_string_append_len(out, v->u.text, v->len); break;
  case MILL_REAL:
    num_format_real(text, v->u.r);
    g_string_append(out, text);
    break;
  default: g_string_append_printf(out, "%d", (int)v->u.i);
  }
}

/* The table as lines of cells, the columns first. */
static char *dump(Results *results, const char *name)
{
  const MillResults *r = results_view(results);
  MillTableResult t = { .size = sizeof t };
  GString *out = g_string_new(NULL);
  for (uint32_t i = 0; r->table(r, i, &t); i++) {
    if (strcmp(t.name, name)) continue;
    for (uint32_t c = 0; c < t.columns.n; c++)
      g_string_append_printf(out, "%s%s", c ? "|" : "", MILL_AT(MillColumn, t.columns, c)->name);
    for (uint64_t row = 0; row < t.n_rows; row++) {
      g_string_append_c(out, '\n');
      for (uint32_t c = 0; c < t.columns.n; c++) {
        if (c) g_string_append_c(out, '|');
        put_cell(out, &r->row(r, i, row)[c]);
      }
    }
  }
  return g_string_free(out, FALSE);
}

typedef struct Trial { /* sides of one run each, or of several */
  CompareSide sides[3];
  uint32_t n;
  Results *results;
  CompareCounts counts;
} Trial;

static void trial_add(Trial *t, const char *name, const char *const *texts)
{
  CompareSide *side = &t->sides[t->n++];
  side->name = (char *)name;
  side->runs = g_ptr_array_new_with_free_func((GDestroyNotify)results_free);
  for (; *texts; texts++) g_ptr_array_add(side->runs, load(*texts));
}

static void trial_run(Trial *t, bool all)
{
  CompareOptions options = { .min_change = 0.01, .confidence = 0.95, .all = all };
  t->results = compare_sides(t->sides, t->n, &options, &t->counts);
}

static void trial_clear(Trial *t)
{
  results_free(t->results);
  for (uint32_t i = 0; i < t->n; i++) g_ptr_array_unref(t->sides[i].runs);
}

static void check_table(const Trial *t, const char *name, const char *wanted)
{
  g_autofree char *got = dump(t->results, name);
  CHECK_STR(got, wanted);
}

#define BUSY(value) \
  "{\"name\":\"gpu_busy\",\"value\":" value ",\"unit\":\"percent\",\"n\":9,\"better\":\"higher\"}"

#define TAGGED(rows)                                                                    \
  "{\"name\":\"t\",\"help\":\"\",\"per\":\"run\",\"columns\":[" COLUMN(                 \
      "ep", "text", "true", "null",                                                     \
      ",\"lead\":true") "," COLUMN("kernel", "text", "true", "null",                    \
                                   "") "," COLUMN("calls", "int", "false", "\"count\"", \
                                                  "") "],\"rows\":[" rows "]}"
#define TAGGED_ROW(ep, kernel, calls) \
  "{\"ep\":\"" ep "\",\"kernel\":\"" kernel "\",\"calls\":" calls "}"

static void check_tagged(const char *changed_rows, const char *wanted)
{
  const char *const base[] = {
    SUMMARY("", TAGGED(TAGGED_ROW("1", "gemm", "10") "," TAGGED_ROW("1", "copy", "4")), ""), NULL
  };
  const char *const changed[] = { changed_rows, NULL };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", changed);
  trial_run(&t, false);
  check_table(&t, "t", wanted);
  trial_clear(&t);
}

/* A tag with one value on each side is no key; one with several is. */
static void test_tags_of_sides(void)
{
  static const char columns[] = "column|unit|base|new|change|change_percent|low_percent|"
                                "high_percent|n|better|verdict\n";
  g_autofree char *without =
      g_strconcat("kernel|", columns, "gemm|calls|count|10.0|12.0|2.0|20.0|-|-|1|-|changed", NULL);
  check_tagged(
      SUMMARY("", TAGGED(TAGGED_ROW("4", "gemm", "12") "," TAGGED_ROW("4", "copy", "4")), ""),
      without);
  g_autofree char *with = g_strconcat("ep|kernel|", columns,
                                      "1|copy|calls|count|4.0|-|-|-|-|-|1|-|vanished\n4|copy|calls|"
                                      "count|-|4.0|-|-|-|-|1|-|appeared\n"
                                      "1|gemm|calls|count|10.0|12.0|2.0|20.0|-|-|1|-|changed",
                                      NULL);
  check_tagged(
      SUMMARY("", TAGGED(TAGGED_ROW("1", "gemm", "12") "," TAGGED_ROW("4", "copy", "4")), ""),
      with);
}

static void test_one_run(void)
{
  static const char *const base[] = {
    SUMMARY(
        BUSY("81.0") ",{\"name\":\"ttft\",\"stat\":\"p99\",\"unit\":\"ns\",\"better\":\"lower\","
                     "\"reason\":\"no requests\"}",
        TABLE(
            ROW("gemm", "a", "10", "8.0", "\"x\"") "," ROW("copy", "a", "4", "2.0", "null") "," ROW(
                "gone", "a", "1", "1.5", "null") "," ROW("same", "a", "1", "1.0", "null")),
        ""),
    NULL
  };
  static const char *const changed[] = {
    SUMMARY(
        BUSY("71.0") ",{\"name\":\"ttft\",\"stat\":\"p99\",\"unit\":\"ns\",\"better\":\"lower\","
                     "\"value\":2500000,\"n\":4}",
        TABLE(
            ROW("same", "b", "1", "1.005", "null") "," ROW("copy", "b", "4", "3.0", "null") "," ROW(
                "gemm", "b", "10", "8.2", "\"y\"") "," ROW("new", "b", "7", "0.5", "null")),
        ""),
    NULL
  };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", changed);
  trial_run(&t, false);
  check_table(&t, "metrics",
              "metric|stat|unit|base|new|change|change_percent|low_percent|high_percent|n|better|"
              "verdict|reason\n"
              "ttft|p99|ns|-|2500000.0|-|-|-|-|1|lower|appeared|no requests\n"
              "gpu_busy|-|percent|81.0|71.0|-10.0|-12.345679012|-|-|1|higher|changed|-");
  check_table(&t, "t",
              "kernel|column|unit|base|new|change|change_percent|low_percent|high_percent|n|better|"
              "verdict|base_text|new_text\n"
              "gone|total|ms|1.5|-|-|-|-|-|1|lower|vanished|-|-\n"
              "copy|total|ms|2.0|3.0|1.0|50.0|-|-|1|lower|changed|-|-\n"
              "new|total|ms|-|0.5|-|-|-|-|1|lower|appeared|-|-\n"
              "gemm|total|ms|8.0|8.2|0.1999999999999993|2.5|-|-|1|lower|changed|-|-\n"
              "gemm|note|-|-|-|-|-|-|-|1|-|changed|x|y");
  check_table(&t, "tables", "table|same|changed|appeared|vanished\nt|1|2|1|1");
  check_table(&t, "findings",
              "finding\n"
              "ttft.p99 appeared (2.500 ms)\n"
              "gpu_busy fell by 12.3 % (from 81.0 to 71.0 percent), which is worse\n"
              "total of gone (t) vanished (was 1.50 ms)\n"
              "total of copy (t) rose by 50.0 % (from 2.00 to 3.00 ms), which is worse\n"
              "t: of its rows 1 appeared, 1 vanished");
  trial_clear(&t);
}

static void test_itself(void)
{
  static const char *const run[] = {
    SUMMARY(BUSY("81.0"),
            TABLE(ROW("gemm", "a", "10", "8.0", "null") "," ROW("copy", "a", "4", "-0.0", "null")),
            ""),
    NULL
  };
  Trial t = { .n = 0 };
  trial_add(&t, "a", run);
  trial_add(&t, "b", run);
  trial_run(&t, false);
  check_table(&t, "findings", "finding\nnothing changed");
  check_table(&t, "tables", "table|same|changed|appeared|vanished\nt|2|0|0|0");
  CHECK_INT(t.counts.rows[COMPARE_SAME], 3);
  const MillResults *r = results_view(t.results);
  CHECK_STR(r->info(r, "profile"), "compare");
  CHECK_STR(r->info(r, "title"), "b compared with a · p");
  trial_clear(&t);
}

/* 100 to 103 against 109 to 112: all 16 ratios are above 1.  The busy time is noise. */
static void test_repeated(void)
{
#define RUN(busy, total) SUMMARY(BUSY(busy), TABLE(ROW("k", "a", "1", total, "null")), "")
  static const char *const base[] = { RUN("80", "100"), RUN("81", "101"), RUN("82", "102"),
                                      RUN("83", "103"), NULL };
  static const char *const slow[] = { RUN("70", "109"), RUN("78", "110"), RUN("84", "111"),
                                      RUN("79", "112"), NULL };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", slow);
  trial_run(&t, false);
  g_autofree char *metrics = dump(t.results, "metrics");
  CHECK(strstr(metrics, "|neutral|") != NULL);
  g_autofree char *table = dump(t.results, "t");
  CHECK(strstr(table, "\nk|total|ms|101.5|110.5|") != NULL);
  CHECK(strstr(table, "|5.825242718|12.0|4|lower|regression") != NULL);
  check_table(&t, "tables",
              "table|same|changed|appeared|vanished|improved|regression|neutral\nt|0|0|0|0|0|1|0");
  CHECK(t.counts.rows[COMPARE_REGRESSION] == 1 && t.counts.rows[COMPARE_NEUTRAL] == 1);
  trial_clear(&t);
}

#define JUDGED(value, group)                                                                       \
  HEAD                                                                                             \
      "\"definitions\":[{\"name\":\"ttft\",\"per\":\"run\",\"type\":\"real\",\"unit\":\"ms\","     \
      "\"better\":\"lower\",\"stats\":\"mean,p50\",\"headline\":\"p50\"}],\"metrics\":[{\"name\":" \
      "\"ttft\",\"stat\":\"mean\",\"value\":" value                                                \
      ",\"unit\":\"ms\",\"n\":9,\"better\":\"lower\","                                             \
      "\"definition\":0},{\"name\":\"ttft\",\"stat\":\"p50\"," group "\"value\":" value            \
      ",\"unit\":\"ms\",\"n\":9,\"better\":\"lower\",\"definition\":0}],\"tables\":[],"            \
      "\"notices\":[]}"

/* Only p50 is a headline.  Of 4 and 4 values all of one side above: 1 in 70, also after correction for one. */
static void test_headlines(void)
{
#define RATE(value) JUDGED(value, "\"group\":{\"rate\":\"2\"},")
  static const char *const base[] = { RATE("100"), RATE("101"), RATE("102"), RATE("103"), NULL };
  static const char *const slow[] = { RATE("110"), RATE("111"), RATE("112"), RATE("113"), NULL };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", slow);
  trial_run(&t, false);
  g_autofree char *table = dump(t.results, "headline");
  CHECK(g_str_has_prefix(table, "metric|stat|group|unit|base|new|change_percent|low_percent|"
                                "high_percent|n|better|p_percent|p_corrected_percent|verdict|"
                                "reason\nttft|p50|rate=2|ms|101.5|111.5|"));
  CHECK(g_str_has_suffix(table, "|4|lower|1.4285714285714286|1.4285714285714286|worse|-"));
  check_table(&t, "headline-counts", "worse|better|equal|not_judged\n1|0|0|0");
  CHECK_INT(t.counts.headlines[HEADLINE_WORSE], 1);
  g_autofree char *findings = dump(t.results, "findings");
  CHECK(strstr(findings, "finding\nheadline metrics: 1 worse, 0 better, 0 equal, 0 not judged\n"));
  trial_clear(&t);
}

/* A tag of one side only: each side has what the other one lacks. */
static void test_lone_headlines(void)
{
  static const char *const base[] = { JUDGED("100", ""), NULL };
  static const char *const other[] = { JUDGED("100", "\"group\":{\"rate\":\"2\"},"), NULL };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", other);
  trial_run(&t, false);
  check_table(&t, "headline-counts", "worse|better|equal|not_judged\n0|0|0|2");
  g_autofree char *table = dump(t.results, "headline");
  CHECK(strstr(table, "|not judged|the new side has no value") != NULL);
  CHECK(strstr(table, "|not judged|the base has no value") != NULL);
  trial_clear(&t);
}

#define OTHER_TABLE(name, column, unit, value)                                                   \
  "{\"name\":\"" name "\",\"help\":\"\",\"per\":\"run\",\"columns\":[" COLUMN(                   \
      "base", "text", "true", "null", "") "," COLUMN(column, "real", "false", unit,              \
                                                     "") "],\"rows\":[{\"base\":\"k\",\"" column \
                                                         "\":" value "}]}"

/* Names that the comparison uses itself, a column in another unit, a table of one side, and three sides. */
static void test_odd_tables(void)
{
  static const char *const base[] = { SUMMARY("", OTHER_TABLE("tables", "x", "\"ms\"", "1"), ""),
                                      NULL };
  static const char *const second[] = { SUMMARY("", OTHER_TABLE("tables", "x", "\"ms\"", "2"), ""),
                                        NULL };
  static const char *const third[] = {
    SUMMARY("", OTHER_TABLE("tables", "x", "\"s\"", "1") "," OTHER_TABLE("more", "y", "null", "5"),
            ""),
    NULL
  };
  Trial t = { .n = 0 };
  trial_add(&t, "one", base);
  trial_add(&t, "two", second);
  trial_add(&t, "three", third);
  trial_run(&t, true);
  check_table(&t, "table-tables",
              "side|key_base|column|unit|base|new|change|change_percent|low_percent|high_percent|n|"
              "better|verdict\n"
              "two|k|x|ms|1.0|2.0|1.0|100.0|-|-|1|-|changed");
  check_table(&t, "tables",
              "side|table|same|changed|appeared|vanished\n"
              "two|tables|0|1|0|0\nthree|tables|1|0|0|0\nthree|more|0|0|1|0");
  check_table(&t, "findings",
              "finding\ntwo: x of k (tables) rose by 100.0 % (from 1.00 to 2.00 ms)\n"
              "three: y of k (more) appeared (5.00)\nthree: more: of its rows 1 appeared");
  const MillResults *r = results_view(t.results);
  MillNoticeResult n = { .size = sizeof n };
  CHECK(r->n_notices == 1 && r->notice(r, 0, &n));
  CHECK_STR(n.code, "RUN-46");
  CHECK(strstr(n.what, "column x of tables") != NULL);
  trial_clear(&t);
}

/* The rows of both sides stand in one table, in the order of their runs. */
static void test_figures(void)
{
#define FIGURE(facet) \
  "{\"name\":\"f\",\"kind\":\"bar\",\"table\":\"t\",\"x\":\"kernel\",\"y\":\"total\"" facet "}"
  static const char *const base[] = {
    SUMMARY("", TABLE(ROW("k", "a", "1", "1.5", "null")), FIGURE("")), NULL
  };
  static const char *const other[] = {
    SUMMARY("", TABLE(ROW("k", "b", "1", "2.5", "null")), FIGURE("")), NULL
  };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", other);
  trial_run(&t, false);
  check_table(&t, "t-sides",
              "side|kernel|input|calls|total|note\nold|k|a|1|1.5|-\nnew|k|b|1|2.5|-");
  const MillResults *r = results_view(t.results);
  MillFigureResult f = { .size = sizeof f };
  MillTableResult table = { .size = sizeof table };
  if (CHECK(r->n_figures == 1 && r->figure(r, 0, &f) && r->table(r, f.table, &table))) {
    CHECK_STR(table.name, "t-sides");
    CHECK_STR(f.figure->facet, "side");
    CHECK_STR(f.figure->y, "total");
    CHECK_INT(table.table->brief_rows, 0);
  }
  trial_clear(&t);
}

static void test_empty(void)
{
  static const char *const none[] = { SUMMARY("", TABLE(""), ""), NULL };
  static const char *const one[] = { SUMMARY("", TABLE(ROW("k", "a", "1", "1e300", "null")), ""),
                                     NULL };
  Trial t = { .n = 0 };
  trial_add(&t, "old", none);
  trial_add(&t, "new", one);
  trial_run(&t, false);
  check_table(&t, "tables", "table|same|changed|appeared|vanished\nt|0|0|1|0");
  trial_clear(&t);
  t = (Trial){ .n = 0 };
  trial_add(&t, "old", none);
  trial_add(&t, "new", none);
  trial_run(&t, true);
  check_table(&t, "findings", "finding\nnothing changed");
  trial_clear(&t);
}

/* Ranks part the lanes of one metric, and so do labels and groups. */
static void test_metrics_of_lanes(void)
{
#define LANE_METRIC(value, more) \
  "{\"name\":\"m\",\"value\":" value ",\"unit\":null,\"n\":1,\"better\":null" more "}"
  static const char *const base[] = {
    SUMMARY(LANE_METRIC("1", "") "," LANE_METRIC("10", ",\"lane\":0") "," LANE_METRIC(
                "{\"a\":1}", ",\"group\":{\"mode\":\"a=b\",\"n\":\"2\"}"),
            "", ""),
    NULL
  };
  static const char *const other[] = {
    SUMMARY(LANE_METRIC("{\"a\":2}", ",\"group\":{\"mode\":\"a=b\",\"n\":\"2\"}") "," LANE_METRIC(
                "20", ",\"lane\":0") "," LANE_METRIC("1", ""),
            "", ""),
    NULL
  };
  Trial t = { .n = 0 };
  trial_add(&t, "old", base);
  trial_add(&t, "new", other);
  trial_run(&t, false);
  check_table(&t, "metrics",
              "metric|rank|group|unit|base|new|change|change_percent|low_percent|high_percent|n|"
              "better|verdict|base_text|new_text|reason\n"
              "m|3|-|-|10.0|20.0|10.0|100.0|-|-|1|-|changed|-|-|-\n"
              "m|-|mode=a=b, n=2|-|-|-|-|-|-|-|1|-|changed|{\"a\":1}|{\"a\":2}|-");
  check_table(&t, "findings",
              "finding\nm (rank 3) rose by 100.0 % (from 10.0 to 20.0)\nm (mode=a=b, n=2) changed");
  trial_clear(&t);
}

TEST_MAIN({ "tags of sides", test_tags_of_sides }, { "repeated runs", test_repeated },
          { "headlines", test_headlines }, { "headlines of one side", test_lone_headlines },
          { "odd tables", test_odd_tables }, { "figures", test_figures },
          { "empty tables", test_empty }, { "metrics of lanes and groups", test_metrics_of_lanes },
          { "one run a side", test_one_run }, { "a run against itself", test_itself })
