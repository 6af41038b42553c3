/* The openmetrics sink: names, base units, labels, escapes. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-run.h"

static char *write_metrics(const FakeLane *lanes, uint32_t n_lanes, const FakeMetric *metrics,
                           uint32_t n)
{
  FakeResults r = { .metrics = metrics, .results.n_metrics = n };
  fake_results_init(&r);
  return fake_run_file(lanes, n_lanes, &r, NULL, "metrics.prom");
}

static void check_metrics(const FakeMetric *metrics, uint32_t n, const char *wanted)
{
  g_autofree char *text = write_metrics(fake_run_lanes, 2, metrics, n);
  CHECK_STR(text, wanted);
}

static void test_run(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = fake_run_file(fake_run_lanes, 2, &r, NULL, "metrics.prom");
  CHECK_STR(text, "# TYPE stagemill_ttft_seconds gauge\n"
                  "# UNIT stagemill_ttft_seconds seconds\n"
                  "# HELP stagemill_ttft_seconds Time to first token\n"
                  "stagemill_ttft_seconds{stat=\"p50\"} 0.0964\n"
                  "stagemill_ttft_seconds{stat=\"p99\"} 0.4108\n"
                  "# TYPE stagemill_throughput_tokens_per_second gauge\n"
                  "# UNIT stagemill_throughput_tokens_per_second tokens_per_second\n"
                  "stagemill_throughput_tokens_per_second 2140.25\n"
                  "stagemill_throughput_tokens_per_second{lane=\"1\"} 7.5\n"
                  "# TYPE stagemill_by_lane gauge\n"
                  "stagemill_by_lane{lane=\"0\",label=\"a\\\"b\"} 4\n"
                  "# EOF\n");
}

static void test_units(void)
{
  static const struct {
    const char *unit, *wanted;
  } rows[] = {
    { "us", "m_seconds 5e-06" },
    { "ms", "m_seconds 0.005" },
    { "percent", "m_ratio 0.05" },
    { "ratio", "m_ratio 5" },
    { "bytes", "m_bytes 5" },
    { "KiB", "m_bytes 5120.0" },
    { "MHz", "m_hertz 5000000.0" },
    { "GB/s", "m_bytes_per_second 5000000000.0" },
    { "bytes/ns", "m_bytes_per_second 5000000000.0" },
    { "req/s", "m_requests_per_second 5" },
    { "count", "m 5" },
    { NULL, "m 5" },
    { "odd unit%", "m_odd_unit_ 5" },
    { "tok/req", "m_tokens_per_request 5" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    MillMetric metric = { .kind = MILL_INT, .name = "m", .unit = rows[i].unit };
    FakeMetric one = { &metric, NULL, mill_int(5), 1, MILL_NO_LANE, NULL, NULL };
    g_autofree char *text = write_metrics(fake_run_lanes, 2, &one, 1);
    g_autofree char *wanted = g_strdup_printf("\nstagemill_%s\n# EOF\n", rows[i].wanted);
    if (!CHECK(g_str_has_suffix(text, wanted))) CHECK_ROW(text);
  }
}

/* Families are contiguous, and no two have one name; what others types end in is not taken. */
static void test_families(void)
{
  static const MillMetric a = { .name = "a-b", .unit = "s" }, b = { .name = "a_b", .unit = "s" },
                          total = { .name = "x_total" },
                          named = { .name = "busy_seconds", .unit = "s" };
  const FakeMetric metrics[] = {
    { &a, NULL, mill_int(1), 1, MILL_NO_LANE, NULL, NULL },
    { &b, NULL, mill_int(2), 1, MILL_NO_LANE, NULL, NULL },
    { &a, "n", mill_int(3), 1, MILL_NO_LANE, NULL, NULL },
    { &a, "p50", mill_int(4), 1, MILL_NO_LANE, NULL, NULL },
    { &total, NULL, mill_int(5), 1, MILL_NO_LANE, NULL, NULL },
    { &named, NULL, mill_int(6), 1, MILL_NO_LANE, NULL, NULL },
  };
  check_metrics(
      metrics, G_N_ELEMENTS(metrics),
      "# TYPE stagemill_a_b_seconds gauge\n# UNIT stagemill_a_b_seconds seconds\n"
      "stagemill_a_b_seconds 1\nstagemill_a_b_seconds{stat=\"p50\"} 4\n"
      "# TYPE stagemill_a_b_2_seconds gauge\n# UNIT stagemill_a_b_2_seconds seconds\n"
      "stagemill_a_b_2_seconds 2\n"
      "# TYPE stagemill_a_b_samples gauge\n# HELP stagemill_a_b_samples Number of samples\n"
      "stagemill_a_b_samples 3\n"
      "# TYPE stagemill_x_total_value gauge\nstagemill_x_total_value 5\n"
      "# TYPE stagemill_busy_seconds gauge\n# UNIT stagemill_busy_seconds seconds\n"
      "stagemill_busy_seconds 6\n# EOF\n");
}

static void test_labels(void)
{
  static const MillMetric m = { .name = "m", .help = "a \"b\"\\\nc" };
  const FakeMetric metrics[] = {
    { &m, "p50", mill_int(1), 1, MILL_NO_LANE, NULL, "model=a\\n\"\\\\\nstat=x\n__x=1\n9 b=2\n=3" },
  };
  check_metrics(metrics, 1,
                "# TYPE stagemill_m gauge\n# HELP stagemill_m a \\\"b\\\"\\\\\\nc\n"
                "stagemill_m{stat=\"p50\",model=\"a\\n\\\"\\\\\",tag_stat=\"x\",_x=\"1\",_9_b="
                "\"2\",tag=\"3\"} 1\n"
                "# EOF\n");
}

/* Inputs without ranks have names, which may be equal. */
static void test_lanes(void)
{
  static const FakeLane lanes[] = { { .rank = -1, .name = "/a/x.json" },
                                    { .rank = -1, .name = "/b/x.json" } };
  static const MillMetric m = { .per = MILL_PER_LANE, .name = "m" };
  const FakeMetric metrics[] = { { &m, NULL, mill_int(1), 1, 0, NULL, NULL },
                                 { &m, NULL, mill_int(2), 1, 1, NULL, NULL } };
  g_autofree char *text = write_metrics(lanes, 2, metrics, 2);
  CHECK_STR(text, "# TYPE stagemill_m gauge\nstagemill_m{lane=\"x.json\"} 1\n"
                  "stagemill_m{lane=\"x.json\",input=\"1\"} 2\n# EOF\n");
}

static void test_numbers(void)
{
  static const MillMetric m = { .name = "m" }, ratio = { .name = "r", .unit = "KiB" };
  const FakeMetric metrics[] = { { &m, NULL, mill_int(INT64_MAX), 1, MILL_NO_LANE, NULL, NULL },
                                 { &m, "a", mill_real(1e300), 1, MILL_NO_LANE, NULL, NULL },
                                 { &m, "b", mill_real(0.0 / 0.0), 1, MILL_NO_LANE, NULL, NULL },
                                 { &m, "c", mill_none(), 1, MILL_NO_LANE, "no", NULL },
                                 { &ratio, NULL, mill_real(1.7e308), 1, MILL_NO_LANE, NULL,
                                   NULL } };
  check_metrics(metrics, G_N_ELEMENTS(metrics),
                "# TYPE stagemill_m gauge\nstagemill_m "
                "9223372036854775807\nstagemill_m{stat=\"a\"} 1e+300\n# EOF\n");
}

static void test_empty(void) { check_metrics(NULL, 0, "# EOF\n"); }

TEST_MAIN({ "a run", test_run }, { "base units", test_units }, { "families", test_families },
          { "labels", test_labels }, { "lanes", test_lanes }, { "numbers", test_numbers },
          { "no results", test_empty })
