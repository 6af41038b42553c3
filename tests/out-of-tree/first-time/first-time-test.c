/* Tests of acme.first-time: lane 0 begins at 5 s + 100 ns, lane 1 at 7 s. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void two_bases(void)
{
  given_lane("rank=0 base=5s");
  given("X a 100 1us", "X b 2us 1us");
  given_lane("rank=1 base=7s");
  given("X c 0 1us");
  expect_lane(0, "X a 0 1us", "X b 1900 1us");
  expect_lane(1, "X c 1999999900 1us");
}

/* The lane without a base stays where it is. */
static void one_base_unknown(void)
{
  given_lane("rank=0 base=5s");
  given("X a 100 1us");
  given_lane("rank=1");
  given("X c 700 1us");
  expect_lane(0, "X a 0 1us");
  expect_lane(1, "X c 700 1us");
  expect_notice(1, 0);
}

static void no_base_known(void)
{
  given("X c 700 1us", "M m -");
  expect("X c 700 1us", "M m -");
  expect_notice(1, 1);
}

HARNESS_MAIN({ "two bases", two_bases }, { "one base unknown", one_base_unknown },
             { "no base known", no_base_known })
