/* Tests of torch/kernel-summary.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define BY_MM                                                      \
  "tree_launcher=operator, tree_op=aten::mm, tree_category=GEMM, " \
  "tree_row=\"8:aten::mm4:GEMM7:forward5:[[1]]0:3:[1]3:[7]\""
#define KERNEL(name, ts, dur, ...) "X " name " " ts " " dur " p=1 t=7 cat=kernel {" __VA_ARGS__ "}"

static void nothing_is_no_row(void)
{
  given("X Memcpy 0 5us cat=gpu_memcpy");
  expect_empty_table("kernel-summary");
  expect_empty_table("short-kernel-histogram");
  expect_notice(1, 1);
}

/* 20 + 40 of mm, 30 of a graph, 10 without a call, 100 of a call, of 200 us of kernels.  Device work lasts from 0 to
 * the end of the copy at 400 us. */
static void by_operator_or_what_launched_it(void)
{
  given(KERNEL("Cijk_A", "0", "20us", BY_MM ", stream=7"),
        KERNEL("Cijk_A", "50us", "40us", BY_MM ", stream=7"),
        KERNEL("k", "100us", "30us", "tree_launcher=graph, tree_call=cudaGraphLaunch, stream=7"),
        KERNEL("nccl", "100us", "10us", "tree_launcher=none, stream=8"),
        KERNEL("fill", "100us", "100us",
               "tree_launcher=call, tree_call=cudaLaunchKernel, tree_category=other"),
        "X Memcpy 300us 100us p=1 t=9 cat=gpu_memcpy {tree_launcher=none}");
  expect_table(
      "kernel-summary",
      "0 | runtime | cudaLaunchKernel | fill | Elementwise | 7 | 1 | 100000 | 100000 | 100000 | "
      "100000 | 50 | 25",
      "0 | GEMM | aten::mm | Cijk_A | GEMM | 7 | 2 | 60000 | 30000 | 20000 | 40000 | 30 | 15",
      "0 | graph | cudaGraphLaunch | k | Other | 7 | 1 | 30000 | 30000 | 30000 | 30000 | 15 | 7.5",
      "0 | none | | nccl | COMM | 8 | 1 | 10000 | 10000 | 10000 | 10000 | 5 | 2.5");
}

static void streams_are_apart(void)
{
  given(KERNEL("k", "0", "20us", "stream=1"), KERNEL("k", "0", "10us", "stream=\"stream 2\""));
  expect_table("kernel-summary",
               "0 | none | | k | Other | 1 | 1 | 20000 | 20000 | 20000 | 20000 | 66.6666667 | 100",
               "0 | none | | k | Other | 2 | 1 | 10000 | 10000 | 10000 | 10000 | 33.3333333 | 50");
}

/* Short are 1, 2, 3 and 5 us of 100: 5 is not below the limit, which is exact.  Two bins of 1..3: [1,2), [2,3]. */
static void short_ones(void)
{
  with("short=5us", "bins=2");
  given(KERNEL("k", "0", "1us", BY_MM), KERNEL("k", "10us", "3us", BY_MM),
        KERNEL("l", "20us", "2us", ""), KERNEL("k", "30us", "5us", BY_MM),
        KERNEL("l", "40us", "60us", ""));
  expect_table("short-kernels", "0 | aten::mm | [[1]] | [1] | [7] | k | 2 | 4000 | 2000 | 4",
               "0 | | | | | l | 1 | 2000 | 2000 | 2");
  expect_table("short-kernel-histogram", "0 | 0 | 1000 | 2000 | 1", "0 | 1 | 2000 | 3000 | 2");
}

/* 1, 2 and 4 ns in two bins of 1.5: 2 is below 2.5. */
static void edges_between_whole_numbers(void)
{
  with("bins=2");
  given(KERNEL("k", "0", "1ns", ""), KERNEL("k", "10us", "2ns", ""),
        KERNEL("k", "20us", "4ns", ""));
  expect_table("short-kernel-histogram", "0 | 0 | 1 | 2.5 | 2", "0 | 1 | 2.5 | 4 | 1");
}

static void more_than_are_kept(void)
{
  with("exact-up-to=1");
  given(KERNEL("k", "0", "2us", ""), KERNEL("k", "10us", "2us", ""));
  expect_notice(2, 1);
}

static void equal_short_ones_are_one_bin(void)
{
  given(KERNEL("k", "0", "2us", ""), KERNEL("k", "10us", "2us", ""));
  expect_table("short-kernel-histogram", "0 | 0 | 2000 | 2000 | 2");
}

HARNESS_MAIN({ "nothing is no row", nothing_is_no_row },
             { "by operator, or what launched it", by_operator_or_what_launched_it },
             { "streams are apart", streams_are_apart }, { "short ones", short_ones },
             { "edges between whole numbers", edges_between_whole_numbers },
             { "more than are kept", more_than_are_kept },
             { "equal short ones are one bin", equal_short_ones_are_one_bin })
