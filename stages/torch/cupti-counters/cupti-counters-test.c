/* Tests of torch/cupti-counters. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define OP(name, ts, dur) "X " name " " ts " " dur " t=1 cat=cpu_op"
#define CALL(name, ts, dur) "X " name " " ts " " dur " t=1 cat=cuda_runtime {correlation=7}"
#define RANGE(name, ts, dur, values) \
  "X " name " " ts " " dur " p=gpu t=0 cat=cuda_profiler_range {" values "}"

/* aten::linear around aten::addmm around a launch, which the driver repeats; then one in aten::add alone, one in
 * nothing.  Ranges come in another order, and before the host's events. */
static void the_nth_range_is_of_the_nth_launch(void)
{
  given(RANGE("add", "300us", "5us", "inst.sum=20, dram.ratio=0.5, stream=7, name=x, list=[1,2]"),
        RANGE("gemm", "200us", "50us", "inst.sum=1000"),
        RANGE("fill", "310us", "1us", "inst.sum=3"), OP("aten::linear", "0", "50us"),
        OP("aten::addmm", "10us", "30us"), CALL("cudaLaunchKernel", "20us", "10us"),
        CALL("cuLaunchKernelEx", "22us", "5us"), CALL("cudaMemcpyAsync", "35us", "1us"),
        OP("aten::add", "60us", "20us"), CALL("cudaLaunchKernelExC", "65us", "5us"),
        CALL("hipExtModuleLaunchKernel", "90us", "5us"));
  expect_table("cupti-counters",
               "0 | 0 | gemm | aten::addmm | aten::linear | 200000 | 50000 | inst.sum | 1000",
               "0 | 1 | add | aten::add | aten::add | 300000 | 5000 | inst.sum | 20",
               "0 | 1 | add | aten::add | aten::add | 300000 | 5000 | dram.ratio | 0.5",
               "0 | 2 | fill | - | - | 310000 | 1000 | inst.sum | 3");
  expect_notice(2, 0);
}

/* Two launches, one range; graphs and copies are no launches of a kernel. */
static void other_numbers_give_no_operators(void)
{
  given(OP("aten::mm", "0", "50us"), CALL("cudaLaunchKernel", "1us", "1us"),
        CALL("cudaLaunchKernel", "3us", "1us"), CALL("cudaGraphLaunch", "5us", "1us"),
        RANGE("0", "200us", "5us", "inst.sum=20"));
  expect_table("cupti-counters", "0 | 0 | 0 | - | - | 200000 | 5000 | inst.sum | 20");
  expect_notice(2, 1);
}

/* A step is no operator, though old traces say so; a range without counters has no row, but counts. */
static void steps_are_no_operators(void)
{
  given(OP("ProfilerStep#1", "0", "90us"), OP("aten::mm", "10us", "10us"),
        CALL("cudaLaunchKernel", "11us", "1us"), CALL("cudaLaunchKernel", "30us", "1us"),
        RANGE("a", "200us", "5us", ""), RANGE("b", "210us", "5us", "x=-1.5"));
  expect_table("cupti-counters", "0 | 1 | b | - | - | 210000 | 5000 | x | -1.5");
}

static void without_counters(void)
{
  given(OP("aten::mm", "0", "50us"), CALL("cudaLaunchKernel", "1us", "1us"));
  expect_empty_table("cupti-counters");
  expect_notice(1, 1);
}

HARNESS_MAIN({ "the n-th range is of the n-th launch", the_nth_range_is_of_the_nth_launch },
             { "other numbers give no operators", other_numbers_give_no_operators },
             { "steps are no operators", steps_are_no_operators },
             { "without counters", without_counters })
