/* Tests of serve/throughput: rates of a run, means and pools over runs, per GPU and per user. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define RUN "- bench.run - "
#define REQUEST "- bench.request - "

static void nothing_is_no_number(void)
{
  given("X a 0 1us");
  expect_empty_table("throughput");
  expect_empty_table("runs");
  expect_metric("request_throughput", NULL, NULL);
  expect_metric("output_throughput", "mean", NULL);
}

/* What is reported is taken, though the totals say 4 req/s. */
static void reported_rates_are_taken(void)
{
  given_lane("rank=0 tag.gpus=4");
  given(RUN "{completed=8, failed=2, duration_ns=2000000000, input_tokens=100, output_tokens=60, "
            "request_throughput=3.5, input_throughput=51, output_throughput=32, "
            "total_throughput=83, detailed=0}");
  expect_table("runs", "0 | 10 | 8 | 2 | 2000000000 | 3.5 | 51 | 32 | 83 | 4 | 8 | 20.75 | - | - | "
                       "- | - | - | reported");
  expect_table("throughput",
               "1 | 3.5 | 51 | 32 | 83 | 8 | 20.75 | - | 4 | 30 | 80 | 2000000000 | 8 | 2");
  expect_metric("request_throughput", "mean", "3.5");
  expect_metric("request_throughput", "pooled", "4");
  expect_notice(2, 0);
  expect_notice(4, 1);
}

/* A metric is a number, or it is not there. */
static void rates_too_large_to_be_added(void)
{
  given(RUN "{completed=1, failed=0, duration_ns=1000000000, output_throughput=1e308, detailed=0}",
        RUN "{completed=1, failed=0, duration_ns=1000000000, output_throughput=1e308, detailed=0}");
  expect_metric("output_throughput", "max", "1e+308");
  expect_metric("output_throughput", "mean", NULL);
  expect_metric("output_throughput", "sum", NULL);
  expect_metric("output_throughput", "std", NULL);
}

/* 10 and 30 ms to the first token are 20 on average; rounding may make 20.9 of it. */
#define TWO_REQUESTS_SAID_TO_TAKE(ms)                                     \
  REQUEST "{ok=1, ttft_ns=10000000}", REQUEST "{ok=1, ttft_ns=30000000}", \
      RUN "{completed=2, detailed=1, stat_name=[\"ttft.mean\"], stat_value=[" ms "]}"

static void a_mean_in_seconds(void)
{
  given(TWO_REQUESTS_SAID_TO_TAKE("0.02"));
  expect_notice(4, 1);
}

static void a_mean_that_was_rounded(void)
{
  given(TWO_REQUESTS_SAID_TO_TAKE("20.9"));
  expect_notice(4, 0);
}

/* 90 ms after the first token for 9 tokens are 10 each, and 100 ms in all. */
#define A_REQUEST_SAID_TO_TAKE(name, ms)                                  \
  REQUEST "{ok=1, ttft_ns=10000000, e2e_ns=100000000, output_tokens=10}", \
      RUN "{completed=1, detailed=1, stat_name=[\"" name "\"], stat_value=[" ms "]}"

static void other_means_in_seconds(void)
{
  given(A_REQUEST_SAID_TO_TAKE("tpot.mean", "0.01"));
  expect_notice(4, 1);
}

static void a_mean_of_other_requests(void)
{
  given(A_REQUEST_SAID_TO_TAKE("e2e.mean", "106"));
  expect_notice(4, 1);
}

static void other_means_that_agree(void)
{
  given(A_REQUEST_SAID_TO_TAKE("tpot.mean", "10.4"));
  expect_notice(4, 0);
}

/* 8 requests in 2 s: 4; 100 tokens: 50; 60 tokens: 30; together 80. */
static void missing_rates_are_computed(void)
{
  given(RUN "{completed=8, duration_ns=2000000000, input_tokens=100, output_tokens=60}");
  expect_table("runs", "0 | 8 | 8 | - | 2000000000 | 4 | 50 | 30 | 80 | - | - | - | - | - | - | - "
                       "| - | computed");
  expect_metric("request_throughput", "mean", "4");
  expect_metric("output_throughput", "mean", "30");
  expect_metric("total_throughput", "mean", "80");
  expect_notice(2, 1);
}

#define RUN_OF_THREE                                                                         \
  REQUEST "{ok=1, input_tokens=10, output_tokens=1}",                                        \
      REQUEST "{ok=0, input_tokens=1000, output_tokens=0}",                                  \
      REQUEST "{ok=1, input_tokens=60, output_tokens=3}", REQUEST "{ok=1, input_tokens=20}", \
      RUN "{detailed=1, accept_length=2.5}"

/* Prompts of 10, 20 and 60: mean 30, median 20, p99 59.2; a failed request has no part in them. */
static void lengths_of_prompts(void)
{
  given(RUN_OF_THREE);
  expect_table("tokens", "input | 3 | 30 | 20 | 59.2 | 90 | exact",
               "accept_length | 1 | 2.5 | - | - | - | -");
}

/* A run more without its requests has totals, but nobody knows a median. */
static void lengths_of_runs_that_list_no_requests(void)
{
  given_lane("rank=0");
  given(RUN_OF_THREE);
  given_lane("rank=1");
  given(RUN "{completed=7, input_tokens=210, output_tokens=14, accept_length=3.5}");
  expect_table("tokens", "input | 10 | 30 | - | - | 300 | -", "output | 7 | 2 | - | - | 14 | -",
               "accept_length | 2 | 3 | - | - | - | -");
}

static void total_of_reported_rates(void)
{
  given(RUN "{completed=8, request_throughput=4, input_throughput=50, output_throughput=30}");
  expect_metric("total_throughput", "mean", "80");
  expect_metric("total_throughput", "pooled", NULL);
}

static void nothing_to_compute_from(void)
{
  given(RUN "{completed=8, input_tokens=100, output_tokens=60}");
  expect_metric("request_throughput", "mean", NULL);
  expect_metric("request_throughput", "pooled", NULL);
  expect_metric("output_throughput", "n", NULL);
  expect_table("runs", "0 | 8 | 8 | - | - | - | - | - | - | - | - | - | - | - | - | - | - | none");
}

/* 2 and 5 req/s: mean 3.5, deviations 1.5: std 1.5; pooled: (20 + 10) / (10 s + 2 s) = 2.5.
 * Output 30, 10: mean 20, std 10; pooled (300 + 20) / 12 = 26.666667. */
static void runs_weigh_the_same_in_a_mean(void)
{
  given_lane("rank=0");
  given(RUN "{completed=20, duration_ns=10000000000, output_tokens=300, request_throughput=2, "
            "output_throughput=30}");
  given_lane("rank=1");
  given(RUN "{completed=10, duration_ns=2000000000, output_tokens=20, request_throughput=5, "
            "output_throughput=10}");
  expect_metric("request_throughput", "mean", "3.5");
  expect_metric("request_throughput", "pooled", "2.5");
  expect_metric("request_throughput", "sum", "7");
  expect_metric("request_throughput", "min", "2");
  expect_metric("request_throughput", "max", "5");
  expect_metric("request_throughput", "std", "1.5");
  expect_metric("request_throughput", "n", "2");
  expect_metric("output_throughput", "mean", "20");
  expect_metric("output_throughput", "std", "10");
  expect_metric("output_throughput", "pooled", "26.6666667");
  expect_metric("total_throughput", "mean", NULL);
  expect_table("throughput",
               "2 | 3.5 | - | 20 | - | - | - | - | 2.5 | 26.6666667 | - | 12000000000 | 30 | -");
}

/* The second file has no request_throughput: it is left out of that mean, though 10 / 2 s = 5 could
 * be computed; no file has total_throughput: both are computed, (40 + 60) / 10 and (20 + 20) / 2. */
static void files_without_the_key_are_left_out(void)
{
  given_lane("rank=0");
  given(RUN "{completed=20, duration_ns=10000000000, input_tokens=40, output_tokens=60, "
            "request_throughput=2, output_throughput=6}");
  given_lane("rank=1");
  given(RUN "{completed=10, duration_ns=2000000000, input_tokens=20, output_tokens=20, "
            "output_throughput=10}");
  expect_metric("request_throughput", "mean", "2");
  expect_metric("request_throughput", "n", "1");
  expect_metric("output_throughput", "mean", "8");
  expect_metric("total_throughput", "mean", "15");
  expect_metric("total_throughput", "n", "2");
  expect_metric("request_throughput", "pooled", "2.5");
  expect_notice(2, 1);
}

static void nothing_completed_is_no_measurement(void)
{
  given_lane("rank=0");
  given(RUN "{completed=0, failed=5, duration_ns=1000000000, output_tokens=0, "
            "request_throughput=0.0, output_throughput=0.0}");
  given_lane("rank=1");
  given(RUN "{completed=4, duration_ns=2000000000, output_tokens=8, request_throughput=2, "
            "output_throughput=4}");
  expect_metric("request_throughput", "mean", "2");
  expect_metric("request_throughput", "min", "2");
  expect_metric("request_throughput", "pooled", "2");
  expect_table("runs",
               "0 | 5 | 0 | 5 | 1000000000 | - | - | - | - | - | - | - | - | - | - | - | - | none",
               "1 | 4 | 4 | - | 2000000000 | 2 | - | 4 | - | - | - | - | - | - | - | - | - | "
               "reported");
  expect_notice(1, 1);
}

static void only_runs_without_completed_requests(void)
{
  given(RUN "{completed=0, request_throughput=0.0}");
  expect_metric("request_throughput", "mean", NULL);
  expect_metric("request_throughput", "pooled", NULL);
}

/* Requests end at 3 s and 4 s, the first starts at 1 s: 3 s; 2 requests; 10 and 6 tokens.  Latencies
 * 2 s and 2 s: concurrency 4 / 3; output 6 / 3 = 2 tok/s, so 1.5 of a user.  ttft 500 and 250: 375
 * ms; tpot (2000 - 500) / 3 = 500, (2000 - 250) / 1 = 1750: 1125 ms; e2e 2000 ms. */
static void all_from_requests(void)
{
  given_lane("rank=0 tag.gpus=2");
  given(REQUEST "id=0 {ok=1, start_ns=1000000000, ttft_ns=500000000, e2e_ns=2000000000, "
                "input_tokens=7, output_tokens=4}",
        REQUEST "id=1 {ok=1, start_ns=2000000000, ttft_ns=250000000, e2e_ns=2000000000, "
                "input_tokens=3, output_tokens=2}",
        REQUEST "id=1 {gap_ns=1750000000}",
        REQUEST "id=2 {ok=0, start_ns=9000000000, input_tokens=50, error=timeout}",
        RUN "{detailed=1}");
  expect_table("runs", "0 | 3 | 2 | 1 | 3000000000 | 0.666666667 | 3.33333333 | 2 | 5.33333333 | 2 "
                       "| 1 | 2.66666667 | 1.33333333 | 1.5 | 375 | 1125 | 2000 | computed");
}

/* Records of only some requests say nothing about the whole. */
static void partial_requests_are_no_totals(void)
{
  given(REQUEST "id=0 {ok=1, ttft_ns=500000000, e2e_ns=2000000000, output_tokens=4}",
        RUN "{completed=9, duration_ns=3000000000, detailed=0}");
  expect_table("runs", "0 | 9 | 9 | - | 3000000000 | 3 | - | - | - | - | - | - | - | - | - | - | - "
                       "| computed");
}

/* One of two says how much it read, none how much it wrote: no sum of either, and 0 is none too. */
static void tokens_of_some_are_no_sum(void)
{
  given(REQUEST "id=0 {ok=1, ttft_ns=500000000, e2e_ns=2000000000, input_tokens=7}",
        REQUEST "id=1 {ok=1, ttft_ns=500000000, e2e_ns=2000000000}",
        RUN "{duration_ns=4000000000, detailed=1}");
  expect_table("runs", "0 | 2 | 2 | 0 | 4000000000 | 0.5 | - | - | - | - | - | - | 1 | - | 500 | - "
                       "| 2000 | computed");
}

/* Mean latency 1500 ms of 8 requests in 4 s: 12 / 4 = 3 at a time; 30 tok/s: 10 of a user. */
static void concurrency_from_statistics(void)
{
  given(RUN "{completed=8, duration_ns=4000000000, request_throughput=2, output_throughput=30, "
            "stat_name=ttft.mean, stat_value=200, stat_name=e2e.mean, stat_value=1500, "
            "stat_name=tpot.mean, stat_value=12.5}");
  expect_table("runs", "0 | 8 | 8 | - | 4000000000 | 2 | - | 30 | - | - | - | - | 3 | 10 | 200 | "
                       "12.5 | 1500 | reported");
}

static void reported_concurrency_and_user_rate(void)
{
  given(RUN "{completed=8, duration_ns=4000000000, request_throughput=2, output_throughput=30, "
            "concurrency=5, stat_name=e2e.mean, stat_value=1500}");
  expect_table("runs", "0 | 8 | 8 | - | 4000000000 | 2 | - | 30 | - | - | - | - | 5 | 6 | - | - | "
                       "1500 | reported");
}

static void the_reported_user_rate_wins(void)
{
  given(RUN "{completed=8, duration_ns=4000000000, output_throughput=30, concurrency=5, "
            "request_throughput=2, user_throughput=7.5}");
  expect_table("runs",
               "0 | 8 | 8 | - | 4000000000 | 2 | - | 30 | - | - | - | - | 5 | 7.5 | - | - | - | "
               "reported");
}

/* The tag wins over the result; a tag that is not a number does not.  24 / 4 = 6; 24 / 8 = 3. */
/* 2 x 2 ranks; with two data-parallel ones it is not known; what is no number counts for nothing. */
static void gpus_of_the_ranks_of_a_server(void)
{
  static const char run[] = RUN "{completed=1, request_throughput=1, output_throughput=24}";
  given_lane("rank=0 tag.tp=2 tag.pp=2");
  given(run);
  given_lane("rank=1 tag.tp=8 tag.dp=2");
  given(run);
  given_lane("rank=2 tag.tp=four");
  given(run);
  given_lane("rank=3 tag.tp=8 tag.dp=1");
  given(RUN "{completed=1, gpus=16, request_throughput=1, output_throughput=24}");
  expect_table("runs",
               "0 | 1 | 1 | - | - | 1 | - | 24 | - | 4 | 6 | - | - | - | - | - | - | reported",
               "1 | 1 | 1 | - | - | 1 | - | 24 | - | - | - | - | - | - | - | - | - | reported",
               "2 | 1 | 1 | - | - | 1 | - | 24 | - | - | - | - | - | - | - | - | - | reported",
               "3 | 1 | 1 | - | - | 1 | - | 24 | - | 16 | 1.5 | - | - | - | - | - | - | reported");
}

static void gpus_by_tag_or_result(void)
{
  given_lane("rank=0 tag.gpus=4");
  given(RUN "{completed=1, gpus=8, request_throughput=1, output_throughput=24}");
  given_lane("rank=1 tag.gpus=many");
  given(RUN "{completed=1, gpus=8, request_throughput=1, output_throughput=24}");
  expect_table("runs",
               "0 | 1 | 1 | - | - | 1 | - | 24 | - | 4 | 6 | - | - | - | - | - | - | reported",
               "1 | 1 | 1 | - | - | 1 | - | 24 | - | 8 | 3 | - | - | - | - | - | - | reported");
  expect_table("throughput", "2 | 1 | - | 24 | - | 4.5 | - | - | - | - | - | - | 2 | -");
  expect_notice(3, 1);
}

HARNESS_MAIN({ "nothing is no number", nothing_is_no_number },
             { "rates too large to be added", rates_too_large_to_be_added },
             { "reported rates are taken", reported_rates_are_taken },
             { "a mean in seconds", a_mean_in_seconds },
             { "a mean that was rounded", a_mean_that_was_rounded },
             { "other means in seconds", other_means_in_seconds },
             { "a mean of other requests", a_mean_of_other_requests },
             { "other means that agree", other_means_that_agree },
             { "missing rates are computed", missing_rates_are_computed },
             { "lengths of prompts", lengths_of_prompts },
             { "lengths of runs that list no requests", lengths_of_runs_that_list_no_requests },
             { "total of reported rates", total_of_reported_rates },
             { "nothing to compute from", nothing_to_compute_from },
             { "runs weigh the same in a mean", runs_weigh_the_same_in_a_mean },
             { "files without the key are left out", files_without_the_key_are_left_out },
             { "nothing completed is no measurement", nothing_completed_is_no_measurement },
             { "only runs without completed requests", only_runs_without_completed_requests },
             { "all from requests", all_from_requests },
             { "partial requests are no totals", partial_requests_are_no_totals },
             { "tokens of some requests are no sum", tokens_of_some_are_no_sum },
             { "concurrency from statistics", concurrency_from_statistics },
             { "reported concurrency", reported_concurrency_and_user_rate },
             { "the reported user rate wins", the_reported_user_rate_wins },
             { "gpus by tag or result", gpus_by_tag_or_result },
             { "gpus of the ranks of a server", gpus_of_the_ranks_of_a_server })
