/* Where all lanes meet: they agree on something, are merged into one stream, and split again. */
/* SPDX-License-Identifier: MIT */
#include "sched/barrier.h"

#include "engine.h"

#define TWO                                                  \
  {                                                          \
    { "a", "rank 0\ne a 1 1\ne b 5 1\n" },                   \
    {                                                        \
      "b", "rank 1\ntag kind=x\ne c 2 1\ne d 3 1\ne e 4 1\n" \
    }                                                        \
  }

/* The most events of any lane, ten times; of each group its own. */
static void test_agree(void)
{
  const EngineCase all = { .inputs = TWO, .stages = "[{\"use\":\"vote\"}]" };
  engine_check_all(
      &all, "0 a 1 1 x=30\n0 b 5 1 x=30\nend\n--\n1 c 2 1 x=30\n1 d 3 1 x=30\n1 e 4 1 x=30\nend\n",
      "");
  const EngineCase by = { .inputs = TWO,
                          .stages = "[{\"use\":\"vote\",\"with\":{\"by\":\"kind\"}}]" };
  engine_check_all(
      &by, "0 a 1 1 x=20\n0 b 5 1 x=20\nend\n--\n1 c 2 1 x=30\n1 d 3 1 x=30\n1 e 4 1 x=30\nend\n",
      "");
}

/* Twice: the second goes by what the first let through. */
static void test_agree_again(void)
{
  const EngineCase c = {
    .inputs = TWO,
    .stages = "[{\"use\":\"vote\"},{\"use\":\"echo\"},{\"use\":\"vote\",\"as\":\"again\"}]"
  };
  engine_check_all(&c,
                   "0 a 1 1 x=40\n0 echo 1 1 x=40\n0 b 5 1 x=40\n0 last 99 -1 x=40\nend\n--\n"
                   "1 c 2 1 x=40\n1 d 3 1 x=40\n1 e 4 1 x=40\n1 last 99 -1 x=40\nend\n",
                   "");
}

/* Nothing splits the stream again: it is one part of the file. */
static void test_merge(void)
{
  const EngineCase c = { .inputs = TWO, .stages = "[{\"use\":\"number\"}]" };
  engine_check_all(&c, "0 a 1 1 x=0\n1 c 2 1 x=1\n1 d 3 1 x=2\n1 e 4 1 x=3\n0 b 5 1 x=4\nend\n",
                   "numbered: n\n  5\nnumbered [] = 5 ()\n");
}

/* A stage of lanes after one of the whole: each lane goes on with its own events. */
static void test_split(void)
{
  const EngineCase c = { .inputs = TWO, .stages = "[{\"use\":\"number\"},{\"use\":\"tally\"}]" };
  engine_check_all(
      &c, "0 a 1 1 x=0\n0 b 5 1 x=4\nend\n--\n1 c 2 1 x=1\n1 d 3 1 x=2\n1 e 4 1 x=3\nend\n",
      "numbered: n\n  5\nlanes: rank,label,kind,n,total\n  0,a,-,2,2\n  1,b,x,3,3\n"
      "groups: n,lanes\n  5,ab\nnumbered [] = 5 ()\ntotal [] = 5 ()\n");
}

/* Rows that a stage of the whole makes are of the lane that it names. */
static void test_split_rows(void)
{
  const EngineCase c = { .inputs = TWO, .stages = "[{\"use\":\"beside\"},{\"use\":\"tally\"}]" };
  engine_check_all(&c,
                   "0 a 1 1\n0 beside 1 0\n0 b 5 1\n0 beside 5 0\nend\n--\n"
                   "1 c 2 1\n1 beside 2 0\n1 d 3 1\n1 beside 3 0\n1 e 4 1\n1 beside 4 0\nend\n",
                   "lanes: rank,label,kind,n,total\n  0,a,-,4,2\n  1,b,x,6,3\n"
                   "groups: n,lanes\n  10,ab\ntotal [] = 5 ()\n");
}

/* Bases that no time spans: the events come back at the times that they had. */
static void test_absurd_bases(void)
{
  const EngineCase c = { .inputs = { { "a", "rank 0\nbase 4611686018427387904\ne a 1 1\n" },
                                     { "b", "rank 1\nbase -4611686018427387904\ne b 2 1\n" } },
                         .stages = "[{\"use\":\"number\"},{\"use\":\"tally\"}]" };
  engine_check(
      &c, "0 a @4611686018427387905 1 x=0\nend\n--\n1 b @-4611686018427387902 1 x=1\nend\n", NULL);
}

/* One before the merge, too: its lanes report although their events went on without them. */
static void test_before_and_after(void)
{
  const EngineCase c = { .inputs = TWO, .stages = "[{\"use\":\"tally\"},{\"use\":\"number\"}]" };
  engine_check_all(
      &c, "0 a 1 1 x=0\n1 c 2 1 x=1\n1 d 3 1 x=2\n1 e 4 1 x=3\n0 b 5 1 x=4\nend\n",
      "lanes: rank,label,kind,n,total\n  0,a,-,2,2\n  1,b,x,3,3\ngroups: n,lanes\n  5,ab\n"
      "numbered: n\n  5\ntotal [] = 5 ()\nnumbered [] = 5 ()\n");
}

TEST_MAIN({ "lanes agree", test_agree }, { "and again", test_agree_again },
          { "merged", test_merge }, { "merged and split", test_split },
          { "rows of the whole", test_split_rows }, { "absurd bases", test_absurd_bases },
          { "stages before the merge", test_before_and_after })
