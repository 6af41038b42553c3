/* Tests of serve/goodput: limits, rates and shares with numbers worked out by hand. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define MS "000000" /* after a number of milliseconds */
#define REQUEST "- bench.request - id=0 "
#define RUN "- bench.run - "

/* 5 requests in 2 s: ttft 100, 200, 300 ms; tpot 400 / 4 = 100, 500 / 10 = 50, none; mean gap 100,
 * 250, none; e2e 500, 700, 300 ms; two failed. */
static void five_requests(void)
{
  given_lane("rank=-");
  given(REQUEST "{ok=1, ttft_ns=100" MS ", e2e_ns=500" MS ", output_tokens=5, gap_ns=[100" MS
                ",100" MS ",100" MS ",100" MS "]}",
        REQUEST "{ok=1, ttft_ns=200" MS ", e2e_ns=700" MS ", output_tokens=11, gap_ns=[40" MS "]}",
        REQUEST "{gap_ns=[460" MS "]}",
        REQUEST "{ok=1, ttft_ns=300" MS ", e2e_ns=300" MS ", output_tokens=1}",
        REQUEST "{ok=0, ttft_ns=1" MS ", e2e_ns=1" MS ", output_tokens=0}", REQUEST "{ok=0}",
        RUN "{detailed=1, duration_ns=2000" MS ", request_goodput=9.5}");
}

static void check(const char *option, const char *row)
{
  harness_clear();
  with(option);
  five_requests();
  expect_table("goodput", row);
  expect_notice(1, 0);
}

static void limits_are_inclusive(void)
{
  check("ttft=200ms", "2 | 5 | 40 | 1 | exact | ttft<=200ms");
  check("ttft=199999999ns", "1 | 5 | 20 | 0.5 | exact | ttft<=199999999ns");
  check("e2e=500ms", "2 | 5 | 40 | 1 | exact | e2e<=500ms");
  check("e2e=0.7s", "3 | 5 | 60 | 1.5 | exact | e2e<=700ms");
}

/* A request of one token has no tpot and no gap: both count as 0. */
static void one_token_keeps_limits_between_tokens(void)
{
  check("tpot=50ms", "2 | 5 | 40 | 1 | exact | tpot<=50ms");
  check("tpot=49999us", "1 | 5 | 20 | 0.5 | exact | tpot<=49999us");
  check("itl=100ms", "2 | 5 | 40 | 1 | exact | itl<=100ms");
  check("itl=250ms", "3 | 5 | 60 | 1.5 | exact | itl<=250ms");
  check("itl=249999999ns", "2 | 5 | 40 | 1 | exact | itl<=249999999ns");
}

/* They are used, and noticed; one that is not given is none. */
static void limits_below_a_microsecond_are_noticed(void)
{
  with("ttft=150ns", "tpot=999ns", "itl=1us", "e2e=0");
  five_requests();
  expect_table("goodput", "0 | 5 | 0 | 0 | exact | ttft<=150ns tpot<=999ns itl<=1us");
  expect_notice(5, 1);
}

static void all_limits_must_hold(void)
{
  with("ttft=250ms", "tpot=60ms", "itl=1s", "e2e=2s");
  five_requests();
  expect_table("goodput", "1 | 5 | 20 | 0.5 | exact | ttft<=250ms tpot<=60ms itl<=1s e2e<=2s");
  expect_metric("goodput", NULL, "0.5");
  expect_metric("goodput_share", NULL, "20");
  expect_notice(5, 0);
}

/* tpot 10 / 3 ns is more than 3 ns; gaps of 3 and 4 ns have the mean 3.5 ns. */
static void limits_are_not_rounded(void)
{
  with("tpot=3ns", "itl=3ns");
  given(REQUEST "{ok=1, ttft_ns=0, e2e_ns=10, output_tokens=4, gap_ns=[3]}",
        REQUEST "{ok=1, ttft_ns=0, e2e_ns=9, output_tokens=4, gap_ns=[3,4]}",
        REQUEST "{ok=1, ttft_ns=0, e2e_ns=9, output_tokens=4, gap_ns=[2,4]}",
        RUN "{detailed=1, duration_ns=1000" MS "}");
  expect_table("goodput", "1 | 3 | 33.33333333 | 1 | exact | tpot<=3ns itl<=3ns");
}

static void tpot_of_the_producer_wins(void)
{
  with("tpot=10ms");
  given(REQUEST "{ok=1, tpot_ns=11" MS ", ttft_ns=0, e2e_ns=1, output_tokens=2}",
        REQUEST "{ok=1, tpot_ns=10" MS ", ttft_ns=0, e2e_ns=900" MS ", output_tokens=2}",
        REQUEST "{ok=1, tpot_ns=11" MS ", output_tokens=1}", REQUEST "{ok=1}",
        RUN "{detailed=1, duration_ns=1000" MS "}");
  expect_table("goodput", "3 | 4 | 75 | 3 | exact | tpot<=10ms");
}

/* (2 + 1) / (2 s + 4 s); 3 of 6 requests. */
static void runs_are_pooled(void)
{
  with("ttft=200ms");
  five_requests();
  given_lane("rank=-");
  given(REQUEST "{ok=1, ttft_ns=200" MS "}", RUN "{detailed=1, duration_ns=4000" MS "}");
  given_lane("rank=-");
  given(RUN "{detailed=0, duration_ns=100000" MS ", request_goodput=1.0}");
  expect_table("goodput", "3 | 6 | 50 | 0.5 | exact | ttft<=200ms");
  expect_notice(2, 1);
}

static void what_is_not_known_is_not_good(void)
{
  with("ttft=1s", "itl=1s", "e2e=1s");
  given(REQUEST "{ok=1, ttft_ns=1, e2e_ns=1, output_tokens=3}",
        REQUEST "{ok=1, ttft_ns=1, gap_ns=[1]}", REQUEST "{ok=1, e2e_ns=1, gap_ns=[1]}",
        REQUEST "{ok=1, ttft_ns=1, e2e_ns=1, gap_ns=[1]}",
        REQUEST "{ok=1, ttft_ns=2000" MS "}", /* not good, whatever else it was */
        RUN "{detailed=1, duration_ns=1000" MS "}");
  expect_table("goodput", "1 | 5 | 20 | 1 | exact | ttft<=1s itl<=1s e2e<=1s");
  expect_notice(1, 3);
}

static void without_durations_there_is_no_rate(void)
{
  with("ttft=200ms");
  given(REQUEST "{ok=1, ttft_ns=1" MS "}", RUN "{detailed=1}");
  expect_table("goodput", "1 | 1 | 100 | - | exact | ttft<=200ms");
  expect_metric("goodput", NULL, NULL);
  expect_metric("goodput_share", NULL, "100");
}

static void limits_take_requests(void)
{
  with("ttft=200ms");
  given(REQUEST "{ok=1, ttft_ns=1" MS "}",
        RUN "{detailed=0, duration_ns=100000" MS ", request_goodput=1.0}");
  expect_empty_table("goodput");
  expect_metric("goodput", NULL, NULL);
  expect_metric("goodput_share", NULL, NULL);
}

static void without_limits_it_is_as_reported(void)
{
  given(RUN "{detailed=0, request_goodput=1.25}");
  expect_table("goodput", "- | - | - | 1.25 | reported | -");
  expect_metric("goodput", NULL, "1.25");
  expect_metric("goodput_share", NULL, NULL);
}

/* (1 * 10 + 4 * 30) / 40 = 3.25 */
static void reports_are_weighted_by_duration(void)
{
  given_lane("rank=-");
  given(RUN "{duration_ns=10000" MS ", request_goodput=1}");
  given_lane("rank=-");
  given(RUN "{duration_ns=30000" MS ", request_goodput=4}");
  given_lane("rank=-");
  given(RUN "{duration_ns=30000" MS "}");
  expect_table("goodput", "- | - | - | 3.25 | reported | -");
  expect_notice(3, 1);
}

static void reports_without_a_duration_have_no_mean(void)
{
  given_lane("rank=-");
  given(RUN "{duration_ns=10000" MS ", request_goodput=1}");
  given_lane("rank=-");
  given(RUN "{request_goodput=4}");
  expect_table("goodput", "- | - | - | - | reported | -");
  expect_metric("goodput", NULL, NULL);
}

static void neither_limits_nor_reports(void)
{
  given(REQUEST "{ok=1, ttft_ns=1" MS "}", RUN "{detailed=1, duration_ns=1000" MS "}");
  expect_empty_table("goodput");
  expect_metric("goodput", NULL, NULL);
  expect_notice(3, 0);
}

static void other_phases_are_left_out(void)
{
  with("ttft=200ms");
  five_requests();
  given_lane("rank=- tag.phase=training");
  given(REQUEST "{ok=1}", RUN "{detailed=1, duration_ns=4000" MS "}");
  expect_table("goodput", "2 | 5 | 40 | 1 | exact | ttft<=200ms");
  expect_metric("goodput", NULL, NULL);
  expect_metric("goodput_share", NULL, NULL);
  expect_notice(4, 1);
  expect_notice(1, 0);
  expect_notice(2, 0);
}

static void records_pass_untouched(void)
{
  given(REQUEST "{ok=1, ttft_ns=1}", RUN "{detailed=1}");
  expect(REQUEST "{ok=1, ttft_ns=1}", RUN "{detailed=1}");
}

HARNESS_MAIN({ "limits are inclusive", limits_are_inclusive },
             { "one token keeps limits between tokens", one_token_keeps_limits_between_tokens },
             { "limits below a microsecond are noticed", limits_below_a_microsecond_are_noticed },
             { "all limits must hold", all_limits_must_hold },
             { "limits are not rounded", limits_are_not_rounded },
             { "tpot of the producer wins", tpot_of_the_producer_wins },
             { "runs are pooled", runs_are_pooled },
             { "what is not known is not good", what_is_not_known_is_not_good },
             { "without durations there is no rate", without_durations_there_is_no_rate },
             { "limits take requests", limits_take_requests },
             { "without limits it is as reported", without_limits_it_is_as_reported },
             { "reports are weighted by duration", reports_are_weighted_by_duration },
             { "reports without a duration have no mean", reports_without_a_duration_have_no_mean },
             { "neither limits nor reports", neither_limits_nor_reports },
             { "other phases are left out", other_phases_are_left_out },
             { "records pass untouched", records_pass_untouched })
