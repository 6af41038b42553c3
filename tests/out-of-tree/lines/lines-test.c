/* Tests of acme.lines. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void lanes_in_order(void)
{
  given_lane("rank=0");
  given("X a 0 1us", "X b 1us 1us");
  given_lane("rank=1");
  given("X c 0 1us");
  expect_output("events.txt", "made a\nmade b\nmade c\n");
}

static void a_prefix(void)
{
  with("prefix=> ");
  given("X a 0 1us");
  expect_output("events.txt", "> made a\n");
}

HARNESS_MAIN({ "lanes in order", lanes_in_order }, { "a prefix", a_prefix })
