/* Tests of clean/time-order: a stage that needs order.lane gets its events sorted. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void sorts_by_time(void)
{
  given("X b 2us 1us", "X a 0 1us", "X c 5us 1us");
  expect("X a 0 1us", "X b 2us 1us", "X c 5us 1us");
}

static void the_longest_of_a_start_comes_first(void)
{
  given("X child 0 1us", "X parent 0 9us", "i mark 0");
  expect("X parent 0 9us", "X child 0 1us", "i mark 0");
}

static void starts_come_before_lengths(void)
{
  given("X b 5us 2us", "X a 1us 2us", "X c 5us 4us");
  expect("X a 1us 2us", "X c 5us 4us", "X b 5us 2us");
}

static void a_slice_comes_before_what_has_no_length(void)
{
  given("M m 10us", "X a 10us 5us", "C c 10us");
  expect("X a 10us 5us", "M m 10us", "C c 10us");
}

static void events_without_time_come_first(void)
{
  given("X a 0 1us", "M process_name - {name=p}");
  expect("M process_name - {name=p}", "X a 0 1us");
}

static void equal_events_stay_as_they_were(void)
{
  given("X first 0 1us", "X second 0 1us", "X third 0 1us");
  expect("X first 0 1us", "X second 0 1us", "X third 0 1us");
}

HARNESS_MAIN({ "sorts by time", sorts_by_time },
             { "the longest of a start comes first", the_longest_of_a_start_comes_first },
             { "starts come before lengths", starts_come_before_lengths },
             { "a slice comes before what has no length", a_slice_comes_before_what_has_no_length },
             { "events without time come first", events_without_time_come_first },
             { "equal events stay as they were", equal_events_stay_as_they_were })
