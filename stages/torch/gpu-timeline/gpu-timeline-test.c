/* Tests of torch/gpu-timeline: unions, differences, shares. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* comp [0,10] and [8,12]: [0,12] = 12.  comm [10,20]: 8 of 10 exposed.  memcpy [18,30]: minus
 * comm: [20,30] = 10. busy [0,30] = 30.  memset [40,50] is memory, too: 20 in all; gap
 * [30,40] idle 10; total 50. */
static void times_of_a_lane(void)
{
  given("X gemm 0 10us cat=kernel t=7", "X add 8us 4us cat=kernel t=8",
        "X ncclDevKernel_AllReduce 10us 10us cat=kernel t=9",
        "X \"Memcpy HtoD\" 18us 12us cat=gpu_memcpy t=7", "X Memset 40us 10us cat=gpu_memset t=7",
        "X aten::mm 0 1s cat=cpu_op");
  expect_table("gpu-timeline", "0 | 1 | computation_time | 12000 | 24",
               "0 | 2 | exposed_comm_time | 8000 | 16", "0 | 3 | exposed_memcpy_time | 20000 | 40",
               "0 | 4 | busy_time | 40000 | 80", "0 | 5 | idle_time | 10000 | 20",
               "0 | 6 | total_time | 50000 | 100", "0 | 7 | total_comm_time | 10000 | 20",
               "0 | 8 | total_memcpy_time | 22000 | 44");
  expect_metric("gpu_busy", NULL, "80");
  expect_metric("gpu_idle", NULL, "20");
  expect_metric("gpu_computation", NULL, "24");
  expect_metric("exposed_comm", NULL, "16");
  expect_metric("exposed_memcpy", NULL, "40");
  expect_metric("comm_not_hidden", NULL, "80");
}

static void order_does_not_matter(void)
{
  given("X c 20us 5us cat=kernel", "X b 10us 10us cat=kernel", "X a 0 10us cat=kernel",
        "X b 2us 3us cat=kernel");
  expect_metric("gpu_busy", NULL, "100");
  expect_metric("gpu_idle", NULL, "0");
}

static void names_tell_communication_and_copies(void)
{
  given("X gemm 0 1us cat=kernel", "X rcclKernel 1us 1us cat=kernel",
        "X sglang::cross_device_reduce_1stage 2us 1us cat=kernel",
        "X MEMORY_COPY_HOST_TO_DEVICE 3us 1us cat=kernel",
        "X __amd_rocclr_copyBufferAligned 4us 1us cat=kernel",
        "X \"NCCL memcpy\" 5us 5us cat=gpu_memcpy");
  expect_table("gpu-timeline", "0 | 1 | computation_time | 1000 | 10",
               "0 | 2 | exposed_comm_time | 2000 | 20", "0 | 3 | exposed_memcpy_time | 7000 | 70",
               "0 | 4 | busy_time | 10000 | 100", "0 | 5 | idle_time | 0 | 0",
               "0 | 6 | total_time | 10000 | 100", "0 | 7 | total_comm_time | 2000 | 20",
               "0 | 8 | total_memcpy_time | 7000 | 70");
}

/* Gaps: 1, 2 and 6 us; below 2 us is only the first.  Total 12, busy 3. */
static void idleness_is_split_at_the_threshold(void)
{
  with("micro-idle=2us");
  given("X a 0 1us cat=kernel", "X a 2us 1us cat=kernel", "X a 5us 500 cat=kernel",
        "X a 11500 500 cat=kernel");
  expect_table("gpu-timeline", "0 | 1 | computation_time | 3000 | 25",
               "0 | 2 | exposed_comm_time | 0 | 0", "0 | 3 | exposed_memcpy_time | 0 | 0",
               "0 | 4 | busy_time | 3000 | 25", "0 | 5 | idle_time | 9000 | 75",
               "0 | 6 | micro_idle_time | 1000 | 8.3333333333",
               "0 | 7 | macro_idle_time | 8000 | 66.666666667", "0 | 8 | total_time | 12000 | 100",
               "0 | 9 | total_comm_time | 0 | 0", "0 | 10 | total_memcpy_time | 0 | 0");
  expect_metric("comm_not_hidden", NULL, NULL);
}

/* Rank 0: 10 us of computation in 20; rank 1: 30 in 40, with 10 of communication inside of it:
 * means 20, 30; shares 40 / 60 = 66.667 % busy; rank 2 has no device. */
static void ranks_are_averaged(void)
{
  given_lane("rank=0");
  given("X a 100us 5us cat=kernel", "X a 115us 5us cat=kernel");
  given_lane("rank=1");
  given("X a 0 30us cat=kernel", "X nccl 5us 10us cat=kernel", "X a 40us 0 cat=kernel");
  given_lane("rank=2");
  given("X a 0 1us cat=cpu_op");
  expect_table(
      "gpu-timeline-mean", "1 | computation_time | 20000 | 66.666666667 | 10000 | 30000 | 2",
      "2 | exposed_comm_time | 0 | 0 | 0 | 0 | 2", "3 | exposed_memcpy_time | 0 | 0 | 0 | 0 | 2",
      "4 | busy_time | 20000 | 66.666666667 | 10000 | 30000 | 2",
      "5 | idle_time | 10000 | 33.333333333 | 10000 | 10000 | 2",
      "6 | total_time | 30000 | 100 | 20000 | 40000 | 2",
      "7 | total_comm_time | 5000 | 16.666666667 | 0 | 10000 | 2",
      "8 | total_memcpy_time | 0 | 0 | 0 | 0 | 2");
  expect_metric("comm_not_hidden", NULL, "0");
  expect_notice(1, 1);
}

static void nothing_is_no_number(void)
{
  given("X a 0 1us cat=cpu_op");
  expect_empty_table("gpu-timeline");
  expect_empty_table("gpu-timeline-mean");
  expect_metric("gpu_busy", NULL, NULL);
}

static void an_event_without_length_does_not_divide(void)
{
  given("X a 5us 0 cat=kernel");
  expect_metric("gpu_busy", NULL, NULL);
  expect_table("gpu-timeline", "0 | 1 | computation_time | 0 | -",
               "0 | 2 | exposed_comm_time | 0 | -", "0 | 3 | exposed_memcpy_time | 0 | -",
               "0 | 4 | busy_time | 0 | -", "0 | 5 | idle_time | 0 | -",
               "0 | 6 | total_time | 0 | -", "0 | 7 | total_comm_time | 0 | -",
               "0 | 8 | total_memcpy_time | 0 | -");
}

/* Launches 7 and 8, of which the second comes after its kernel; not 9, and not the one without an id:
 * 5 + 2 us.  Busy 27 of 50 us, without them 20; ids 7 and 71 lie in different words. */
static void some_work_without_a_launch(void)
{
  given("X cudaLaunchKernel 0 1us cat=cuda_runtime {correlation=7}",
        "X a 0 10us cat=kernel {correlation=7}", "X b 20us 5us cat=kernel {correlation=71}",
        "X c 30us 2us cat=kernel", "X d 40us 10us cat=kernel {correlation=8}",
        "X cudaLaunchKernel 60us 1us cat=cuda_runtime {correlation=8}");
}

static void work_without_a_launch_is_counted(void)
{
  some_work_without_a_launch();
  expect_table("gpu-timeline", "0 | 1 | computation_time | 27000 | 54",
               "0 | 2 | exposed_comm_time | 0 | 0", "0 | 3 | exposed_memcpy_time | 0 | 0",
               "0 | 4 | busy_time | 27000 | 54", "0 | 5 | idle_time | 23000 | 46",
               "0 | 6 | total_time | 50000 | 100", "0 | 7 | total_comm_time | 0 | 0",
               "0 | 8 | total_memcpy_time | 0 | 0", "0 | 9 | unlinked_time | 7000 | 14");
  expect_metric("gpu_unlinked", NULL, "2");
  expect_metric("gpu_unlinked_time", NULL, "7000");
  expect_notice(2, 2);
  expect_notice(3, 0);
}

static void linked_only_leaves_it_out(void)
{
  with("linked-only=true");
  some_work_without_a_launch();
  expect_table("gpu-timeline", "0 | 1 | computation_time | 20000 | 40",
               "0 | 2 | exposed_comm_time | 0 | 0", "0 | 3 | exposed_memcpy_time | 0 | 0",
               "0 | 4 | busy_time | 20000 | 40", "0 | 5 | idle_time | 30000 | 60",
               "0 | 6 | total_time | 50000 | 100", "0 | 7 | total_comm_time | 0 | 0",
               "0 | 8 | total_memcpy_time | 0 | 0", "0 | 9 | unlinked_time | 7000 | 14");
  expect_metric("gpu_unlinked", NULL, "2");
  expect_notice(2, 0);
  expect_notice(3, 2);
}

/* Device work alone: nobody knows what launched it. */
static void without_launches_there_is_no_number(void)
{
  given("X a 0 10us cat=kernel {correlation=7}", "X b 20us 5us cat=kernel {correlation=0}");
  expect_metric("gpu_busy", NULL, "60");
  expect_metric("gpu_unlinked", NULL, NULL);
  expect_metric("gpu_unlinked_time", NULL, NULL);
  expect_notice(2, 0);
}

/* Every third of 3,000 ids, of both signs, far apart: 1 ns each without. */
static void many_launches_are_found(void)
{
  char line[96];
  for (int i = 1; i <= 3000; i++) {
    int64_t id = (int64_t)i * i * i * (i % 2 ? 1 : -1);
    snprintf(line, sizeof line, "X k %d 1 cat=kernel {correlation=%lld}", i, (long long)id);
    given(line);
    snprintf(line, sizeof line, "X l 0 1 cat=cuda_runtime {correlation=%lld}", (long long)id);
    if (i % 3) given(line);
  }
  expect_metric("gpu_unlinked", NULL, "1000");
  expect_metric("gpu_unlinked_time", NULL, "1000");
}

/* 256: 2 and 4 us, busy all the time: mean 3; 512: 8 us alone. */
static void configurations_are_apart(void)
{
  with("by=threads");
  given_lane("rank=0 tag.threads=256");
  given("X k 0 2us cat=kernel");
  given_lane("rank=1 tag.threads=256");
  given("X k 0 4us cat=kernel");
  given_lane("rank=0 tag.threads=512");
  given("X k 0 8us cat=kernel");
#define ROWS(threads, mean, min, max, n)                                       \
  threads " | 1 | computation_time | " mean " | 100 | " min " | " max " | " n, \
      threads " | 2 | exposed_comm_time | 0 | 0 | 0 | 0 | " n,                 \
      threads " | 3 | exposed_memcpy_time | 0 | 0 | 0 | 0 | " n,               \
      threads " | 4 | busy_time | " mean " | 100 | " min " | " max " | " n,    \
      threads " | 5 | idle_time | 0 | 0 | 0 | 0 | " n,                         \
      threads " | 6 | total_time | " mean " | 100 | " min " | " max " | " n,   \
      threads " | 7 | total_comm_time | 0 | 0 | 0 | 0 | " n,                   \
      threads " | 8 | total_memcpy_time | 0 | 0 | 0 | 0 | " n
  expect_table("gpu-timeline-mean", ROWS("256", "3000", "2000", "4000", "2"),
               ROWS("512", "8000", "8000", "8000", "1"));
}

/* 8 us of a kernel; 2 us with a stream in a category that nobody knows: 20 % of both.  The host may name a stream, and -1 is
 * none. */
static void categories_that_nobody_knows(void)
{
  given("X a 0 8us cat=kernel {stream=7}", "X a 9us 2us cat=kernel_foo {stream=7}",
        "X cudaLaunchKernel 0 1us cat=cuda_runtime {stream=7}",
        "X mark 0 1us cat=gpu_user_annotation {stream=7}", "X b 0 1us cat=mine",
        "X c 0 1us cat=mine {stream=-1}");
  expect_metric("gpu_busy", NULL, "100");
  expect_notice(4, 1);
  harness_clear();
  with("categories=^kernel");
  given("X a 0 8us cat=kernel {stream=7}", "X a 8us 2us cat=kernel_foo {stream=7}",
        "X a 20us 2us cat=other {stream=7}");
  expect_metric("gpu_busy", NULL, "100");
  expect_notice(4, 0);
}

/* Rows of the device have waits: they are no work, no launches, and nothing strange. */
static void waits_are_no_work(void)
{
  given("X a 0 10us cat=kernel {stream=7, correlation=1}",
        "X \"Stream Wait Event\" 10us 5us cat=cuda_sync {stream=7, correlation=1}",
        "X \"Event Sync\" 10us 5us cat=kernel {stream=7}",
        "X cudaStreamWaitEvent 12us 4us cat=kernel {stream=8}",
        "X b 18us 2us cat=kernel {stream=7}");
  expect_metric("gpu_busy", NULL, "60");
  expect_metric("gpu_unlinked", NULL, NULL);
  expect_notice(4, 0);
}

HARNESS_MAIN({ "times of a lane", times_of_a_lane },
             { "order does not matter", order_does_not_matter },
             { "names tell communication and copies", names_tell_communication_and_copies },
             { "idleness is split at the threshold", idleness_is_split_at_the_threshold },
             { "ranks are averaged", ranks_are_averaged },
             { "nothing is no number", nothing_is_no_number },
             { "an event without length does not divide", an_event_without_length_does_not_divide },
             { "work without a launch is counted", work_without_a_launch_is_counted },
             { "linked-only leaves it out", linked_only_leaves_it_out },
             { "without launches there is no number", without_launches_there_is_no_number },
             { "many launches are found", many_launches_are_found },
             { "categories that nobody knows", categories_that_nobody_knows },
             { "waits are no work", waits_are_no_work },
             { "configurations are apart", configurations_are_apart })
