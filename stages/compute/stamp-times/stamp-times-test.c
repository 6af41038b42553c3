/* Tests of compute/stamp-times: which kernels are measured, and the numbers made of them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void no_kernel_is_no_row(void)
{
  given("X a 0 1us {TS1=1, TS2=2, TS3=3, TS4=4, TS5=5}", "X \"a_1 Cmpt Exec\" 0 1us", "M m -");
  expect_empty_table("stamp-times");
  expect("X a 0 1us {TS1=1, TS2=2, TS3=3, TS4=4, TS5=5}", "X \"a_1 Cmpt Exec\" 0 1us", "M m -");
}

/* TS2-1 100 and 102: mean 101, std sqrt(2); TS3-2 5400, 5400; TS4-3 11200, 11216: std sqrt(128);
 * TS5-4 100, 0. */
static void names_with_numbers_count_together(void)
{
  given("X \"addmm_1_MatMul Cmpt Exec\" 1015us 20us {TS1=5700, TS2=5800, TS3=11200, TS4=22400, "
        "TS5=22500}",
        "X \"addmm_7_MatMul Cmpt Exec\" 1050us 20us {cycles_ts=[30000,30102,35502,46718,46718]}");
  expect_table("stamp-times",
               "0 | addmm_[N]_MatMul Cmpt Exec | 2-1 | 2 | 101 | 101 | 100 | 102 | 1.41421356",
               "0 | addmm_[N]_MatMul Cmpt Exec | 3-2 | 2 | 5400 | 5400 | 5400 | 5400 | 0",
               "0 | addmm_[N]_MatMul Cmpt Exec | 4-3 | 2 | 11208 | 11208 | 11200 | 11216 | "
               "11.3137085",
               "0 | addmm_[N]_MatMul Cmpt Exec | 5-4 | 2 | 50 | 50 | 0 | 100 | 70.7106781");
}

/* Without TS2 two intervals are left; texts are read, NaN is no number; a zero duration counts. */
static void stamps_that_are_missing_leave_their_intervals_out(void)
{
  given("X \"a Cmpt Exec\" 0 1us {TS1=1, TS3=\"0x10\", TS4=\"32\", TS5=40}",
        "X \"b Cmpt Exec\" 0 0 {TS1=\"NaN\", TS2=7}", "X \"c Cmpt Exec\" 0 0 {TS1=3, TS2=7}",
        "X \"d Cmpt Exec\" - 1us {TS4=3, TS5=2}");
  expect_table("stamp-times", "0 | a Cmpt Exec | 4-3 | 1 | 16 | 16 | 16 | 16 | -",
               "0 | a Cmpt Exec | 5-4 | 1 | 8 | 8 | 8 | 8 | -",
               "0 | c Cmpt Exec | 2-1 | 1 | 4 | 4 | 4 | 4 | -",
               "0 | d Cmpt Exec | 5-4 | 1 | -1 | -1 | -1 | -1 | -");
}

static void differences_beyond_64_bits_are_clipped(void)
{
  given("X \"a Cmpt Exec\" 0 1us {TS1=-9223372036854775808, TS2=9223372036854775807}",
        "X \"b Cmpt Exec\" 0 1us {TS1=9223372036854775807, TS2=-9223372036854775808}");
  expect_table("stamp-times",
               "0 | a Cmpt Exec | 2-1 | 1 | 9223372036854775807 | 9223372036854775807 | "
               "9223372036854775807 | 9223372036854775807 | -",
               "0 | b Cmpt Exec | 2-1 | 1 | -9223372036854775808 | -9223372036854775808 | "
               "-9223372036854775808 | -9223372036854775808 | -");
}

static void ranks_are_apart(void)
{
  given_lane("rank=0");
  given("X \"a_1 Cmpt Exec\" 0 1us {TS1=1, TS2=3}");
  given_lane("rank=1");
  given("X \"a_2 Cmpt Exec\" 0 1us {TS1=1, TS2=4}");
  expect_table("stamp-times", "0 | a_[N] Cmpt Exec | 2-1 | 1 | 2 | 2 | 2 | 2 | -",
               "1 | a_[N] Cmpt Exec | 2-1 | 1 | 3 | 3 | 3 | 3 | -");
}

/* 1 to 100,000: mean and median 50000.5; std sqrt(100000 * 100001 / 12) = 28867.6577. */
static void a_hundred_thousand_kernels(void)
{
  char line[80];
  for (int i = 1; i <= 100000; i++) {
    snprintf(line, sizeof line, "X \"k_%d Cmpt Exec\" %dus 1us {TS1=0, TS2=%d}", i % 50, i, i);
    given(line);
  }
  expect_table("stamp-times",
               "0 | k_[N] Cmpt Exec | 2-1 | 100000 | 50000.5 | 50000.5 | 1 | 100000 | 28867.6577");
}

/* Above the bound the median comes from bins: 1, 2, 3 are bins of their own. */
static void above_the_bound_bins_do(void)
{
  with("exact-up-to=2");
  given("X \"a Cmpt Exec\" 0 1us {TS1=0, TS2=1}", "X \"a Cmpt Exec\" 1us 1us {TS1=0, TS2=3}",
        "X \"a Cmpt Exec\" 2us 1us {TS1=0, TS2=2}");
  expect_table("stamp-times", "0 | a Cmpt Exec | 2-1 | 3 | 2 | 2 | 1 | 3 | 1");
}

HARNESS_MAIN({ "no kernel is no row", no_kernel_is_no_row },
             { "names with numbers count together", names_with_numbers_count_together },
             { "stamps that are missing leave their intervals out",
               stamps_that_are_missing_leave_their_intervals_out },
             { "differences beyond 64 bits are clipped", differences_beyond_64_bits_are_clipped },
             { "ranks are apart", ranks_are_apart },
             { "a hundred thousand kernels", a_hundred_thousand_kernels },
             { "above the bound bins do", above_the_bound_bins_do })
