/* Tests of torch/step-parts.  Events come as torch/host-tree leaves them; times are in microseconds, tables in ns.
 * The host is on the first track that comes, which is number 0. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define HOST(name, ts, dur, cat) "X \"" name "\" " ts "us " dur "us p=9 t=1 cat=" cat
#define STEP(n, ts, dur) HOST("ProfilerStep#" n, ts, dur, "user_annotation")
#define WORK(name, cat, stream, ts, dur, step, ...)                                                \
  "X \"" name "\" " ts "us " dur "us p=0 t=" stream " cat=" cat " {tree_step=" step "" __VA_ARGS__ \
  "}"
#define KERNEL(ts, dur, step, ...) WORK("k", "kernel", "7", ts, dur, step __VA_ARGS__)
#define CALLED(us) , ", tree_call_start_ns=" us "000, tree_track=0"
#define REDUCE                                                                                     \
  ", 'Collective name'=allreduce, 'Group size'=2, 'In msg nelems'=8, dtype=Float, 'Process Group " \
  "Name'=0"

/* Step 1 is [0,90): k [10,30), communication alone in [30,50), a copy alone in [50,60), k [70,90).  The gaps [0,10) and
 * [60,70) end with work whose calls, at 5 and 65, come after they began.  Step 2 is [90,150): of the gap [90,130) a loader has
 * [100,115), an allocation [118,121), the launch at 125 the rest. */
static void parts_add_up_to_steps(void)
{
  given(STEP("1", "0", "100"), STEP("2", "100", "100"), KERNEL("10", "20", "1" CALLED("5")),
        WORK("ncclDevKernel_AllReduce", "kernel", "8", "20", "30", "1"),
        WORK("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", "9", "45", "15", "1"),
        KERNEL("70", "20", "1" CALLED("65")),
        HOST("enumerate(DataLoader)#x", "100", "15", "user_annotation"),
        HOST("cudaMalloc", "118", "3", "cuda_runtime"), KERNEL("130", "20", "2" CALLED("125")));
  expect_notice(1, 1);
  expect_table("step-parts", "0 | 1 | false | compute | - | 40000",
               "0 | 1 | false | exposed-comm | unsplit | 20000",
               "0 | 1 | false | exposed-copy | - | 10000", "0 | 1 | false | idle | launch | 20000",
               "0 | 2 | false | compute | - | 20000", "0 | 2 | false | idle | loader | 15000",
               "0 | 2 | false | idle | allocation | 3000", "0 | 2 | false | idle | launch | 22000");
  expect_table("step-copies", "0 | 1 | false | Memcpy HtoD (Pageable -> Device) | 10000 | 0");
  expect_table("gap-causes", "0 | loader | enumerate(DataLoader)#x | 1 | 15000 | 15000",
               "0 | allocation | cudaMalloc | 1 | 3000 | 3000",
               "0 | launch | k | 5 | 42000 | 10000");
  expect_table("allocation-calls", "0 | cudaMalloc | 1 | 3000");
}

/* The host waits from 5 to 12 under aten::item, and launches again at 20: [10,25) is the doing of that call.  It began after
 * a copy ended. */
static void waiting_for_the_device(void)
{
  given(HOST("aten::item", "4", "9", "cpu_op"),
        HOST("cudaStreamSynchronize", "5", "7", "cuda_runtime"),
        WORK("Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", "7", "0", "10", "-1"),
        KERNEL("25", "5", "-1" CALLED("20")));
  expect_table("step-parts", "0 | 0 | false | compute | - | 5000",
               "0 | 0 | false | exposed-copy | - | 10000", "0 | 0 | false | idle | sync | 15000");
  expect_table("gap-causes", "0 | sync | aten::item | 1 | 15000 | 15000");
  expect_table("step-copies", "0 | 0 | false | Memcpy DtoH (Device -> Pinned) | 10000 | 15000");
  expect_table("step-spans", "0 | 1 | 0 | 30000 | true | -");
}

/* The profiler slows the host down for each frame. */
static void frames_of_python_are_not_judged(void)
{
  given(HOST("train.py(7): step", "0", "40", "python_function"),
        KERNEL("25", "5", "-1" CALLED("20")));
  expect_notice(2, 1);
  expect_table("step-spans", "0 | 1 | 0 | 5000 | false | frames of Python slow the host");
}

/* The same wait, but a step begins at 14: what follows it, the launch at 20, is the cause. */
static void the_wait_that_ends_a_step(void)
{
  given(STEP("1", "0", "14"), STEP("2", "14", "20"),
        HOST("cudaDeviceSynchronize", "5", "7", "cuda_runtime"), KERNEL("0", "10", "1" CALLED("0")),
        KERNEL("25", "5", "2" CALLED("20")));
  expect_table("step-parts", "0 | 1 | false | compute | - | 10000",
               "0 | 2 | false | compute | - | 5000", "0 | 2 | false | idle | launch | 15000");
}

/* The call that launches the second piece lasts from 8 to 18. */
static void a_long_launch(void)
{
  given(HOST("x", "0", "1", "cpu_op"), KERNEL("0", "10", "-1" CALLED("0")),
        KERNEL("20", "5", "-1", ", tree_call_start_ns=8000, tree_call_dur_ns=10000, tree_track=0"));
  expect_table("step-parts", "0 | 0 | false | compute | - | 15000",
               "0 | 0 | false | idle | launch | 10000");
}

/* The second piece was launched at 1, and a call let its stream wait; the third one's call is not known. */
static void waiting_for_a_stream(void)
{
  given(HOST("cudaStreamWaitEvent", "0", "1", "cuda_runtime"), KERNEL("0", "10", "-1" CALLED("0")),
        KERNEL("12", "3", "-1" CALLED("1")), KERNEL("20", "5", "-1"));
  expect_table("step-parts", "0 | 0 | false | compute | - | 18000",
               "0 | 0 | false | idle | stream | 2000", "0 | 0 | false | idle | unknown | 5000");
}

/* Device 0 computes all of 25 us, device 1 from 5 to 10: means of 15 and 10. */
static void means_of_devices(void)
{
  given(HOST("x", "0", "1", "cpu_op"), "X k 0 25us p=0 t=7 cat=kernel",
        "X k 5us 5us p=1 t=7 cat=kernel");
  expect_table("step-parts", "0 | 0 | false | compute | - | 15000",
               "0 | 0 | false | idle | unknown | 10000");
}

/* Rank 1 comes 20 us after rank 0, and all leave at 40; 10 us of the transfer are hidden. */
static void waiting_for_the_last_rank(void)
{
  given_lane("rank=0");
  given(HOST("x", "0", "1", "cpu_op"), STEP("3", "0", "40"),
        WORK("ncclDevKernel_AllReduce", "kernel", "8", "10", "30", "3", REDUCE),
        KERNEL("0", "10", "3"));
  given_lane("rank=1");
  given(HOST("x", "0", "1", "cpu_op"), STEP("3", "0", "40"), KERNEL("0", "40", "3"),
        WORK("ncclDevKernel_AllReduce", "kernel", "8", "30", "10", "3", REDUCE));
  expect_table("arrivals", "all |  | 0 | allreduce | 3 | false | 0 | 0 | 1",
               "all |  | 0 | allreduce | 3 | false | 1 | 20000 | 1");
  expect_table("step-parts", "0 | 3 | false | compute | - | 10000",
               "0 | 3 | false | exposed-comm | wait | 20000",
               "0 | 3 | false | exposed-comm | transfer | 10000",
               "1 | 3 | false | compute | - | 40000");
  expect_table("step-collectives", "0 | 3 | false | allreduce | 20000 | 10000 | 0");
}

/* 40, 10, 10: the first is warm-up, and what it allocates is not listed. */
static void warm_up(void)
{
  given(STEP("1", "0", "40"), STEP("2", "40", "10"), STEP("3", "50", "10"),
        HOST("cudaMalloc", "1", "1", "cuda_runtime"), HOST("cudaFree", "41", "2", "cuda_runtime"),
        KERNEL("0", "40", "1"), KERNEL("40", "10", "2"), KERNEL("50", "10", "3"));
  expect_table("step-parts", "0 | 1 | true | compute | - | 40000",
               "0 | 2 | false | compute | - | 10000", "0 | 3 | false | compute | - | 10000");
  expect_table("allocation-calls", "0 | cudaFree | 1 | 2000");
  expect_table("step-spans", "0 | 2 | 1 | 20000 | false | fewer than five steps");
}

/* Step 3 does not follow step 1: of the gap [10,60) only what is in it counts, from its slice on. */
static void a_pause_between_steps_is_in_none(void)
{
  given(STEP("1", "0", "5"), STEP("3", "50", "5"), KERNEL("0", "10", "1" CALLED("0")),
        KERNEL("60", "10", "3" CALLED("52")));
  expect_table("step-parts", "0 | 1 | false | compute | - | 10000",
               "0 | 3 | false | compute | - | 10000", "0 | 3 | false | idle | launch | 10000");
  expect_table("gap-causes", "0 | launch | k | 1 | 10000 | 10000");
}

/* Two runs that a tag tells apart are not two ranks of one. */
static void groups(void)
{
  with("by=threads");
  given_lane("rank=0 tag.threads=8");
  given(HOST("x", "0", "1", "cpu_op"), KERNEL("0", "10", "-1"));
  given_lane("rank=0 tag.threads=16");
  given(HOST("x", "0", "1", "cpu_op"), KERNEL("0", "20", "-1"));
  expect_table("step-spans", "8 | 0 | 1 | 0 | 10000 | false | several runs",
               "16 | 0 | 1 | 0 | 20000 | false | several runs");
}

static void without_work(void)
{
  given(STEP("1", "0", "40"), HOST("aten::mm", "1", "1", "cpu_op"));
  expect_empty_table("step-parts");
  expect_empty_table("gap-causes");
}

HARNESS_MAIN({ "parts add up to steps", parts_add_up_to_steps },
             { "waiting for the device", waiting_for_the_device },
             { "frames of Python are not judged", frames_of_python_are_not_judged },
             { "the wait that ends a step", the_wait_that_ends_a_step },
             { "a long launch", a_long_launch }, { "waiting for a stream", waiting_for_a_stream },
             { "means of devices", means_of_devices },
             { "waiting for the last rank", waiting_for_the_last_rank }, { "warm-up", warm_up },
             { "a pause between steps is in none", a_pause_between_steps_is_in_none },
             { "groups", groups }, { "without work", without_work })
