/* Tests of acme.gaps. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void between_slices(void)
{
  with("min=1us");
  given("X a 0 1us", "X b 4us 2us", "X c 6500 1us");
  expect_table("gaps", "0 | 1000 | 3000 | b");
  expect_metric("gap_time", NULL, "3000");
}

/* The long slice ends behind the short one that began later. */
static void under_a_long_slice(void)
{
  with("min=0");
  given("X long 0 10us", "X short 1us 1us", "X next 12us 1us");
  expect_table("gaps", "0 | 10000 | 2000 | next");
}

static void unsorted_lanes_are_sorted_first(void)
{
  given_lane("rank=0");
  given("X b 4us 2us", "X a 0 1us");
  given_lane("rank=3");
  given("X c 0 1us");
  expect_table("gaps", "0 | 1000 | 3000 | b");
}

HARNESS_MAIN({ "between slices", between_slices }, { "under a long slice", under_a_long_slice },
             { "unsorted lanes are sorted first", unsorted_lanes_are_sorted_first })
