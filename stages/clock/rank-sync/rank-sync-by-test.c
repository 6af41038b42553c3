/* Clocks of configurations: lanes whose tags differ share none. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define NCCL(ts, seq) \
  "X nccl " ts " 10us cat=kernel {Collective name=allreduce, Process Group Name=\"0\", Seq=" seq "}"

/* Rank 1 is 5 us late with 256 threads, 40 us with 512, where all calls are 700 us later.  Without `by` ranks 0 and 1 of
 * both would be four lanes of one run, and 512 moved by 700 us. */
static void given_two_configurations(void)
{
  given_lane("rank=0 tag.threads=256");
  given(NCCL("100us", "1"), NCCL("200us", "2"), NCCL("300us", "3"));
  given_lane("rank=1 tag.threads=256");
  given(NCCL("105us", "1"), NCCL("205us", "2"), NCCL("305us", "3"));
  given_lane("rank=0 tag.threads=512");
  given(NCCL("800us", "1"), NCCL("900us", "2"), NCCL("1000us", "3"));
  given_lane("rank=1 tag.threads=512");
  given(NCCL("840us", "1"), NCCL("940us", "2"), NCCL("1040us", "3"));
}

static void each_has_a_clock_of_its_own(void)
{
  with("by=threads");
  given_two_configurations();
  expect_lane(1, NCCL("100us", "1"), NCCL("200us", "2"), NCCL("300us", "3"));
  expect_lane(2, NCCL("800us", "1"), NCCL("900us", "2"), NCCL("1000us", "3"));
  expect_lane(3, NCCL("800us", "1"), NCCL("900us", "2"), NCCL("1000us", "3"));
}

static void without_them_all_are_one_run(void)
{
  given_two_configurations();
  expect_lane(2, NCCL("100us", "1"), NCCL("200us", "2"), NCCL("300us", "3"));
}

/* What only the other configuration has does not tie a rank. */
static void a_collective_of_another_ties_nothing(void)
{
  with("by=threads");
  given_lane("rank=0 tag.threads=256");
  given(NCCL("100us", "1"), NCCL("200us", "2"));
  given_lane("rank=1 tag.threads=512");
  given(NCCL("150us", "1"), NCCL("250us", "2"));
  expect_lane(1, NCCL("150us", "1"), NCCL("250us", "2"));
}

HARNESS_MAIN({ "each has a clock of its own", each_has_a_clock_of_its_own },
             { "without them all are one run", without_them_all_are_one_run },
             { "a collective of another ties nothing", a_collective_of_another_ties_nothing })
