/* What sinks of results have in common: core/kit/sink/result.c. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-run.h"
#include "kit/sink/result.h"

static void test_headers(void)
{
  static const struct {
    const char *name, *unit, *wanted;
  } rows[] = {
    { "total", "ns", "total_ns" }, { "calls", "count", "calls" },
    { "name", NULL, "name" },      { "share", "percent", "share_percent" },
    { "bytes", "bytes", "bytes" }, { "x", "", "x" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    MillColumn c = { .name = rows[i].name, .unit = rows[i].unit };
    g_autofree char *header = result_header(&c);
    CHECK_STR(header, rows[i].wanted);
  }
}

static void test_texts(void)
{
  static const struct {
    const char *text;
    size_t len;
    const char *wanted;
  } rows[] = {
    { "plain", 5, "plain" },
    { "", 0, "" },
    { "a\0b", 3,
      "a\xef\xbf\xbd"
      "b" },
    { "\xff", 1, "\xef\xbf\xbd" },
    { "\xe4\xb8\xad", 3, "\xe4\xb8\xad" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *mended = NULL;
    size_t len = rows[i].len;
    const char *text = result_valid(rows[i].text, &len, &mended);
    CHECK_INT(len, strlen(rows[i].wanted));
    CHECK(!memcmp(text, rows[i].wanted, len));
  }
}

/* UTF-16 units: two for what is beyond the first plane, which is never cut in halves. */
static void test_cuts(void)
{
  CHECK_INT(result_cut("abc", 3, 3), 3);
  CHECK_INT(result_cut("abc", 3, 2), 2);
  CHECK_INT(result_cut("\xe4\xb8\xad\xe4\xb8\xad", 6, 1), 3);
  CHECK_INT(result_cut("a\xf0\x9f\x98\x80", 5, 2), 1);
  CHECK_INT(result_cut("a\xf0\x9f\x98\x80", 5, 3), 5);
}

static void test_names(void)
{
  static const char *const rows[][2] = {
    { "a", "a" },
    { "A", "A (2)" },
    { "a", "a (3)" },
    { "a (2)", "a (2) (2)" },
    { "abcdefghijk", "abcdefghij" },
    { "ABCDEFGHIJ", "ABCDEF (2)" },
    { "\xc3\x89", "\xc3\x89" },
    { "\xc3\xa9", "\xc3\xa9 (2)" },
  };
  ResultNames names;
  result_names_init(&names, " (%u)", 10);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *name = result_names_take(&names, rows[i][0]);
    CHECK_STR(name, rows[i][1]);
  }
  result_names_clear(&names);
}

static void test_absence(void)
{
  MillValue real = mill_real(1), infinite = mill_real(1.0 / 0.0), none = mill_none(),
            text = mill_text("x", 1);
  MillValue object = mill_json("{\"a\":1}", 7), broken = mill_json("{\"a\":", 5);
  CHECK(result_absence(&real, NULL) == NULL);
  CHECK(result_absence(&object, NULL) == NULL);
  CHECK_STR(result_absence(&none, "no rows"), "no rows");
  CHECK_STR(result_absence(&none, ""), "not applicable");
  CHECK_STR(result_absence(&infinite, NULL), "not a finite number");
  CHECK_STR(result_absence(&text, NULL), "not applicable");
  CHECK_STR(result_absence(&broken, NULL), "not a valid JSON object");
}

static void test_samples(void)
{
  MillMetric metric = { .unit = "ns" };
  MillMetricResult none = { .metric = &metric, .value = mill_none(), .reason = "no rows" };
  MillMetricResult few = { .metric = &metric, .value = mill_none(), .reason = "too few", .n = 9 };
  MillMetricResult zero = { .metric = &metric, .value = mill_int(0) };
  MillMetricResult many = { .metric = &metric, .value = mill_int(1), .n = UINT64_MAX };
  CHECK(result_samples(&none).type == MILL_NONE);
  CHECK(result_samples(&few).type == MILL_INT && result_samples(&few).u.i == 9);
  CHECK(result_samples(&zero).type == MILL_INT && result_samples(&zero).u.i == 0);
  CHECK(result_samples(&many).u.i == INT64_MAX);
}

static void test_words(void)
{
  MillMetric metric = { .unit = "ns" };
  MillMetricResult m = { .metric = &metric, .stat = "p50" }, n = { .metric = &metric, .stat = "n" };
  MillColumn column = { .type = MILL_BOOL };
  MillNotice notice = { .level = MILL_LEVEL_WARNING }, unknown = { .level = 99 };
  CHECK_STR(result_unit(&m), "ns");
  CHECK_STR(result_unit(&n), "count");
  CHECK_STR(result_better(MILL_LOWER), "lower");
  CHECK_STR(result_better(MILL_HIGHER), "higher");
  CHECK_STR(result_better(MILL_NEITHER), "");
  CHECK_STR(result_type(&column), "bool");
  CHECK_STR(result_level(&notice), "warning");
  CHECK_STR(result_level(&unknown), "trace");
}

TEST_MAIN({ "headers", test_headers }, { "texts", test_texts }, { "cuts", test_cuts },
          { "names that differ", test_names }, { "absence", test_absence },
          { "samples", test_samples }, { "words", test_words })
