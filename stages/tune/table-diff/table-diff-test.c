/* Tests of tune/table-diff. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define CELL(tokens, number) \
  "- allreduce.cell - {tp=2, fusion=NONE, tokens=" #tokens ", hidden=128, number=" #number "}"
#define ROW(strategy, tokens, time)                                               \
  "- allreduce.row - {tp=2, fusion=NONE, strategy=" #strategy ", tokens=" #tokens \
  ", hidden=128, bytes=256, time_us=" #time "}"

static void two_tables(const char *base, const char *new)
{
  given_lane(base);
  given(CELL(1, 0), CELL(2, 4), CELL(4, 5), CELL(8, 0));
  given_lane(new);
  given(CELL(1, 4), CELL(2, 4), CELL(4, 0), CELL(16, 7));
}

static void changed_cells(void)
{
  two_tables("label=base tag.sm=90", "label=new tag.sm=90");
  expect_table("table-diff", "90 | 2 | NONE | 128 | 1 | NCCL | ONESHOT | -",
               "90 | 2 | NONE | 128 | 4 | TWOSHOT | NCCL | -",
               "90 | 2 | NONE | 128 | 8 | NCCL | - | -",
               "90 | 2 | NONE | 128 | 16 | - | MNNVL | -");
  expect_metric("allreduce_changed", NULL, "4");
}

/* NCCL 8, ONESHOT 6: -25 %; TWOSHOT was not measured. */
static void what_a_change_costs(void)
{
  two_tables("label=base tag.sm=90", "label=new tag.sm=90");
  given_lane("tag.sm=90");
  given(ROW(NCCL, 1, 8.0), ROW(ONESHOT, 1, 7.0), ROW(ONESHOT, 1, 6.0), ROW(NCCL, 4, 4.0));
  expect_table("table-diff", "90 | 2 | NONE | 128 | 1 | NCCL | ONESHOT | -25",
               "90 | 2 | NONE | 128 | 4 | TWOSHOT | NCCL | -",
               "90 | 2 | NONE | 128 | 8 | NCCL | - | -",
               "90 | 2 | NONE | 128 | 16 | - | MNNVL | -");
}

static void tables_of_several_kinds_are_compared_by_kind(void)
{
  given_lane("label=base tag.sm=90");
  given(CELL(1, 0));
  given_lane("label=base tag.sm=100");
  given(CELL(1, 4));
  given_lane("label=new tag.sm=90");
  given(CELL(1, 5));
  expect_notice(10, 1);
  expect_table("table-diff", "90 | 2 | NONE | 128 | 1 | NCCL | TWOSHOT | -");
}

static void tables_that_do_not_say_their_kind(void)
{
  two_tables("label=base", "label=new");
  expect_metric("allreduce_changed", NULL, "4");
}

/* A table in C++ has the number alone, and 12 has no name that its reader knows. */
static void numbers_decide(void)
{
  given_lane("label=base tag.sm=90");
  given(
      "- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=12, strategy=FASTEST}",
      "- allreduce.cell - {tp=2, fusion=NONE, tokens=2, hidden=128, number=12, strategy=FASTEST}");
  given_lane("label=new tag.sm=90");
  given(CELL(1, 12), CELL(2, 13));
  expect_table("table-diff", "90 | 2 | NONE | 128 | 2 | FASTEST | #13 | -");
  expect_metric("allreduce_changed", NULL, "1");
}

static void tables_that_contradict_each_other(void)
{
  two_tables("label=base tag.sm=90", "label=new tag.sm=90");
  given_lane("label=new tag.sm=90");
  given(CELL(1, 4), CELL(32, 5));
  expect_metric("allreduce_changed", NULL, "5");
  harness_clear();
  two_tables("label=base tag.sm=90", "label=new tag.sm=90");
  given_lane("label=new tag.sm=90");
  given(CELL(1, 5));
  expect_status(MILL_BAD_INPUT);
}

static void two_labelled_tables_are_needed(void)
{
  two_tables("label=base tag.sm=90", "tag.sm=90");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
  harness_clear();
  two_tables("label=base tag.sm=90", "label=new tag.sm=100");
  expect_status(MILL_BAD_INPUT);
}

static void equal_tables_have_no_rows(void)
{
  given_lane("label=base tag.sm=90");
  given(CELL(1, 0));
  given_lane("label=new tag.sm=90");
  given(CELL(1, 0));
  expect_empty_table("table-diff");
  expect_metric("allreduce_changed", NULL, "0");
}

static void inputs_that_do_not_fit(void)
{
  given_lane("label=base tag.sm=90");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("label=new");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("label=new tag.sm=100");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  expect_notice(10, 1);
  harness_clear();
  given_lane("label=base");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("label=new");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, op=gemm_allreduce}");
  expect_notice(3, 1);
  harness_clear();
  with("dtype=bfloat16");
  given_lane("label=base");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("label=new");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}",
        "- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=3.0, dtype=float32}");
  expect_notice(4, 1);
  harness_clear();
  given_lane("label=base");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("label=new");
  given("- allreduce.cell - {tp=2, fusion=NONE, tokens=1, hidden=128, number=0}");
  given_lane("tag.sm=90");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  given_lane("tag.sm=100");
  given("- allreduce.row - {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, bytes=256, "
        "time_us=4.0}");
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
}

HARNESS_MAIN({ "changed cells", changed_cells }, { "what a change costs", what_a_change_costs },
             { "tables of several kinds are compared by kind",
               tables_of_several_kinds_are_compared_by_kind },
             { "tables that do not say their kind", tables_that_do_not_say_their_kind },
             { "numbers decide", numbers_decide },
             { "tables that contradict each other", tables_that_contradict_each_other },
             { "two labelled tables are needed", two_labelled_tables_are_needed },
             { "equal tables have no rows", equal_tables_have_no_rows },
             { "inputs that do not fit", inputs_that_do_not_fit })
