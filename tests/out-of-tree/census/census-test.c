/* Tests of acme.census. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void lanes_by_turns(void)
{
  given_lane("rank=0");
  given("X a 0 1us", "X b 2us 1us");
  given_lane("rank=1");
  given("X a 1us 1us", "X a 3us 1us");
  expect_table("census", "a | 3", "b | 1");
  expect_metric("lane_switches", NULL, "3");
  expect_metric("events", NULL, "4");
}

/* 1 us of the second lane is 4 us of the first. */
static void bases_count(void)
{
  given_lane("rank=0 base=1us");
  given("X a 0 1us", "X b 2us 1us");
  given_lane("rank=1 base=4us");
  given("X a 1us 1us", "X a 3us 1us");
  expect_metric("lane_switches", NULL, "1");
}

static void nothing(void)
{
  given_lane("rank=0");
  expect_empty_table("census");
  expect_metric("lane_switches", NULL, NULL);
  expect_metric("events", NULL, "0");
}

HARNESS_MAIN({ "lanes by turns", lanes_by_turns }, { "bases count", bases_count },
             { "nothing", nothing })
