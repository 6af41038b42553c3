/* Ranks of which no two share a collective: whether something is wrong. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ALL_REDUCE                                                                      \
  "X nccl 1us 1us cat=kernel {Collective name=allreduce, Process Group Name=a, Seq=1, " \
  "Process Group Ranks=[0,1]}"

static void nobody_has_any(void)
{
  given_lane("rank=0");
  given("X a 1us 1us");
  given_lane("rank=1");
  given("X a 2us 1us");
  expect_lane(1, "X a 2us 1us");
  expect_notice(1, 0);
  expect_notice(7, 2);
}

/* Rank 1 should have it, too: it is said of both. */
static void one_rank_has_some(void)
{
  given_lane("rank=0");
  given(ALL_REDUCE);
  given_lane("rank=1");
  given("X a 2us 1us");
  expect_notice(1, 2);
  expect_notice(7, 0);
}

/* Two ranks are on one clock; the third lacks what they have. */
static void the_others_match(void)
{
  given_lane("rank=0");
  given(ALL_REDUCE);
  given_lane("rank=1");
  given(ALL_REDUCE);
  given_lane("rank=2");
  given("X a 2us 1us");
  expect_notice(1, 1);
  expect_notice(7, 0);
}

HARNESS_MAIN({ "nobody has any", nobody_has_any }, { "one rank has some", one_rank_has_some },
             { "the others match", the_others_match })
