/* Tests of tune/nccl-rules. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define ROW(collective, bytes, algorithm, protocol, channels, rest)                    \
  "- tuner.row - {collective=" #collective ", bytes=" #bytes ", algorithm=" #algorithm \
  ", protocol=" #protocol ", channels=" #channels                                      \
  ", nodes=1, ranks=8, pipe_ops=-1, reg_buff=-1" rest "}"
#define LOG(bytes, place, time, busbw)                                                        \
  "- coll.row - {collective=allreduce, bytes=" #bytes ", in_place=" #place ", time_us=" #time \
  ", busbw=" #busbw "}"

/* Sizes 1000, 2001, 4001 of both collectives: 0..1500, 1501..3001, 3002..4001. */
static void ranges_between_sizes(void)
{
  given(ROW(allreduce, 1000, ring, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 1000, tree, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 2001, ring, ll, 4, ", time_us=6.0"),
        ROW(allreduce, 2001, tree, ll, 4, ", time_us=7.0"),
        ROW(allreduce, 4001, ring, simple, 4, ", time_us=8.0"),
        ROW(allgather, 2001, ring, ll, -1, ", time_us=9.0"),
        ROW(allgather, 1000, ring, ll, -1, ", time_us=9.0"));
  expect_table("nccl-rules", "allgather | 1 | 8 | -1 | -1 | 0 | 3001 | ring | ll | -1 | 1",
               "allreduce | 1 | 8 | -1 | -1 | 0 | 3001 | ring | ll | 4 | 2",
               "allreduce | 1 | 8 | -1 | -1 | 3002 | 4001 | ring | simple | 4 | 3");
}

/* At 1000 tree has its best row second; the ring is best from 2001 on, so tree's range ends in the middle. */
static void candidates_and_where_the_best_changes(void)
{
  given(ROW(allreduce, 1000, ring, ll, -1, ", time_us=6.0"),
        ROW(allreduce, 1000, tree, ll, 4, ", time_us=7.0"),
        ROW(allreduce, 1000, tree, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 2001, ring, ll, -1, ", time_us=6.5"),
        ROW(allreduce, 2001, tree, ll, 4, ", time_us=7.5"));
  expect_table(
      "nccl-candidates",
      "allreduce | 1 | 8 | -1 | -1 | 1000 | ring ll | 6.0 | - | false | - | allreduce, 1 node, 8 "
      "ranks",
      "allreduce | 1 | 8 | -1 | -1 | 1000 | tree ll 4 | 5.0 | - | true | 1500 | allreduce, 1 node, "
      "8 ranks",
      "allreduce | 1 | 8 | -1 | -1 | 2001 | ring ll | 6.5 | - | true | - | allreduce, 1 node, 8 "
      "ranks",
      "allreduce | 1 | 8 | -1 | -1 | 2001 | tree ll 4 | 7.5 | - | false | - | allreduce, 1 node, 8 "
      "ranks");
}

/* allgather was not measured at 2001: its rules do not touch. */
static void a_hole_parts_rules(void)
{
  with("open-end=true");
  given(ROW(allgather, 1000, ring, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 2001, ring, ll, 4, ", time_us=6.0"),
        ROW(allgather, 4001, ring, ll, 4, ", time_us=5.0"));
  expect_table("nccl-rules", "allgather | 1 | 8 | -1 | -1 | 0 | 1500 | ring | ll | 4 | 1",
               "allgather | 1 | 8 | -1 | -1 | 3002 | 4294967295 | ring | ll | 4 | 2",
               "allreduce | 1 | 8 | -1 | -1 | 1501 | 4294967295 | ring | ll | 4 | 3");
}

/* Nothing takes no time: a latency of 0 would win against all. */
static void no_time_wins_nothing(void)
{
  given(ROW(allreduce, 8, ring, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 8, tree, ll, 4, ", time_us=0.0"),
        ROW(allreduce, 8, nvls, simple, 4, ", time_us=-1.0"));
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 8 | ring | ll | 4 | 1");
  expect_notice(2, 2);
}

static void the_largest_bandwidth(void)
{
  with("metric=bandwidth");
  given(ROW(allreduce, 8, ring, ll, 4, ", bandwidth=5.0"),
        ROW(allreduce, 8, tree, ll, 4, ", bandwidth=6.0"));
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 8 | tree | ll | 4 | 1");
}

/* Times out of place; ranks and nodes are said at the end of a log, or by tags. */
static void logs_with_tags(void)
{
  given_lane("rank=- tag.algorithm=ring tag.protocol=ll tag.channels=8 tag.nodes=2");
  given(LOG(8, 0, 5.0, 1.0), LOG(8, 1, 1.0, 9.0), "- coll.run - {ranks=16, nodes=1, complete=1}");
  given_lane("rank=- tag.algorithm=tree tag.protocol=simple tag.nodes=2");
  given(LOG(8, 0, 4.0, 1.0), "- coll.run - {ranks=16, complete=1}");
  expect_table("nccl-rules", "allreduce | 2 | 16 | -1 | -1 | 0 | 8 | tree | simple | -1 | 1");
}

/* One log with two runs: each has its ranks, and what NCCL was told to take. */
static void runs_of_one_log(void)
{
  given_lane("rank=-");
  given("- coll.row - {collective=allreduce, bytes=8, time_us=5.0, algorithm=ring, protocol=ll}",
        "- coll.run - {ranks=2, nodes=1, complete=1}",
        "- coll.row - {collective=allreduce, bytes=8, time_us=4.0, algorithm=tree, protocol=ll}",
        "- coll.run - {ranks=4, nodes=1, complete=1}");
  expect_table("nccl-rules", "allreduce | 1 | 2 | -1 | -1 | 0 | 8 | ring | ll | -1 | 1",
               "allreduce | 1 | 4 | -1 | -1 | 0 | 8 | tree | ll | -1 | 2");
  expect_notice(6, 2);
}

/* The plugin takes the first that matches: what is of any number of ranks would hide the others. */
static void any_comes_last(void)
{
  given("- tuner.row - {collective=allreduce, bytes=8, algorithm=tree, protocol=ll, nodes=1, "
        "ranks=-1, time_us=5.0}",
        "- tuner.row - {collective=allreduce, bytes=16, algorithm=ring, protocol=ll, nodes=-1, "
        "ranks=8, time_us=5.0}",
        "- tuner.row - {collective=allreduce, bytes=8, algorithm=ring, protocol=ll, nodes=1, "
        "ranks=8, time_us=5.0}");
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 8 | ring | ll | -1 | 1",
               "allreduce | 1 | -1 | -1 | -1 | 0 | 8 | tree | ll | -1 | 2",
               "allreduce | -1 | 8 | -1 | -1 | 0 | 16 | ring | ll | -1 | 3");
}

/* The last size is beyond what an open end stands for. */
static void sizes_beyond_four_gib(void)
{
  with("open-end=true");
  given(ROW(allreduce, 4294967294, ring, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 8589934592, tree, ll, 4, ", time_us=5.0"));
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 6442450943 | ring | ll | 4 | 1",
               "allreduce | 1 | 8 | -1 | -1 | 6442450944 | 8589934592 | tree | ll | 4 | 2");
}

static void tags_that_are_no_numbers_are_refused(void)
{
  static const char *const wrong[] = { "channels=8x", "nodes=-2", "ranks=2147483648" };
  for (unsigned i = 0; i < MILL_COUNT(wrong); i++) {
    char lane[100];
    harness_clear();
    snprintf(lane, sizeof lane, "rank=- tag.algorithm=ring tag.protocol=ll tag.%s", wrong[i]);
    given_lane(lane);
    given(LOG(8, 0, 5.0, 1.0));
    expect_status(MILL_BAD_INPUT);
  }
}

static void what_cannot_be_a_rule_is_counted(void)
{
  given_lane("rank=-");
  given(LOG(8, 0, 5.0, 1.0), ROW(allreduce, 8, ring, ll, 4, ""),
        ROW(alltoall, 8, ring, ll, 4, ", time_us=1.0"),
        ROW(allreduce, 8, rings, ll, 4, ", time_us=1.0"),
        ROW(allreduce, 8, ring, ll1, 4, ", time_us=1.0"));
  expect_notice(1, 1);
  expect_notice(2, 1);
  expect_notice(3, 3);
  expect_notice(4, 1);
  expect_empty_table("nccl-rules");
}

/* NCCL ignores nvls,ll: with it the rule would be none. */
static void pairs_that_nccl_ignores_win_nothing(void)
{
  given(ROW(allreduce, 8, nvls, ll, 4, ", time_us=1.0"),
        ROW(allreduce, 8, tree, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 8, ring, ll, 4, ", time_us=6.0"));
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 8 | tree | ll | 4 | 1");
  expect_notice(5, 1);
}

/* Repeats of one candidate are no rivals: 8 has one, 16 has two. */
static void a_sole_candidate_is_told(void)
{
  given(ROW(allreduce, 8, ring, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 8, ring, ll, 4, ", time_us=6.0"),
        ROW(allreduce, 16, ring, ll, 4, ", time_us=5.0"),
        ROW(allreduce, 16, ring, ll, 8, ", time_us=6.0"));
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 16 | ring | ll | 4 | 1");
  expect_notice(6, 1);
}

static void types_are_not_mixed(void)
{
  given(ROW(allreduce, 8, ring, ll, 4, ", time_us=5.0, type=float"),
        ROW(allreduce, 8, tree, ll, 4, ", time_us=4.0, type=bfloat16"));
  expect_status(MILL_BAD_INPUT);
  harness_clear();
  with("dtype=float");
  given(ROW(allreduce, 8, ring, ll, 4, ", time_us=5.0, type=float"),
        ROW(allreduce, 8, tree, ll, 4, ", time_us=4.0, type=bfloat16"));
  expect_table("nccl-rules", "allreduce | 1 | 8 | -1 | -1 | 0 | 8 | ring | ll | 4 | 1");
  expect_notice(7, 1);
}

HARNESS_MAIN({ "ranges between sizes", ranges_between_sizes },
             { "candidates and where the best changes", candidates_and_where_the_best_changes },
             { "a hole parts rules", a_hole_parts_rules },
             { "no time wins nothing", no_time_wins_nothing },
             { "pairs that NCCL ignores win nothing", pairs_that_nccl_ignores_win_nothing },
             { "a sole candidate is told", a_sole_candidate_is_told },
             { "types are not mixed", types_are_not_mixed },
             { "the largest bandwidth", the_largest_bandwidth },
             { "logs with tags", logs_with_tags }, { "runs of one log", runs_of_one_log },
             { "any comes last", any_comes_last }, { "sizes beyond 4 GiB", sizes_beyond_four_gib },
             { "tags that are no numbers are refused", tags_that_are_no_numbers_are_refused },
             { "what cannot be a rule is counted", what_cannot_be_a_rule_is_counted })
