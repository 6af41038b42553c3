/* Tests of tune/allreduce-grid. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define ROW(tp, fusion, strategy, tokens, hidden, bytes, time)                                 \
  "- allreduce.row - {tp=" #tp ", fusion=" #fusion ", strategy=" #strategy ", tokens=" #tokens \
  ", hidden=" #hidden ", bytes=" #bytes ", time_us=" #time "}"

/* Two shapes; ONESHOT twice at the first: 5 and 7, mean 6.  AUTO is the best at the second. */
static void some_times(void)
{
  given_lane("tag.sm=90");
  given(ROW(4, NONE, TWOSHOT, 1, 128, 256, 8.0), ROW(4, NONE, ONESHOT, 1, 128, 256, 5.0),
        ROW(4, NONE, ONESHOT, 1, 128, 256, 7.0), ROW(4, NONE, TWOSHOT, 2, 128, 512, 10.0),
        ROW(4, NONE, ONESHOT, 2, 128, 512, 20.0), ROW(4, NONE, AUTO, 2, 128, 512, 8.0));
}

/* algbw 256 / 6 us = 0.0426667 GB/s; busbw 1.5 times that. */
static void times_gaps_and_bandwidth(void)
{
  some_times();
  expect_table(
      "allreduce-grid",
      "4 | NONE | TWOSHOT | 128 | 1 | 8 | 8 | 8 | 1 | 60 | 256 | 0.032 | 0.048 | 1 | 90",
      "4 | NONE | ONESHOT | 128 | 1 | 6 | 5 | 7 | 2 | 20 | 256 | 0.0426667 | 0.064 | 2 | 90",
      "4 | NONE | TWOSHOT | 128 | 2 | 10 | 10 | 10 | 1 | 25 | 512 | 0.0512 | 0.0768 | 1 | 90",
      "4 | NONE | ONESHOT | 128 | 2 | 20 | 20 | 20 | 1 | 150 | 512 | 0.0256 | 0.0384 | 2 | 90",
      "4 | NONE | AUTO | 128 | 2 | 8 | 8 | 8 | 1 | 0 | 512 | 0.064 | 0.096 | 3 | 90");
}

/* ONESHOT: (0 + 40 + 150) / 3 over its rows; TWOSHOT: (60 + 25) / 2. */
static void who_is_fastest_and_how_far_the_others_are(void)
{
  some_times();
  expect_table("allreduce-strategies", "4 | NONE | TWOSHOT | 1 | 2 | 1 | 50 | 42.5 | 60",
               "4 | NONE | ONESHOT | 2 | 2 | 1 | 50 | 63.3333333 | 150",
               "4 | NONE | AUTO | 3 | 1 | - | - | 0 | 0");
  expect_table("allreduce-views",
               "4 | NONE | TWOSHOT,ONESHOT,AUTO | 1,2 | 128 | 6 | 2 | 5 | 20 | 0 | 150");
}

/* The first such row wins, also of a strategy that comes later in the other shape. */
static void a_tie_is_of_the_first_row(void)
{
  given(ROW(2, NONE, B, 1, 128, 256, 5.0), ROW(2, NONE, A, 1, 128, 256, 4.0),
        ROW(2, NONE, B, 1, 128, 256, 4.0));
  expect_table("allreduce-strategies", "2 | NONE | B | 1 | 1 | 0 | 0 | 12.5 | 25",
               "2 | NONE | A | 2 | 1 | 1 | 100 | 0 | 0");
}

static void files_of_a_run_come_one_after_the_other(void)
{
  given_lane("tag.sm=90");
  given(ROW(2, NONE, A, 1, 128, 256, 4.0));
  given_lane("tag.sm=90");
  given(ROW(2, NONE, A, 1, 128, 256, 6.0), ROW(2, NONE, B, 1, 128, 256, 4.0));
  expect_table("allreduce-grid",
               "2 | NONE | A | 128 | 1 | 5 | 4 | 6 | 2 | 25 | 256 | 0.0512 | 0.0512 | 1 | 90",
               "2 | NONE | B | 128 | 1 | 4 | 4 | 4 | 1 | 0 | 256 | 0.064 | 0.064 | 2 | 90");
  expect_table("allreduce-strategies", "2 | NONE | A | 1 | 1 | 1 | 100 | 25 | 50",
               "2 | NONE | B | 2 | 1 | 0 | 0 | 0 | 0");
}

static void one_strategy_is_noticed(void)
{
  given(ROW(2, NONE, A, 1, 128, 256, 4.0));
  expect_notice(10, 1);
  expect_table("allreduce-views", "2 | NONE | A | 1 | 128 | 1 | 1 | 4 | 4 | 0 | 0");
}

static void another_operation_is_left_out(void)
{
  given(ROW(2, NONE, A, 1, 128, 256, 4.0),
        "- allreduce.row - {tp=2, fusion=NONE, strategy=A, tokens=1, hidden=128, bytes=256, "
        "op=gemm_allreduce, time_us=3.0}");
  expect_notice(3, 1);
  expect_table("allreduce-views", "2 | NONE | A | 1 | 128 | 1 | 1 | 4 | 4 | 0 | 0");
  harness_clear();
  with("op=gemm_allreduce");
  given(ROW(2, NONE, A, 1, 128, 256, 4.0),
        "- allreduce.row - {tp=2, fusion=NONE, strategy=A, tokens=1, hidden=128, bytes=256, "
        "op=gemm_allreduce, time_us=3.0}");
  expect_table("allreduce-views", "2 | NONE | A | 1 | 128 | 1 | 1 | 3 | 3 | 0 | 0");
}

static void two_lanes(const char *a, const char *b)
{
  given_lane(a);
  given(ROW(2, NONE, A, 1, 128, 256, 4.0));
  given_lane(b);
  given(ROW(2, NONE, A, 1, 128, 256, 6.0));
}

static void several_kinds_of_gpus_need_a_choice(void)
{
  two_lanes("tag.sm=90", "tag.sm=100");
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
  harness_clear();
  with("sm-version=100");
  two_lanes("tag.sm=90", "tag.sm=100");
  expect_table("allreduce-views", "2 | NONE | A | 1 | 128 | 1 | 1 | 6 | 6 | 0 | 0");
  harness_clear();
  with("sm-version=80");
  two_lanes("tag.sm=90", "tag.sm=100");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

/* A file that does not say is of the kind that the others are. */
static void an_unnamed_kind_takes_part(void)
{
  two_lanes("tag.sm=90", "name=times.csv");
  expect_table("allreduce-views", "2 | NONE | A | 1 | 128 | 2 | 1 | 4 | 6 | 0 | 50");
}

/* A column of something else: all pairs of 65 would be compared. */
static void strategies_are_few(void)
{
  char row[200];
  for (int n = 64; n <= 65; n++) {
    harness_clear();
    given_lane("tag.sm=90");
    for (int i = 0; i < n; i++) {
      snprintf(row, sizeof row,
               "- allreduce.row - {tp=2, fusion=NONE, strategy=S%d, tokens=1, hidden=128, "
               "bytes=256, time_us=4.0}",
               i);
      given(row);
    }
    expect_status(n == 64 ? 0 : MILL_BAD_INPUT);
  }
}

static void nothing_measured_is_an_error(void)
{
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
  harness_clear();
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=A, tokens=1, hidden=128, bytes=256}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

/* In one file, and in two. */
static void types_are_not_mixed(void)
{
  static const char half[] = "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, "
                             "hidden=128, bytes=256, time_us=4.0, dtype=bfloat16}";
  static const char full[] = "- allreduce.row - {tp=2, fusion=NONE, strategy=ONESHOT, tokens=1, "
                             "hidden=128, bytes=512, time_us=3.0, dtype=float32}";
  given_lane("tag.sm=90");
  given(half, full);
  expect_status(MILL_BAD_INPUT);
  harness_clear();
  given_lane("tag.sm=90");
  given(half);
  given_lane("tag.sm=90");
  given(full);
  expect_status(MILL_BAD_INPUT);
  harness_clear();
  with("dtype=float32");
  given_lane("tag.sm=90");
  given(half, full);
  expect_table("allreduce-strategies", "2 | NONE | ONESHOT | 1 | 1 | 1 | 100 | 0 | 0");
  expect_notice(4, 1);
  harness_clear();
  with("dtype=float16");
  given_lane("tag.sm=90");
  given(half, full);
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

HARNESS_MAIN({ "times, gaps and bandwidth", times_gaps_and_bandwidth },
             { "who is fastest and how far the others are",
               who_is_fastest_and_how_far_the_others_are },
             { "a tie is of the first row", a_tie_is_of_the_first_row },
             { "files of a run come one after the other", files_of_a_run_come_one_after_the_other },
             { "one strategy is noticed", one_strategy_is_noticed },
             { "another operation is left out", another_operation_is_left_out },
             { "several kinds of GPUs need a choice", several_kinds_of_gpus_need_a_choice },
             { "an unnamed kind takes part", an_unnamed_kind_takes_part },
             { "strategies are few", strategies_are_few },
             { "nothing measured is an error", nothing_measured_is_an_error },
             { "types are not mixed", types_are_not_mixed })
