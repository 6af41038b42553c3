/* Tests of compute/kernel-time: what is counted, and the numbers made of it. */
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

/* gemm: 2, 4, 9 us: total 15 of 20 us = 75 %; mean 5; median 4; p90: rank 1.8: 4 + 0.8 * 5 = 8;
 * p99: rank 1.98: 4 + 0.98 * 5 = 8.9; squares of distances 9 + 1 + 16 = 26, / 2 = 13, root
 * 3.605551275.  copy: 5 us once: no std. */
static void the_numbers_of_a_name(void)
{
  given("X gemm 0 2us cat=kernel", "X gemm 9us 9us cat=kernel", "X gemm 5us 4us cat=kernel",
        "X copy 1us 5us cat=gpu_memcpy");
  expect_table("kernel-time", "copy | 5000 | 25 | 1 | 5000 | 5000 | 5000 | 5000 | 5000 | 5000 | -",
               "gemm | 15000 | 75 | 3 | 5000 | 4000 | 8000 | 8900 | 2000 | 9000 | 3605.551275");
  expect_table("kernel-time-rank",
               "0 | copy | 5000 | 25 | 1 | 5000 | 5000 | 5000 | 5000 | 5000 | 5000 | -",
               "0 | gemm | 15000 | 75 | 3 | 5000 | 4000 | 8000 | 8900 | 2000 | 9000 | 3605.551275");
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
               "gemm_1 | 1000 | 25 | 1 | 1000 | 1000 | 1000 | 1000 | 1000 | 1000 | -",
               "gemm_2 | 3000 | 75 | 1 | 3000 | 3000 | 3000 | 3000 | 3000 | 3000 | -");
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
               "a | 4000 | 50 | 2 | 2000 | 2000 | 2800 | 2980 | 1000 | 3000 | 1414.2135624",
               "b | 4000 | 50 | 1 | 4000 | 4000 | 4000 | 4000 | 4000 | 4000 | -");
  expect_table("kernel-time-rank",
               "0 | a | 1000 | 100 | 1 | 1000 | 1000 | 1000 | 1000 | 1000 | 1000 | -",
               "1 | a | 3000 | 42.857142857 | 1 | 3000 | 3000 | 3000 | 3000 | 3000 | 3000 | -",
               "1 | b | 4000 | 57.142857143 | 1 | 4000 | 4000 | 4000 | 4000 | 4000 | 4000 | -");
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
  expect_table("kernel-time", "a | 0 | - | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0");
}

/* 300 calls: i us for i = 1..300, in two lanes of 150.  The median is 150.5 us, p90: rank 269.1:
 * 270.1 us.  Above 256 calls each may be off by 0.8 %: checked as the middle of its bin.  150000
 * has 17 octaves below it: bins of 2^11 = 2048 from 131072, so 150000 and 151000 lie in [149504,
 * 151552): middle 150527.5.  270000 and 271000: octave from 262144, bins of 4096: [270336,
 * 274432) holds 271000; 270000 lies in [266240, 270336): middles 268287.5 and 272383.5; at 0.1:
 * 268697.1. */
static void many_calls(void)
{
  char line[64];
  for (int half = 0; half < 2; half++) {
    given_lane(half ? "rank=1" : "rank=0");
    for (int i = 1 + half; i <= 300; i += 2) {
      snprintf(line, sizeof line, "X a 0 %dus cat=kernel", i);
      given(line);
    }
  }
  expect_metric("kernel_calls", NULL, "300");
  expect_metric("kernel_time", NULL, "45150000");
  expect_metric("kernel_duration", "p50", "150527.5");
  expect_metric("kernel_duration", "p90", "268697.1");
  expect_metric("kernel_duration", "max", "300000");
}

static void exact_percentiles_on_request(void)
{
  char line[64];
  with("exact=true");
  for (int i = 300; i >= 1; i--) {
    snprintf(line, sizeof line, "X a 0 %dus cat=kernel", i);
    given(line);
  }
  expect_metric("kernel_duration", "p50", "150500");
  expect_metric("kernel_duration", "p90", "270100");
}

HARNESS_MAIN({ "nothing is no number", nothing_is_no_number },
             { "the numbers of a name", the_numbers_of_a_name },
             { "events pass untouched", events_pass_untouched },
             { "device work is known by category or name",
               device_work_is_known_by_category_or_name },
             { "select takes names of any category", select_takes_names_of_any_category },
             { "select and categories must both match", select_and_categories_must_both_match },
             { "ranks add up", ranks_add_up },
             { "zero durations do not divide", zero_durations_do_not_divide },
             { "many calls", many_calls },
             { "exact percentiles on request", exact_percentiles_on_request })
