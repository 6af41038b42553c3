/* Tests of tune/crossover. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(strategy, tokens, hidden, bytes, time)                                \
  "- allreduce.row - {tp=2, fusion=NONE, strategy=" #strategy ", tokens=" #tokens \
  ", hidden=" #hidden ", bytes=" #bytes ", time_us=" #time "}"

/* Sizes 256, 512, 1024: A takes 4, 6, 8; B takes 5, (5 + 6) / 2, 7 - the 512 of two shapes - and has 2048 alone. */
static void some_times(void)
{
  given(ROW(A, 1, 128, 256, 4.0), ROW(A, 2, 128, 512, 6.0), ROW(A, 4, 128, 1024, 8.0),
        ROW(B, 1, 128, 256, 5.0), ROW(B, 2, 128, 512, 5.0), ROW(B, 1, 256, 512, 6.0),
        ROW(B, 4, 128, 1024, 7.0), ROW(B, 8, 128, 2048, 9.0), ROW(AUTO, 1, 128, 256, 1.0));
}

static void from_which_size_on(void)
{
  some_times();
  expect_table("crossover", "2 | NONE | A | B | 512 | 3", "2 | NONE | B | A | - | 3");
  expect_empty_table("threshold-fit");
}

/* The second wins at the smallest size again, which does not count. */
static void a_size_in_between_breaks_it(void)
{
  given(ROW(A, 1, 128, 256, 9.0), ROW(A, 2, 128, 512, 6.0), ROW(A, 4, 128, 1024, 8.0),
        ROW(B, 1, 128, 256, 5.0), ROW(B, 2, 128, 512, 6.0), ROW(B, 4, 128, 1024, 7.0),
        ROW(C, 8, 128, 2048, 1.0));
  expect_table("crossover", "2 | NONE | A | B | 1024 | 3", "2 | NONE | B | A | - | 3");
}

/* Costs of ONESHOT: 1, 1.5, 2; of TWOSHOT: 2, 1, 1.  From 256 elements: 1.  A shape without one of them is left out. */
static void the_threshold_that_costs_least(void)
{
  given(ROW(ONESHOT, 1, 128, 256, 4.0), ROW(TWOSHOT, 1, 128, 256, 8.0),
        ROW(ONESHOT, 2, 128, 512, 9.0), ROW(TWOSHOT, 2, 128, 512, 6.0),
        ROW(ONESHOT, 4, 128, 1024, 16.0), ROW(TWOSHOT, 4, 128, 1024, 8.0),
        ROW(ONESHOT, 8, 128, 2048, 16.0));
  expect_table("threshold-fit", "2 | NONE | 256 | 1 | 3");
}

/* NCCL is faster than both: 2 and 4 times: never TWOSHOT costs 2 over both shapes. */
static void never_is_a_rule_too(void)
{
  given(ROW(ONESHOT, 1, 128, 256, 4.0), ROW(TWOSHOT, 1, 128, 256, 8.0), ROW(NCCL, 1, 128, 256, 2.0),
        ROW(ONESHOT, 2, 128, 512, 4.0), ROW(TWOSHOT, 2, 128, 512, 8.0),
        ROW(NCCL, 2, 128, 512, 2.0));
  expect_table("threshold-fit", "2 | NONE | - | 2 | 2");
}

/* Two shapes of 256 elements are on one side: sqrt(1.5 * 1) for TWOSHOT from 256, the same as from 0. */
static void equal_sizes_are_on_one_side(void)
{
  given(ROW(ONESHOT, 2, 128, 512, 4.0), ROW(TWOSHOT, 2, 128, 512, 6.0),
        ROW(ONESHOT, 1, 256, 512, 8.0), ROW(TWOSHOT, 1, 256, 512, 4.0));
  expect_table("threshold-fit", "2 | NONE | 256 | 1.22474487 | 2");
}

/* ONESHOT is the best below 512, and as good as TWOSHOT there: 512 costs as much as ONESHOT always, and is the smaller
 * number.  Logarithms of 5 / 4 and 8 / 4, added and taken off again, leave more than 0. */
static void equal_rules(void)
{
  given(ROW(ONESHOT, 1, 128, 256, 4.0), ROW(TWOSHOT, 1, 128, 256, 5.0),
        ROW(ONESHOT, 2, 128, 512, 4.0), ROW(TWOSHOT, 2, 128, 512, 8.0),
        ROW(ONESHOT, 4, 128, 1024, 4.0), ROW(TWOSHOT, 4, 128, 1024, 4.0));
  expect_table("threshold-fit", "2 | NONE | 512 | 1 | 3");
}

static void inputs_that_do_not_fit(void)
{
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
  harness_clear();
  given_lane("tag.sm=90");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  given_lane("tag.sm=100");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
  harness_clear();
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, op=gemm_allreduce}");
  expect_notice(3, 1);
  harness_clear();
  with("dtype=bfloat16");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, dtype=float32}");
  expect_notice(4, 1);
}

HARNESS_MAIN({ "from which size on", from_which_size_on },
             { "a size in between breaks it", a_size_in_between_breaks_it },
             { "the threshold that costs least", the_threshold_that_costs_least },
             { "never is a rule, too", never_is_a_rule_too },
             { "equal sizes are on one side", equal_sizes_are_on_one_side },
             { "equal rules", equal_rules }, { "inputs that do not fit", inputs_that_do_not_fit })
