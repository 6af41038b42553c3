/* Tests of torch/device-classes. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define WORK(name, cat, stream, ts, dur, ...) \
  "X \"" name "\" " ts "us " dur "us p=0 t=" stream " cat=" cat " {" __VA_ARGS__ "}"
#define KERNEL(name, ts, dur, ...) WORK(name, "kernel", "7", ts, dur, __VA_ARGS__)

/* Span [0,100): a product [0,20); the sum beside it [10,40) counts from 20 on; communication [30,60) from 40 on; a copy
 * [50,70) from 60 on; idle until 90. */
static void each_instant_has_one_class(void)
{
  given(KERNEL("sm90_xmma_gemm_f16", "0", "20", ""),
        WORK("reduce_kernel", "kernel", "8", "10", "30", ""),
        WORK("ncclDevKernel_AllReduce", "kernel", "9", "30", "30", ""),
        WORK("Memcpy HtoD", "gpu_memcpy", "10", "50", "20", ""),
        KERNEL("nobody_knows_it", "90", "10", ""));
  expect_table("device-classes", "0 | GEMM | 20000 | 20", "0 | reduction | 20000 | 20",
               "0 | communication | 20000 | 20", "0 | copies | 10000 | 10",
               "0 | other | 10000 | 10", "0 | idle | 20000 | 20");
}

/* The operator goes before the kernel, but not one that may do anything. */
static void classes_of_operators(void)
{
  given(KERNEL("splitKreduce_kernel", "0", "10", "tree_category=\"GEMM\""),
        KERNEL("reduce_kernel", "10", "20", "tree_category=\"other\""),
        KERNEL("triton_poi_fused_add_0", "30", "30", "tree_category=\"triton\""),
        KERNEL("x", "60", "40", "tree_category=\"RMSNorm_fwd\""));
  expect_table("device-classes", "0 | GEMM | 10000 | 10", "0 | normalisation | 40000 | 40",
               "0 | elementwise | 30000 | 30", "0 | reduction | 20000 | 20");
}

/* Of 9 ns each, one is busy for 9, one for 2, one for 1: 12 of 27 are 4 of 9. */
static void means_of_devices(void)
{
  given("X a_gemm 0 9ns p=0 t=7 cat=kernel", "X a_gemm 0 2ns p=1 t=7 cat=kernel",
        "X a_gemm 8ns 1ns p=2 t=7 cat=kernel");
  expect_table("device-classes", "0 | GEMM | 4 | 44.4444444", "0 | idle | 5 | 55.5555556");
}

static void without_work(void)
{
  given("X aten::mm 0 5us cat=cpu_op", KERNEL("k", "5", "0", ""));
  expect_empty_table("device-classes");
}

HARNESS_MAIN({ "each instant has one class", each_instant_has_one_class },
             { "classes of operators", classes_of_operators },
             { "means of devices", means_of_devices }, { "without work", without_work })
