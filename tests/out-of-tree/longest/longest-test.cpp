// Tests of acme.longest.
// SPDX-License-Identifier: MIT
#include <stagemill/harness.h>

static void by_name(void)
{
  given("X a 0 3us", "X b 0 1us", "X a 5us 2us");
  expect_table("longest", "0 | a | 3000", "0 | b | 1000");
}

static void selected(void)
{
  with("select=^b");
  given("X a 0 3us", "X b 0 1us", "C b 0");
  expect_table("longest", "0 | b | 1000");
}

HARNESS_MAIN({ "by name", by_name }, { "selected", selected })
