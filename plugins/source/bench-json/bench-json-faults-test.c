/* The bench-json source: duplicate keys, wrong values among them, and what is not a result. */
/* SPDX-License-Identifier: MIT */
#include "bench-json-test.h"

#define OF(members) "{\"request_rate\":1,\"max_concurrency\":2," members "}"
#define TAGS "-- dialect=vllm;tag=request_rate=1;tag=max_concurrency=2;\n"
#define METRICS(members) "{\"aiperf_version\":\"1\"," members "}"
#define LINE(members) "{\"metadata\":{\"benchmark_phase\":\"profiling\"}," members "}\n"
#define RAW(experiment) "{\"service_kind\":\"openai\",\"experiments\":[{" experiment "}]}"
#define REPORT(members) "{\"world_info\":{\"world_size\":2},\"request_info\":{}," members "}"

static void expect_all(const BenchRow *rows, size_t n)
{
  for (size_t i = 0; i < n; i++) bench_expect(rows[i].text, "*", rows[i].expected);
}

/* ------------------------------------------------------------- last values */
static void test_the_last_value_is_right(void)
{
  static const BenchRow rows[] = {
    { OF("\"mean_ttft_ms\":null,\"p9_ttft_ms\":1,\"mean_ttft_ms\":99.5"),
      "run detailed=0 stat_name=ttft.mean stat_name=ttft.p9 stat_value=99.5 stat_value=1.0\n" TAGS
      "note 20: 1\n" },
    { OF("\"duration\":\"x\",\"completed\":-1,\"request_throughput\":NaN,\"duration\":{},"
         "\"duration\":2,\"completed\":3,\"request_throughput\":4"),
      "run completed=3 duration_ns=2000000000 request_throughput=4.0 detailed=0\n" TAGS
      "note 20: 4\n" },
    { OF("\"ttfts\":[1,null,\"x\",[2]],\"itls\":[[0.5,null],7,[NaN]],\"errors\":5,"
         "\"ttfts\":[1],\"itls\":[[0.5]],\"errors\":[\"\"]"),
      "request 0 ttft_ns=1000000000 e2e_ns=1500000000 ok=1 gap_ns=500000000\n"
      "run completed=1 failed=0 detailed=1\n" TAGS "note 20: 3\n" },
    { OF("\"ttfts\":null,\"itls\":\"x\",\"ttfts\":[1],\"itls\":[[0.5]]"),
      "request 0 ttft_ns=1000000000 e2e_ns=1500000000 ok=1 gap_ns=500000000\n"
      "run completed=1 failed=0 detailed=1\n" TAGS "note 20: 2\n" },
    { "{\"avg_latency\":null,\"latencies\":[1],\"percentiles\":7,\"avg_latency\":2,"
      "\"percentiles\":{\"50\":null,\"50\":3,\"99.9\":4}}",
      "request 0 e2e_ns=1000000000 ok=1\n"
      "run completed=1 failed=0 detailed=1 stat_name=e2e.mean stat_name=e2e.p50 "
      "stat_name=e2e.p99.9 stat_value=2000.0 stat_value=3000.0 stat_value=4000.0\n"
      "-- dialect=vllm;\nnote 20: 3\n" },
    { METRICS("\"request_count\":{\"avg\":null},\"request_count\":{\"avg\":\"x\",\"avg\":5},"
              "\"request_latency\":7,\"request_latency\":{\"unit\":\"ms\",\"p50\":1},"
              "\"request_latency\":{\"unit\":null,\"unit\":\"ms\",\"avg\":null,\"avg\":3}"),
      "run completed=5 detailed=0 stat_name=e2e.mean stat_value=3.0\n"
      "-- dialect=aiperf;\nnote 20: 6\n" },
    { METRICS("\"request_count\":{\"avg\":4},\"error_summary\":[{\"count\":null}],"
              "\"request_latency\":{\"std\":1},\"error_summary\":[{\"count\":2}],"
              "\"request_latency\":{\"unit\":\"ms\",\"std\":null,\"count\":\"x\",\"std\":2,"
              "\"count\":1}"),
      "run completed=4 detailed=0 stat_name=e2e.std stat_value=0.0 error_kind='unknown' "
      "error_count=2\n-- dialect=aiperf;\nnote 20: 4\n" },
    { LINE("\"metrics\":{\"request_latency\":{\"unit\":\"ms\",\"value\":null},"
           "\"request_latency\":{\"unit\":\"days\",\"value\":\"x\",\"unit\":\"ms\",\"value\":3}}"),
      "request 0 e2e_ns=3000000 ok=1\nrun completed=1 failed=0 detailed=1\n"
      "-- dialect=aiperf;\nnote 20: 3\n" },
    { "{\"metadata\":{\"request_start_ns\":null},\"metrics\":{\"request_latency\":5},"
      "\"metadata\":{\"request_start_ns\":\"x\",\"request_start_ns\":5},\"metrics\":{}}",
      "request 0 start_ns=5 ok=1\nrun completed=1 failed=0 detailed=1\n"
      "-- dialect=aiperf;\nnote 20: 3\n" },
    { RAW("\"requests\":[{\"timestamp\":null},{\"timestamp\":9,\"response_timestamps\":[3]}],"
          "\"requests\":[{\"timestamp\":\"x\",\"timestamp\":5,\"response_timestamps\":[7]}]"),
      "request 0 start_ns=5 ttft_ns=2 e2e_ns=2 ok=1\n"
      "run completed=1 failed=0 duration_ns=2 detailed=1\n-- dialect=genai-perf;\nnote 20: 2\n" },
    { REPORT("\"performance\":{\"total_latency_ms\":null,\"request_throughput_req_s\":5,"
             "\"avg_request_latency_ms\":3},"
             "\"performance\":{\"total_latency_ms\":\"x\",\"total_latency_ms\":2,"
             "\"request_latency_percentiles_ms\":{\"p50\":null,\"p50\":4}}"),
      "run duration_ns=2000000 gpus=2 detailed=0 stat_name=e2e.p50 stat_value=4.0\n"
      "-- dialect=trtllm;tag=gpus=2;\nnote 20: 3\n" },
    { REPORT("\"world_info\":{\"world_size\":-1,\"tp_size\":4,\"world_size\":8}"),
      "run gpus=8 detailed=0\n-- dialect=trtllm;tag=tp=4;tag=gpus=8;\nnote 20: 2\n" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

/* What an earlier value gave is gone, whether the last gives anything or not. */
static void test_the_last_value_is_none(void)
{
  static const BenchRow rows[] = {
    { OF("\"max_concurrent_requests\":5,\"request_goodput\":1,\"latencies\":[1],\"backend\":\"a\","
         "\"max_concurrent_requests\":null,\"request_goodput\":null,\"latencies\":2,"
         "\"backend\":null"),
      "run detailed=0\n" TAGS "note 20: 4\n" },
    { "{\"mean_ttft_ms\":1,\"percentiles\":{\"50\":1,\"99\":2},\"percentiles\":{\"50\":3}}",
      "run detailed=0 stat_name=ttft.mean stat_name=e2e.p50 stat_value=1.0 stat_value=3000.0\n"
      "-- dialect=vllm;\nnote 20: 1\n" },
    { METRICS("\"request_count\":{\"avg\":4},\"request_latency\":{\"unit\":\"ms\",\"std\":1},"
              "\"request_latency\":{\"unit\":\"ms\"},\"error_summary\":[{\"count\":1}],"
              "\"error_summary\":null"),
      "run completed=4 detailed=0\n-- dialect=aiperf;\nnote 20: 2\n" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

/* Of settings in objects: of a key that an object has twice, and of an object that is there twice. */
static void test_tags_that_are_duplicated(void)
{
  static const BenchRow rows[] = {
    { METRICS("\"input_config\":{\"model\":\"a\",\"concurrency\":4,\"model\":\"b\"}"),
      "run detailed=0\n-- dialect=aiperf;tag=max_concurrency=4;tag=model=b;\nnote 20: 1\n" },
    { METRICS("\"input_config\":{\"model\":\"a\",\"model\":null,\"x\":{\"model\":\"c\"},"
              "\"y\":{\"model\":\"d\"}}"),
      "run detailed=0\n-- dialect=aiperf;tag=model=c;\nnote 20: 1\n" },
    { METRICS("\"input_config\":{\"model\":\"a\",\"concurrency\":4},"
              "\"input_config\":{\"model\":\"b\"}"),
      "run detailed=0\n-- dialect=aiperf;tag=model=b;\nnote 20: 1\n" },
    { OF("\"server_info\":{\"model_path\":\"a\",\"tp_size\":2,\"model_path\":\"b\"}"),
      "run detailed=0\n-- dialect=vllm;tag=request_rate=1;tag=max_concurrency=2;tag=tp=2;"
      "tag=model=b;\nnote 20: 1\n" },
    { OF("\"model_id\":\"m\",\"server_info\":{\"tp_size\":2},"
         "\"server_info\":{\"dp_size\":3,\"model_path\":\"x\"}"),
      "run detailed=0\n-- dialect=sglang;tag=request_rate=1;tag=max_concurrency=2;tag=model=m;"
      "tag=dp=3;\nnote 20: 1\n" },
    { OF("\"model_id\":\"a\",\"model_id\":\"b\""),
      "run detailed=0\n-- dialect=vllm;tag=request_rate=1;tag=max_concurrency=2;tag=model=b;\n"
      "note 20: 1\n" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

/* 2, 2.0 and "2.0" are one load; a name that looks like a number stays a name. */
static void test_numbers_are_one_tag(void)
{
  static const BenchRow rows[] = {
    { "{\"request_rate\":2.0,\"max_concurrency\":80e-1}",
      "run detailed=0\n-- dialect=vllm;tag=request_rate=2;tag=max_concurrency=8;\n" },
    { "{\"request_rate\":\"2.50\",\"max_concurrency\":8,\"model_id\":\"2.0\"}",
      "run detailed=0\n-- "
      "dialect=vllm;tag=request_rate=2.5;tag=max_concurrency=8;tag=model=2.0;\n" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

/* A member each, however much of it is not finite; what is read is another matter. */
static void test_not_finite_where_nobody_reads(void)
{
  static const BenchRow rows[] = {
    { OF("\"x\":NaN,\"y\":[1,Infinity,-Infinity],\"z\":{\"a\":[NaN,{\"b\":NaN}]},"
         "\"w\":[\"NaN\",1],\"v\":null"),
      "run detailed=0\n" TAGS "note 26: 3\n" },
    { OF("\"hardware\":Infinity"),
      "run detailed=0\n-- dialect=vllm;tag=request_rate=1;tag=max_concurrency=2;"
      "tag=hardware=inf;\n" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

static void test_the_last_value_is_wrong(void)
{
  static const BenchRow rows[] = {
    { OF("\"mean_ttft_ms\":99.5,\n\"mean_ttft_ms\":null"),
      "5: \"mean_ttft_ms\" needs a number that is not negative | trace.json:2:16 | found null" },
    /* Of several faults the first that still holds. */
    { OF("\"mean_ttft_ms\":null,\"duration\":\"x\",\n\"completed\":\"y\",\"mean_ttft_ms\":1,"
         "\"duration\":null"),
      "5: \"completed\" needs a number that is not negative | trace.json:2:13 | found \"y\"" },
    { OF("\"ttfts\":[1],\"ttfts\":null"), "5: \"ttfts\" needs a list | trace.json:1:59 | found "
                                          "null" },
    { OF("\"ttfts\":[1,\n\"x\",null,2]"),
      "5: \"ttfts\" needs a number that is not negative | trace.json:2:1 | found \"x\"" },
    { "{\"mean_ttft_ms\":1,\"percentiles\":{\"99.9\":null,\"99\":1}}",
      "5: \"percentiles.99.9\" needs a number that is not negative | trace.json:1:41 | found "
      "null" },
    { "{\"mean_ttft_ms\":1,\"percentiles\":[]}",
      "5: \"percentiles\" needs an object | trace.json:1:33 | found []" },
    { METRICS("\"request_latency\":{\"unit\":\"ms\",\"p99.9\":null,\"p99\":1}"),
      "5: \"request_latency.p99.9\" needs a number that is not negative | trace.json:1:62 | found "
      "null" },
    { METRICS("\"request_latency\":{\"unit\":\"ms\",\"count\":null}"),
      "5: \"request_latency.count\" needs a number that is not negative | trace.json:1:62 | found "
      "null" },
    { LINE("\"metrics\":{\"request_latency\":{\"unit\":\"ms\",\"value\":null}}")
          LINE("\"metrics\":{}"),
      "5: \"request_latency\" needs a number that is not negative | trace.json:1:95 | found null" },
    /* What is no JSON weighs more: nobody knows which values are the last ones. */
    { OF("\"mean_ttft_ms\":null,\"a\":x"),
      "2: the result is not valid JSON | trace.json:1:63 | expected a value" },
    { "{\"mean_ttft_ms\":null,\"a\":1",
      "3: the result ends too early | trace.json:1:27 | the text stops inside a value or before "
      "the last bracket" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

/* Each result of a file is judged by itself, and memory for faults has an end. */
static void test_many_faults(void)
{
  bench_expect("{\"mean_ttft_ms\":null,\"mean_ttft_ms\":1}\n{\"mean_ttft_ms\":null}", "*",
               "5: \"mean_ttft_ms\" needs a number that is not negative | trace.json:2:17 | found "
               "null");
  g_autoptr(GString) text = g_string_new("{\"mean_ttft_ms\":1");
  for (int i = 0; i < 1200; i++)
    g_string_append_printf(text, ",\n\"p%d.%03d_ttft_ms\":null", i / 1000, i % 1000);
  size_t open = text->len;
  g_string_append(text, "}");
  g_autofree char *got = bench_run(text->str, text->len, "*", 1000, 2);
  CHECK_STR(got, "5: \"p0.000_ttft_ms\" needs a number that is not negative | trace.json:2:18 | "
                 "found null");
  g_string_truncate(text, open);
  for (int i = 0; i < 1200; i++)
    g_string_append_printf(text, ",\"p%d.%03d_ttft_ms\":1", i / 1000, i % 1000);
  g_string_append(text, "}");
  g_autofree char *too_many = bench_run(text->str, text->len, "*", 1000, 2);
  CHECK_STR(too_many, got);
}

/* ---------------------------------------------------------- what is foreign */
static void test_what_is_no_result(void)
{
  static const char *const texts[] = {
    "[1]",
    "[]\n",
    "[{\"metric\":{\"name\":\"x\"}}]",
    "42",
    "null",
    "\"x\"",
    "{}",
    "\n {\"a\":1}",
    "\xef\xbb\xbf{\"traceEvents\":[{\"ph\":\"X\"}]}",
    "{\"backend\":\"vllm\",\"duration\":1}",
    /* Lines of something else. */
    "{\"a\":1}\n{\"b\":[2]}\n[3]\n",
    "[NaN, \"\\ud83d\"]",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
    bench_expect(texts[i], "*", "-- skipped=1;\nnote 25: 1\n");
}

/* What is not JSON at all is reported with the place of the fault. */
static void test_what_is_no_json(void)
{
  static const BenchRow rows[] = {
    { "{\"backend\":\"vllm\",\"duration\":x}",
      "2: the result is not valid JSON | trace.json:1:30 | expected a value" },
    { "{\"mean", "3: the result ends too early | trace.json:1:7 | the text stops inside a value or "
                 "before the last bracket" },
    { "hello", "2: the result is not valid JSON | trace.json:1:1 | expected a value" },
    { "\xff\xfe{", "2: the result is not valid JSON | trace.json:1:1 | expected a value" },
    { "[1,\n 2,]", "2: the result is not valid JSON | trace.json:2:4 | a comma before the end" },
    { "[1,\n 2", "3: the result ends too early | trace.json:2:3 | the text stops inside a value or "
                 "before the last bracket" },
    { "{\"a\":[1,\n{\"b\" 2}]}",
      "2: the result is not valid JSON | trace.json:2:6 | expected a colon after the key" },
    { "[1] x", "2: the result is not valid JSON | trace.json:1:5 | expected a value" },
    { "{\"a\":1}]", "2: the result is not valid JSON | trace.json:1:8 | expected a value" },
    { "{\"mean_ttft_ms\":1}\nend",
      "2: the result is not valid JSON | trace.json:2:1 | expected a value" },
    { "{\"mean_ttft_ms\":1}\n[1,]",
      "2: the result is not valid JSON | trace.json:2:4 | a comma before the end" },
    /* Results and something else in one file. */
    { "{\"mean_ttft_ms\":1}\n[1]",
      "4: there is no result of a known benchmark here | trace.json:2:1 | a result is a JSON "
      "object" },
    { "{\"mean_ttft_ms\":1}\n{\"b\":1}", "4: there is no result of a known benchmark here | "
                                         "trace.json:2:1 | none of its keys is known" },
    { "\n[1]\n{}\n{\"mean_ttft_ms\":1}",
      "4: there is no result of a known benchmark here | trace.json:2:1 | a result is a JSON "
      "object" },
  };
  expect_all(rows, G_N_ELEMENTS(rows));
}

/* A companion may be larger than one value may be. */
static void test_large_companion(void)
{
  g_autoptr(GString) text = g_string_new("{\"traceEvents\":[");
  while (text->len < 70u << 20) g_string_append(text, "{\"name\":\"a kernel\",\"ts\":123},\n");
  g_string_append(text, "{}]}");
  g_autofree char *got = bench_run(text->str, text->len, "*", 1 << 20, 8);
  CHECK_STR(got, "-- skipped=1;\nnote 25: 1\n");
}

TEST_MAIN({ "numbers are one tag", test_numbers_are_one_tag },
          { "the last value is right", test_the_last_value_is_right },
          { "the last value is none", test_the_last_value_is_none },
          { "the last value is wrong", test_the_last_value_is_wrong },
          { "tags that are duplicated", test_tags_that_are_duplicated },
          { "not finite where nobody reads", test_not_finite_where_nobody_reads },
          { "many faults", test_many_faults }, { "what is no result", test_what_is_no_result },
          { "what is no JSON", test_what_is_no_json },
          { "a large companion", test_large_companion })
