/* The bench-json source: serving results in one object, the rules for their columns, bad input. */
/* SPDX-License-Identifier: MIT */
#include "bench-json-test.h"

/* ------------------------------------------------------------ whole results */
/* As vLLM writes with --save-detailed.  Request 1 failed, request 2 gave one token only. */
static const char detailed[] =
    "{\"date\": \"20250301-120000\", \"endpoint_type\": \"vllm\", \"backend\": \"vllm\",\n"
    "\"label\": \"base\", \"model_id\": \"acme/moe\", \"tokenizer_id\": \"acme/moe\", "
    "\"num_prompts\": 3, \"tp\": \"4\", \"request_rate\": \"inf\", \"burstiness\": 1.0, "
    "\"max_concurrency\": 8, \"ramp_up_strategy\": null, \"duration\": 2.5, \"completed\": 2,\n"
    "\"failed\": 1, \"total_input_tokens\": 30, \"total_output_tokens\": 4, "
    "\"request_throughput\": 0.8, \"request_goodput\": null, \"output_throughput\": 1.6, "
    "\"total_token_throughput\": 13.6, \"max_output_tokens_per_s\": 3.0, "
    "\"max_concurrent_requests\": 2, \"rtfx\": NaN, \"input_lens\": [10, 7, 20],\n"
    "\"output_lens\": [3, 0, 1], \"ttfts\": [0.5, 0.0, 0.25], \"itls\": [[0.125, 0.0625], [], []], "
    "\"start_times\": [100.0, 100.5, 101.000000001],\n"
    "\"generated_texts\": [\"a b \\\"c\\\" ]\", \"\", \"d\\u00e9\"], \"errors\": [\"\", \"Timeout: "
    "\\u00e9\\n\", \"\"], \"mean_ttft_ms\": 375.0, \"median_ttft_ms\": 375.0, \"std_ttft_ms\": "
    "125.0, \"p99_ttft_ms\": 497.5, \"p99.9_tpot_ms\": 93.75, \"mean_itl_ms\": 93.75,\n"
    "\"median_e2el_ms\": 468.75, \"mean_client_queue_time_ms\": 1.0}\n";

static void test_detailed(void)
{
  bench_expect(
      detailed, "*",
      "request 0 start_ns=100000000000 ttft_ns=500000000 e2e_ns=687500000 input_tokens=10 "
      "output_tokens=3 ok=1 gap_ns=125000000 gap_ns=62500000\n"
      "request 1 start_ns=100500000000 input_tokens=7 output_tokens=0 error='Timeout: \xc3\xa9\n' "
      "ok=0\n"
      "request 2 start_ns=101000000001 ttft_ns=250000000 e2e_ns=250000000 input_tokens=20 "
      "output_tokens=1 ok=1\n"
      "run completed=2 failed=1 duration_ns=2500000000 input_tokens=30 output_tokens=4 "
      "max_concurrent=2 request_throughput=0.8 output_throughput=1.6 total_throughput=13.6 "
      "max_output_rate=3.0 detailed=1 stat_name=ttft.mean stat_name=ttft.p50 stat_name=ttft.std "
      "stat_name=ttft.p99 stat_name=tpot.p99.9 stat_name=itl.mean stat_name=e2e.p50 "
      "stat_value=375.0 stat_value=375.0 stat_value=125.0 stat_value=497.5 stat_value=93.75 "
      "stat_value=93.75 stat_value=468.75\n"
      "-- "
      "dialect=vllm;tag=framework=vllm;tag=result_label=base;tag=model=acme/"
      "moe;tag=tp=4;tag=request_rate=inf;tag=max_concurrency=8;\nnote "
      "26: 1\n");
}

/* Only what somebody reads is given; e2e is computed from gaps that nobody reads. */
static void test_projection(void)
{
  bench_expect(detailed, "e2e_ns",
               "request 0 e2e_ns=687500000\nrequest 1\nrequest 2 e2e_ns=250000000\nrun\n"
               "-- dialect=vllm;tag=framework=vllm;tag=result_label=base;tag=model=acme/moe;"
               "tag=tp=4;tag=request_rate=inf;tag=max_concurrency=8;\nnote 26: 1\n");
  bench_expect(detailed, "ttft_ns completed",
               "request 0 ttft_ns=500000000\nrequest 1\nrequest 2 ttft_ns=250000000\n"
               "run completed=2\n"
               "-- dialect=vllm;tag=framework=vllm;tag=result_label=base;tag=model=acme/moe;"
               "tag=tp=4;tag=request_rate=inf;tag=max_concurrency=8;\nnote 26: 1\n");
}

/* As of 2024, by one group's own script: no std, no failed, and keys of theirs. */
static void test_older_result(void)
{
  bench_expect(
      "{\"date\":\"20241101-101010\",\"backend\":\"openai\",\"model_id\":\"m\",\"tokenizer_id\":"
      "\"m\",\"best_of\":1,\"use_beam_search\":false,\"num_prompts\":10,\"dataset_name\":"
      "\"sharegpt\",\"dataset_path\":\"/data/s.json\",\"request_rate\":4.5,\"duration\":1.25,"
      "\"completed\":10,\"total_input_tokens\":1000,\"total_output_tokens\":500,"
      "\"request_throughput\":8.0,\"input_throughput\":800.0,\"output_throughput\":400.0,"
      "\"mean_ttft_ms\":50.5,\"median_ttft_ms\":49.0,\"p99_ttft_ms\":80.0,"
      "\"imbalance_score\":0.25,\"imbalance_components\":{\"a\":[1,2]},"
      "\"imbalance_raw_metrics\":[{\"b\":null}]}",
      "*",
      "run completed=10 duration_ns=1250000000 input_tokens=1000 output_tokens=500 "
      "request_throughput=8.0 input_throughput=800.0 output_throughput=400.0 detailed=0 "
      "stat_name=ttft.mean stat_name=ttft.p50 stat_name=ttft.p99 stat_value=50.5 stat_value=49.0 "
      "stat_value=80.0\n"
      "-- "
      "dialect=vllm;tag=framework=openai;tag=model=m;tag=dataset=sharegpt;tag=request_rate=4.5;\n");
}

/* Results appended to one file: each is a lane. */
static void test_appended(void)
{
  bench_expect("\xef\xbb\xbf{\"request_rate\": 1.0, \"completed\": 1, \"mean_ttft_ms\": 1.0}\n"
               "{\n \"request_rate\": 2.0,\n \"completed\": 2,\n \"label\": null\n}\n\n"
               "{\"max_concurrency\":4,\"completed\":3,\"ttfts\":[0.5],\"errors\":[null]} ",
               "*",
               "run completed=1 detailed=0 stat_name=ttft.mean stat_value=1.0\n"
               "-- dialect=vllm;tag=request_rate=1;\n"
               "run completed=2 detailed=0\n-- tag=request_rate=2;\n"
               "request 0 ttft_ns=500000000 ok=1\nrun completed=3 failed=0 detailed=1\n"
               "-- tag=max_concurrency=4;\nnote 27: 1\n");
}

static void test_fixed_batch(void)
{
  bench_expect("{\"avg_latency\": 1.5, \"latencies\": [1.0, 2.0], \"percentiles\": {\"10\": 1.125, "
               "\"50\": 1.5, \"99\": 2}}",
               "*",
               "request 0 e2e_ns=1000000000 ok=1\nrequest 1 e2e_ns=2000000000 ok=1\n"
               "run completed=2 failed=0 detailed=1 stat_name=e2e.mean stat_name=e2e.p10 "
               "stat_name=e2e.p50 stat_name=e2e.p99 stat_value=1500.0 stat_value=1125.0 "
               "stat_value=1500.0 stat_value=2000.0\n-- dialect=vllm;\n");
  bench_expect("{\"elapsed_time\": 2.0, \"num_requests\": 10, \"total_num_tokens\": 3000, "
               "\"requests_per_second\": 5.0, \"tokens_per_second\": 1500.0}",
               "*",
               "run completed=10 duration_ns=2000000000 request_throughput=5.0 "
               "total_throughput=1500.0 detailed=0\n-- dialect=vllm;\n");
}

static const char sglang[] =
    "{\"tag\": null, \"backend\": \"sglang\", \"dataset_name\": \"random\", \"request_rate\": "
    "Infinity, \"max_concurrency\": 16, \"sharegpt_output_len\": null, \"random_input_len\": 64, "
    "\"random_output_len\": 8, \"random_range_ratio\": 0.5, \"server_info\": {\"model_path\": "
    "\"acme/moe\", \"tp_size\": 2, \"dp_size\": 1, \"extra\": [1, {\"a\": 2}]}, \"duration\": 4.0, "
    "\"completed\": 2, \"total_input_tokens\": 100, \"total_input_text_tokens\": 100, "
    "\"total_input_vision_tokens\": 0, \"total_output_tokens\": 6, "
    "\"total_output_tokens_retokenized\": 6, \"request_throughput\": 0.5, \"input_throughput\": "
    "25.0, \"output_throughput\": 1.5, \"total_throughput\": 26.5, \"mean_e2e_latency_ms\": 900.0, "
    "\"median_e2e_latency_ms\": 800.0, \"std_e2e_latency_ms\": 10.0, \"p90_e2e_latency_ms\": "
    "950.0, \"p99_e2e_latency_ms\": 990.0, \"mean_ttft_ms\": 500.0, \"mean_tpot_ms\": 250.0, "
    "\"mean_itl_ms\": 200.0, \"p95_itl_ms\": 250.0, \"concurrency\": 0.45, \"accept_length\": "
    "null, \"max_output_tokens_per_s\": 2.0, \"max_concurrent_requests\": 2, ";

static void test_sglang(void)
{
  g_autofree char *text = g_strconcat(
      sglang,
      "\"input_lens\": [60, 40], \"output_lens\": [2, 4], \"ttfts\": [0.5, 0.25], \"itls\": "
      "[[0.25], [0.125, 1e-05, 5.25]], \"generated_texts\": [\"\", \"\"], \"errors\": [\"\", "
      "\"\"]}\n",
      sglang, "\"x\": 1}\n", NULL);
  static const char run[] =
      "run completed=2%s duration_ns=4000000000 input_tokens=100 output_tokens=6 max_concurrent=2 "
      "request_throughput=0.5 input_throughput=25.0 output_throughput=1.5 total_throughput=26.5 "
      "max_output_rate=2.0 detailed=%d stat_name=e2e.mean stat_name=e2e.p50 stat_name=e2e.std "
      "stat_name=e2e.p90 stat_name=e2e.p99 stat_name=ttft.mean stat_name=tpot.mean "
      "stat_name=itl.mean stat_name=itl.p95 stat_value=900.0 stat_value=800.0 stat_value=10.0 "
      "stat_value=950.0 stat_value=990.0 stat_value=500.0 stat_value=250.0 stat_value=200.0 "
      "stat_value=250.0\n"
      "-- %stag=framework=sglang;tag=dataset=random;tag=request_rate=inf;tag=max_concurrency=16;"
      "tag=model=acme/moe;tag=tp=2;tag=dp=1;\n";
  g_autoptr(GString) expected = g_string_new(
      "request 0 ttft_ns=500000000 e2e_ns=750000000 input_tokens=60 output_tokens=2 ok=1 "
      "gap_ns=250000000\n"
      "request 1 ttft_ns=250000000 e2e_ns=5625010000 input_tokens=40 output_tokens=4 ok=1 "
      "gap_ns=125000000 gap_ns=10000 gap_ns=5250000000\n");
  g_string_append_printf(expected, run, " failed=0", 1, "dialect=sglang;");
  g_string_append_printf(expected, run, "", 0, "");
  bench_expect(text, "*", expected->str);
}

static void test_trtllm_serving(void)
{
  bench_expect(
      "{\"date\":\"d\",\"backend\":\"openai\",\"model_id\":\"m\",\"request_rate\":\"inf\","
      "\"duration\":1,\"completed\":1,\"total_input_tokens\":5,\"total_output_tokens\":2,"
      "\"request_throughput\":1.0,\"request_goodput:\":0.5,\"output_throughput\":2.0,"
      "\"total_token_throughput\":7.0,\"user_throughput\":4.0,\"avg_decoded_tokens_per_iter\":{"
      "\"mean\":1.0},\"energy\":{\"total_energy_j\":3.5},\"input_lens\":[5],\"output_lens\":[2],"
      "\"ttfts\":[0.25],\"itls\":[[0.25]],\"e2els\":[0.75],\"errors\":[\"\"],"
      "\"min_ttft_ms\":250.0,\"max_e2el_ms\":750.0}",
      "*",
      "request 0 ttft_ns=250000000 e2e_ns=750000000 input_tokens=5 output_tokens=2 ok=1 "
      "gap_ns=250000000\n"
      "run completed=1 failed=0 duration_ns=1000000000 input_tokens=5 output_tokens=2 "
      "request_throughput=1.0 output_throughput=2.0 total_throughput=7.0 request_goodput=0.5 "
      "user_throughput=4.0 detailed=1 stat_name=ttft.min stat_name=e2e.max stat_value=250.0 "
      "stat_value=750.0\n"
      "-- dialect=trtllm;tag=framework=openai;tag=model=m;tag=request_rate=inf;\n");
}

/* ------------------------------------------------------------------- rules */
#define OF(members) "{\"request_rate\":1,\"max_concurrency\":2," members "}"
#define TAGS "-- dialect=vllm;tag=request_rate=1;tag=max_concurrency=2;\n"

static void test_rules(void)
{
  static const BenchRow rows[] = {
    /* Any order; latencies win over ttft and gaps. */
    { OF("\"itls\":[[0.5]],\"latencies\":[1.25],\"ttfts\":[0.25],\"output_lens\":[2]"),
      "request 0 ttft_ns=250000000 e2e_ns=1250000000 output_tokens=2 ok=1 gap_ns=500000000\n"
      "run completed=1 failed=0 detailed=1\n" TAGS },
    /* Latencies alone are no requests. */
    { OF("\"latencies\":[1.25],\"queue_times\":[0.1],\"completed\":1"),
      "run completed=1 detailed=0\n" TAGS },
    /* An error fails a request that has output; no output fails one without an error. */
    { OF("\"ttfts\":[1,2,3],\"output_lens\":[1,0,1],\"errors\":[\"x\",\"\",\"\"],\"failed\":2"),
      "request 0 output_tokens=1 error='x' ok=0\nrequest 1 output_tokens=0 ok=0\n"
      "request 2 ttft_ns=3000000000 output_tokens=1 ok=1\n"
      "run completed=1 failed=2 detailed=1\n" TAGS },
    { OF("\"output_lens\":[1,0],\"failed\":0"),
      "request 0 output_tokens=1 ok=1\nrequest 1 output_tokens=0 ok=0\n"
      "run completed=1 failed=0 detailed=1\n" TAGS "note 21: 1\n" },
    /* Completed is what is listed, with or without those that gave nothing. */
    { OF("\"output_lens\":[1,0],\"completed\":1000000"),
      "request 0 output_tokens=1 ok=1\nrequest 1 output_tokens=0 ok=0\n"
      "run completed=1000000 failed=1 detailed=1\n" TAGS "note 27: 1\n" },
    /* 1.500 for 1500; and within 1 %. */
    { OF("\"output_lens\":[700,800],\"completed\":2,\"total_output_tokens\":1"),
      "request 0 output_tokens=700 ok=1\nrequest 1 output_tokens=800 ok=1\n"
      "run completed=2 failed=0 output_tokens=1 detailed=1\n" TAGS "note 28: 1\n" },
    { OF("\"output_lens\":[700,800],\"completed\":2,\"total_output_tokens\":1514"),
      "request 0 output_tokens=700 ok=1\nrequest 1 output_tokens=800 ok=1\n"
      "run completed=2 failed=0 output_tokens=1514 detailed=1\n" TAGS },
    { OF("\"output_lens\":[1,0],\"completed\":2"),
      "request 0 output_tokens=1 ok=1\nrequest 1 output_tokens=0 ok=0\n"
      "run completed=2 failed=1 detailed=1\n" TAGS },
    /* Gaps of failed requests are left out, and the next request has its own. */
    { OF("\"output_lens\":[2,2,2],\"itls\":[[0.5],[5,0.25],[7]],\"errors\":[\"\",\"e\",\"\"]"),
      "request 0 output_tokens=2 ok=1 gap_ns=500000000\n"
      "request 1 output_tokens=2 error='e' ok=0\n"
      "request 2 output_tokens=2 ok=1 gap_ns=7000000000\n"
      "run completed=2 failed=1 detailed=1\n" TAGS },
    /* Nothing completed: zeros are no measurements. */
    { OF("\"completed\":0,\"failed\":2,\"mean_ttft_ms\":0.0,\"output_throughput\":0.0"),
      "run completed=0 failed=2 output_throughput=0.0 detailed=0\n" TAGS },
    /* The last of two values counts; a median and p50 are the same statistic. */
    { OF("\"duration\":1,\"duration\":2,\"ttfts\":[9,9],\"ttfts\":[1],\"p9_itl_ms\":1,"
         "\"p9_itl_ms\":2,\"median_itl_ms\":3,\"p50_itl_ms\":4,\"own\":1,\"own\":2"),
      "request 0 ttft_ns=1000000000 ok=1\n"
      "run completed=1 failed=0 duration_ns=2000000000 detailed=1 stat_name=itl.p9 "
      "stat_name=itl.p50 stat_value=2.0 stat_value=4.0\n" TAGS "note 20: 3\n" },
    /* Texts may hold what JSON does not allow. */
    { OF("\"generated_texts\":[\"a\tb\",\"\x80\",\"\\x\",\"\xe2\x82\xac\",\"\\ud83d\"]"),
      "run detailed=0\n" TAGS "note 22: 3\n" },
    /* Long lists of no requests at all. */
    { OF("\"input_lens\":[],\"output_lens\":[],\"ttfts\":[],\"itls\":[],\"errors\":[]"),
      "run completed=0 failed=0 detailed=1\n" TAGS },
    { OF("\"request_goodput\":1.5,\"max_concurrent_requests\":null,\"duration\":1e-3"),
      "run duration_ns=1000000 request_goodput=1.5 detailed=0\n" TAGS },
    { OF("\"p101_ttft_ms\":1,\"pp_ttft_ms\":\"x\",\"worst_ttft_ms\":null,\"mean_ttft_ms\":2"),
      "run detailed=0 stat_name=ttft.mean stat_value=2.0\n" TAGS },
    { OF("\"itls\":[[0.5]],\"itls\":[[0.25],[]],\"ttfts\":[1,1]"),
      "request 0 ttft_ns=1000000000 e2e_ns=1250000000 ok=1 gap_ns=250000000\n"
      "request 1 ttft_ns=1000000000 e2e_ns=1000000000 ok=1\n"
      "run completed=2 failed=0 detailed=1\n" TAGS "note 20: 1\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) bench_expect(rows[i].text, "*", rows[i].expected);
}

/* Every way to write a time, as whole nanoseconds rounded half to even. */
static void test_times(void)
{
  static const struct {
    const char *text;
    int64_t ns;
  } rows[] = {
    { "0.012345678901234", 12345679 },
    { "0.01234567840123456789", 12345678 },
    { "0.0123456785", 12345678 },
    { "0.0123456795", 12345680 },
    { "0.01234567850", 12345678 },
    { "0.012345678500000000", 12345678 },
    { "0.012345678500000001", 12345679 },
    { "0.0123456785000000000000000000000000000000001", 12345679 },
    { "0.0123456784999999999999999999999999999999999", 12345678 },
    { "0.9999999999999", 1000000000 },
    { "0.99999999949", 999999999 },
    { "0.00000000049999", 0 },
    { "0.000000000510", 1 },
    { "0.12345678", 123456780 },
    { "0.123456789", 123456789 },
    { "0.1234567894", 123456789 },
    { "0.123456789412345678901234", 123456789 },
    { "0.1234567894123456789012345", 123456789 },
    { "0", 0 },
    { "0.0", 0 },
    { "-0.0", 0 },
    { "1", 1000000000 },
    { "12.5", 12500000000 },
    { "4.294967294", 4294967294 },
    { "4.294967295", 4294967295 },
    { "4.294967296", 4294967296 },
    { "9e-05", 90000 },
    { "7.152557373046875E-6", 7153 },
    { "1.5e+1", 15000000000 },
    { "1e-300", 0 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text =
        g_strdup_printf(OF("\"itls\":[[%s, 0.25,\n %s ]]"), rows[i].text, rows[i].text);
    g_autofree char *expected =
        g_strdup_printf("request 0 gap_ns=%lld gap_ns=250000000 gap_ns=%lld\nrun\n" TAGS,
                        (long long)rows[i].ns, (long long)rows[i].ns);
    bench_expect(text, "gap_ns", expected);
  }
}

/* More gaps than a record holds go on in records with the same id and nothing else. */
static void test_many_gaps(void)
{
  g_autoptr(GString) text = g_string_new("{\"output_lens\":[1,2],\"ttfts\":[1,1],\"itls\":[[");
  for (int i = 0; i < 9000; i++) g_string_append_printf(text, "%s%d", i ? "," : "", 1 + i % 6);
  g_string_append(text, "],[0.5]]}");
  g_autofree char *got = bench_run(text->str, text->len, "*", 1000, 2);
  g_auto(GStrv) lines = g_strsplit(got, "\n", -1);
  static const unsigned counts[] = { 4096, 4096, 808, 1 };
  CHECK_INT(g_strv_length(lines), 7);
  for (unsigned i = 0; i < 4; i++) {
    unsigned n = 0;
    for (const char *p = lines[i]; (p = strstr(p, " gap_ns=")); p++) n++;
    CHECK_INT(n, counts[i]);
    CHECK((strstr(lines[i], " ok=1") != NULL) == (i == 0 || i == 3));
  }
  CHECK(g_str_has_prefix(lines[1], "request 0 gap_ns=5000000000 gap_ns=6000000000 "));
  CHECK(g_str_has_suffix(lines[2], " gap_ns=6000000000"));
  CHECK(g_str_has_suffix(lines[3], " ok=1 gap_ns=500000000"));
}

/* --------------------------------------------------------------- bad input */
static void test_bad_input(void)
{
  static const BenchRow rows[] = {
    { "", "1: the input is empty | trace.json:1:1 | " },
    { " \n ", "1: the input is empty | trace.json:2:2 | " },
    { OF("\"mean_ttft_ms\":null"),
      "5: \"mean_ttft_ms\" needs a number that is not negative | trace.json:1:54 | found null" },
    { OF("\"mean_ttft_ms\":\n \"12\""),
      "5: \"mean_ttft_ms\" needs a number that is not negative | trace.json:2:2 | found \"12\"" },
    { OF("\"p99_itl_ms\":NaN"),
      "5: \"p99_itl_ms\" needs a number that is not negative | trace.json:1:52 | found NaN" },
    { OF("\"output_throughput\":Infinity"), "5: \"output_throughput\" needs a number that is not "
                                            "negative | trace.json:1:59 | found Infinity" },
    { OF("\"duration\":-1.5"),
      "5: \"duration\" needs a number that is not negative | trace.json:1:50 | found -1.5" },
    { OF("\"duration\":1e300"), "5: \"duration\" needs a number that is not negative | "
                                "trace.json:1:50 | found 1e300, which is too large" },
    { OF("\"request_throughput\":1e999"), "5: \"request_throughput\" needs a number that is not "
                                          "negative | trace.json:1:60 | found 1e999, which is too "
                                          "large" },
    { OF("\"completed\":1.5"), "5: \"completed\" needs a number that is not negative | "
                               "trace.json:1:51 | found 1.5, which is not whole" },
    { OF("\"completed\":[1,2]"),
      "5: \"completed\" needs a number that is not negative | trace.json:1:51 | found [1,2]" },
    { OF("\"ttfts\":[1,null]"),
      "5: \"ttfts\" needs a number that is not negative | trace.json:1:50 | found null" },
    { OF("\"ttfts\":[1,-2]"),
      "5: \"ttfts\" needs a number that is not negative | trace.json:1:50 | found -2" },
    { OF("\"ttfts\":[1,-2e-20]"),
      "5: \"ttfts\" needs a number that is not negative | trace.json:1:50 | found -2e-20" },
    { OF("\"output_lens\":[1,true]"),
      "5: \"output_lens\" needs a number that is not negative | trace.json:1:56 | found true" },
    { OF("\"itls\":[[0.5],[0.25,NaN]]"),
      "5: \"itls\" needs a number that is not negative | trace.json:1:59 | found NaN" },
    { OF("\"itls\":[[0.5],[-0.25]]"),
      "5: \"itls\" needs a number that is not negative | trace.json:1:54 | found -0.25" },
    { OF("\"itls\":[[0.5],\"x\"]"),
      "5: \"itls\" needs a list for each request | trace.json:1:53 | found \"x\"" },
    { OF("\"itls\":[[0.5],null]"),
      "5: \"itls\" needs a list for each request | trace.json:1:53 | found null" },
    { OF("\"itls\":[[0.5 0.6]]"),
      "2: the result is not valid JSON | trace.json:1:52 | expected a comma or ]" },
    { OF("\"itls\":[[0.5,]]"),
      "2: the result is not valid JSON | trace.json:1:52 | a comma before the end" },
    { OF("\"itls\":[[00.5]]"),
      "2: the result is not valid JSON | trace.json:1:48 | expected a value" },
    { OF("\"ttfts\":{}"), "5: \"ttfts\" needs a list | trace.json:1:47 | found {}" },
    { OF("\"ttfts\":[1,2],\"errors\":[\"\"]"),
      "6: \"ttfts\" and \"errors\" have different lengths | trace.json:1:67 | 2 values and 1" },
    { OF("\"input_lens\":[1],\"itls\":[]"),
      "6: \"input_lens\" and \"itls\" have different lengths | trace.json:1:66 | 1 values and 0" },
    { "{\"mean_ttft_ms\":1",
      "3: the result ends too early | trace.json:1:18 | the text stops inside a value or before "
      "the last bracket" },
    { "{\"mean_ttft_ms\":1,\"a\":\"x",
      "3: the result ends too early | trace.json:1:25 | the text stops inside a value or before "
      "the last bracket" },
    { "{\"mean_ttft_ms\":1,\"a\":{\"b\":[",
      "3: the result ends too early | trace.json:1:29 | the text stops inside a value or before "
      "the last bracket" },
    { "{\"itls\":[[0.25,\n0.2",
      "3: the result ends too early | trace.json:2:4 | the text stops inside a value or before the "
      "last bracket" },
    { OF("\"a\" 1"), "2: the result is not valid JSON | trace.json:1:43 | expected a colon after "
                     "the key" },
    { OF("a:1"), "2: the result is not valid JSON | trace.json:1:39 | expected a key in double "
                 "quotes" },
    { OF("\"a\":1,"),
      "2: the result is not valid JSON | trace.json:1:45 | a comma before the end" },
    { OF("\"a\":[1,{\"b\":01}]"),
      "2: the result is not valid JSON | trace.json:1:51 | not a JSON number" },
    { OF("\"a\":[{\"b\":1,}]"),
      "2: the result is not valid JSON | trace.json:1:51 | an extra comma" },
    { OF("\"a\":[{\"b\":[1}}]"),
      "2: the result is not valid JSON | trace.json:1:51 | expected a comma or ]" },
    { OF("\"a\":nul"), "2: the result is not valid JSON | trace.json:1:43 | expected a value" },
    { OF("\"\xc3\xa9\":nul"), "2: the result is not valid JSON | trace.json:1:43 | expected a "
                              "value" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) bench_expect(rows[i].text, "*", rows[i].expected);
}

/* Values larger than the window, and places in a text that has slid through it. */
static void test_large(void)
{
  g_autoptr(GString) text = g_string_new("{\"mean_ttft_ms\":1,\n\"generated_texts\":[");
  for (int i = 0; i < 40; i++) {
    g_string_append(text, i ? ",\n\"" : "\"");
    for (int k = 0; k < 20000; k++) g_string_append(text, "\xc3\xa9 ");
    if (i == 20)
      for (int k = 0; k < 300000; k++) g_string_append(text, "long ");
    g_string_append_c(text, '"');
  }
  size_t whole = text->len;
  g_string_append(text, "]}");
  g_autofree char *got = bench_run(text->str, text->len, "stat_value", 1 << 20, 8);
  CHECK_STR(got, "run stat_value=1.0\n-- dialect=vllm;\n");
  g_string_truncate(text, whole);
  g_string_append(text, ",x]}");
  for (size_t read_size = 50000; read_size < 3000000; read_size *= 7) {
    g_autofree char *failed = bench_run(text->str, text->len, "stat_value", read_size, 8);
    CHECK_STR(failed, "2: the result is not valid JSON | trace.json:41:40004 | expected a value");
  }
}

static void test_huge(void)
{
  g_autoptr(GString) text = g_string_new("{\"mean_ttft_ms\":1,\n\"a\":\"");
  size_t from = text->len, more = 65u << 20;
  g_string_set_size(text, from + more);
  memset(text->str + from, 'x', more);
  g_string_append(text, "\"}");
  g_autofree char *got = bench_run(text->str, text->len, "*", 1 << 20, 8);
  CHECK_STR(got, "7: one value is larger than 64 MiB | trace.json:2:5 | ");
}

/* A list that nobody reads is skipped by its brackets; what is odd in it is looked at. */
static void test_passed_gaps(void)
{
  bench_expect(OF("\"itls\":[[0.5,0.25],[]],\"ttfts\":[1,2]"), "ttft_ns",
               "request 0 ttft_ns=1000000000\nrequest 1 ttft_ns=2000000000\nrun\n" TAGS);
  bench_expect(OF("\"latencies\":[1],\"itls\":[[0.5,0.25]]"), "e2e_ns",
               "request 0 e2e_ns=1000000000\nrun\n" TAGS);
  bench_expect(OF("\"itls\":[[0.5,NaN]],\"ttfts\":[1]"), "ttft_ns",
               "5: \"itls\" needs a number that is not negative | trace.json:1:52 | found NaN");
}

/* ------------------------------------------------------------------ choice */
static void test_probe(void)
{
  static const struct {
    const char *text;
    int sure;
  } rows[] = {
    { detailed, 95 },
    { "{\"mean_ttft_ms\": 12.5}", 60 },
    { "{\"request_throughput\": 12.5}", 60 },
    { "{\"itls\": [[0.1, 0.2], [", 60 },
    { "{\"input_lens\": [1, 2, 3", 60 },
    { "{\"request_rate\": \"inf\", \"burstiness\": 1.0, \"max_con", 60 },
    { "\xef\xbb\xbf\n{\"request_rate\": \"inf\", \"burstiness\": 1.0, \"max_concurrency\": 1,",
      95 },
    { "{}", 0 },
    { "", 0 },
    { "[{\"metric\": {\"name\": \"Throughput\"}, \"model_id\": 1}]", 0 },
    { "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"request_rate\"}]}", 0 },
    { "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}], \"traceEvents\": []}", 0 },
    { "{\"step\": 0, \"num_tokens\": 5, \"expert_loads\": [1, 2]}", 0 },
    { "{\"0\": [[1, 2], [3, 4]]}", 0 },
    { "{\"metadata\": {\"a\": 1}, \"metrics\": {\"b\": 2}}", 0 },
    { "{\"model\": \"x\", \"duration\": 1, \"backend\": \"y\"}", 0 },
    { "{\"backend\": \"x\", \"request_rate\": 1, \"max_concurrency\":", 60 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK_INT(bench_probe(rows[i].text, strlen(rows[i].text)), rows[i].sure))
      CHECK_ROW(rows[i].text);
}

TEST_MAIN({ "detailed results", test_detailed }, { "projection", test_projection },
          { "older results", test_older_result }, { "appended results", test_appended },
          { "latency and throughput of a fixed batch", test_fixed_batch },
          { "sglang", test_sglang }, { "trtllm serving", test_trtllm_serving },
          { "rules", test_rules }, { "times", test_times }, { "many gaps", test_many_gaps },
          { "bad input", test_bad_input }, { "gaps nobody reads", test_passed_gaps },
          { "large values", test_large }, { "huge values", test_huge }, { "probe", test_probe })
