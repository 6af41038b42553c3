/* Tests of compute/active-time: what is active, and what communication is exposed. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void nothing_is_no_number(void)
{
  given("X a 0 1us {TS1=1}", "X \"a Cmpt Exec\" 0 1us", "M m -");
  expect_empty_table("active-time");
  expect_empty_table("activity");
  expect_metric("active_share", NULL, NULL);
}

/* Three kernels of 50 us within 1000 to 1300: 150 of 300 us. */
static void kernels_of_the_time_elapsed(void)
{
  given("X \"a Cmpt Exec\" 1000us 50us {TS1=1}", "X \"b Cmpt Exec\" 1100us 50us {TS1=1}",
        "X \"a Cmpt Exec\" 1250us 50us {cycles_ts=[1,2,3,4,5]}", "X \"a DmaI\" 0 1us {TS1=1}",
        "X host 0 9ms");
  expect_table("active-time", "0 | 0 | 150000 | 150000 | 300000 | 1000000 | 1300000 | 50 | 0 | 0");
  expect_metric("active_share", NULL, "50");
}

static void shares_have_all_their_digits(void)
{
  given("X \"a Cmpt Exec\" 0 120us {TS1=1}", "X \"b Cmpt Exec\" 459us 100us {TS1=1}");
  expect_table("active-time",
               "0 | 0 | 220000 | 220000 | 559000 | 0 | 559000 | 39.35599284436494 | 0 | 0");
  expect_metric("active_share", NULL, "39.35599284436494");
}

/* Overlapping kernels count twice in the sum, 20 us, and once in the time in which one ran, 15 us.  The transfer 5..25 is hidden up to 15. */
static void kernels_that_overlap_are_active_once(void)
{
  given("X \"a Cmpt Exec\" 0 10us {TS1=1}", "X \"b Cmpt Exec\" 5us 10us {TS1=1}",
        "X \"SenRdmaSend_1 DmaO\" 5us 20us {TS1=1}");
  expect_table("active-time", "0 | 0 | 20000 | 15000 | 15000 | 0 | 15000 | 100 | 20000 | 10000");
  expect_notice(1, 1);
}

/* 10.4 us of kernels in 10 are rounding; streams of torch run side by side. */
static void a_little_overlap_is_none(void)
{
  given("X \"a Cmpt Exec\" 0 5us {TS1=1}", "X \"b Cmpt Exec\" 4600 5400 {TS1=1}");
  expect_notice(1, 0);
  harness_clear();
  given_lane("dialect=kineto rank=0");
  given("X a 0 10us cat=kernel", "X b 5us 10us cat=kernel");
  expect_notice(1, 0);
}

/* Transfers 0..10, 5..12, 40..50; kernels 8..20, 18..30, 45..46: exposed 0..8, 40..45, 46..50 = 17 of 22 us. */
static void what_no_kernel_hides_is_exposed(void)
{
  given("X t1 0 10us {TS1=1, CollGroup=g}", "X t2 5us 7us {TS1=1, CollGroup=g}",
        "X \"a Cmpt Exec\" 8us 12us {TS1=1}", "X \"a Cmpt Exec\" 18us 12us {TS1=1, CollGroup=g}",
        "X \"SenRdmaRecv_1 DmaI\" 40us 10us {TS1=1}", "X \"b Cmpt Exec\" 45us 1us {TS1=1}",
        "X \"PrepareAndSyncRdma\" 60us 10us");
  expect_table("active-time",
               "0 | 0 | 25000 | 23000 | 38000 | 8000 | 46000 | 60.5263157895 | 22000 | 17000");
}

/* Two devices of 10 us in 20 each, at one time: 50 %, not 100. */
static void processes_are_devices_of_their_own(void)
{
  given("X \"a Cmpt Exec\" 0 5us p=1 {TS1=1}", "X \"a Cmpt Exec\" 2us 5us p=2 {TS1=1}",
        "X \"a Cmpt Exec\" 15us 5us p=1 {TS1=1}", "X \"a Cmpt Exec\" 17us 5us p=2 {TS1=1}");
  expect_table("active-time", "0 | 1 | 10000 | 10000 | 20000 | 0 | 20000 | 50 | 0 | 0",
               "0 | 2 | 10000 | 10000 | 20000 | 2000 | 22000 | 50 | 0 | 0");
  expect_metric("active_share", NULL, "50");
}

static void torch_kernels_are_known_by_category(void)
{
  given_lane("rank=3 dialect=kineto");
  given("X gemm 0 10us cat=kernel", "X ncclDevKernel_AllReduce 5us 10us cat=kernel",
        "X \"Memcpy (HtoD)\" 20us 5us cat=gpu_memcpy", "X gemm 30us 10us cat=kernel",
        "X \"nccl:all_reduce\" 50us 10us cat=cpu_op");
  expect_table("active-time", "3 | 0 | 20000 | 20000 | 40000 | 0 | 40000 | 50 | 10000 | 5000");
}

static void ranks_add_up(void)
{
  given_lane("rank=0");
  given("X \"a Cmpt Exec\" 0 10us {TS1=1}");
  given_lane("rank=1");
  given("X \"a Cmpt Exec\" 0 5us {TS1=1}", "X \"a Cmpt Exec\" 25us 5us {TS1=1}");
  given_lane("rank=2");
  expect_metric("active_share", NULL, "50"); /* 20 of 40 us */
}

/* 1 ns wide bins as long as 2,000 do. */
static void activity_is_in_bins(void)
{
  given("X \"a Cmpt Exec\" 5 2 {TS1=1}", "X \"a Cmpt Exec\" 6 2 {TS1=1}",
        "X \"a Cmpt Exec\" 9 1 {TS1=1}", "X \"a Cmpt Exec\" 10 0 {TS1=1}");
  expect_table("activity", "0 | 0 | 5 | 6 | 100", "0 | 0 | 6 | 7 | 100", "0 | 0 | 7 | 8 | 100",
               "0 | 0 | 8 | 9 | 0", "0 | 0 | 9 | 10 | 100");
}

/* Two kernels, so at most 32 bins: of 32 ns. */
static void few_kernels_are_in_few_bins(void)
{
  char rows[32][40];
  const char *expected[33] = { 0 };
  given("X \"a Cmpt Exec\" 0 10 {TS1=1}", "X \"a Cmpt Exec\" 990 10 {TS1=1}");
  for (int i = 0; i < 32; i++) {
    const char *active = i == 0 ? "31.25" : i == 30 ? "6.25" : i == 31 ? "25" : "0";
    snprintf(rows[i], sizeof rows[i], "0 | 0 | %d | %d | %s", 32 * i, 32 * i + 32, active);
    expected[i] = rows[i];
  }
  harness_expect_table(HARNESS_AT, "activity", expected);
}

static void extremes_are_clipped(void)
{
  given("X \"a Cmpt Exec\" -9223372036854775807 9223372036854775807 {TS1=1}",
        "X \"b Cmpt Exec\" 9223372036854775800 9223372036854775807 {TS1=1}",
        "X \"c Cmpt Exec\" 9223372036854775800 - {TS1=1}", "X \"d Cmpt Exec\" - 5 {TS1=1}");
  expect_table("active-time",
               "0 | 0 | 9223372036854775807 | 9223372036854775807 | 9223372036854775807 | "
               "-9223372036854775807 | 9223372036854775807 | 100 | 0 | 0");
}

static void zero_durations_do_not_divide(void)
{
  given("X \"a Cmpt Exec\" 1us 0 {TS1=1}");
  expect_table("active-time", "0 | 0 | 0 | 0 | 0 | 1000 | 1000 | - | 0 | 0");
  expect_empty_table("activity");
}

/* 100,000 kernels of 1 us every 2 us. */
static void a_hundred_thousand_kernels(void)
{
  char line[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X \"k_%d Cmpt Exec\" %dus 1us {TS1=1}", i % 9, 2 * i);
    given(line);
  }
  expect_table("active-time",
               "0 | 0 | 100000000 | 100000000 | 199999000 | 0 | 199999000 | 50.000250001 | 0 | 0");
}

HARNESS_MAIN({ "nothing is no number", nothing_is_no_number },
             { "kernels of the time elapsed", kernels_of_the_time_elapsed },
             { "shares have all their digits", shares_have_all_their_digits },
             { "processes are devices of their own", processes_are_devices_of_their_own },
             { "kernels that overlap are active once", kernels_that_overlap_are_active_once },
             { "a little overlap is none", a_little_overlap_is_none },
             { "what no kernel hides is exposed", what_no_kernel_hides_is_exposed },
             { "torch kernels are known by category", torch_kernels_are_known_by_category },
             { "ranks add up", ranks_add_up }, { "activity is in bins", activity_is_in_bins },
             { "few kernels are in few bins", few_kernels_are_in_few_bins },
             { "extremes are clipped", extremes_are_clipped },
             { "zero durations do not divide", zero_durations_do_not_divide },
             { "a hundred thousand kernels", a_hundred_thousand_kernels })
