/* Tests of torch/kernel-drift.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define KERNEL(name, ts, dur, step) \
  "X " name " " ts "us " dur "us p=0 t=7 cat=kernel {tree_step=" step "}"

/* Steps 1 to 4 are the quarters; k takes 10 and 20, then 30, then nothing, then 40. */
static void quarters_of_steps(void)
{
  given(KERNEL("k", "0", "10", "1"), KERNEL("k", "10", "20", "1"), KERNEL("k", "30", "30", "2"),
        KERNEL("j", "60", "30", "3"), KERNEL("k", "90", "40", "4"),
        "X ncclDevKernel_AllReduce 90us 1us p=0 t=8 cat=kernel {tree_step=4}");
  expect_table("kernel-drift", "0 | k |  |  | 1 | 2 | 30000 | 15000",
               "0 | k |  |  | 2 | 1 | 30000 | 30000", "0 | k |  |  | 4 | 1 | 40000 | 40000",
               "0 | j |  |  | 3 | 1 | 30000 | 30000");
}

/* The first of five steps is four times as long as the others: warm-up. */
static void without_warm_up(void)
{
  given(KERNEL("k", "0", "40", "1"), KERNEL("k", "40", "10", "2"), KERNEL("k", "50", "10", "3"),
        KERNEL("k", "60", "10", "4"), KERNEL("k", "70", "11", "5"));
  expect_table("kernel-drift", "0 | k |  |  | 1 | 1 | 10000 | 10000",
               "0 | k |  |  | 2 | 1 | 10000 | 10000", "0 | k |  |  | 3 | 1 | 10000 | 10000",
               "0 | k |  |  | 4 | 1 | 11000 | 11000");
}

static void fewer_steps_than_quarters(void)
{
  given(KERNEL("k", "0", "10", "1"), KERNEL("k", "40", "10", "2"), KERNEL("k", "50", "10", "3"));
  expect_empty_table("kernel-drift");
}

/* j takes 39 of 40,039 us, less than a thousandth. */
static void small_kernels(void)
{
  given(KERNEL("k", "0", "10000", "1"), KERNEL("k", "10000", "10000", "2"),
        KERNEL("k", "20000", "10000", "3"), KERNEL("j", "30000", "39", "3"),
        KERNEL("k", "30039", "10000", "4"));
  expect_table("kernel-drift", "0 | k |  |  | 1 | 1 | 10000000 | 10000000",
               "0 | k |  |  | 2 | 1 | 10000000 | 10000000",
               "0 | k |  |  | 3 | 1 | 10000000 | 10000000",
               "0 | k |  |  | 4 | 1 | 10000000 | 10000000");
}

HARNESS_MAIN({ "small kernels", small_kernels }, { "quarters of steps", quarters_of_steps },
             { "without warm-up", without_warm_up },
             { "fewer steps than quarters", fewer_steps_than_quarters })
