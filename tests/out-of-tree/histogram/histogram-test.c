/* Tests of acme.histogram. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void powers_of_two(void)
{
  given("X a 0 0", "X b 0 1", "X c 0 2", "X d 0 3", "X e 0 4");
  expect_table("durations", "0 | 1", "1 | 1", "2 | 2", "4 | 1");
  expect_metric("measured", NULL, "5");
}

static void lanes_add_up(void)
{
  given_lane("rank=0");
  given("X a 0 1023", "X b 0 1024");
  given_lane("rank=1");
  given("X a 0 1500", "C load 0");
  expect_table("durations", "512 | 1", "1024 | 2");
}

static void the_longest_fits(void)
{
  given("X a 0 9223372036854775807");
  expect_table("durations", "4611686018427387904 | 1");
}

HARNESS_MAIN({ "powers of two", powers_of_two }, { "lanes add up", lanes_add_up },
             { "the longest fits", the_longest_fits })
