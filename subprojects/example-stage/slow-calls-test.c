/* Tests of acme.slow-calls, through the installed harness. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void marks_what_is_over_the_limit(void)
{
  with("limit=1us");
  given("X a 0 2ms", "X b 0 1us", "X c 5us 1001");
  expect_attr(0, "slow_by", "1999000");
  expect_attr(1, "slow_by", NULL);
  expect_attr(2, "slow_by", "1");
  expect_table("slow-calls", "0 | 3 | 2 | 1999001");
}

static void only_slices_count(void)
{
  with("limit=1us");
  given("X a 0 2us", "C load 0", "i mark 1us");
  expect_table("slow-calls", "0 | 1 | 1 | 1000");
}

static void the_share_is_over_all_lanes(void)
{
  with("limit=1us");
  given_lane("rank=0");
  given("X a 0 5us");
  given_lane("rank=1");
  given("X a 0 1us", "X b 1us 1us", "X c 2us 1us");
  expect_metric("slow_share", NULL, "25");
  expect_table("slow-calls", "0 | 1 | 1 | 4000", "1 | 3 | 0 | 0");
}

static void no_slices_is_not_a_share_of_zero(void)
{
  given("C load 0");
  expect_metric("slow_share", NULL, NULL);
}

static void a_lane_of_slow_calls_is_noticed_once(void)
{
  with("limit=1us", "many=50");
  given_lane("rank=0");
  given("X a 0 5us", "X b 0 5us", "X c 0 1us");
  given_lane("rank=1");
  given("X a 0 5us", "X b 0 1us");
  expect_notice(1, 1);
}

HARNESS_MAIN({ "marks what is over the limit", marks_what_is_over_the_limit },
             { "only slices count", only_slices_count },
             { "the share is over all lanes", the_share_is_over_all_lanes },
             { "no slices is not a share of zero", no_slices_is_not_a_share_of_zero },
             { "a lane of slow calls is noticed once", a_lane_of_slow_calls_is_noticed_once })
