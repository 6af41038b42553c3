/* Tests of torch/critical-path.  Events come as torch/host-tree leaves them; thread 1 is track 0. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define STEP(n, ts, dur) "X ProfilerStep#" n " " ts " " dur " t=1 cat=user_annotation"
#define OP(name, ts, dur) "X " name " " ts " " dur " t=1 cat=cpu_op"
#define CALL(name, ts, dur) "X " name " " ts " " dur " t=1 cat=cuda_runtime"
#define WORK(name, ts, dur, stream, call)                                 \
  "X " name " " ts " " dur " p=1 t=" stream " cat=kernel {stream=" stream \
  ", tree_call_start_ns=" call ", tree_track=0}"

/* 5 us of A up to its call, 5 us until k1 starts, 40 us of k1, at once 20 us of k2, which waited for k1; the host
 * waits for it, and 10 us of C follow: 80 us, of them 15 us or 18.75 % the host's. */
static void a_chain(void)
{
  given(STEP("1", "0", "100us"), OP("A", "0", "20us"), CALL("cudaLaunchKernel", "5us", "3us"),
        WORK("k1", "10us", "40us", "7", "5000"), OP("B", "20us", "10us"),
        CALL("cudaLaunchKernel", "22us", "3us"), WORK("k2", "50us", "20us", "7", "22000"),
        CALL("cudaDeviceSynchronize", "30us", "45us"), OP("C", "80us", "10us"),
        OP("later", "200us", "900us"));
}

static void what_a_path_is_made_of(void)
{
  a_chain();
  expect_table("critical-path", "0 | cpu | 2 | 15000 | 18.75", "0 | gpu_compute | 2 | 60000 | 75",
               "0 | kernel_launch | 1 | 5000 | 6.25", "0 | sync | 1 | 0 | 0");
  expect_table("critical-events", "0 | 1 | A | host | cpu | 5000",
               "0 | 2 | k1 | device | kernel_launch | 5000",
               "0 | 3 | k1 | device | gpu_compute | 40000",
               "0 | 4 | k2 | device | gpu_compute | 20000",
               "0 | 5 | cudaDeviceSynchronize | host | sync | 0", "0 | 6 | C | host | cpu | 10000");
  expect_metric("critical_cpu", NULL, "18.75");
}

/* Arrows lead from A to k1 and from k2 to C. */
static void what_is_left_of_a_trace(void)
{
  with("only=true");
  a_chain();
  expect("X A 0 20us t=1 cat=cpu_op {critical=true}",
         "X k1 10us 40us p=1 t=7 cat=kernel {stream=7, tree_call_start_ns=5000, tree_track=0, "
         "critical=true}",
         "s critical_path 5us t=1 cat=critical_path id=1",
         "f critical_path 10us p=1 t=7 cat=critical_path id=1 bp=e",
         "X k2 50us 20us p=1 t=7 cat=kernel {stream=7, tree_call_start_ns=22000, tree_track=0, "
         "critical=true}",
         "X C 80us 10us t=1 cat=cpu_op {critical=true}",
         "s critical_path 69999ns p=1 t=7 cat=critical_path id=2",
         "f critical_path 80us t=1 cat=critical_path id=2 bp=e");
}

/* The second of two steps by start; the default is the longest. */
static void which_step(void)
{
  with("instance=1");
  given(STEP("1", "0", "100us"), OP("A", "0", "90us"), STEP("2", "100us", "50us"),
        OP("DataLoader", "100us", "30us"), OP("B", "105us", "5us"));
  expect_table("critical-path", "0 | cpu | 1 | 5000 | 16.6666667",
               "0 | data_loading | 2 | 25000 | 83.3333333");
  expect_metric("critical_cpu", NULL, "100");
}

/* What was asked for by name or number is in no trace, or in one of two. */
static void a_slice_that_is_nowhere(void)
{
  with("within=Nothing");
  given(STEP("1", "0", "100us"), OP("A", "0", "90us"));
  expect_notice(5, 1);
  harness_clear();
  with("instance=1");
  given(STEP("1", "0", "100us"), OP("A", "0", "90us"));
  expect_status(MILL_BAD_INPUT);
  harness_clear();
  with("within=A");
  given_lane("rank=0");
  given(OP("A", "0", "90us"));
  given_lane("rank=1");
  given(OP("B", "0", "90us"));
  expect_table("critical-path", "0 | cpu | 1 | 90000 | 100");
  expect_notice(4, 1);
  harness_clear();
  given(OP("B", "0", "90us"));
  expect_notice(1, 1);
}

/* Of what runs on two streams at once the longer one counts: 2 us up to the call and 8 us to the start, 50 us. */
static void the_longer_of_two(void)
{
  with("within=");
  given(
      OP("A", "0", "10us"), CALL("l1", "1us", "1us"), CALL("l2", "2us", "1us"),
      WORK("short", "10us", "30us", "7", "1000"),
      "X ncclDevKernel_AllReduce 10us 50us p=1 t=8 cat=kernel {stream=8, tree_call_start_ns=2000, "
      "tree_track=0}");
  expect_table("critical-path", "0 | cpu | 2 | 2000 | 3.33333333",
               "0 | gpu_communication | 1 | 50000 | 83.3333333",
               "0 | kernel_launch | 1 | 8000 | 13.3333333");
}

/* A stream that waits for another one goes on when that is done, at no cost; the gap of 3 us between neighbours of
 * stream 7 is the device's where both were launched before. */
static void streams_wait_for_each_other(void)
{
  with("within=");
  given(OP("A", "0", "4us"), CALL("l", "0", "1us"), WORK("a", "10us", "10us", "7", "0"),
        WORK("b", "23us", "7us", "7", "0"),
        "X Wait 12us 1us p=1 t=8 cat=cuda_sync {stream=8, wait_on_stream=7}",
        WORK("c", "31us", "9us", "8", "0"));
  expect_table("critical-events", "0 | 1 | a | device | kernel_launch | 10000",
               "0 | 2 | a | device | gpu_compute | 10000",
               "0 | 3 | b | device | kernel_kernel | 3000",
               "0 | 4 | b | device | gpu_compute | 7000", "0 | 5 | c | device | sync | 0",
               "0 | 6 | c | device | gpu_compute | 9000");
}

/* Both were launched at 0.  Neighbours are tied below 1.5 ms: with a gap of 1,499,999 ns b is reached over a, which takes
 * 1,526,999 ns; with one more it is not, nor by its launch, which lay in the queue: of a 20 us are left. */
static void neighbours_that_are_far_apart(void)
{
  with("within=");
  given(CALL("l", "0", "1us"), WORK("a", "10us", "10us", "7", "0"),
        WORK("b", "1519999", "7us", "7", "0"));
  expect_table("critical-path", "0 | gpu_compute | 2 | 17000 | 1.11329477",
               "0 | kernel_launch | 1 | 10000 | 0.654879276",
               "0 | kernel_kernel | 1 | 1499999 | 98.231826");
  harness_clear();
  with("within=");
  given(CALL("l", "0", "1us"), WORK("a", "10us", "10us", "7", "0"),
        WORK("b", "1520us", "7us", "7", "0"));
  expect_table("critical-path", "0 | gpu_compute | 1 | 10000 | 50",
               "0 | kernel_launch | 1 | 10000 | 50");
}

static void no_such_step(void)
{
  with("most-events=1");
  given(OP("A", "0", "10us"), OP("B", "10us", "5us"));
  expect_table("critical-events", "0 | 1 | A | host | cpu | 10000");
  expect_notice(1, 1);
  expect_notice(3, 1);
}

static void nothing_that_takes_time(void)
{
  with("within=");
  given("i mark 5us");
  expect_empty_table("critical-path");
  expect_metric("critical_cpu", NULL, NULL);
  expect_notice(2, 1);
}

HARNESS_MAIN({ "what a path is made of", what_a_path_is_made_of },
             { "what is left of a trace", what_is_left_of_a_trace }, { "which step", which_step },
             { "a slice that is nowhere", a_slice_that_is_nowhere },
             { "the longer of two", the_longer_of_two },
             { "streams wait for each other", streams_wait_for_each_other },
             { "neighbours that are far apart", neighbours_that_are_far_apart },
             { "no such step", no_such_step },
             { "nothing that takes time", nothing_that_takes_time })
