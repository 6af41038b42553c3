/* The bench-json source: a file of every producer's format against the records written beside it. */
/* SPDX-License-Identifier: MIT */
#include "bench-json-test.h"

static char *folder(void)
{
  return g_build_filename(g_getenv("SOURCE_ROOT"), "plugins", "source", "bench-json", "test",
                          "bench-json", NULL);
}

static char *read_file(const char *name)
{
  g_autofree char *dir = folder();
  g_autofree char *path = g_build_filename(dir, name, NULL);
  char *text = NULL;
  if (!CHECK(g_file_get_contents(path, &text, NULL, NULL))) CHECK_ROW(path);
  return text ? text : g_strdup("");
}

static void test_producers(void)
{
  static const char *const files[] = {
    "vllm-detailed.json",   "vllm-appended.json",    "vllm-2024.json",      "vllm-latency.json",
    "vllm-throughput.json", "sglang.jsonl",          "trtllm-serving.json", "trtllm-bench.json",
    "aiperf.json",          "aiperf-requests.jsonl", "genai-perf.json",     "genai-perf-raw.json",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *text = read_file(files[i]);
    g_autofree char *stem = g_strndup(files[i], strcspn(files[i], "."));
    g_autofree char *records = g_strconcat(stem, ".records", NULL);
    g_autofree char *expected = read_file(records);
    if (!bench_expect(text, "*", expected)) CHECK_ROW(files[i]);
    if (!CHECK(bench_probe(text, strlen(text)) >= 60)) CHECK_ROW(files[i]);
  }
}

/* No other file of the folder is taken for a result. */
static void test_companion(void)
{
  g_autofree char *text = read_file("vllm.pytorch.json");
  CHECK_INT(bench_probe(text, strlen(text)), 0);
}

/* ------------------------------------------------------------------- rules */
#define METRICS(members) "{\"aiperf_version\":\"1\"," members "}"
#define LINE(metrics, rest)                                                                        \
  "{\"metadata\":{\"request_start_ns\":5,\"benchmark_phase\":\"profiling\"},\"metrics\":{" metrics \
  "}" rest "}\n"
#define RAW(requests) \
  "{\"service_kind\":\"openai\",\"experiments\":[{\"requests\":[" requests "]}]}"
#define REPORT(members) "{\"world_info\":{\"world_size\":2},\"request_info\":{}," members "}"

static void test_rules(void)
{
  static const BenchRow rows[] = {
    { METRICS("\"request_count\":{\"avg\":4},\"request_count\":{\"avg\":5},"
              "\"request_latency\":{\"unit\":\"ms\",\"std\":2,\"std\":3,\"foo\":\"x\"}"),
      "run completed=5 detailed=0 stat_name=e2e.std stat_value=2.6832815729997477\n"
      "-- dialect=aiperf;\nnote 20: 2\n" },
    /* A sample's standard deviation needs the number of values. */
    { METRICS("\"request_latency\":{\"unit\":\"ms\",\"std\":2}"),
      "run detailed=0\n-- dialect=aiperf;\nnote 24: 1\n" },
    { METRICS("\"request_count\":{\"avg\":0},\"request_latency\":{\"unit\":\"ms\",\"std\":0}"),
      "run completed=0 detailed=0\n-- dialect=aiperf;\n" },
    { METRICS("\"error_summary\":[],\"input_config\":{\"request_rate\":Infinity,\"a\":{\"b\":{"
              "\"c\":{\"model\":\"too deep\"}}}}"),
      "run detailed=0\n-- dialect=aiperf;tag=request_rate=inf;\n" },
    { METRICS("\"error_summary\":[{\"count\":1},{\"error_details\":{\"code\":7},\"count\":2},"
              "{\"error_details\":{\"message\":\"m\"},\"count\":3}]"),
      "run detailed=0 error_kind='unknown' error_kind='7' error_kind='m' error_count=1 "
      "error_count=2 error_count=3\n-- dialect=aiperf;\n" },
    /* e2e is unknown without latency or gaps. */
    { LINE("\"time_to_first_token\":{\"unit\":\"ms\",\"value\":1}", ""),
      "request 0 start_ns=5 ttft_ns=1000000 ok=1\nrun completed=1 failed=0 detailed=1\n"
      "-- dialect=aiperf;\n" },
    { LINE("\"time_to_first_token\":{\"unit\":\"ms\",\"value\":1},\"inter_chunk_latency\":{"
           "\"unit\":\"ms\",\"value\":2}",
           ",\"error\":\"\""),
      "request 0 start_ns=5 ttft_ns=1000000 e2e_ns=3000000 ok=1 gap_ns=2000000\n"
      "run completed=1 failed=0 detailed=1\n-- dialect=aiperf;\n" },
    { LINE("\"output_sequence_length\":{\"value\":0}",
           ",\"error\":\"lost\"") "\n" LINE("\"output_sequence_length\":{\"value\":0}", ""),
      "request 0 start_ns=5 output_tokens=0 error='lost' ok=0\n"
      "request 1 start_ns=5 output_tokens=0 ok=0\nrun completed=0 failed=2 detailed=1\n"
      "-- dialect=aiperf;\n" },
    { RAW(""), "run completed=0 failed=0 detailed=1\n-- dialect=genai-perf;\n" },
    { REPORT(
          "\"performance\":{\"request_latency_percentiles_ms\":null},\"streaming_metrics\":null"),
      "run gpus=2 detailed=0\n-- dialect=trtllm;tag=gpus=2;\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) bench_expect(rows[i].text, "*", rows[i].expected);
}

/* Lists that fit in one record, whatever the file holds. */
static void test_many_kinds(void)
{
  g_autoptr(GString) text = g_string_new("{\"aiperf_version\":\"1\",\"error_summary\":[");
  for (int i = 0; i < 1200; i++)
    g_string_append_printf(text, "%s{\"error_details\":{\"code\":%d},\"count\":2}", i ? "," : "",
                           i);
  g_string_append(text, "]}");
  g_autofree char *got = bench_run(text->str, text->len, "*", 1000, 2);
  CHECK(strstr(got, " error_kind='998' error_kind='others' error_count=2 ") != NULL);
  CHECK(strstr(got, " error_count=2 error_count=402\n") != NULL);
}

static void test_many_statistics(void)
{
  g_autoptr(GString) text = g_string_new("{\"completed\":5");
  for (int i = 0; i < 1200; i++)
    g_string_append_printf(text, ",\"p%d.%03d_ttft_ms\":%d", i / 1000, i % 1000, i);
  g_string_append(text, "}");
  g_autofree char *got = bench_run(text->str, text->len, "stat_value", 1000, 2);
  CHECK(g_str_has_prefix(got, "run stat_value=0.0 stat_value=1.0 "));
  CHECK(strstr(got, " stat_value=998.0 stat_value=999.0\n") != NULL);
}

static void test_bad_input(void)
{
  static const BenchRow rows[] = {
    { METRICS("\"request_latency\":{\"unit\":\"ms\",\"avg\":null}"),
      "5: \"request_latency.avg\" needs a number that is not negative | trace.json:1:60 | found "
      "null" },
    { METRICS("\"request_latency\":{\"unit\":\"ms\",\"p50\":NaN}"),
      "5: \"request_latency.p50\" needs a number that is not negative | trace.json:1:60 | found "
      "NaN" },
    { METRICS("\"request_latency\":{\"unit\":\"days\",\"avg\":1}"),
      "5: \"request_latency\" needs a unit of time | trace.json:1:49 | found \"days\"" },
    { METRICS("\"request_latency\":{\"avg\":1}"),
      "5: \"request_latency\" needs a unit of time | trace.json:1:41 | it is missing" },
    { METRICS("\"request_throughput\":{\"unit\":\"requests/sec\"}"),
      "5: \"request_throughput\" needs a number that is not negative | trace.json:1:44 | it is "
      "missing" },
    { METRICS("\"request_throughput\":5"),
      "5: a metric must be an object | trace.json:1:44 | expected {\"unit\": ..., \"avg\": ...}" },
    { LINE("\"request_latency\":{\"unit\":\"ms\",\"value\":-1}", ""),
      "5: \"request_latency\" needs a number that is not negative | trace.json:1:116 | found -1" },
    { LINE("\"inter_chunk_latency\":{\"unit\":\"ms\",\"value\":[1,null]}", ""),
      "5: \"inter_chunk_latency\" needs a number that is not negative | trace.json:1:123 | found "
      "null" },
    { LINE("", "") "[]",
      "2: a line is not a record of a request | trace.json:2:1 | expected an object" },
    { LINE("", "") "{\"metadata\":{",
      "3: the result ends too early | trace.json:2:14 | the text stops inside a value or before "
      "the last bracket" },
    { RAW("{\"timestamp\":\"x\"}"),
      "5: \"timestamp\" needs a number that is not negative | trace.json:1:67 | found \"x\"" },
    { RAW("{\"response_timestamps\":[1]}"),
      "5: \"timestamp\" needs a number that is not negative | trace.json:1:54 | it is missing" },
    { RAW("{\"timestamp\":5,\"response_timestamps\":[4]}"),
      "5: responses are not in the order of time | trace.json:1:92 | one is earlier than the one "
      "before it" },
    { RAW("[]"),
      "2: the result is not valid JSON | trace.json:1:54 | expected a request's object" },
    { "{\"service_kind\":\"openai\",\"experiments\":[{}],\"x\":1,\n\"experiments\":[{}]}",
      "5: \"experiments\" is duplicated | trace.json:2:15 | the runs of the first one are read "
      "already" },
    { "{\"service_kind\":\"openai\",\"experiments\":[]}",
      "4: there is no result of a known benchmark here | trace.json:1:42 | the list of experiments "
      "is empty" },
    { "{\"service_kind\":\"openai\",\"endpoint\":\"e\"}",
      "4: there is no result of a known benchmark here | trace.json:1:41 | the object has no "
      "experiments" },
    { REPORT("\"performance\":{\"total_latency_ms\":\"1\"}"),
      "5: \"performance.total_latency_ms\" needs a number that is not negative | trace.json:1:84 | "
      "found \"1\"" },
    { REPORT("\"streaming_metrics\":{\"ttft_percentiles\":{\"p50\":null}}"),
      "5: \"streaming_metrics.ttft_percentiles.p50\" needs a number that is not negative | "
      "trace.json:1:97 | found null" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) bench_expect(rows[i].text, "*", rows[i].expected);
}

TEST_MAIN({ "producers", test_producers }, { "companion", test_companion }, { "rules", test_rules },
          { "many kinds of errors", test_many_kinds }, { "many statistics", test_many_statistics },
          { "bad input", test_bad_input })
