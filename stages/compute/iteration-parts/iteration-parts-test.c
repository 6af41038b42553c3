/* Tests of compute/iteration-parts: what belongs to which part, and who waited for whom. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

enum { WORDS = 3 };

/* An event of each iteration, which takes 100 us. */
static void given_each(const char *name, int from_us, int to_us, const char *attrs)
{
  char line[160];
  for (int i = 0; i < WORDS; i++) {
    snprintf(line, sizeof line, "X \"%s\" %dus %dus {TS1=1%s}", name, 100 * i + from_us,
             to_us - from_us, attrs);
    given(line);
  }
}

/* Five kernels of 10 us one behind the other, the last one until a time. */
static void given_kernels(int end_us)
{
  static const char *const names[] = { "a Cmpt Exec", "b Cmpt Exec", "c Cmpt Exec", "d Cmpt Exec" };
  for (int i = 0; i < 4; i++) given_each(names[i], 10 * i, 10 * i + 10, "");
  given_each("e Cmpt Exec", 40, end_us, "");
}

#define ROWS(rank, i, compute, wait, transfer, unsplit, prep, gap)  \
#rank " | " #i " | compute | - | " #compute,                      \
      #rank " | " #i " | exposed-transfer | wait | " #wait,         \
      #rank " | " #i " | exposed-transfer | transfer | " #transfer, \
      #rank " | " #i " | exposed-transfer | unsplit | " #unsplit,   \
      #rank " | " #i " | prep | - | " #prep, #rank " | " #i " | gap | - | " #gap

static void nothing_is_no_row(void)
{
  given("X \"a Cmpt Exec\" 0 1us {TS1=1}", "X \"b Cmpt Exec\" 2us 1us {TS1=1}");
  expect_empty_table("iteration-parts");
  expect_empty_table("rank-lateness");
}

/* Kernels until 50, nothing until 85, a preparation until 100; what begins after the last iteration is in none. */
static void computing_preparing_nothing(void)
{
  given_kernels(50);
  given_each("a Cmpt Prep", 85, 100, "");
  given("X \"host\" 0 300us");
  expect_table("iteration-parts", ROWS(0, 0, 50000, 0, 0, 0, 15000, 35000),
               ROWS(0, 1, 50000, 0, 0, 0, 15000, 35000));
}

/* A transfer 45..60 is hidden until 50; a preparation 55..70 is behind it until 60. */
static void the_first_that_holds(void)
{
  given_kernels(50);
  given_each("x DmaI", 45, 60, "");
  given_each("a Cmpt Prep", 55, 70, "");
  expect_table("iteration-parts", ROWS(0, 0, 50000, 0, 10000, 0, 10000, 30000),
               ROWS(0, 1, 50000, 0, 10000, 0, 10000, 30000));
}

/* Rank 0 comes at 50 us, rank 1 at 60; both leave at 80. */
static void waiting_for_the_last_rank(void)
{
  given_lane("rank=0");
  given_kernels(50);
  given_each("s_0 DmaO", 50, 80, ", CollGroup=g");
  given_lane("rank=1");
  given_kernels(60);
  given_each("r_0 DmaI", 60, 80, ", CollGroup=g");
  expect_table("iteration-parts", ROWS(0, 0, 50000, 10000, 20000, 0, 0, 20000),
               ROWS(0, 1, 50000, 10000, 20000, 0, 0, 20000),
               ROWS(1, 0, 60000, 0, 20000, 0, 0, 20000), ROWS(1, 1, 60000, 0, 20000, 0, 0, 20000));
  expect_table("rank-lateness", "0 | 3 | 0", "1 | 3 | 3");
}

/* Rank 1 comes after rank 0 has left: these clocks are not one. */
static void not_on_one_clock(void)
{
  given_lane("rank=0");
  given_kernels(50);
  given_each("s_0 DmaO", 50, 80, ", CollGroup=g");
  given_lane("rank=1");
  given_kernels(50);
  given_each("r_0 DmaI", 81, 90, ", CollGroup=g");
  expect_table("iteration-parts", ROWS(0, 0, 50000, 0, 0, 30000, 0, 20000),
               ROWS(0, 1, 50000, 0, 0, 30000, 0, 20000), ROWS(1, 0, 50000, 0, 0, 9000, 0, 41000),
               ROWS(1, 1, 50000, 0, 0, 9000, 0, 41000));
  expect_empty_table("rank-lateness");
}

/* Two collectives of an iteration: the rank is last in the second. */
static void collectives_are_apart(void)
{
  given_lane("rank=0");
  given_kernels(50);
  given_each("s_0 DmaO", 50, 70, ", CollGroup=g");
  given_each("s_1 DmaO", 75, 90, ", CollGroup=h");
  given_lane("rank=1");
  given_kernels(55);
  given_each("r_0 DmaI", 55, 70, ", CollGroup=g");
  given_each("r_1 DmaI", 71, 90, ", CollGroup=h");
  expect_table("iteration-parts", ROWS(0, 0, 50000, 5000, 30000, 0, 0, 15000),
               ROWS(0, 1, 50000, 5000, 30000, 0, 0, 15000),
               ROWS(1, 0, 55000, 4000, 30000, 0, 0, 11000),
               ROWS(1, 1, 55000, 4000, 30000, 0, 0, 11000));
  expect_table("rank-lateness", "0 | 6 | 3", "1 | 6 | 3");
}

/* Kernels of the second iteration but one differ: the intervals with the difference do not count. */
static void a_difference_is_in_no_iteration(void)
{
  char line[80];
  for (int i = 0; i < 24; i++) {
    snprintf(line, sizeof line, "X \"%c Cmpt Exec\" %dus 5us {TS1=1}", i == 12 ? 'x' : 'a' + i % 5,
             10 * i);
    given(line);
  }
  expect_table("iteration-parts", ROWS(0, 0, 25000, 0, 0, 0, 0, 25000));
}

HARNESS_MAIN({ "nothing is no row", nothing_is_no_row },
             { "computing, preparing, nothing", computing_preparing_nothing },
             { "the first that holds", the_first_that_holds },
             { "waiting for the last rank", waiting_for_the_last_rank },
             { "not on one clock", not_on_one_clock },
             { "collectives are apart", collectives_are_apart },
             { "a difference is in no iteration", a_difference_is_in_no_iteration })
