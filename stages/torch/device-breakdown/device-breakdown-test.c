/* Tests of torch/device-breakdown: unions, and what runs at the same time. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define KERNEL(name, ts, dur) "X " name " " ts " " dur " p=1 t=7 cat=kernel"

static void nothing_is_no_row(void)
{
  given("X aten::mm 0 5us cat=cpu_op", "X wait 0 5us cat=cuda_sync",
        KERNEL("\"Stream Wait Event\"", "0", "5us"), "X a 0 5us cat=gpu_user_annotation");
  expect_empty_table("temporal-breakdown");
  expect_empty_table("kernel-types");
  expect_notice(1, 1);
}

/* gemm [0,40) and [60,100), nccl [30,70), copy [35,45) and [120,130) us.
 * Alone: computation [0,30) [70,100) = 60, communication [45,60) = 15, memory [120,130) = 10; communication with
 * computation [30,35) [60,70) = 15, with memory [40,45) = 5, all three [35,40) = 5; idle [100,120) = 20 of 130. */
static void a_busy_rank(void)
{
  given(KERNEL("gemm", "60us", "40us"), KERNEL("gemm", "0", "40us"),
        KERNEL("ncclDevKernel", "30us", "40us"), "X Memcpy 35us 10us p=1 t=9 cat=gpu_memcpy",
        "X Memset 120us 10us p=1 t=9 cat=gpu_memset");
}

static void times_of_types(void)
{
  a_busy_rank();
  expect_table("temporal-breakdown",
               "0 | 20000 | 80000 | 30000 | 130000 | 15.3846154 | 61.5384615 | 23.0769231");
  expect_table("comm-overlap", "0 | 20000 | 40000 | 50");
  expect_table("kernel-types", "0 | COMMUNICATION | 15000 | 13.6363636",
               "0 | COMPUTATION | 60000 | 54.5454545",
               "0 | COMMUNICATION overlapping COMPUTATION | 15000 | 13.6363636",
               "0 | MEMORY | 10000 | 9.09090909",
               "0 | COMMUNICATION overlapping MEMORY | 5000 | 4.54545455",
               "0 | COMMUNICATION overlapping COMPUTATION overlapping MEMORY | 5000 | 4.54545455");
}

static void by_name(void)
{
  a_busy_rank();
  expect_table(
      "kernel-breakdown",
      "0 | COMPUTATION | gemm | 2 | 80000 | 40000 | 0 | 40000 | 40000 | 57.1428571",
      "0 | COMMUNICATION | ncclDevKernel | 1 | 40000 | 40000 | - | 40000 | 40000 | 28.5714286",
      "0 | MEMORY | Memcpy | 1 | 10000 | 10000 | - | 10000 | 10000 | 7.14285714",
      "0 | MEMORY | Memset | 1 | 10000 | 10000 | - | 10000 | 10000 | 7.14285714");
}

/* No communication: no share of it.  Work of no length is no time, and still the last. */
static void what_has_no_length(void)
{
  given(KERNEL("a", "0", "10us"), KERNEL("b", "30us", "0"));
  expect_table("temporal-breakdown", "0 | 20000 | 10000 | 0 | 30000 | 66.6666667 | 33.3333333 | 0");
  expect_table("comm-overlap", "0 | 0 | 0 | -");
}

HARNESS_MAIN({ "nothing is no row", nothing_is_no_row }, { "times of types", times_of_types },
             { "by name", by_name }, { "what has no length", what_has_no_length })
