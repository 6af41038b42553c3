/* Tests of gemm/sweep-compare: means over ranks, threads against threads, and two sweeps. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW "8:aten::mm4:GEMM7:forward13:[[2,3],[3,4]]11:[half,half]0:0:"
/* A GEMM that runs one kernel, which the host launched for it alone. */
#define MM(gemm, ts, dur, ns)                                                                   \
  "X aten::mm 0 9us cat=cpu_op {tree_gemm=" gemm ", tree_subtree_ns=" ns ", tree_direct_ns=" ns \
  ", tree_row=\"" ROW "\"}",                                                                    \
      "X k " ts " " dur " p=1 t=7 cat=kernel {tree_gemm=" gemm "}"
#define ADD(name, ns) "X " name " 0 9us cat=cpu_op {tree_direct_ns=" ns "}"
#define NCCL(ts, dur) "X ncclKernel " ts " " dur " p=1 t=9 cat=kernel {Collective name=allreduce}"

#define TYPES(head, comp, comm, copy, busy, idle, total, all_comm, all_copy)                  \
  head "computation_time | " comp, head "exposed_comm_time | " comm,                          \
      head "exposed_memcpy_time | " copy, head "busy_time | " busy, head "idle_time | " idle, \
      head "total_time | " total, head "total_comm_time | " all_comm,                         \
      head "total_memcpy_time | " all_copy

/* Rank 0: [0,2) and [4,8) us computation, [6,10) communication of which [8,10) is exposed: busy 8, idle 2, total 10; rank 1:
 * [0,8): all computation.  Means: computation 7, geometric sqrt(6 * 8) = 6.92820323; exposed 1, sqrt(2000 * 0.0001) ns =
 * 0.447213595; busy 8; total 9, sqrt(80) = 8.94427191; communication 2, sqrt(4000 * 0.0001) = 0.632455532. */
static void means_over_ranks(void)
{
  given_lane("rank=0 tag.threads=256 tag.channels=28");
  given(MM("0", "0", "2us", "2000"), MM("1", "4us", "4us", "4000"), NCCL("6us", "4us"));
  given_lane("rank=1 tag.threads=256 tag.channels=28");
  given(MM("0", "0", "8us", "8000"));
  expect_table("config-timeline",
               TYPES("- | 256 | 28 | 2 | ", "7000 | 6928.20323 | 77.7777778",
                     "1000 | 0.447213595 | 11.1111111", "0 | 0.0001 | 0",
                     "8000 | 8000 | 88.8888889", "1000 | 0.447213595 | 11.1111111",
                     "9000 | 8944.27191 | 100", "2000 | 0.632455532 | 22.2222222",
                     "0 | 0.0001 | 0"));
  expect_empty_table("config-compare");
  expect_empty_table("sweep-compare");
  expect_notice(1, 0);
}

/* As in torch/gpu-timeline: 2 us of a fill, 3 us of a fill by a kernel, beside 5 us of computation. */
static void fills_are_memory(void)
{
  given_lane("rank=0 tag.threads=256 tag.channels=28");
  given(MM("0", "0", "5us", "5000"), "X Memset 5us 2us p=1 t=7 cat=gpu_memset",
        "X __amd_rocclr_fillBufferAligned 7us 3us p=1 t=7 cat=kernel");
  expect_table("config-timeline",
               TYPES("- | 256 | 28 | 1 | ", "5000 | 5000 | 50", "0 | 0.0001 | 0",
                     "5000 | 5000 | 50", "10000 | 10000 | 100", "0 | 0.0001 | 0",
                     "10000 | 10000 | 100", "0 | 0.0001 | 0", "5000 | 5000 | 50"));
}

/* 512 threads against 256, and 1024 against 256: rank 0.  Rank 1 has no other.  add is gone, mul is new. */
static void threads_against_the_fewest(void)
{
  given_lane("rank=0 tag.threads=1024 tag.channels=28");
  given(MM("0", "0", "6us", "6000"), MM("1", "6us", "2us", "2000"), ADD("mul", "500"));
  given_lane("rank=0 tag.threads=256 tag.channels=28");
  given(MM("0", "0", "4us", "4000"), ADD("add", "1000"));
  given_lane("rank=1 tag.threads=512 tag.channels=28");
  given(MM("0", "0", "4us", "4000"));
#define OPS "| ops | 28 | 0 | "
#define LINE "| timeline | 28 | 0 | "
#define NONE " | 256 | 1024 | 0 | 0 | 0 | - | - | -"
#define BOTH " | 256 | 1024 | 4000 | 8000 | 4000 | 100 | - | -"
  expect_table("config-compare", "- " LINE "computation_time" BOTH,
               "- " LINE "exposed_comm_time" NONE, "- " LINE "exposed_memcpy_time" NONE,
               "- " LINE "busy_time" BOTH, "- " LINE "idle_time" NONE, "- " LINE "total_time" BOTH,
               "- " LINE "total_comm_time" NONE, "- " LINE "total_memcpy_time" NONE,
               "- " OPS "add | 256 | 1024 | 1000 | - | - | - | 1 | -",
               "- " OPS "aten::mm | 256 | 1024 | 4000 | 8000 | 4000 | 100 | 1 | 2",
               "- " OPS "mul | 256 | 1024 | - | 500 | - | - | - | 1");
}

static void given_sides(void)
{
  given_lane("rank=0 label=base tag.threads=256 name=a");
  given(MM("0", "0", "2us", "2000"), MM("1", "2us", "4us", "4000"), NCCL("6us", "4us"));
  given_lane("rank=1 label=base tag.threads=256 name=b");
  given(MM("0", "0", "10us", "10000"));
  given_lane("rank=0 label=new tag.threads=256 name=c");
  given(MM("0", "0", "2us", "2000"), MM("1", "2us", "3us", "3000"), NCCL("5us", "5us"));
}

/* Differences: base 2 and 0 us, new 1.  Device time: base 10 and 10 us of all, 6 and 10 of computation, 4 and 0 of
 * communication; new 10, 5 and 5.  GEMM: 16 us in 3 calls on 2 ranks; 5 us in 2 on 1.  Collectives: 4 us; 5 us. */
static void two_sweeps(void)
{
  with("pair=true");
  given_sides();
#define OF(table, by, group, rest) table " | " by " | " group " | " rest
#define ZERO(name, by, group, n, m) OF("timeline", by, group, name " | 0 | 0 | 0 | - | " n " | " m)
#define WHOLE(name, by, group, n, m) \
  OF("timeline", by, group, name " | 10000 | 10000 | 0 | 0 | " n " | " m)
#define BOTH_RANKS(by, group)                                                                    \
  OF("variance", by, group, "max | 2000 | 1000 | -1000 | -50 | 2 | 1"),                          \
      OF("variance", by, group, "mean | 1000 | 1000 | 0 | 0 | 2 | 1"),                           \
      OF("variance", by, group, "median | 1000 | 1000 | 0 | 0 | 2 | 1"),                         \
      OF("timeline", by, group, "computation_time | 8000 | 5000 | -3000 | -37.5 | 2 | 1"),       \
      OF("timeline", by, group, "exposed_comm_time | 2000 | 5000 | 3000 | 150 | 2 | 1"),         \
      ZERO("exposed_memcpy_time", by, group, "2", "1"), WHOLE("busy_time", by, group, "2", "1"), \
      ZERO("idle_time", by, group, "2", "1"), WHOLE("total_time", by, group, "2", "1"),          \
      OF("timeline", by, group, "total_comm_time | 2000 | 5000 | 3000 | 150 | 2 | 1"),           \
      ZERO("total_memcpy_time", by, group, "2", "1"),                                            \
      OF("gemm", by, group, "call | 5333.33333 | 2500 | -2833.33333 | -53.125 | 3 | 2"),         \
      OF("gemm", by, group, "total | 8000 | 5000 | -3000 | -37.5 | 2 | 1"),                      \
      OF("collectives", by, group, "allreduce | 4000 | 5000 | 1000 | 25 | 1 | 1")
#define ONE(table, name, base) OF(table, "rank", "1", name " | " base " | - | - | - | 1 | 0")
  expect_table(
      "sweep-compare", BOTH_RANKS("all", "-"),
      OF("variance", "rank", "0", "max | 2000 | 1000 | -1000 | -50 | 1 | 1"),
      OF("variance", "rank", "0", "mean | 2000 | 1000 | -1000 | -50 | 1 | 1"),
      OF("variance", "rank", "0", "median | 2000 | 1000 | -1000 | -50 | 1 | 1"),
      OF("timeline", "rank", "0", "computation_time | 6000 | 5000 | -1000 | -16.6666667 | 1 | 1"),
      OF("timeline", "rank", "0", "exposed_comm_time | 4000 | 5000 | 1000 | 25 | 1 | 1"),
      ZERO("exposed_memcpy_time", "rank", "0", "1", "1"), WHOLE("busy_time", "rank", "0", "1", "1"),
      ZERO("idle_time", "rank", "0", "1", "1"), WHOLE("total_time", "rank", "0", "1", "1"),
      OF("timeline", "rank", "0", "total_comm_time | 4000 | 5000 | 1000 | 25 | 1 | 1"),
      ZERO("total_memcpy_time", "rank", "0", "1", "1"),
      OF("gemm", "rank", "0", "call | 3000 | 2500 | -500 | -16.6666667 | 2 | 2"),
      OF("gemm", "rank", "0", "total | 6000 | 5000 | -1000 | -16.6666667 | 1 | 1"),
      OF("collectives", "rank", "0", "allreduce | 4000 | 5000 | 1000 | 25 | 1 | 1"),
      ONE("variance", "max", "0"), ONE("variance", "mean", "0"), ONE("variance", "median", "0"),
      ONE("timeline", "computation_time", "10000"), ONE("timeline", "exposed_comm_time", "0"),
      ONE("timeline", "exposed_memcpy_time", "0"), ONE("timeline", "busy_time", "10000"),
      ONE("timeline", "idle_time", "0"), ONE("timeline", "total_time", "10000"),
      ONE("timeline", "total_comm_time", "0"), ONE("timeline", "total_memcpy_time", "0"),
      ONE("gemm", "call", "10000"), ONE("gemm", "total", "10000"), BOTH_RANKS("threads", "256"));
}

static void a_label_that_is_missing(void)
{
  with("pair=true");
  given_lane("rank=0 label=base");
  given(MM("0", "0", "2us", "2000"));
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
  harness_clear();
  with("pair=true");
  given_sides();
  given_lane("rank=0 label=other");
  given(MM("0", "0", "2us", "2000"));
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
  harness_clear();
  given_lane("rank=0 label=new");
  given(MM("0", "0", "2us", "2000"));
  expect_empty_table("sweep-compare");
  expect_notice(1, 1);
}

static void a_sweep_given_twice(void)
{
  with("pair=true");
  given_sides();
  given_lane("rank=0 label=new tag.threads=256 name=d");
  given(MM("0", "0", "2us", "2000"));
  expect_status(MILL_BAD_INPUT);
  expect_notice(3, 1);
}

HARNESS_MAIN({ "means over ranks", means_over_ranks }, { "fills are memory", fills_are_memory },
             { "threads against the fewest", threads_against_the_fewest },
             { "two sweeps", two_sweeps }, { "a label that is missing", a_label_that_is_missing },
             { "a sweep given twice", a_sweep_given_twice })
