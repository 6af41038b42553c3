/* Tests of tune/coll-bench. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(bytes, place, time, busbw, wrong)                                              \
  "- coll.row - {collective=allreduce, bytes=" #bytes ", count=2, type=float, redop=sum, " \
  "in_place=" #place ", time_us=" #time ", algbw=0.5, busbw=" #busbw ", wrong=" #wrong "}"

/* The size of 8 twice: 5 and 6 us, 20 % apart. */
static void rows_by_size(void)
{
  given(ROW(8, 0, 5.0, 1.0, 0), ROW(8, 1, 4.0, 1.5, 0), ROW(16, 0, 9.0, 2.0, 0),
        ROW(8, 0, 6.0, 2.0, 0), "- coll.run - {ranks=2, busbw=1.75, wrong=0, complete=1}");
  expect_table("coll-rows",
               "0 | 1 | allreduce | 8 | in | float | 2 | sum | 4 | 0.5 | 1.5 | 0 | 1 | 0 | in",
               "0 | 1 | allreduce | 8 | out | float | 2 | sum | 5.5 | 0.5 | 1.5 | 0 | 2 | 20 | out",
               "0 | 1 | allreduce | 16 | out | float | 2 | sum | 9 | 0.5 | 2 | 0 | 1 | 0 | out");
  expect_table("coll-runs", "0 | 1 | allreduce | - | - | 2 | 4 | 1.75 | 0 | true");
  expect_metric("avg_busbw", NULL, "1.75");
}

/* Kept rows of a log that was cut: nothing is said of the whole. */
static void what_the_log_does_not_say(void)
{
  given("- coll.row - {collective=allgather, bytes=8, in_place=0, time_us=5.0, busbw=1.0}",
        "- coll.row - {collective=allgather, bytes=16, in_place=0, time_us=5.0, busbw=2.0}",
        "- coll.run - {complete=0}");
  expect_table("coll-rows", "0 | 1 | allgather | 8 | out | - | - | - | 5 | - | 1 | - | 1 | 0 | out",
               "0 | 1 | allgather | 16 | out | - | - | - | 5 | - | 2 | - | 1 | 0 | out");
  expect_table("coll-runs", "0 | 1 | allgather | - | - | - | 2 | 1.5 | - | false");
}

static void wrong_values_add_up(void)
{
  given(ROW(8, 0, 5.0, 1.0, 3), ROW(8, 1, 4.0, 1.5, 4), "- coll.run - {complete=1}");
  expect_table("coll-runs", "0 | 1 | allreduce | - | - | - | 2 | 1.25 | 7 | true");
}

/* Two runs in one log, with other ranks: what is of one size in both is no repeat. */
static void runs_are_apart(void)
{
  given(ROW(8, 0, 5.0, 1.0, 0), "- coll.run - {ranks=2, busbw=1.0, wrong=0, complete=1}",
        "- coll.row - {collective=allreduce, bytes=8, type=float, in_place=0, time_us=7.0, "
        "busbw=3.0, algorithm=tree, protocol=ll}",
        "- coll.run - {ranks=4, complete=1}");
  expect_table(
      "coll-rows",
      "0 | 1 | allreduce | 8 | out | float | 2 | sum | 5 | 0.5 | 1 | 0 | 1 | 0 | out, run 1",
      "0 | 2 | allreduce | 8 | out | float | - | - | 7 | - | 3 | - | 1 | 0 | out, run 2");
  expect_table("coll-runs", "0 | 1 | allreduce | - | - | 2 | 1 | 1 | 0 | true",
               "0 | 2 | allreduce | tree | ll | 4 | 1 | 3 | - | true");
}

HARNESS_MAIN({ "rows by size", rows_by_size },
             { "what the log does not say", what_the_log_does_not_say },
             { "runs are apart", runs_are_apart }, { "wrong values add up", wrong_values_add_up })
