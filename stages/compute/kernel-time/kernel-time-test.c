/* Tests of compute/kernel-time: what is counted, and the numbers made of it. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void nothing_is_no_number(void)
{
  given("X a 0 1us cat=cpu_op", "M m -");
  expect_empty_table("kernel-time");
  expect_metric("kernel_time", NULL, NULL);
  expect_metric("kernel_duration", NULL, NULL);
  expect_notice(1, 1);
}

static void nothing_is_a_warning_where_it_is_expected(void)
{
  with("expected=true");
  given("X a 0 1us cat=cpu_op");
  expect_notice(1, 0);
  expect_notice(2, 1);
}

/* gemm: 2, 4, 9 us: total 15 of 20 us = 75 %; mean 5; median 4; p90: rank 1.8: 4 + 0.8 * 5 = 8;
 * p99: rank 1.98: 4 + 0.98 * 5 = 8.9; squares of distances 9 + 1 + 16 = 26, / 2 = 13, root
 * 3.605551275.  copy: 5 us once: no std. */
static void the_numbers_of_a_name(void)
{
  given("X gemm 0 2us cat=kernel", "X gemm 9us 9us cat=kernel", "X gemm 5us 4us cat=kernel",
        "X copy 1us 5us cat=gpu_memcpy");
  expect_table(
      "kernel-time", "copy | 5000 | 25 | 1 | 5000 | 5000 | 5000 | 5000 | 5000 | 5000 | - | exact",
      "gemm | 15000 | 75 | 3 | 5000 | 4000 | 8000 | 8900 | 2000 | 9000 | 3605.551275 | exact");
  expect_table(
      "kernel-time-rank",
      "0 | copy | 5000 | 25 | 1 | 5000 | 5000 | 5000 | 5000 | 5000 | 5000 | - | exact",
      "0 | gemm | 15000 | 75 | 3 | 5000 | 4000 | 8000 | 8900 | 2000 | 9000 | 3605.551275 | exact");
  expect_notice(1, 0);
}

static void events_pass_untouched(void)
{
  given("X gemm 0 2us cat=kernel {k=1}", "M m -", "i i 0");
  expect("X gemm 0 2us cat=kernel {k=1}", "M m -", "i i 0");
}

static void device_work_is_known_by_category_or_name(void)
{
  given("X a 0 1us cat=kernel", "X b 0 1us cat=gpu_memset", "X c 0 1us cat=Kernel",
        "X d 0 1us cat=gpu_user_annotation", "X e 0 1us cat=cpu_op", "X \"k_1 Cmpt Exec\" 0 1us",
        "X \"k_1 Cmpt Prep\" 0 1us", "X \"Cmpt Exec k\" 0 1us", "i a 0 cat=kernel",
        "B a 0 cat=kernel", "X a 0 - cat=kernel");
  expect_metric("kernel_names", NULL, "4");
  expect_metric("kernel_calls", NULL, "4");
  expect_metric("kernel_time", NULL, "4000");
}

static void select_takes_names_of_any_category(void)
{
  with("select=^gemm");
  given("X gemm_1 0 1us cat=cpu_op", "X add 0 1us cat=kernel", "X gemm_2 0 3us");
  expect_table("kernel-time",
               "gemm_1 | 1000 | 25 | 1 | 1000 | 1000 | 1000 | 1000 | 1000 | 1000 | - | exact",
               "gemm_2 | 3000 | 75 | 1 | 3000 | 3000 | 3000 | 3000 | 3000 | 3000 | - | exact");
}

static void select_and_categories_must_both_match(void)
{
  with("select=gemm", "categories=^cpu");
  given("X gemm 0 1us cat=cpu_op", "X gemm 0 1us cat=kernel", "X add 0 1us cat=cpu_op");
  expect_metric("kernel_calls", NULL, "1");
}

/* Over both ranks a: 1, 3 us; b: 4 us.  Of all: 1, 3, 4: mean 8/3, median 3, p90: rank 1.8: 3.8,
 * p99: rank 1.98: 3.98; distances from 8/3: 25/9 + 1/9 + 16/9 = 42/9, / 2 = 7/3, root 1.527525. */
static void ranks_add_up(void)
{
  given_lane("rank=0");
  given("X a 0 1us cat=kernel");
  given_lane("rank=1");
  given("X b 0 4us cat=kernel", "X a 0 3us cat=kernel");
  given_lane("rank=2");
  given("X a 0 3us cat=cpu_op");
  expect_table("kernel-time",
               "a | 4000 | 50 | 2 | 2000 | 2000 | 2800 | 2980 | 1000 | 3000 | 1414.2135624 | exact",
               "b | 4000 | 50 | 1 | 4000 | 4000 | 4000 | 4000 | 4000 | 4000 | - | exact");
  expect_table(
      "kernel-time-rank",
      "0 | a | 1000 | 100 | 1 | 1000 | 1000 | 1000 | 1000 | 1000 | 1000 | - | exact",
      "1 | a | 3000 | 42.857142857 | 1 | 3000 | 3000 | 3000 | 3000 | 3000 | 3000 | - | exact",
      "1 | b | 4000 | 57.142857143 | 1 | 4000 | 4000 | 4000 | 4000 | 4000 | 4000 | - | exact");
  expect_metric("kernel_time", NULL, "8000");
  expect_metric("kernel_duration", "mean", "2666.6666667");
  expect_metric("kernel_duration", "p50", "3000");
  expect_metric("kernel_duration", "p90", "3800");
  expect_metric("kernel_duration", "p99", "3980");
  expect_metric("kernel_duration", "max", "4000");
  expect_metric("kernel_duration", "std", "1527.5252317");
  expect_notice(1, 1);
}

static void zero_durations_do_not_divide(void)
{
  given("X a 0 0 cat=kernel", "X a 0 0 cat=kernel");
  expect_table("kernel-time", "a | 0 | - | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | exact");
}

/* 300 calls: i us for i = 1..300, in two lanes of 150: a of odd, b of even ones.  The median is
 * 150.5 us, p90: rank 269.1: 270.1 us. */
static void many_calls(void)
{
  char line[64];
  for (int half = 0; half < 2; half++) {
    given_lane(half ? "rank=1" : "rank=0");
    for (int i = 300 - half; i >= 1; i -= 2) {
      snprintf(line, sizeof line, "X %s 0 %dus cat=kernel", half ? "a" : "b", i);
      given(line);
    }
  }
  expect_metric("kernel_calls", NULL, "300");
  expect_metric("kernel_time", NULL, "45150000");
  expect_metric("kernel_duration", "max", "300000");
}

/* Odd ones: the median is 150, p90: rank 134.1: 269 + 0.1 * 2; p99: rank 147.51: 295 + 0.51 * 2.
 * Even ones each 1 more.  std: 2 us times that of 1..150, sqrt(150 * 151 / 12). */
static void up_to_the_bound_all_is_exact(void)
{
  with("exact-up-to=300");
  many_calls();
  expect_metric("kernel_duration", "p50", "150500");
  expect_metric("kernel_duration", "p90", "270100");
  expect_table("kernel-time",
               "a | 22500000 | 49.833887043 | 150 | 150000 | 150000 | 269200 | 296020 | 1000 | "
               "299000 | 86890.735985 | exact",
               "b | 22650000 | 50.166112957 | 150 | 151000 | 151000 | 270200 | 297020 | 2000 | "
               "300000 | 86890.735985 | exact");
}

/* One call more than that: all names of the run are histograms, whose lanes are exact still.  Bins
 * are of 2^8 = 256 ns from 131072 and of 512 from 262144.  a: 149000 lies in [148992, 149248),
 * middle 149119.5, 151000 in [150784, 151040), 150911.5: median 150015.5; 269000 in [268800,
 * 269312), 269055.5, 271000 in [270848, 271360), 271103.5: at 0.1: 269260.3; 295000 in [294912,
 * 295424), 295167.5, 297000 in [296960, 297472), 297215.5: at 0.51: 296211.98.  b: 150000 in [149760,
 * 150016), 149887.5, 152000 in [151808, 152064), 151935.5: 150911.5; 270000 in [269824, 270336),
 * 270079.5, 272000 in [271872, 272384), 272127.5: 270284.3; 296000 in [295936, 296448), 296191.5,
 * 298000 in [297984, 298496), 298239.5: 297235.98.  Of all: 150000 and 151000: 150399.5; 270000 and
 * 271000: at 0.1: 270181.9. */
static void beyond_the_bound_all_are_histograms(void)
{
  with("exact-up-to=299");
  many_calls();
  expect_metric("kernel_duration", "p50", "150399.5");
  expect_metric("kernel_duration", "p90", "270181.9");
  expect_table(
      "kernel-time",
      "a | 22500000 | 49.833887043 | 150 | 150000 | 150015.5 | 269260.3 | 296211.98 | 1000 | "
      "299000 | 86890.735985 | histogram",
      "b | 22650000 | 50.166112957 | 150 | 151000 | 150911.5 | 270284.3 | 297235.98 | 2000 | "
      "300000 | 86890.735985 | histogram");
  expect_table("kernel-time-rank",
               "0 | b | 22650000 | 100 | 150 | 151000 | 151000 | 270200 | 297020 | 2000 | 300000 | "
               "86890.735985 | exact",
               "1 | a | 22500000 | 100 | 150 | 150000 | 150000 | 269200 | 296020 | 1000 | 299000 | "
               "86890.735985 | exact");
}

static void exact_percentiles_on_request(void)
{
  with("exact=true", "exact-up-to=299");
  many_calls();
  expect_metric("kernel_duration", "p50", "150500");
  expect_metric("kernel_duration", "p90", "270100");
}

/* Digits after "_" or "-" are folded, others stay. */
static void numbers_of_names_are_folded_on_request(void)
{
  with("fold-numbers=true");
  given("X \"addmm_1_MatMul Cmpt Exec\" 0 48us", "X \"addmm_7_MatMul Cmpt Exec\" 0 52us",
        "X \"bmm-BMM_1 Cmpt Exec\" 0 1us", "X fn-4-Output-5 0 3us cat=kernel",
        "X Conv2D_ 0 5us cat=kernel", "X _12 0 7us cat=kernel", "X a_1_2b_ 0 9us cat=kernel");
  expect_table("kernel-time-rank",
               "0 | Conv2D_ | 5000 | 4 | 1 | 5000 | 5000 | 5000 | 5000 | 5000 | 5000 | - | exact",
               "0 | _[N] | 7000 | 5.6 | 1 | 7000 | 7000 | 7000 | 7000 | 7000 | 7000 | - | exact",
               "0 | a_[N]_[N]b_ | 9000 | 7.2 | 1 | 9000 | 9000 | 9000 | 9000 | 9000 | 9000 | - | "
               "exact",
               "0 | addmm_[N]_MatMul Cmpt Exec | 100000 | 80 | 2 | 50000 | 50000 | 51600 | 51960 | "
               "48000 | 52000 | 2828.4271247 | exact",
               "0 | bmm-BMM_[N] Cmpt Exec | 1000 | 0.8 | 1 | 1000 | 1000 | 1000 | 1000 | 1000 | "
               "1000 | - | exact",
               "0 | fn_[N]-Output_[N] | 3000 | 2.4 | 1 | 3000 | 3000 | 3000 | 3000 | 3000 | 3000 | "
               "- | exact");
  expect_metric("kernel_names", NULL, "6");
}

/* 2 and 6 us of one configuration are not pooled with the 9 us of the other. */
static void configurations_are_apart(void)
{
  with("by=threads");
  given_lane("rank=0 tag.threads=256");
  given("X k 0 2us cat=kernel");
  given_lane("rank=1 tag.threads=256");
  given("X k 0 6us cat=kernel");
  given_lane("rank=0 tag.threads=512");
  given("X k 0 9us cat=kernel");
  expect_table("kernel-time",
               "256 | k | 8000 | 100 | 2 | 4000 | 4000 | 5600 | 5960 | 2000 | 6000 | 2828.4271247 "
               "| exact",
               "512 | k | 9000 | 100 | 1 | 9000 | 9000 | 9000 | 9000 | 9000 | 9000 | - | exact");
}

HARNESS_MAIN({ "nothing is no number", nothing_is_no_number },
             { "nothing is a warning where it is expected",
               nothing_is_a_warning_where_it_is_expected },
             { "the numbers of a name", the_numbers_of_a_name },
             { "events pass untouched", events_pass_untouched },
             { "device work is known by category or name",
               device_work_is_known_by_category_or_name },
             { "select takes names of any category", select_takes_names_of_any_category },
             { "select and categories must both match", select_and_categories_must_both_match },
             { "ranks add up", ranks_add_up },
             { "zero durations do not divide", zero_durations_do_not_divide },
             { "up to the bound all is exact", up_to_the_bound_all_is_exact },
             { "beyond the bound all are histograms", beyond_the_bound_all_are_histograms },
             { "exact percentiles on request", exact_percentiles_on_request },
             { "numbers of names are folded on request", numbers_of_names_are_folded_on_request },
             { "configurations are apart", configurations_are_apart })
