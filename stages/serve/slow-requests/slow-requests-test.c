/* Tests of serve/slow-requests: slow requests, what they cost, and where they are. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define RUN "- bench.run - "
#define REQUEST "- bench.request - "
#define DETAILED RUN "{detailed=1}"

static void nothing_is_no_row(void)
{
  given("X a 0 1us");
  expect_empty_table("latency-tails");
  expect_empty_table("tail-bins");
}

static void a_run_without_requests(void)
{
  given(RUN "{completed=8, stat_name=ttft.p99, stat_value=9}");
  expect_empty_table("latency-tails");
}

/* 10, 20 and 30: median 20, p99 at 1.98: 29.8.  tpot is (40 - ttft) / 2: 15, 10, 5; p99 14.9. */
static void no_tail(void)
{
  given(REQUEST "id=0 {ok=1, ttft_ns=10, e2e_ns=40, output_tokens=3}",
        REQUEST "id=1 {ok=1, ttft_ns=20, e2e_ns=40, output_tokens=3}",
        REQUEST "id=2 {ok=1, ttft_ns=30, e2e_ns=40, output_tokens=3}",
        REQUEST "id=3 {ok=0, ttft_ns=900, e2e_ns=900, output_tokens=3}", DETAILED);
  expect_table("latency-tails", "0 | lane0.json | ttft | 3 | 20 | 29.8 | 0 | 0 | 120 | 0",
               "0 | lane0.json | tpot | 3 | 10 | 14.9 | 0 | 0 | 120 | 0");
  expect_empty_table("tail-bins");
}

/* 39 requests of 10 to the first token, one of 50: p99 at 38.61: 10 + 0.61 * 40.  It loses 40 of 39 * 100 + 140.  Starts
 * are 100 apart, so that the slow one, the 11th, is the first to meet another, at the 12th. */
static void one_slow_request(void)
{
  char line[160];
  for (int i = 0; i < 40; i++) {
    const int slow = i == 10;
    snprintf(line, sizeof line,
             REQUEST "id=%d {ok=1, start_ns=%d, ttft_ns=%d, e2e_ns=%d, input_tokens=%d}", i,
             1000 + 100 * i, slow ? 50 : 10, slow ? 140 : 100, slow ? 900 : 5);
    given(line);
  }
  given(DETAILED);
  expect_table("latency-tails",
               "0 | lane0.json | ttft | 40 | 10 | 34.4 | 1 | 40 | 4040 | 0.99009901");
  expect_table("tail-bins", "0 | lane0.json | ttft | input_tokens | 1 | 5 | 5 | 39 | 0",
               "0 | lane0.json | ttft | input_tokens | 2 | 900 | 900 | 1 | 1",
               "0 | lane0.json | ttft | start | 1 | 0 | 100 | 2 | 0",
               "0 | lane0.json | ttft | start | 2 | 200 | 300 | 2 | 0",
               "0 | lane0.json | ttft | start | 3 | 400 | 500 | 2 | 0",
               "0 | lane0.json | ttft | start | 4 | 600 | 700 | 2 | 0",
               "0 | lane0.json | ttft | start | 5 | 800 | 900 | 2 | 0",
               "0 | lane0.json | ttft | start | 6 | 1000 | 1100 | 2 | 1",
               "0 | lane0.json | ttft | start | 7 | 1200 | 1300 | 2 | 0",
               "0 | lane0.json | ttft | start | 8 | 1400 | 1500 | 2 | 0",
               "0 | lane0.json | ttft | start | 9 | 1600 | 1700 | 2 | 0",
               "0 | lane0.json | ttft | start | 10 | 1800 | 1900 | 2 | 0",
               "0 | lane0.json | ttft | start | 11 | 2000 | 2100 | 2 | 0",
               "0 | lane0.json | ttft | start | 12 | 2200 | 2300 | 2 | 0",
               "0 | lane0.json | ttft | start | 13 | 2400 | 2500 | 2 | 0",
               "0 | lane0.json | ttft | start | 14 | 2600 | 2700 | 2 | 0",
               "0 | lane0.json | ttft | start | 15 | 2800 | 2900 | 2 | 0",
               "0 | lane0.json | ttft | start | 16 | 3000 | 3100 | 2 | 0",
               "0 | lane0.json | ttft | start | 17 | 3200 | 3300 | 2 | 0",
               "0 | lane0.json | ttft | start | 18 | 3400 | 3500 | 2 | 0",
               "0 | lane0.json | ttft | start | 19 | 3600 | 3700 | 2 | 0",
               "0 | lane0.json | ttft | start | 20 | 3800 | 3900 | 2 | 0",
               "0 | lane0.json | ttft | concurrency | 1 | 1 | 1 | 39 | 1",
               "0 | lane0.json | ttft | concurrency | 2 | 2 | 2 | 1 | 0");
}

/* tpot 100, 10, 10: it would take 450 less of its 500 after the first token; 450 of 510 + 2 * 60. */
static void slow_tokens(void)
{
  with("times=2");
  given(REQUEST "id=0 {ok=1, ttft_ns=10, e2e_ns=510, output_tokens=6}",
        REQUEST "id=1 {ok=1, ttft_ns=10, e2e_ns=60, output_tokens=6}",
        REQUEST "id=2 {ok=1, ttft_ns=10, e2e_ns=60, tpot_ns=10}", DETAILED);
  expect_table("latency-tails", "0 | lane0.json | ttft | 3 | 10 | 10 | 0 | 0 | 630 | 0",
               "0 | lane0.json | tpot | 3 | 10 | 98.2 | 1 | 450 | 630 | 71.4285714");
  expect_empty_table("tail-bins"); /* neither lengths nor starts are known */
}

static void no_time_at_all(void)
{
  given(REQUEST "id=0 {ok=1, ttft_ns=0, e2e_ns=0}", REQUEST "id=1 {ok=1, ttft_ns=7}",
        REQUEST "id=2 {ok=1}", DETAILED);
  expect_table("latency-tails", "0 | lane0.json | ttft | 2 | 3.5 | 6.93 | 0 | 0 | 0 | -");
}

/* Each run has a median of its own. */
static void runs_are_apart(void)
{
  given_lane("rank=0");
  given(REQUEST "id=0 {ok=1, ttft_ns=1, e2e_ns=1}", DETAILED);
  given_lane("rank=1");
  given(REQUEST "id=0 {ok=1, ttft_ns=100, e2e_ns=100}", DETAILED);
  expect_table("latency-tails", "0 | lane0.json | ttft | 1 | 1 | 1 | 0 | 0 | 1 | 0",
               "1 | lane1.json | ttft | 1 | 100 | 100 | 0 | 0 | 100 | 0");
}

HARNESS_MAIN({ "nothing is no row", nothing_is_no_row },
             { "a run without requests", a_run_without_requests }, { "no tail", no_tail },
             { "one slow request", one_slow_request }, { "slow tokens", slow_tokens },
             { "no time at all", no_time_at_all }, { "runs are apart", runs_are_apart })
