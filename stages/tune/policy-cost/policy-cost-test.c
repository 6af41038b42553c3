/* Tests of tune/policy-cost. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(strategy, tokens, hidden, time)                                       \
  "- allreduce.row - {tp=8, fusion=NONE, strategy=" #strategy ", tokens=" #tokens \
  ", hidden=" #hidden ", bytes=256, time_us=" #time "}"
#define CELL(tokens, hidden, number)                                                               \
  "- allreduce.cell - {tp=8, fusion=NONE, tokens=" #tokens ", hidden=" #hidden ", number=" #number \
  "}"

/* 8 GPUs of sm 90 take TWOSHOT from 512 x 512 elements: at the second shape.  Best: 4 and 10. */
static void two_shapes(void)
{
  given_lane("tag.sm=90");
  given(ROW(NCCL, 1, 128, 16.0), ROW(ONESHOT, 1, 128, 4.0), ROW(TWOSHOT, 1, 128, 8.0),
        ROW(ONESHOT, 64, 4096, 40.0), ROW(TWOSHOT, 64, 4096, 20.0), ROW(NCCL, 64, 4096, 10.0),
        ROW(AUTO, 64, 4096, 5.0), ROW(NCCL, 64, 4096, 12.0));
}

static void strategies_and_rules(void)
{
  two_shapes();
  expect_table("policy-cost", "8 | NONE | NCCL | 2 | 2 | 4 | 1x128 | 1 | 1",
               "8 | NONE | ONESHOT | 2 | 2 | 4 | 64x4096 | 2 | 1",
               "8 | NONE | TWOSHOT | 2 | 2 | 2 | 1x128 | 3 | 1",
               "8 | NONE | AUTO | 1 | 0.5 | 0.5 | 64x4096 | 4 | 1",
               "8 | NONE | threshold | 2 | 1.41421356 | 2 | 64x4096 | 5 | 1",
               "8 | NONE | fit | 2 | 1.41421356 | 2 | 64x4096 | 6 | 1");
}

/* The larger shape is beyond the table, which has 1 token and 128 elements: NCCL, as the default says. */
static void a_table_among_the_inputs(void)
{
  two_shapes();
  given_lane("tag.sm=90");
  given(CELL(1, 128, 5));
  given_lane("tag.sm=100");
  given(CELL(1, 128, 0));
  expect_table("policy-cost", "8 | NONE | NCCL | 2 | 2 | 4 | 1x128 | 1 | 1",
               "8 | NONE | ONESHOT | 2 | 2 | 4 | 64x4096 | 2 | 1",
               "8 | NONE | TWOSHOT | 2 | 2 | 2 | 1x128 | 3 | 1",
               "8 | NONE | AUTO | 1 | 0.5 | 0.5 | 64x4096 | 4 | 1",
               "8 | NONE | threshold | 2 | 1.41421356 | 2 | 64x4096 | 5 | 1",
               "8 | NONE | fit | 2 | 1.41421356 | 2 | 64x4096 | 6 | 1",
               "8 | NONE | table | 2 | 1.41421356 | 2 | 1x128 | 7 | 1");
}

/* Nobody says which GPUs these are: no threshold. */
static void without_the_kind_there_is_no_threshold(void)
{
  given(ROW(ONESHOT, 1, 128, 4.0), ROW(TWOSHOT, 1, 128, 8.0));
  expect_notice(10, 1);
  expect_table("policy-cost", "8 | NONE | ONESHOT | 1 | 1 | 1 | 1x128 | 1 | 1",
               "8 | NONE | TWOSHOT | 1 | 2 | 2 | 1x128 | 2 | 1",
               "8 | NONE | fit | 1 | 1 | 1 | 1x128 | 3 | 1");
}

static void the_newer_gpus_have_other_numbers(void)
{
  given_lane("tag.sm=100");
  given(ROW(ONESHOT, 64, 4096, 4.0), ROW(TWOSHOT, 64, 4096, 8.0), ROW(ONESHOT, 256, 4096, 4.0),
        ROW(TWOSHOT, 256, 4096, 8.0));
  expect_table("policy-cost", "8 | NONE | ONESHOT | 2 | 1 | 1 | 64x4096 | 1 | 1",
               "8 | NONE | TWOSHOT | 2 | 2 | 2 | 64x4096 | 2 | 1",
               "8 | NONE | threshold | 2 | 1.41421356 | 2 | 256x4096 | 3 | 1",
               "8 | NONE | fit | 2 | 1 | 1 | 64x4096 | 4 | 1");
}

/* At the second shape ONESHOT alone was measured: it says nothing of a rule, as where `crossover` finds one. */
static void rules_are_judged_where_both_were_measured(void)
{
  given_lane("tag.sm=90");
  given(ROW(ONESHOT, 1, 128, 8.0), ROW(TWOSHOT, 1, 128, 16.0), ROW(NCCL, 1, 128, 4.0),
        ROW(ONESHOT, 2, 128, 4.0));
  expect_table("policy-cost", "8 | NONE | ONESHOT | 2 | 1.41421356 | 2 | 1x128 | 1 | 1",
               "8 | NONE | TWOSHOT | 1 | 4 | 4 | 1x128 | 2 | 1",
               "8 | NONE | NCCL | 1 | 1 | 1 | 1x128 | 3 | 1",
               "8 | NONE | threshold | 1 | 2 | 2 | 1x128 | 4 | 1",
               "8 | NONE | fit | 1 | 2 | 2 | 1x128 | 5 | 1");
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

HARNESS_MAIN({ "strategies and rules", strategies_and_rules },
             { "a table among the inputs", a_table_among_the_inputs },
             { "without the kind there is no threshold", without_the_kind_there_is_no_threshold },
             { "the newer GPUs have other numbers", the_newer_gpus_have_other_numbers },
             { "rules are judged where both were measured",
               rules_are_judged_where_both_were_measured },
             { "inputs that do not fit", inputs_that_do_not_fit })
