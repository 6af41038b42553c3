/* Energy of kernels, power over time, and what is not known. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

/* 30 W from 1020 to 1040 us and 60 W to 1060; kernels run from 1010 to 1020, 1030 to 1040 and 1050
 * to 1060: none, 10 us of 30 W and 10 us of 60 W: 300 + 600 uJ, and 900 uJ when none runs. */
static void energy_goes_to_kernels_by_time(void)
{
  given("X \"a Cmpt Exec\" 1010us 10us", "C Power 1020us {Watts=30.0, power_until_ns=1040000}",
        "X \"b Cmpt Exec\" 1030us 10us", "C Power 1040us {Watts=60.0, power_until_ns=1060000}",
        "X \"b Cmpt Exec\" 1050us 10us");
  expect_table("power", "0 | (no kernel) | 0 | 20000 | 45 | 60 | 0.0009",
               "0 | a Cmpt Exec | 1 | 0 | - | - | 0",
               "0 | b Cmpt Exec | 2 | 20000 | 45 | 60 | 0.0009");
  expect_metric("energy", NULL, "0.0018");
  expect_metric("power", "mean", "45");
  expect_metric("power", "max", "60");
  expect_notice(1, 0);
}

/* As above, and 10 us of 0 W from 1060 on.  Segments with kernels: 10 us of 30 W, 10 of 60; without: 10 of 30, 10 of
 * 60, 10 of 0.  Half of the time above 0, 10 of 20 us and 20 of 40, is at 30 W. */
static void power_with_and_without_kernels(void)
{
  given("X \"a Cmpt Exec\" 1010us 10us", "C Power 1020us {Watts=30.0, power_until_ns=1040000}",
        "X \"b Cmpt Exec\" 1030us 10us", "C Power 1040us {Watts=60.0, power_until_ns=1060000}",
        "X \"b Cmpt Exec\" 1050us 10us", "C Power 1060us {Watts=0, power_until_ns=1070000}");
  expect_table("power-load", "0 | always | 50000 | 40000 | 36 | 45 | 30 | 30 | 60",
               "0 | kernels ran | 20000 | 20000 | 45 | 45 | 30 | 30 | 60",
               "0 | no kernel ran | 30000 | 20000 | 30 | 45 | 30 | 30 | 60");
}

/* 1 us of 10 W, 3 of 20, 2 of 50: half of 6 us is reached at 20 W.  No kernel ran. */
static void the_median_goes_by_time(void)
{
  given("C Power 0 {Watts=50, power_until_ns=2000}", "C Power 2us {Watts=10, power_until_ns=3000}",
        "C Power 3us {Watts=20, power_until_ns=6000}");
  expect_table("power-load",
               "0 | always | 6000 | 6000 | 28.3333333333 | 28.3333333333 | 10 | 20 | 50",
               "0 | kernels ran | 0 | 0 | - | - | - | - | -",
               "0 | no kernel ran | 6000 | 6000 | 28.3333333333 | 28.3333333333 | 10 | 20 | 50");
}

/* 40,000 powers from 1 W on, 1 nW apart, 1 us each: more than are told apart, so that their last bit goes. */
static void many_powers_have_a_median(void)
{
  char line[100];
  for (int i = 0; i < 40000; i++) {
    snprintf(line, sizeof line, "C Power %d {Watts=1.%09d, power_until_ns=%d}", i * 1000, i,
             (i + 1) * 1000);
    given(line);
  }
  expect_table("power-load",
               "0 | always | 40000000 | 40000000 | 1.0000199995 | 1.0000199995 | 1 | 1.000019998 | "
               "1.000039999",
               "0 | kernels ran | 0 | 0 | - | - | - | - | -",
               "0 | no kernel ran | 40000000 | 40000000 | 1.0000199995 | 1.0000199995 | 1 | "
               "1.000019998 | 1.000039999");
}

/* Two devices: 30 W from 0 to 20 us with a kernel from 5 to 15, and 60 W from 10 to 20 us with one from 0 to 20.
 * a: 10 us of 30 W; b: 10 us of 60 W; idle: 10 us of 30 W.  Bins have the mean of both. */
static void each_process_is_a_device(void)
{
  given("X \"b Cmpt Exec\" 0 20us p=2",
        "C Power 0 {Watts=30, power_until_ns=20000, power_process=1}",
        "X \"a Cmpt Exec\" 5us 10us p=1",
        "C Power 10us {Watts=60, power_until_ns=20000, power_process=2}");
  expect_table("power", "0 | (no kernel) | 0 | 10000 | 30 | 30 | 0.0003",
               "0 | a Cmpt Exec | 1 | 10000 | 30 | 30 | 0.0003",
               "0 | b Cmpt Exec | 1 | 10000 | 60 | 60 | 0.0006");
  expect_metric("energy", NULL, "0.0012");
  expect_metric("power", "mean", "40");
}

/* From 0 to 40 us at 40 W: 1600 uJ.  a runs from 0 to 30, b from 10 to 20: a gets 20 us alone and
 * half of 10: 1000 uJ, b 200 uJ; 400 uJ are left. */
static void kernels_at_one_time_share(void)
{
  given("C Power 0 {Watts=40, power_until_ns=40000}", "X \"a Cmpt Exec\" 0 30us",
        "X \"b Cmpt Exec\" 10us 10us");
  expect_table("power", "0 | (no kernel) | 0 | 10000 | 40 | 40 | 0.0004",
               "0 | a Cmpt Exec | 1 | 30000 | 33.3333333333 | 40 | 0.001",
               "0 | b Cmpt Exec | 1 | 10000 | 20 | 40 | 0.0002");
}

/* 10, 30, 20 W for 10 us each: the highest of a (0 to 10) is 10, of b (5 to 30) 30, of c (20 to 30)
 * 20, of d (25 to 30) 20. */
static void the_highest_power_is_of_the_time_it_ran(void)
{
  given("X a 0 10us cat=kernel", "C Power 0 {Watts=10, power_until_ns=10000}",
        "X b 5us 25us cat=kernel", "C Power 10us {Watts=30, power_until_ns=20000}",
        "X c 20us 10us cat=kernel", "C Power 20us {Watts=20, power_until_ns=30000}",
        "X d 25us 5us cat=kernel");
  /* a: 5 us at 10 W alone, 5 shared: 50 + 25; b: 25 + 300 + half of 5 us at 20 W + a third of 5 */
  expect_table("power", "0 | (no kernel) | 0 | 0 | - | - | 0",
               "0 | a | 1 | 10000 | 7.5 | 10 | 7.5e-05",
               "0 | b | 1 | 25000 | 16.3333333333 | 30 | 0.00040833333333",
               "0 | c | 1 | 10000 | 8.33333333333 | 20 | 8.333333333e-05",
               "0 | d | 1 | 5000 | 6.66666666667 | 20 | 3.333333333e-05");
}

/* 20 us of 40 W for each of three kernels: two by one name, if numbers do not count. */
static void names_may_be_folded(void)
{
  with("fold-numbers=true");
  given("C Power 0 {Watts=40, power_until_ns=60000}", "X \"addmm_1_MatMul Cmpt Exec\" 0 20us",
        "X \"addmm_22_MatMul Cmpt Exec\" 20us 20us", "X \"mul-3 Cmpt Exec\" 40us 20us");
  expect_table("power", "0 | (no kernel) | 0 | 0 | - | - | 0",
               "0 | addmm_[N]_MatMul Cmpt Exec | 2 | 40000 | 40 | 40 | 0.0016",
               "0 | mul_[N] Cmpt Exec | 1 | 20000 | 40 | 40 | 0.0008");
}

/* As pec has it with stamp=ts3: 10 us of 10 W and 10 us of 20 W. */
static void counters_of_kernels_are_power(void)
{
  given("C \"Power DmaI\" 0 {Watts=10, power_until_ns=10000}",
        "C \"Power Cmpt Exec\" 10us {Watts=20, power_until_ns=20000}",
        "X \"k Cmpt Exec\" 15us 5us");
  expect_metric("energy", NULL, "0.0003");
  expect_table("power", "0 | (no kernel) | 0 | 15000 | 13.33333333333 | 20 | 0.0002",
               "0 | k Cmpt Exec | 1 | 5000 | 20 | 20 | 0.0001");
}

/* Bins of 1 us: 0 to 1.5 us at 10 W, 3 to 4 us at 50 W. */
static void power_over_time_comes_in_bins(void)
{
  given("C Power 0 {Watts=10, power_until_ns=1500}",
        "C \"Power DmaI\" 3us {Watts=50, power_until_ns=4000}",
        "C \"Power DmaI\" 3999 {Watts=0, power_until_ns=3999}");
  expect_table("power-series", "0 | 0 | 10 | 10", "0 | 1000 | 10 | 10", "0 | 3000 | 50 | 50");
  expect_metric("energy", NULL, "0.000065");
}

/* 3,001 us from 999 us on, in bins of 2 us; the first begins before. */
static void bins_become_wider(void)
{
  char rows[1502][64];
  const char *expected[1502] = { 0 };
  given("C Power 999us {Watts=10, power_until_ns=4000000}");
  for (int i = 0; i < 1501; i++) {
    snprintf(rows[i], sizeof rows[i], "0 | %d | 10 | 10", 998000 + 2000 * i);
    expected[i] = rows[i];
  }
  harness_expect_table(HARNESS_AT, "power-series", expected);
}

/* Of another program: up to the next, the last up to what comes last. */
static void a_counter_without_end_holds_until_the_next(void)
{
  given("C Power 0 {Watts=10}", "C Power 10us {Watts=20}", "X \"a Cmpt Exec\" 15us 100us",
        "X \"b Cmpt Exec\" 20us 10us");
  /* a: 5 us at 20 W */
  expect_metric("energy", NULL, "0.0003");
}

static void nothing_is_no_number(void)
{
  given("X \"a Cmpt Exec\" 0 10us", "C Power 5us {Watts=nothing, power_until_ns=9000}",
        "C Power 6us {Watts=-1, power_until_ns=9000}",
        "C Powers 6us {Watts=1, power_until_ns=9000}", "C Power 7us {Volts=1}",
        "X a 0 -5 cat=kernel", "X a 9us 0 cat=kernel");
  expect_empty_table("power");
  expect_empty_table("power-series");
  expect_metric("power", NULL, NULL);
  expect_metric("energy", NULL, NULL);
  expect_notice(1, 1);
}

static void ranks_add_up(void)
{
  given_lane("rank=0");
  given("C Power 0 {Watts=10, power_until_ns=10000}");
  given_lane("rank=1");
  given("C Power 0 {Watts=40, power_until_ns=20000}");
  given_lane("rank=2");
  given("X a 0 1us cat=kernel");
  expect_table(
      "power-series", "0 | 0 | 10 | 10", "0 | 1000 | 10 | 10", "0 | 2000 | 10 | 10",
      "0 | 3000 | 10 | 10", "0 | 4000 | 10 | 10", "0 | 5000 | 10 | 10", "0 | 6000 | 10 | 10",
      "0 | 7000 | 10 | 10", "0 | 8000 | 10 | 10", "0 | 9000 | 10 | 10", "1 | 0 | 40 | 40",
      "1 | 1000 | 40 | 40", "1 | 2000 | 40 | 40", "1 | 3000 | 40 | 40", "1 | 4000 | 40 | 40",
      "1 | 5000 | 40 | 40", "1 | 6000 | 40 | 40", "1 | 7000 | 40 | 40", "1 | 8000 | 40 | 40",
      "1 | 9000 | 40 | 40", "1 | 10000 | 40 | 40", "1 | 11000 | 40 | 40", "1 | 12000 | 40 | 40",
      "1 | 13000 | 40 | 40", "1 | 14000 | 40 | 40", "1 | 15000 | 40 | 40", "1 | 16000 | 40 | 40",
      "1 | 17000 | 40 | 40", "1 | 18000 | 40 | 40", "1 | 19000 | 40 | 40");
  expect_metric("energy", NULL, "0.0009"); /* 100 + 800 uJ */
  expect_metric("power", "mean", "30");
  expect_notice(1, 1);
}

static void times_at_the_ends_do_no_harm(void)
{
  given("C Power -9223372036854775808 {Watts=1e300, power_until_ns=9223372036854775807}",
        "X a -9223372036854775808 9223372036854775807 cat=kernel",
        "X b 9223372036854775807 9223372036854775807 cat=kernel");
  expect_metric("power", "max", "1000000000");
}

/* 50,000 kernels in one another, and 50,000 powers that fall: each kernel is longer than all that
 * begin after it. */
static void many_at_one_time_take_no_longer(void)
{
  char line[120];
  for (int i = 0; i < 50000; i++) {
    snprintf(line, sizeof line, "X a %d %d cat=kernel", i, 200000 - 2 * i);
    given(line);
    snprintf(line, sizeof line, "C Power %d {Watts=%d, power_until_ns=%d}", i, 50000 - i, i + 1);
    given(line);
  }
  /* W * ns: 50,000 * 50,001 / 2 */
  expect_metric("energy", NULL, "1.250025");
  expect_metric("power", "max", "50000");
}

HARNESS_MAIN({ "energy goes to kernels by time", energy_goes_to_kernels_by_time },
             { "power with and without kernels", power_with_and_without_kernels },
             { "the median goes by time", the_median_goes_by_time },
             { "many powers have a median", many_powers_have_a_median },
             { "each process is a device", each_process_is_a_device },
             { "names may be folded", names_may_be_folded },
             { "kernels at one time share", kernels_at_one_time_share },
             { "the highest power is of the time it ran", the_highest_power_is_of_the_time_it_ran },
             { "power over time comes in bins", power_over_time_comes_in_bins },
             { "counters of kernels are power", counters_of_kernels_are_power },
             { "bins become wider", bins_become_wider },
             { "a counter without end holds until the next",
               a_counter_without_end_holds_until_the_next },
             { "nothing is no number", nothing_is_no_number }, { "ranks add up", ranks_add_up },
             { "times at the ends do no harm", times_at_the_ends_do_no_harm },
             { "many at one time take no longer", many_at_one_time_take_no_longer })
