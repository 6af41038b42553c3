/* Tests of compute/prep-queue: the counter and what becomes of the slices. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define COUNTS(at, n) "C ConcurrentPreps " at " t=- cat=\"Pending Prep Events\" {Concurrency=" n "}"

/* 1006..1012 and 1008..1017. */
static void slices_become_a_counter(void)
{
  given("X \"a Cmpt Prep\" 1006us 6us", "X \"b Cmpt Prep\" 1008us 9us");
  expect(COUNTS("1006us", "1"), COUNTS("1008us", "2"), COUNTS("1012us", "1"),
         COUNTS("1017us", "0"));
  expect_notice(1, 0);
}

/* At 103 two are open still, at 110 one. */
static void preparations_may_nest(void)
{
  given("X \"a Cmpt Prep\" 100us 30us", "X \"b Cmpt Prep\" 101us 9us",
        "X \"c Cmpt Prep\" 102us 1us");
  expect(COUNTS("100us", "1"), COUNTS("101us", "2"), COUNTS("102us", "3"), COUNTS("103us", "2"),
         COUNTS("110us", "1"), COUNTS("130us", "0"));
}

static void samples_stand_in_order_among_other_events(void)
{
  given("M m -", "X x 0 50us", "X \"a Cmpt Prep\" 10us 10us", "X \"a Cmpt Exec\" 20us 10us",
        "i i 20us", "X y 25us 1us");
  expect("M m -", "X x 0 50us", COUNTS("10us", "1"), "X \"a Cmpt Exec\" 20us 10us", "i i 20us",
         COUNTS("20us", "0"), "X y 25us 1us");
}

static void slices_are_kept_on_request(void)
{
  with("keep=true");
  given("X \"a Cmpt Prep\" 10us 10us {k=1}", "X x 15us 1us");
  expect("X \"a Cmpt Prep\" 10us 10us {k=1}", COUNTS("10us", "1"), "X x 15us 1us",
         COUNTS("20us", "0"));
}

/* One sample a time: where one ends and two begin, two; begin and end at once change nothing. */
static void steps_at_one_time_are_one_sample(void)
{
  given("X \"a Cmpt Prep\" 0 10us", "X \"b Cmpt Prep\" 10us 5us", "X \"c Cmpt Prep\" 10us 5us",
        "X \"d Cmpt Prep\" 12us 0", "X \"e Cmpt Prep\" 20us 0");
  expect(COUNTS("0", "1"), COUNTS("10us", "2"), COUNTS("12us", "2"), COUNTS("15us", "0"),
         COUNTS("20us", "0"));
}

static void other_names_are_left_alone(void)
{
  given("X \"Cmpt Prep a\" 0 1us", "X \"a Cmpt Prep \" 0 1us", "i \"a Cmpt Prep\" 0");
  expect("X \"Cmpt Prep a\" 0 1us", "X \"a Cmpt Prep \" 0 1us", "i \"a Cmpt Prep\" 0");
}

static void slices_without_an_end_are_noticed(void)
{
  given("X \"a Cmpt Prep\" - 1us", "X \"a Cmpt Prep\" 0 10us", "X \"b Cmpt Prep\" 5us -");
  expect("X \"a Cmpt Prep\" - 1us", COUNTS("0", "1"), "X \"b Cmpt Prep\" 5us -",
         COUNTS("10us", "0"));
  expect_notice(1, 2);
}

static void the_counter_is_of_the_process(void)
{
  given("X \"a Cmpt Prep\" 0 10us p=7 t=3");
  expect("C ConcurrentPreps 0 p=7 t=- cat=\"Pending Prep Events\" {Concurrency=1}",
         "C ConcurrentPreps 10us p=7 t=- cat=\"Pending Prep Events\" {Concurrency=0}");
}

static void ranks_are_apart(void)
{
  given_lane("rank=0");
  given("X \"a Cmpt Prep\" 0 10us");
  given_lane("rank=1");
  given("X \"a Cmpt Prep\" 5us 10us");
  expect_lane(0, COUNTS("0", "1"), COUNTS("10us", "0"));
  expect_lane(1, COUNTS("5us", "1"), COUNTS("15us", "0"));
}

static void times_may_be_at_the_ends(void)
{
  given("X \"a Cmpt Prep\" -9223372036854775808 1",
        "X \"b Cmpt Prep\" 9223372036854775800 9223372036854775807");
  expect(COUNTS("-9223372036854775808", "1"), COUNTS("-9223372036854775807", "0"),
         COUNTS("9223372036854775800", "1"), COUNTS("9223372036854775807", "0"));
}

/* 100,000 slices, each 1 us after the other and 10.5 us long: 1 to 11 at its start, then 10 or 11. */
static void a_hundred_thousand_slices(void)
{
  char line[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X \"k_%d Cmpt Prep\" %dus 10500", i % 9, i);
    given(line);
  }
  expect_attr(0, "Concurrency", "1");
  expect_attr(10, "Concurrency", "11");
  expect_attr(11, "Concurrency", "10");
  expect_attr(199998, "Concurrency", "1");
  expect_attr(199999, "Concurrency", "0");
}

HARNESS_MAIN({ "slices become a counter", slices_become_a_counter },
             { "preparations may nest", preparations_may_nest },
             { "samples stand in order among other events",
               samples_stand_in_order_among_other_events },
             { "slices are kept on request", slices_are_kept_on_request },
             { "steps at one time are one sample", steps_at_one_time_are_one_sample },
             { "other names are left alone", other_names_are_left_alone },
             { "slices without an end are noticed", slices_without_an_end_are_noticed },
             { "the counter is of the process", the_counter_is_of_the_process },
             { "ranks are apart", ranks_are_apart },
             { "times may be at the ends", times_may_be_at_the_ends },
             { "a hundred thousand slices", a_hundred_thousand_slices })
