/* Tests of torch/kernel-overlap.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define KERNEL(name, ts, dur, stream, ...) \
  "X " name " " ts " " dur " p=1 t=" stream " cat=kernel {" __VA_ARGS__ "}"

/* gemm [0,40) and [50,70) us on stream 7, nccl [30,60) on 8: 10 + 10 of 60 and of 30 us.  The copy is no kernel; add
 * [60,65) begins as nccl ends and runs on the stream of gemm. */
static void pairs_of_two_streams(void)
{
  given(KERNEL("nccl", "30us", "30us", "8", ""),
        KERNEL("gemm", "0", "40us", "7", "tree_op=aten::mm"),
        KERNEL("gemm", "50us", "20us", "7", "tree_op=aten::mm"),
        KERNEL("add", "60us", "5us", "7", ""), "X Memcpy 0 90us p=1 t=9 cat=gpu_memcpy");
  expect_table("kernel-overlap", "0 | aten::mm | gemm | | nccl | 2 | 20000 | 33.3333333",
               "0 | | nccl | aten::mm | gemm | 2 | 20000 | 66.6666667");
}

/* Three at a time: each pair counts. */
static void several_at_a_time(void)
{
  given(KERNEL("a", "0", "10us", "1", ""), KERNEL("b", "5us", "2us", "2", ""),
        KERNEL("c", "6us", "10us", "3", ""));
  expect_table("kernel-overlap", "0 | | a | | c | 1 | 4000 | 40", "0 | | c | | a | 1 | 4000 | 40",
               "0 | | a | | b | 1 | 2000 | 20", "0 | | b | | a | 1 | 2000 | 100",
               "0 | | b | | c | 1 | 1000 | 50", "0 | | c | | b | 1 | 1000 | 10");
}

static void without_overlap(void)
{
  given(KERNEL("a", "0", "10us", "1", ""), KERNEL("b", "10us", "2us", "2", ""),
        KERNEL("c", "11us", "0", "3", ""));
  expect_empty_table("kernel-overlap");
}

/* All begin at once on streams of their own: the 257th to 259th meet 256 each, and are not remembered. */
static void too_many_at_a_time(void)
{
  char line[80];
  for (int i = 0; i < 259; i++) {
    snprintf(line, sizeof line, "X k 0 1us p=1 t=%d cat=kernel", i);
    given(line);
  }
  expect_notice(1, 3);
  expect_table("kernel-overlap", "0 | | k | | k | 66816 | 66816000 | 25797.6834");
}

HARNESS_MAIN({ "pairs of two streams", pairs_of_two_streams },
             { "several at a time", several_at_a_time }, { "without overlap", without_overlap },
             { "too many at a time", too_many_at_a_time })
