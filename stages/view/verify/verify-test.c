/* Tests of view/verify: what each check lets pass, and what it counts. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define PASS(check) "0 | " check " | pass | 0 | -"
#define REST_AFTER_STREAMS PASS("kernels-outside"), PASS("kernels-alone"), PASS("schedules-alone")

/* Nested begins and slices, touching ones, thirty-one rows would do as well: nothing is wrong. */
static void a_clean_trace_passes(void)
{
  given("M process_name - {name=p}", "X a 0 10us", "X b 0 4us", "X c 4us 6us", "B d 20us",
        "B e 21us", "E e 22us", "E d 23us", "t f 24us id=1", "P p 25us", "C c 26us {v=1}",
        "i i 27us", "X \"k Cmpt Exec\" 30us 1us t=2 {TS1=1, TS2=1, TS3=2, TS4=3, TS5=3}",
        "X m 31us 5us t=3 cat=kernel", "X n 36us 5us t=3 cat=gpu_memcpy");
  expect_table("checks", PASS("phases"), PASS("time-order"), PASS("stamp-order"), PASS("nesting"),
               PASS("stream-overlap"), REST_AFTER_STREAMS);
  expect_metric("checks_failed", NULL, "0");
  for (uint32_t number = 1; number <= 8; number++) expect_notice(number, 0);
}

/* An end alone (event 0), an unknown phase (4), a begin alone (3). */
static void phases(void)
{
  given("E a 0", "B b 1us", "E b 2us", "B c 3us", "? d 4us", "B e 5us t=2", "E e 6us t=2");
  expect_table("checks", "0 | phases | fail | 3 | event 0 (a)", PASS("time-order"),
               PASS("stamp-order"), PASS("nesting"), PASS("stream-overlap"), REST_AFTER_STREAMS);
  expect_notice(1, 3);
  expect_metric("checks_failed", NULL, "1");
}

/* b stands before a, which is earlier; the shorter of two that begin together before the longer. */
static void time_order(void)
{
  given("X b 5us 1us", "X a 0 1us", "X short 9us 1us t=2", "X long 9us 5us t=2", "X c 7us 1us");
  expect_table("checks", PASS("phases"), "0 | time-order | fail | 2 | event 0 (b)",
               PASS("stamp-order"), PASS("nesting"), PASS("stream-overlap"), REST_AFTER_STREAMS);
  expect_notice(2, 2);
}

/* At one time an end may stand before a slice, and the two ends of others in any order. */
static void ends_that_touch_are_in_order(void)
{
  given("B a 0", "E a 5us", "X b 5us 5us", "b f 5us id=1", "B g 10us", "X h 10us 1us", "E g 20us",
        "e f 20us id=1");
  expect_notice(2, 0);
}

/* Rows are not sorted among each other; jobs that were joined count events each for itself. */
static void rows_have_their_own_order(void)
{
  given("X a 5us 1us t=1", "X b 0 1us t=2", "X c 6us 1us t=1", "X d 1us 1us t=2");
  expect_table("checks", PASS("phases"), PASS("time-order"), PASS("stamp-order"), PASS("nesting"),
               PASS("stream-overlap"), REST_AFTER_STREAMS);
}

/* A step back by 10 is none of a wrap; 4,294,967,290 to 5 is one, but not if the count is absolute. */
static void stamp_order(void)
{
  given("X a 0 1us {TS1=100, TS2=90}", "X b 1us 1us {TS1=4294967290, TS2=5, TS5=7}",
        "X c 2us 1us {TS1=4294967396, TS2=5}", "X d 3us 1us {TS1=5, TS3=4, TS5=9}",
        "X e 4us - {TS1=7}");
  expect_table("checks", PASS("phases"), PASS("time-order"),
               "0 | stamp-order | fail | 3 | event 0 (a)", PASS("nesting"), PASS("stream-overlap"),
               REST_AFTER_STREAMS);
  expect_notice(3, 3);
}

/* b ends after a, in which it begins; d touches; what others overlap on their own row does not matter. */
static void nesting(void)
{
  given("X a 0 10us", "X b 5us 10us", "X c 6us 1us t=2", "X d 15us 1us");
  expect_table("checks", PASS("phases"), PASS("time-order"), PASS("stamp-order"),
               "0 | nesting | fail | 1 | event 1 (b)", PASS("stream-overlap"), REST_AFTER_STREAMS);
  expect_notice(4, 1);
}

/* Two preparations at once, and one while the device computes, which viewers get on rows of their own; not so a copy. */
static void preparations_may_overlap(void)
{
  given("X \"a Cmpt Prep\" 0 10us", "X \"b Cmpt Prep\" 5us 10us", "X \"a Cmpt Exec\" 12us 10us",
        "X \"c Cmpt Prep\" 20us 10us", "X \"c Cmpt Exec\" 24us 3us");
  expect_table("checks", PASS("phases"), PASS("time-order"), PASS("stamp-order"), PASS("nesting"),
               PASS("stream-overlap"), REST_AFTER_STREAMS);
  expect_notice(4, 0);
  harness_clear();
  given("X \"a Cmpt Exec\" 12us 10us", "X \"c Cmpt Prep\" 15us 2us", "X \"a DmaO\" 20us 10us");
  expect_notice(4, 1);
}

/* A copy inside of a kernel nests, but the stream would do two things at once. */
static void streams(void)
{
  given("X k 0 10us cat=kernel", "X m 2us 3us cat=gpu_memcpy", "X n 9us 1us cat=gpu_memset",
        "X o 10us 1us cat=kernel", "X x 10us 1us cat=cpu_op", "X p 3us 1us t=2 cat=kernel");
  expect_table("checks", PASS("phases"), PASS("time-order"), PASS("stamp-order"), PASS("nesting"),
               "0 | stream-overlap | fail | 2 | event 1 (m)", REST_AFTER_STREAMS);
  expect_notice(5, 2);
}

/* Correlation 7 spans 0 to 100 us: k2 begins in it and ends at 101; k3 has another, k4 none, and nothing ran for 9. */
static void kernels_and_schedules(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X aiuScheduleCompute 0 5us {correlation=7}",
        "X k1 10us 5us t=3 cat=kernel {correlation=7}", "X ScheduleWait 20us 80us {correlation=7}",
        "X k2 95us 6us t=3 cat=kernel {correlation=7}",
        "X k3 110us 1us t=3 cat=kernel {correlation=8}", "X k4 112us 1us t=3 cat=kernel",
        "X k5 114us 1us t=3 cat=kernel {correlation=0}",
        "X ScheduleCompute 120us 1us {correlation=9}", "X ScheduleWait 122us 1us {correlation=9}",
        "X ScheduleWait 124us 1us {correlation=0}");
  expect_table("checks", PASS("phases"), PASS("time-order"), PASS("stamp-order"), PASS("nesting"),
               PASS("stream-overlap"), "0 | kernels-outside | fail | 1 | event 3 (k2)",
               "0 | kernels-alone | fail | 3 | event 4 (k3)",
               "0 | schedules-alone | fail | 2 | event 7 (ScheduleCompute)");
  expect_notice(6, 1);
  expect_notice(7, 3);
  expect_notice(8, 2);
  expect_metric("checks_failed", NULL, "3");
}

/* Other devices schedule otherwise. */
static void kernels_without_any_schedule_pass(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X k1 10us 5us cat=kernel {correlation=7}", "X k2 20us 5us cat=kernel");
  expect_notice(6, 0);
  expect_notice(7, 0);
  expect_notice(8, 0);
}

static void ranks_fail_each_for_itself(void)
{
  given_lane("rank=0");
  given("X a 0 10us", "X b 5us 10us");
  given_lane("rank=1");
  given("E a 0", "X a 0 10us", "X b 5us 10us");
  expect_metric("checks_failed", NULL, "3");
}

static void extremes_do_no_harm(void)
{
  given("X a -9223372036854775807 9223372036854775807 cat=kernel",
        "X b 9223372036854775807 9223372036854775807 cat=kernel",
        "X c 0 0 cat=kernel {TS1=-9223372036854775808, TS2=9223372036854775807}",
        "X d 0 0 cat=kernel {TS1=9223372036854775807, TS2=-9223372036854775808}", "X e - -");
  expect_notice(3, 1);
  expect_notice(4, 0);
  expect_notice(5, 0);
}

/* 100,000 slices, each ending after the next begins, on one row: all but the first cross. */
static void a_hundred_thousand_open_slices(void)
{
  char line[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X a %d 1ms", i);
    given(line);
  }
  expect_notice(4, 99999);
}

HARNESS_MAIN({ "a clean trace passes", a_clean_trace_passes }, { "phases", phases },
             { "time order", time_order },
             { "ends that touch are in order", ends_that_touch_are_in_order },
             { "rows have their own order", rows_have_their_own_order },
             { "stamp order", stamp_order }, { "nesting", nesting },
             { "preparations may overlap", preparations_may_overlap }, { "streams", streams },
             { "kernels and schedules", kernels_and_schedules },
             { "kernels without any schedule pass", kernels_without_any_schedule_pass },
             { "ranks fail each for itself", ranks_fail_each_for_itself },
             { "extremes do no harm", extremes_do_no_harm },
             { "a hundred thousand open slices", a_hundred_thousand_open_slices })
