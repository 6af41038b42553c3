/* Tests of serve/load: requests in flight, when tokens come, and the sweep's saturation. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define RUN "- bench.run - "
#define REQUEST "- bench.request - "
#define DETAILED RUN "{detailed=1}"

static void nothing_is_no_number(void)
{
  given("X a 0 1us");
  expect_empty_table("load");
  expect_empty_table("load-summary");
  expect_empty_table("saturation");
  expect_metric("concurrency", "mean", NULL);
  expect_metric("concurrency", "max", NULL);
  expect_metric("peak_output_throughput", "max", NULL);
  expect_metric("saturation_load", NULL, NULL);
}

/* From 10 s to 14 s, and from 11 s to 13 s: 6 s in 4 s: 1.5.  Tokens of the first at 0.5, 1.5, 2.5
 * and 3.5 s; of the second, without gaps, spread from 2 s to 3 s: 2, 2.5 and 3 s. */
static void requests_and_tokens_over_time(void)
{
  with("buckets=4");
  given(REQUEST "id=0 {ok=1, start_ns=10000000000, ttft_ns=500000000, e2e_ns=4000000000, "
                "gap_ns=[1000000000,1000000000,1000000000], output_tokens=4}",
        REQUEST "id=1 {ok=1, start_ns=11000000000, ttft_ns=1000000000, e2e_ns=2000000000, "
                "output_tokens=3}",
        REQUEST "id=2 {ok=0, start_ns=1, error=late}", DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 0 | 1", "0 | 1000000000 | 2 | 1 | 0 | 1",
               "0 | 2000000000 | 2 | 0 | 0 | 3", "0 | 3000000000 | 1 | 0 | 2 | 2");
  expect_table("load-summary", "0 | 2 | 4000000000 | 1.5 | 2 | 3 | times");
  expect_metric("concurrency", "mean", "1.5");
  expect_metric("concurrency", "max", "2");
  expect_metric("peak_output_throughput", "max", "3");
  expect_notice(1, 0);
}

/* 10 ns in 3 buckets: 4, 4 and 2 ns.  [0, 10) and [3, 9): 4 + 1 of 4, 4 + 4 of 4, 2 + 1 of 2. */
static void buckets_that_do_not_divide_the_time(void)
{
  with("buckets=3");
  given(REQUEST "id=0 {ok=1, start_ns=0, e2e_ns=10}", REQUEST "id=1 {ok=1, start_ns=3, e2e_ns=6}",
        DETAILED);
  expect_table("load", "0 | 0 | 1.25 | 2 | 0 | -", "0 | 4 | 2 | 0 | 0 | -",
               "0 | 8 | 1.5 | 0 | 2 | -");
  expect_table("load-summary", "0 | 2 | 10 | 1.6 | 2 | - | times");
}

static void more_buckets_than_nanoseconds(void)
{
  given(REQUEST "id=0 {ok=1, start_ns=7, e2e_ns=2}", DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 0 | -", "0 | 1 | 1 | 0 | 1 | -");
}

static void a_run_without_length(void)
{
  given(REQUEST "id=0 {ok=1, start_ns=7, e2e_ns=0, output_tokens=1, ttft_ns=0}", DETAILED);
  expect_table("load", "0 | 0 | - | 1 | 1 | -");
  expect_table("load-summary", "0 | 1 | 0 | - | 1 | 1 | times");
}

/* One ends when the next begins: never two at once. */
static void neighbours_do_not_meet(void)
{
  with("buckets=1");
  given(REQUEST "id=0 {ok=1, start_ns=5, e2e_ns=5}", REQUEST "id=1 {ok=1, start_ns=0, e2e_ns=5}",
        DETAILED);
  expect_table("load-summary", "0 | 2 | 10 | 1 | 1 | - | times");
}

/* Windows begin with the first start, 0.5 s, though that request is listed last: its tokens at 1.4
 * and 1.5 s lie in windows 0 and 1; those of the other at 1.45, 1.49 s in window 0. */
static void windows_begin_with_the_first_start(void)
{
  with("buckets=1");
  given(REQUEST "id=0 {ok=1, start_ns=1400000000, ttft_ns=50000000, e2e_ns=1100000000, "
                "gap_ns=[40000000], output_tokens=2}",
        REQUEST "id=1 {ok=1, start_ns=500000000, ttft_ns=900000000, e2e_ns=1000000000, "
                "gap_ns=[100000000], output_tokens=2}",
        DETAILED);
  expect_table("load-summary", "0 | 2 | 2000000000 | 1.05 | 2 | 3 | times");
}

/* 5 tokens at 0, 0.5, 1, 1.5 and 2 s: windows of 2, 2 and 1. */
static void spread_tokens_in_windows(void)
{
  with("buckets=1");
  given(REQUEST "id=0 {ok=1, start_ns=0, ttft_ns=0, e2e_ns=2000000000, output_tokens=5}", DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 1 | 2.5");
  expect_metric("peak_output_throughput", "max", "2");
}

/* 4 tokens at floor(k * 10 / 3): 0, 3, 6, 10. */
static void spread_tokens_are_rounded_down(void)
{
  with("buckets=5");
  given(REQUEST "id=0 {ok=1, start_ns=0, ttft_ns=0, e2e_ns=10, output_tokens=4}", DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 0 | 500000000", "0 | 2 | 1 | 0 | 0 | 500000000",
               "0 | 4 | 1 | 0 | 0 | 0", "0 | 6 | 1 | 0 | 0 | 500000000",
               "0 | 8 | 1 | 0 | 1 | 500000000");
}

/* 7 tokens in 3 chunks: 2, 2 and 3; the gaps are in two records. */
static void chunks_of_several_tokens(void)
{
  with("buckets=3");
  given(REQUEST "id=0 {ok=1, start_ns=0, ttft_ns=500000000, e2e_ns=3000000000, "
                "gap_ns=[1000000000], output_tokens=7}",
        REQUEST "id=0 {gap_ns=[1000000000]}", DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 0 | 2", "0 | 1000000000 | 1 | 0 | 0 | 2",
               "0 | 2000000000 | 1 | 0 | 1 | 3");
  expect_metric("peak_output_throughput", "mean", "3");
}

/* Gaps alone mean 3 tokens, at 0.5, 1.5 and 2.5 s. */
static void tokens_known_by_gaps_alone(void)
{
  with("buckets=3");
  given(REQUEST "id=0 {ok=1, start_ns=0, ttft_ns=500000000, e2e_ns=3000000000, "
                "gap_ns=[1000000000,1000000000]}",
        DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 0 | 1", "0 | 1000000000 | 1 | 0 | 0 | 1",
               "0 | 2000000000 | 1 | 0 | 1 | 1");
}

/* Without streaming all tokens come at the end; with gaps but no ttft, the last one does: 10 - 6 = 4,
 * 7 and 10. */
static void no_time_to_first_token(void)
{
  with("buckets=2");
  given_lane("rank=0");
  given(REQUEST "id=0 {ok=1, start_ns=0, e2e_ns=10, output_tokens=5}", DETAILED);
  given_lane("rank=1");
  given(REQUEST "id=0 {ok=1, start_ns=0, e2e_ns=10, output_tokens=3, gap_ns=[3,3]}", DETAILED);
  expect_table("load", "0 | 0 | 1 | 1 | 0 | 0", "0 | 5 | 1 | 0 | 1 | 1000000000",
               "1 | 0 | 1 | 1 | 0 | 200000000", "1 | 5 | 1 | 0 | 1 | 400000000");
}

/* 2 s + 4 s of latency in 3 s. */
static void without_start_times(void)
{
  given(REQUEST "id=0 {ok=1, e2e_ns=2000000000}", REQUEST "id=1 {ok=1, e2e_ns=4000000000}",
        RUN "{detailed=1, duration_ns=3000000000, max_concurrent=5, max_output_rate=77.5}");
  expect_empty_table("load");
  expect_table("load-summary", "0 | - | - | 2 | 5 | 77.5 | latencies");
  expect_notice(1, 1);
}

/* One of two has no start: it is left out of what needs times. */
static void some_without_start_times(void)
{
  with("buckets=1");
  given(REQUEST "id=0 {ok=1, start_ns=0, e2e_ns=10}", REQUEST "id=1 {ok=1, e2e_ns=10}", DETAILED);
  expect_table("load-summary", "0 | 1 | 10 | 1 | 1 | - | times");
  expect_notice(1, 1);
}

static void reported_by_the_producer(void)
{
  given_lane("rank=0");
  given(RUN "{completed=8, concurrency=3.5, max_concurrent=8, max_output_rate=90}");
  given_lane("rank=1");
  given(RUN "{completed=8, duration_ns=4000000000, stat_name=e2e.mean, stat_value=1500}");
  given_lane("rank=2");
  given(RUN "{completed=8}");
  given_lane("rank=3");
  given(RUN "{completed=8, max_concurrent=4}");
  expect_table("load-summary", "0 | - | - | 3.5 | 8 | 90 | reported",
               "1 | - | - | 3 | - | - | latencies", "2 | - | - | - | - | - | none",
               "3 | - | - | - | 4 | - | reported");
  expect_metric("concurrency", "mean", "3.25");
  expect_metric("concurrency", "max", "8");
}

static void starts_of_two_clocks(void)
{
  with("buckets=1");
  given(REQUEST "id=0 {ok=1, start_ns=0, e2e_ns=10, output_tokens=1, ttft_ns=1}",
        REQUEST "id=1 {ok=1, start_ns=2000000000000000, e2e_ns=10, output_tokens=1, ttft_ns=1}",
        RUN "{detailed=1, max_output_rate=3}");
  expect_notice(2, 1);
  expect_metric("peak_output_throughput", "max", "3");
}

/* Times that no clock has, and tokens that no model made, do no harm. */
static void absurd_values(void)
{
  with("buckets=1");
  given(REQUEST "id=0 {ok=1, start_ns=9223372036854775807, e2e_ns=9223372036854775807}",
        REQUEST "id=1 {ok=1, start_ns=0, e2e_ns=10, ttft_ns=9223372036854775807, "
                "output_tokens=9223372036854775807}",
        REQUEST "id=2 {ok=1, start_ns=0, e2e_ns=10, ttft_ns=1, gap_ns=9223372036854775807, "
                "output_tokens=9223372036854775807}",
        DETAILED);
  expect_table("load-summary", "0 | 2 | 10 | 2 | 2 | 9223372036854775807 | times");
  expect_notice(1, 1);
}

#define AT(requests, e2e)                                                       \
  RUN "{completed=1, output_throughput=100, request_throughput=" #requests ", " \
      "stat_name=e2e.mean, stat_value=" #e2e "}"

/* 100 to 190 and 50 to 60: 90 and 20 %; to 195 and 120: 2.63 and 100 %: a request takes half of its time longer. */
static void the_load_from_which_on_more_does_not_help(void)
{
  given_lane("rank=0 tag.request_rate=4");
  given(AT(195, 120));
  given_lane("rank=1 tag.request_rate=inf");
  given(AT(196, 480));
  given_lane("rank=2 tag.request_rate=1");
  given(AT(100, 50));
  given_lane("rank=3 tag.request_rate=2.0");
  given(AT(190, 60));
  expect_table(
      "saturation",
      "1 | request_rate | 1 | 1 | 100 | 100 | - | 50 | - | - | - | - | - | - | - | false",
      "2 | request_rate | 2 | 1 | 190 | 100 | - | 60 | - | - | - | 90 | mean e2e | 20 | "
      "16.6666667 | false",
      "3 | request_rate | 4 | 1 | 195 | 100 | - | 120 | - | - | - | 2.63157895 | mean e2e | 100 | "
      "50 | true",
      "4 | request_rate | - | 1 | 196 | 100 | - | 480 | - | - | - | 0.512820513 | mean e2e | 300 | "
      "75 | true");
  expect_metric("saturation_load", NULL, "4");
  expect_notice(3, 0);
}

/* 41 % is not more than twice 20.5 %; 4 % more of a request's time is too little. */
static void not_saturated(void)
{
  given_lane("rank=0 tag.request_rate=1");
  given(AT(1000, 100));
  given_lane("rank=1 tag.request_rate=2");
  given(AT(1205, 141));
  given_lane("rank=2 tag.request_rate=4");
  given(AT(1205, 146.5));
  expect_metric("saturation_load", NULL, NULL);
  harness_clear();
  with("saturation-times=1.9");
  given_lane("rank=0 tag.request_rate=1");
  given(AT(1000, 100));
  given_lane("rank=1 tag.request_rate=2");
  given(AT(1205, 141));
  expect_metric("saturation_load", NULL, "2");
}

/* The 99th percentiles count where they are known, and the one that grows more: 100 %, not 50. */
static void the_slowest_requests_count(void)
{
#define SLOWEST(ttft, tpot, e2e)                                                         \
  RUN "{completed=1, output_throughput=100, request_throughput=10, stat_name=ttft.p99, " \
      "stat_value=" #ttft ", stat_name=tpot.p99, stat_value=" #tpot                      \
      ", stat_name=e2e.mean, stat_value=" #e2e "}"
  given_lane("rank=0 tag.request_rate=1");
  given(SLOWEST(10, 10, 100));
  given_lane("rank=1 tag.request_rate=2");
  given(SLOWEST(15, 20, 200));
  expect_table(
      "saturation",
      "1 | request_rate | 1 | 1 | 10 | 100 | - | 100 | - | 10 | 10 | - | - | - | - | false",
      "2 | request_rate | 2 | 1 | 10 | 100 | - | 200 | - | 15 | 20 | 0 | p99 TPOT | 100 | 50 | "
      "true");
}

/* All rates are the same, so concurrency is the axis; two runs at 8: (100 + 120) / 2 = 110 and
 * (50 + 70) / 2 = 60; one run does not say. */
static void by_concurrency(void)
{
  given_lane("rank=0 tag.request_rate=inf tag.max_concurrency=8");
  given(AT(100, 50));
  given_lane("rank=1 tag.request_rate=inf tag.max_concurrency=16");
  given(AT(110, 90));
  given_lane("rank=2 tag.request_rate=inf tag.max_concurrency=8");
  given(AT(120, 70));
  given_lane("rank=3 tag.request_rate=inf");
  given(AT(900, 70));
  expect_table(
      "saturation",
      "1 | max_concurrency | 8 | 2 | 110 | 100 | - | 60 | - | - | - | - | - | - | - | false",
      "2 | max_concurrency | 16 | 1 | 110 | 100 | - | 90 | - | - | - | 0 | mean e2e | 50 | "
      "33.3333333 | true");
  expect_metric("saturation_load", NULL, "16");
  expect_notice(3, 1);
}

static void the_axis_is_an_option(void)
{
  with("sweep-by=max_concurrency");
  given_lane("rank=0 tag.request_rate=1 tag.max_concurrency=8");
  given(AT(100, 50));
  given_lane("rank=1 tag.request_rate=2 tag.max_concurrency=8");
  given(AT(110, 90));
  expect_metric("saturation_load", NULL, NULL);
  expect_empty_table("saturation");
}

/* 2 to 2.02 is 1 %; no end-to-end latency: ttft. */
static void by_requests_and_first_tokens(void)
{
  given_lane("rank=0 tag.request_rate=1");
  given(RUN "{completed=1, request_throughput=2, output_throughput=5, stat_name=ttft.mean, "
            "stat_value=10}");
  given_lane("rank=1 tag.request_rate=2");
  given(RUN "{completed=1, request_throughput=2.02, stat_name=ttft.mean, stat_value=15}");
  expect_table("saturation",
               "1 | request_rate | 1 | 1 | 2 | 5 | 10 | - | - | - | - | - | - | - | - | false",
               "2 | request_rate | 2 | 1 | 2.02 | - | 15 | - | - | - | - | 1 | mean TTFT | 50 | "
               "33.3333333 | true");
}

/* Requests of 10 to 50 ms, 1 ms apart: rank 40 * 0.99 = 39.6: 49.6; the other run reports 30. */
static void the_slowest_of_each_load(void)
{
  given_lane("rank=0 tag.request_rate=1");
  for (int i = 10; i <= 50; i++) {
    char line[160];
    snprintf(line, sizeof line,
             REQUEST "id=%d {ok=1, ttft_ns=%d000000, e2e_ns=%d000000, output_tokens=3}", i, i,
             3 * i);
    given(line);
  }
  given(RUN "{detailed=1, request_throughput=1}");
  given_lane("rank=1 tag.request_rate=2");
  given(RUN "{completed=1, request_throughput=2, stat_name=ttft.p99, stat_value=30}");
  expect_table(
      "saturation",
      "1 | request_rate | 1 | 1 | 1 | - | 30 | 90 | 30 | 49.6 | 49.6 | - | - | - | - | false",
      "2 | request_rate | 2 | 1 | 2 | - | - | - | - | 30 | - | 100 | p99 TTFT | -39.516129 | "
      "-65.3333333 | false");
}

/* 5 ns over 2 further tokens are 2 ns, as in the table latency. */
static void halves_become_even(void)
{
  given_lane("rank=0 tag.request_rate=1");
  given(REQUEST "{ok=1, ttft_ns=10, e2e_ns=15, output_tokens=3}",
        RUN "{detailed=1, request_throughput=1}");
  given_lane("rank=1 tag.request_rate=2");
  given(RUN "{completed=1, request_throughput=2, stat_name=tpot.p99, stat_value=3}");
  expect_table(
      "saturation",
      "1 | request_rate | 1 | 1 | 1 | - | 0.00001 | 0.000015 | 0.0000025 | 0.00001 | 0.000002 | - "
      "| "
      "- | - | - | false",
      "2 | request_rate | 2 | 1 | 2 | - | - | - | - | - | 3 | 100 | p99 TPOT | 149999900 | "
      "99.9999333 | true");
}

HARNESS_MAIN({ "halves become even", halves_become_even },
             { "nothing is no number", nothing_is_no_number },
             { "requests and tokens over time", requests_and_tokens_over_time },
             { "buckets that do not divide the time", buckets_that_do_not_divide_the_time },
             { "more buckets than nanoseconds", more_buckets_than_nanoseconds },
             { "a run without length", a_run_without_length },
             { "neighbours do not meet", neighbours_do_not_meet },
             { "windows begin with the first start", windows_begin_with_the_first_start },
             { "spread tokens in windows", spread_tokens_in_windows },
             { "spread tokens are rounded down", spread_tokens_are_rounded_down },
             { "chunks of several tokens", chunks_of_several_tokens },
             { "tokens known by gaps alone", tokens_known_by_gaps_alone },
             { "no time to first token", no_time_to_first_token },
             { "without start times", without_start_times },
             { "some without start times", some_without_start_times },
             { "reported by the producer", reported_by_the_producer },
             { "starts of two clocks", starts_of_two_clocks }, { "absurd values", absurd_values },
             { "where more does not help", the_load_from_which_on_more_does_not_help },
             { "not saturated", not_saturated },
             { "the slowest requests count", the_slowest_requests_count },
             { "by concurrency", by_concurrency },
             { "the axis is an option", the_axis_is_an_option },
             { "by requests and first tokens", by_requests_and_first_tokens },
             { "the slowest of each load", the_slowest_of_each_load })
