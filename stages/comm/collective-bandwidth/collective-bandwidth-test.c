/* Bandwidth of collectives: the formula, several at one time, and what is missing. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define SLICE(name, ts, dur, rank, bytes) \
  "X " name " " ts " " dur " p=" rank " {Coll_data_size=" bytes ", peers=\"{0, 1}\"}"

/* 8192 bytes from 1000185 to 1000219.4 us. */
static void data_over_the_time_of_all_ranks(void)
{
  given_lane("rank=0");
  given(SLICE("AR_1", "1000185us", "30us", "0", "8192"));
  given_lane("rank=1");
  given(SLICE("AR_1", "1000190us", "29400", "1", "8192"));
  expect(SLICE("AR_1", "1000185us", "30us", "0", "8192"),
         SLICE("AR_1", "1000190us", "29400", "1", "8192"),
         "M process_name - p=-1 t=- {name=CollectiveBW}",
         "C Coll_Bandwidth 1000185us p=-1 t=- {GBps=0.238}",
         "C Coll_Bandwidth 1000219400 p=-1 t=- {GBps=0.0}");
  expect_metric("collective_bandwidth", "mean", "0.238139535");
  expect_metric("collective_bandwidth", "max", "0.238139535");
  expect_notice(1, 0);
  expect_notice(2, 0);
}

/* a: 1000 bytes in 10 us from 0, b: 4000 in 20 us from 5; c begins as b ends: 1000 in 10 us. */
static void several_at_one_time_add_up(void)
{
  given_lane("rank=0");
  given(SLICE("a", "0", "10us", "0", "1000"), SLICE("b", "6us", "10us", "0", "4000"),
        SLICE("c", "25us", "10us", "0", "1000"));
  given_lane("rank=1");
  given(SLICE("a", "1us", "1us", "1", "1000"), SLICE("b", "5us", "20us", "1", "4000"),
        SLICE("c", "25us", "10us", "1", "1000"));
  expect(SLICE("a", "0", "10us", "0", "1000"), SLICE("a", "1us", "1us", "1", "1000"),
         "M process_name - p=-1 t=- {name=CollectiveBW}", "C Coll_Bandwidth 0 p=-1 t=- {GBps=0.1}",
         SLICE("b", "5us", "20us", "1", "4000"), SLICE("b", "6us", "10us", "0", "4000"),
         "C Coll_Bandwidth 5us p=-1 t=- {GBps=0.3}", SLICE("c", "25us", "10us", "0", "1000"),
         "C Coll_Bandwidth 10us p=-1 t=- {GBps=0.2}", SLICE("c", "25us", "10us", "1", "1000"),
         "C Coll_Bandwidth 25us p=-1 t=- {GBps=0.1}", "C Coll_Bandwidth 35us p=-1 t=- {GBps=0.0}");
  expect_metric("collective_bandwidth", "mean", "0.15"); /* 6000 bytes in 40 us */
  expect_metric("collective_bandwidth", "max", "0.2");
}

/* Two all-reduces at once, by the names that they had: 8,192 bytes in 40 us, 4,096 in 20. */
static void a_renamed_slice_goes_by_its_own_name(void)
{
  given("X gloo:all_reduce 0 10us {Coll_data_size=8192, peers=\"{0, 1}\", orig_name=a_1}",
        "X gloo:all_reduce 1us 20us {Coll_data_size=4096, peers=\"{0}\", orig_name=a_2}",
        "X gloo:all_reduce 20us 20us {Coll_data_size=8192, peers=\"{0, 1}\", orig_name=a_1}");
  expect_metric("collective_bandwidth", "max", "0.2048");
  expect_metric("collective_bandwidth", "mean", "0.2048");
  expect_notice(1, 0);
}

static void nothing_is_no_number(void)
{
  given("X a 0 10us {Coll_data_size=-5, peers=\"{0}\"}", "X a 0 10us {Coll_data_size=soon}",
        "i a 0 {Coll_data_size=5}");
  expect_metric("collective_bandwidth", NULL, NULL);
}

static void what_is_missing_is_counted(void)
{
  given(SLICE("a", "0", "10us", "0", "1000"), "X b 5us 0 {Coll_data_size=10, peers=\"{0}\"}");
  expect_metric("collective_bandwidth", "mean", "0.1");
  expect_notice(1, 1);
  expect_notice(2, 1);
}

static void times_at_the_ends_do_no_harm(void)
{
  given("X a -9223372036854775808 1 {Coll_data_size=9223372036854775807, peers=\"{0}\"}",
        SLICE("b", "-9223372036854775808", "5", "0", "1"),
        SLICE("b", "9223372036854775807", "9223372036854775807", "1", "1"));
  expect_notice(2, 1);
}

/* 50,000 collectives one after the other, and 1,025 that never end: the first is given up. */
static void state_is_bounded(void)
{
  char line[160];
  for (int i = 0; i < 1025; i++) {
    snprintf(line, sizeof line, "X open%d %d 1 {Coll_data_size=1, peers=\"{0, 1}\"}", i, i);
    given(line);
  }
  for (int i = 0; i < 50000; i++) {
    snprintf(line, sizeof line, "X c %d 1 {Coll_data_size=1, peers=\"{0}\"}", 2000 + 2 * i);
    given(line);
  }
  expect_notice(1, 1025);
  expect_metric("collective_bandwidth", "mean", "1");
}

HARNESS_MAIN({ "data over the time of all ranks", data_over_the_time_of_all_ranks },
             { "several at one time add up", several_at_one_time_add_up },
             { "a renamed slice goes by its own name", a_renamed_slice_goes_by_its_own_name },
             { "nothing is no number", nothing_is_no_number },
             { "what is missing is counted", what_is_missing_is_counted },
             { "times at the ends do no harm", times_at_the_ends_do_no_harm },
             { "state is bounded", state_is_bounded })
