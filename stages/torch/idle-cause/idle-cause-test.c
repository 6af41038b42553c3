/* Tests of torch/idle-cause.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define KERNEL(ts, dur, ...) "X k " ts " " dur " p=1 t=7 cat=kernel {stream=7" __VA_ARGS__ "}"
#define CALLED(ts) ", tree_call_start_ns=" ts

/* After [0,10) us: [15,20), launched at 12: 5 us for the host.  [40,50), launched at 20, when the work before ended: 20 us,
 * the device's.  [80,90), launched at 1: 30 us, beyond the limit.  [95,96): nobody knows.  [95,96) follows at once
 * and [90,95) is no gap: 5 of 60 us. */
static void causes_of_gaps(void)
{
  given(KERNEL("40us", "10us", CALLED("20000")), KERNEL("0", "10us", CALLED("1000")),
        KERNEL("15us", "5us", CALLED("12000")), KERNEL("80us", "10us", CALLED("1000")),
        KERNEL("95us", "1us", ""), KERNEL("96us", "1us", CALLED("1000")));
  expect_table("idle-cause", "0 | 7 | host_wait | 1 | 5000 | 8.33333333",
               "0 | 7 | kernel_wait | 1 | 20000 | 33.3333333", "0 | 7 | other | 1 | 30000 | 50",
               "0 | 7 | unknown | 1 | 5000 | 8.33333333");
  expect_metric("idle_host_wait", NULL, "8.33333333");
}

static void streams_are_apart(void)
{
  with("kernel-gap=1us");
  given(KERNEL("0", "10us", ""), "X Memcpy 50us 10us p=1 t=8 cat=gpu_memcpy {tree_call_start_ns=0}",
        KERNEL("20us", "10us", CALLED("0")),
        "X Memcpy 60500ns 10us p=1 t=8 cat=gpu_memcpy {tree_call_start_ns=0}");
  expect_table("idle-cause", "0 | 7 | other | 1 | 10000 | 95.2380952",
               "0 | 8 | kernel_wait | 1 | 500 | 4.76190476");
}

/* The gap is to the end of the work that began last, also where another one still runs. */
static void overlapping_work(void)
{
  given(KERNEL("0", "50us", ""), KERNEL("10us", "5us", ""), KERNEL("20us", "5us", CALLED("18000")));
  expect_table("idle-cause", "0 | 7 | host_wait | 1 | 5000 | 100");
}

static void without_gaps(void)
{
  given(KERNEL("0", "50us", ""), "X aten::mm 0 5us cat=cpu_op");
  expect_empty_table("idle-cause");
  expect_metric("idle_host_wait", NULL, NULL);
}

static void the_metric_is_over_all_lanes(void)
{
  given_lane("rank=0");
  given(KERNEL("0", "10us", ""), KERNEL("40us", "1us", CALLED("30000")));
  given_lane("rank=1");
  given(KERNEL("0", "10us", ""), KERNEL("20us", "1us", CALLED("0")));
  expect_metric("idle_host_wait", NULL, "75");
}

HARNESS_MAIN({ "causes of gaps", causes_of_gaps }, { "streams are apart", streams_are_apart },
             { "overlapping work", overlapping_work }, { "without gaps", without_gaps },
             { "the metric is over all lanes", the_metric_is_over_all_lanes })
