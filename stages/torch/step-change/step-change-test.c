/* Tests of torch/step-change.  Events come as torch/host-tree leaves them; times are in microseconds, tables in ns. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define WORK(name, cat, stream, ts, dur, ...) \
  "X \"" name "\" " ts "us " dur "us p=0 t=" stream " cat=" cat " {" __VA_ARGS__ "}"
#define KERNEL(name, ts, dur, ...) WORK(name, "kernel", "7", ts, dur, __VA_ARGS__)
#define MM "tree_category=GEMM, tree_row=\"8:aten::mm4:GEMM3:fwd6:[8, 8]\""
#define SDPA "tree_category=SDPA_fwd, tree_row=\"10:aten::sdpa8:SDPA_fwd3:fwd3:[4]\""

/* Without steps.  Base: mm [0,20), idle, mm [30,50), a copy [50,55): 55 us.  New: mm [0,26), idle, mm [30,56), the copy:
 * 61 us.  mm takes 12 us more in as many calls, idle time 6 us less. */
static void changes_add_up(void)
{
  given_lane("rank=0 label=base");
  given(KERNEL("gemm<1>", "0", "20", MM), KERNEL("gemm<1>", "30", "20", MM),
        WORK("Memcpy HtoD", "gpu_memcpy", "8", "50", "5", ""));
  given_lane("rank=0 label=new");
  given(KERNEL("gemm<1>", "0", "26", MM), KERNEL("gemm<1>", "30", "26", MM),
        WORK("Memcpy HtoD", "gpu_memcpy", "8", "56", "5", ""));
  expect_table("why-summary",
               "55000 | 61000 | 6000 | 10.9090909 | false | 1 | 1 | 1 | 1 | 100 | 100 | - | -");
  expect_table(
      "why", "step | - | - | - | - | 55000 | 61000 | 6000 | slower | - | - | 4 | 4",
      "part | compute | - | - | - | 40000 | 52000 | 12000 | slower | - | - | 2 | 2",
      "part | idle | - | - | - | 10000 | 4000 | -6000 | faster | - | - | 1 | 1",
      "part | exposed-copy | - | - | - | 5000 | 5000 | 0 | - | - | - | 1 | 1",
      "class | compute | GEMM | - | - | 40000 | 52000 | 12000 | slower | - | - | 2 | 2",
      "class | idle | unknown | - | - | 10000 | 4000 | -6000 | faster | - | - | 1 | 1",
      "class | exposed-copy | copies | - | - | 5000 | 5000 | 0 | - | - | - | 1 | 1",
      "op | compute | GEMM | aten::mm [8, 8] | - | 40000 | 52000 | 12000 | slower | - | - | 2 | 2",
      "op | idle | unknown | - | - | 10000 | 4000 | -6000 | faster | - | - | 1 | 1",
      "op | exposed-copy | copies | Memcpy HtoD | - | 5000 | 5000 | 0 | - | - | - | 1 | 1",
      "kernel | compute | GEMM | aten::mm [8, 8] | gemm<1> | 40000 | 52000 | 12000 | slower | - | "
      "- | 2 | 2",
      "kernel | idle | unknown | - | - | 10000 | 4000 | -6000 | faster | - | - | 1 | 1",
      "kernel | exposed-copy | copies | Memcpy HtoD | - | 5000 | 5000 | 0 | - | - | - | 1 | 1");
  expect_table("why-waterfall", "1 base | 0 | 55000 | step", "2 GEMM | 55000 | 67000 | longer",
               "3 idle, unknown | 61000 | 67000 | shorter", "4 new | 0 | 61000 | step");
}

/* Attention by one kernel of 10 us is by two of others, of 8 and 7 us; the class is that of the operator.  The sum comes twice
 * as often; one without an operator is known by its name without template arguments. */
static void kinds_of_changes(void)
{
  given_lane("rank=0 label=base");
  given(KERNEL("flash_fwd", "0", "10", SDPA), KERNEL("reduce_kernel<4>", "10", "10", ""),
        KERNEL("old", "20", "5", ""));
  given_lane("rank=0 label=new");
  given(KERNEL("softmax", "0", "8", SDPA), KERNEL("bmm_gemm", "8", "7", SDPA),
        KERNEL("reduce_kernel<8>", "15", "10", ""), KERNEL("reduce_kernel<8>", "25", "10", ""));
  expect_table(
      "why", "step | - | - | - | - | 25000 | 35000 | 10000 | slower | - | - | 3 | 4",
      "part | compute | - | - | - | 25000 | 35000 | 10000 | slower | - | - | 3 | 4",
      "class | compute | reduction | - | - | 10000 | 20000 | 10000 | more-often | - | - | 1 | 2",
      "class | compute | attention | - | - | 10000 | 15000 | 5000 | more-often | - | - | 1 | 2",
      "class | compute | other | - | - | 5000 | 0 | -5000 | gone | - | - | 1 | 0",
      "op | compute | reduction | reduce_kernel | - | 10000 | 20000 | 10000 | replaced | - | - | 1 "
      "| 2",
      "op | compute | attention | aten::sdpa [4] | - | 10000 | 15000 | 5000 | replaced | - | - | 1 "
      "| 2",
      "op | compute | other | old | - | 5000 | 0 | -5000 | gone | - | - | 1 | 0",
      "kernel | compute | reduction | reduce_kernel | reduce_kernel<8> | 0 | 20000 | 20000 | new | "
      "- | - | 0 | 2",
      "kernel | compute | attention | aten::sdpa [4] | flash_fwd | 10000 | 0 | -10000 | gone | - | "
      "- | 1 | 0",
      "kernel | compute | reduction | reduce_kernel | reduce_kernel<4> | 10000 | 0 | -10000 | gone "
      "| - | - | 1 | 0",
      "kernel | compute | attention | aten::sdpa [4] | softmax | 0 | 8000 | 8000 | new | - | - | 0 "
      "| 1",
      "kernel | compute | attention | aten::sdpa [4] | bmm_gemm | 0 | 7000 | 7000 | new | - | - | "
      "0 | 1",
      "kernel | compute | other | old | old | 5000 | 0 | -5000 | gone | - | - | 1 | 0");
}

#define PLACE(outer) ", tree_outer_module=\"Model/Attention_0\", tree_outer=\"" outer "\""
#define PRODUCT                                                         \
  "tree_category=GEMM, tree_row=\"9:aten::bmm4:GEMM3:fwd3:[4]\"" PLACE( \
      "aten::scaled_dot_product_attention")
#define SOFTMAX                                                                   \
  "tree_category=reduce, tree_row=\"14:aten::_softmax6:reduce3:fwd3:[4]\"" PLACE( \
      "aten::scaled_dot_product_attention")
#define FLASH                                                                       \
  "tree_category=SDPA_fwd, tree_row=\"12:aten::_flash8:SDPA_fwd3:fwd3:[4]\"" PLACE( \
      "aten::scaled_dot_product_attention")
#define OTHER_PLACE \
  "tree_category=elementwise, tree_row=\"9:aten::add11:elementwise3:fwd3:[4]\"" PLACE("aten::add")

/* Attention is one operator with one kernel in base, and two others in new, within the same outer operator: 10 us become 15.
 * The sum that new has in the same module is in no operator of base. */
static void operators_of_one_place(void)
{
  given_lane("rank=0 label=base");
  given(KERNEL("flash_fwd", "0", "10", FLASH));
  given_lane("rank=0 label=new");
  given(KERNEL("bmm", "0", "8", PRODUCT), KERNEL("softmax", "8", "7", SOFTMAX),
        KERNEL("add", "15", "2", OTHER_PLACE));
  expect_table("why-summary",
               "10000 | 17000 | 7000 | 70 | false | 1 | 1 | 1 | 1 | 100 | 88.2352941 | - | -");
  expect_table(
      "why", "step | - | - | - | - | 10000 | 17000 | 7000 | slower | - | - | 1 | 3",
      "part | compute | - | - | - | 10000 | 17000 | 7000 | slower | - | - | 1 | 3",
      "class | compute | attention | - | - | 10000 | 15000 | 5000 | more-often | - | - | 1 | 2",
      "class | compute | elementwise | - | - | 0 | 2000 | 2000 | new | - | - | 0 | 1",
      "op | compute | attention | aten::scaled_dot_product_attention | - | 10000 | 15000 | 5000 | "
      "replaced | - | - | 1 | 2",
      "op | compute | elementwise | aten::add [4] | - | 0 | 2000 | 2000 | new | - | - | 0 | 1",
      "kernel | compute | attention | aten::scaled_dot_product_attention | flash_fwd | 10000 | 0 | "
      "-10000 | gone | - | - | 1 | 0",
      "kernel | compute | attention | aten::scaled_dot_product_attention | bmm | 0 | 8000 | 8000 | "
      "new | - | - | 0 | 1",
      "kernel | compute | attention | aten::scaled_dot_product_attention | softmax | 0 | 7000 | "
      "7000 | new | - | - | 0 | 1",
      "kernel | compute | elementwise | aten::add [4] | add | 0 | 2000 | 2000 | new | - | - | 0 | "
      "1");
}

/* Three ranks or recordings a side give a third of a nanosecond each: levels add up all the same.  Of the second rank the first
 * kernel ends a ns later. */
static void means_are_whole(void)
{
  given_lane("rank=0 label=base");
  given("X a_gemm 0 10ns p=0 t=7 cat=kernel", "X b_gemm 10ns 10ns p=0 t=7 cat=kernel");
  given_lane("rank=1 label=base");
  given("X a_gemm 0 11ns p=0 t=7 cat=kernel", "X b_gemm 11ns 10ns p=0 t=7 cat=kernel");
  given_lane("rank=2 label=base");
  given("X a_gemm 0 10ns p=0 t=7 cat=kernel", "X b_gemm 10ns 11ns p=0 t=7 cat=kernel");
  given_lane("rank=0 label=new");
  given("X a_gemm 0 10ns p=0 t=7 cat=kernel", "X b_gemm 10ns 10ns p=0 t=7 cat=kernel");
  expect_table("why", "step | - | - | - | - | 21 | 20 | -1 | faster | - | - | 2 | 2",
               "part | compute | - | - | - | 21 | 20 | -1 | faster | - | - | 2 | 2",
               "class | compute | GEMM | - | - | 21 | 20 | -1 | faster | - | - | 2 | 2",
               "op | compute | GEMM | a_gemm | - | 11 | 10 | -1 | faster | - | - | 1 | 1",
               "op | compute | GEMM | b_gemm | - | 10 | 10 | 0 | - | - | - | 1 | 1",
               "kernel | compute | GEMM | a_gemm | a_gemm | 11 | 10 | -1 | faster | - | - | 1 | 1",
               "kernel | compute | GEMM | b_gemm | b_gemm | 10 | 10 | 0 | - | - | - | 1 | 1");
}

static void both_sides_are_needed(void)
{
  given_lane("rank=0 label=base");
  given(KERNEL("k", "0", "10", ""));
  expect_notice(1, 1);
  expect_status(3);
}

HARNESS_MAIN({ "changes add up", changes_add_up }, { "kinds of changes", kinds_of_changes },
             { "operators of one place", operators_of_one_place },
             { "means are whole", means_are_whole },
             { "both sides are needed", both_sides_are_needed })
