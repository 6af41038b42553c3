/* Tests of tune/allreduce-compare. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(strategy, tokens, time)                                               \
  "- allreduce.row - {tp=2, fusion=NONE, strategy=" #strategy ", tokens=" #tokens \
  ", hidden=128, bytes=256, time_us=" #time "}"

/* A is best at 1 token, then B; AUTO takes no part in that. */
static void two_measurements(void)
{
  given_lane("label=base tag.sm=90");
  given(ROW(A, 1, 4.0), ROW(B, 1, 5.0), ROW(A, 2, 10.0), ROW(AUTO, 1, 1.0));
  given_lane("label=new tag.sm=90");
  given(ROW(B, 1, 4.8), ROW(A, 1, 5.0), ROW(A, 2, 8.0), ROW(B, 2, 9.0));
}

/* 25 %, -4 %, -20 %; geometric mean of 1.25, 0.96, 0.8: 0.96^(1/3). */
static void slower_faster_added_and_removed(void)
{
  two_measurements();
  expect_table("allreduce-compare", "2 | NONE | A | 128 | 1 | 4 | 5 | 25 | slower",
               "2 | NONE | B | 128 | 1 | 5 | 4.8 | -4 | same",
               "2 | NONE | AUTO | 128 | 1 | 1 | - | - | removed",
               "2 | NONE | A | 128 | 2 | 10 | 8 | -20 | faster",
               "2 | NONE | B | 128 | 2 | - | 9 | - | added");
  expect_table("allreduce-compare-summary", "3 | 1 | 1 | 1 | 1 | 1 | 0.986485 | 1");
  expect_metric("allreduce_slower", NULL, "1");
  expect_metric("allreduce_ratio", NULL, "0.986485");
}

static void the_threshold_decides(void)
{
  with("threshold=3%");
  two_measurements();
  expect_table("allreduce-compare-summary", "3 | 1 | 1 | 1 | 2 | 0 | 0.986485 | 1");
  harness_clear();
  with("threshold=25");
  two_measurements();
  expect_table("allreduce-compare-summary", "3 | 1 | 1 | 0 | 0 | 3 | 0.986485 | 1");
}

static void repeats(const char *option)
{
  with(option);
  given_lane("label=base");
  given(ROW(A, 1, 4.0), ROW(A, 1, 6.0), ROW(A, 1, 11.0));
  given_lane("label=new");
  given(ROW(A, 1, 8.0), ROW(A, 1, 9.0), ROW(A, 1, 13.0));
}

static void rows_count_as_asked(void)
{
  repeats("repeat=min");
  expect_table("allreduce-compare", "2 | NONE | A | 128 | 1 | 4 | 8 | 100 | slower");
  harness_clear();
  repeats("repeat=median");
  expect_table("allreduce-compare", "2 | NONE | A | 128 | 1 | 6 | 9 | 50 | slower");
  harness_clear();
  repeats("repeat=mean");
  expect_table("allreduce-compare", "2 | NONE | A | 128 | 1 | 7 | 10 | 42.8571429 | slower");
}

static void nothing_in_common(void)
{
  given_lane("label=base");
  given(ROW(A, 1, 4.0));
  given_lane("label=new");
  given(ROW(A, 2, 4.0));
  expect_table("allreduce-compare-summary", "0 | 1 | 1 | 0 | 0 | 0 | - | 0");
  expect_metric("allreduce_ratio", NULL, NULL);
}

static void both_sides_are_needed(void)
{
  given_lane("label=base");
  given(ROW(A, 1, 4.0));
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

static void inputs_that_do_not_fit(void)
{
  given_lane("label=base tag.sm=90");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  given_lane("label=base tag.sm=100");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
  harness_clear();
  given_lane("label=base");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, op=gemm_allreduce}");
  given_lane("label=new");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  expect_notice(3, 1);
  harness_clear();
  with("dtype=bfloat16");
  given_lane("label=base");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, dtype=float32}");
  given_lane("label=new");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  expect_notice(4, 1);
}

HARNESS_MAIN({ "slower, faster, added and removed", slower_faster_added_and_removed },
             { "the threshold decides", the_threshold_decides },
             { "rows count as asked", rows_count_as_asked },
             { "nothing in common", nothing_in_common },
             { "both sides are needed", both_sides_are_needed },
             { "inputs that do not fit", inputs_that_do_not_fit })
