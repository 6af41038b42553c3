/* Tests of serve/requests: the worst requests, gaps over several records, kinds of errors. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define RUN "- bench.run - "
#define REQUEST "- bench.request - "

static void nothing_is_no_number(void)
{
  given("X a 0 1us");
  expect_empty_table("requests");
  expect_empty_table("request-errors");
  expect_metric("failed_requests", NULL, NULL);
  expect_metric("failed_share", NULL, NULL);
}

/* tpot (900 - 300) / 3 = 200; gaps 100, 200, 300: mean 200, longest 300.  The first request of the
 * run started at 1000, so this one at 500. */
static void the_numbers_of_a_request(void)
{
  given(REQUEST "id=0 {ok=1, start_ns=1500, ttft_ns=300, e2e_ns=900, gap_ns=[100,200,300], "
                "input_tokens=7, output_tokens=4}",
        REQUEST "id=1 {ok=1, start_ns=1000, ttft_ns=200, e2e_ns=200, input_tokens=9, "
                "output_tokens=1}",
        RUN "{detailed=1, completed=2, failed=0}");
  expect_table("requests", "0 | 1 | 0 | 500 | 300 | 200 | 900 | 200 | 300 | 7 | 4 | true | -",
               "0 | 2 | 1 | 0 | 200 | - | 200 | - | - | 9 | 1 | true | -");
  expect_metric("failed_requests", NULL, "0");
  expect_metric("failed_share", NULL, "0");
  expect_notice(1, 0);
}

static void what_is_not_known_is_empty(void)
{
  with("all=true");
  given(REQUEST "id=0 {ok=1}", REQUEST "id=1 {ok=1, ttft_ns=5, tpot_ns=12}", RUN "{detailed=1}");
  expect_table("requests", "0 | - | 0 | - | - | - | - | - | - | - | - | true | -",
               "0 | - | 1 | - | 5 | 12 | - | - | - | - | - | true | -");
}

/* Gaps of one request in three records: (10 + 20 + 30 + 60) / 4 = 30, longest 60. */
static void gaps_go_on_in_further_records(void)
{
  given(REQUEST "id=0 {ok=1, ttft_ns=5, gap_ns=[10,20]}", REQUEST "id=0 {gap_ns=[30]}",
        REQUEST "id=0 {gap_ns=[60]}", REQUEST "id=1 {ok=1, ttft_ns=4, gap_ns=[1,2]}",
        RUN "{detailed=1}");
  expect_table("requests", "0 | 1 | 0 | - | 5 | - | - | 30 | 60 | - | - | true | -",
               "0 | 2 | 1 | - | 4 | - | - | 1.5 | 2 | - | - | true | -");
}

#define SHORT(id, ttft) REQUEST "id=" #id " {ok=1, ttft_ns=" #ttft "}"
#define ROW(place, id, ttft) \
  "0 | " #place " | " #id " | - | " #ttft " | - | - | - | - | - | - | true | -"

/* Of equal ones the earlier request; request 5 has nothing to rank by. */
static void the_worst_in_order(void)
{
  with("worst=3");
  given(SHORT(0, 10), SHORT(1, 50), SHORT(2, 30), SHORT(3, 50), SHORT(4, 20),
        REQUEST "id=5 {ok=0, error=late}", SHORT(6, 30), RUN "{detailed=1}");
  expect_table("requests", ROW(1, 1, 50), ROW(2, 3, 50), ROW(3, 2, 30));
}

static void none_of_the_worst(void)
{
  with("worst=0");
  given(SHORT(0, 10), RUN "{detailed=1}");
  expect_empty_table("requests");
}

static void all_requests_in_order(void)
{
  with("all=true", "worst=1");
  given(SHORT(0, 10), SHORT(1, 50), REQUEST "id=2 {ok=0, error=late}", RUN "{detailed=1}");
  expect_table("requests", ROW(-, 0, 10), ROW(-, 1, 50),
               "0 | - | 2 | - | - | - | - | - | - | - | - | false | late");
}

/* More than the heap began with, in an order that makes it work: 37 is prime to 101. */
static void the_worst_of_many(void)
{
  char line[96];
  with("worst=2", "rank-by=e2e");
  for (int i = 0; i < 101; i++) {
    snprintf(line, sizeof line, REQUEST "id=%d {ok=1, e2e_ns=%d}", i, i * 37 % 101);
    given(line);
  }
  expect_table("requests", "0 | 1 | 30 | - | - | - | 100 | - | - | - | - | true | -",
               "0 | 2 | 60 | - | - | - | 99 | - | - | - | - | true | -");
}

#define A REQUEST "id=0 {ok=1, ttft_ns=10, e2e_ns=40, output_tokens=4, gap_ns=[1,29]}"
#define B REQUEST "id=1 {ok=1, ttft_ns=1, e2e_ns=41, output_tokens=11, gap_ns=[20,20]}"

static void by_time_per_output_token(void)
{
  with("worst=1", "rank-by=tpot");
  given(A, B);
  expect_table("requests", "0 | 1 | 0 | - | 10 | 10 | 40 | 15 | 29 | - | 4 | true | -");
}

static void by_latency(void)
{
  with("worst=1", "rank-by=e2e");
  given(A, B);
  expect_table("requests", "0 | 1 | 1 | - | 1 | 4 | 41 | 20 | 20 | - | 11 | true | -");
}

static void by_longest_gap(void)
{
  with("worst=1", "rank-by=itl");
  given(A, B);
  expect_table("requests", "0 | 1 | 0 | - | 10 | 10 | 40 | 15 | 29 | - | 4 | true | -");
}

/* 3 of 4 failed: twice "late" (50 %), once without output (25 %). */
static void kinds_of_errors(void)
{
  given(REQUEST "id=0 {ok=0, error=\"late\nand more\"}", REQUEST "id=1 {ok=0, output_tokens=0}",
        REQUEST "id=2 {ok=0, error=\"  late\"}", REQUEST "id=3 {ok=1, ttft_ns=1}",
        RUN "{detailed=1, completed=1, failed=3}");
  expect_table("request-errors", "late | 2 | 50", "no output | 1 | 25");
  expect_metric("failed_requests", NULL, "3");
  expect_metric("failed_share", NULL, "75");
  expect_notice(1, 1);
}

static void a_traceback_is_known_by_its_last_line(void)
{
  given(REQUEST
        "id=0 {ok=0, error=\"Traceback (most recent call last):\n  File x\nOSError: no\n\"}",
        RUN "{detailed=1}");
  expect_table("request-errors", "OSError: no | 1 | 100");
}

/* 1 of 20 is 5 %: not more than 5 %. */
static void five_percent_are_not_many(void)
{
  given_lane("rank=0");
  given(RUN "{completed=19, failed=1}");
  given_lane("rank=1");
  given(RUN "{completed=17, failed=1}");
  expect_notice(1, 1);
  expect_metric("failed_requests", NULL, "2");
  expect_metric("failed_share", NULL, "5.26315789");
}

/* The summary names 3 of 5; 20 requests in all. */
static void errors_of_runs_without_details(void)
{
  given(RUN "{completed=15, failed=5, error_kind=Timeout, error_count=2, error_kind=Refused, "
            "error_count=1}");
  expect_table("request-errors", "Timeout | 2 | 10", "unknown | 2 | 10", "Refused | 1 | 5");
  expect_metric("failed_share", NULL, "25");
  expect_notice(3, 1);
}

static void an_error_summary_tells_how_many_failed(void)
{
  given(RUN "{completed=3, error_kind=Timeout, error_count=1}");
  expect_metric("failed_requests", NULL, "1");
  expect_metric("failed_share", NULL, "25");
}

static void a_run_that_does_not_say(void)
{
  given(RUN "{completed=3}");
  expect_metric("failed_requests", NULL, NULL);
  expect_metric("failed_share", NULL, NULL);
}

static void runs_add_up(void)
{
  given_lane("rank=0");
  given(REQUEST "id=0 {ok=0, error=late}", REQUEST "id=1 {ok=1}", RUN "{detailed=1}");
  given_lane("rank=1");
  given(RUN "{completed=1, failed=1, error_kind=late, error_count=1}");
  given_lane("rank=2");
  given(RUN "{completed=10}");
  expect_table("request-errors", "late | 2 | 50");
  expect_metric("failed_requests", NULL, "2");
}

static void listed_failures_win(void)
{
  given(REQUEST "id=0 {ok=0, error=late}", REQUEST "id=1 {ok=1}",
        RUN "{detailed=1, completed=2, failed=0}");
  expect_metric("failed_requests", NULL, "1");
  expect_metric("failed_share", NULL, "50");
}

/* The row of a kind and its share of all requests. */
static const char *kind_row(char *to, size_t size, const char *kind, int count, int all)
{
  snprintf(to, size, "%s | %d | %.9g", kind, count, count * 100.0 / all);
  return to;
}

/* Rows of `first`, then of the other 99 kinds that come first, then of `other`. */
static void expect_hundred_kinds(const char *format, int first, int other, int all)
{
  char rows[101][48], kind[16];
  const char *lines[102] = { 0 };
  snprintf(kind, sizeof kind, format, first);
  lines[0] = kind_row(rows[0], sizeof rows[0], kind, 2, all);
  for (int i = 0, n = 1; n < 100; i++) {
    snprintf(kind, sizeof kind, format, i);
    if (i == first) continue;
    lines[n] = kind_row(rows[n], sizeof rows[n], kind, 1, all);
    n++;
  }
  lines[100] = kind_row(rows[100], sizeof rows[100], "other", other, all);
  harness_expect_table(HARNESS_AT, "request-errors", lines);
}

/* 102 kinds, the first of them twice: the 2 that come last in byte order of 101 equal ones are
 * `other`, together with an error of that very text. */
static void rare_kinds_are_counted_together(void)
{
  char line[96];
  with("worst=0");
  for (int i = 0; i < 103; i++) {
    snprintf(line, sizeof line, REQUEST "id=%d {ok=0, error=e%03d}", i, i % 102);
    given(line);
  }
  given(REQUEST "id=103 {ok=0, error=other}");
  expect_hundred_kinds("e%03d", 0, 3, 104);
  expect_notice(2, 1);
}

/* Of 5000 kinds no more than 4096 are kept, and it does not matter in which order they came.  e4999
 * is not among them, so that its second time does not make it frequent: 5002 - 2 - 99 others. */
static void no_end_of_kinds(void)
{
  char line[96];
  with("worst=0");
  given_lane("rank=0");
  for (int i = 4999; i >= 0; i--) {
    snprintf(line, sizeof line, REQUEST "id=%d {ok=0, error=e%04d}", i, i);
    given(line);
  }
  given_lane("rank=1");
  given(REQUEST "id=0 {ok=0, error=e0007}", REQUEST "id=1 {ok=0, error=e4999}");
  expect_hundred_kinds("e%04d", 7, 4901, 5002);
}

HARNESS_MAIN({ "nothing is no number", nothing_is_no_number },
             { "the numbers of a request", the_numbers_of_a_request },
             { "what is not known is empty", what_is_not_known_is_empty },
             { "gaps go on in further records", gaps_go_on_in_further_records },
             { "the worst in order", the_worst_in_order },
             { "none of the worst", none_of_the_worst },
             { "all requests in order", all_requests_in_order },
             { "the worst of many", the_worst_of_many },
             { "by time per output token", by_time_per_output_token }, { "by latency", by_latency },
             { "by longest gap", by_longest_gap }, { "kinds of errors", kinds_of_errors },
             { "a traceback is known by its last line", a_traceback_is_known_by_its_last_line },
             { "five percent are not many", five_percent_are_not_many },
             { "errors of runs without details", errors_of_runs_without_details },
             { "an error summary", an_error_summary_tells_how_many_failed },
             { "a run that does not say", a_run_that_does_not_say }, { "runs add up", runs_add_up },
             { "listed failures win", listed_failures_win },
             { "rare kinds are counted together", rare_kinds_are_counted_together },
             { "no end of kinds", no_end_of_kinds })
