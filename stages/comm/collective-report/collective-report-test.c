/* Tests of comm/collective-report: matching, and what follows from it. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define CALL(ts, dur, args) \
  "X ncclDevKernel_AllReduce " ts " " dur " p=1 t=20 cat=kernel {" args "}"
#define META(name, in, out, seq)                                        \
  "Collective name=" name ", In msg nelems=" in ", Out msg nelems=" out \
  ", Group size=2, dtype=Float, Process Group Name=0, "                 \
  "Process Group Ranks=\"[0, 1]\", Seq=" seq ", stream=20"

static void nothing_is_no_row(void)
{
  given("X gemm 0 5us cat=kernel", "X ncclDevKernel 0 5us cat=cpu_op");
  expect_empty_table("collectives");
  expect_empty_table("stragglers");
  expect_metric("collective_latency", "mean", NULL);
  expect_metric("straggler_rank", NULL, NULL);
  expect_notice(1, 1);
}

/* Seq 1: rank 0 from 0 to 50 us, rank 1 from 40 to 51: latency 11, waits 40 and 0; 1000 floats in 11 us: 4000 / 11000 =
 * 0.363636 GB/s, times 2 (2 - 1) / 2 = 1.  Seq 2, allgather of 2000: from 100 to 130 and from 90 to 130: latency 30, waits
 * 0 and 10; 8000 / 30000 = 0.266667, times 1 / 2.  Calls come in another order. */
static void two_ranks(void)
{
  given_lane("rank=0");
  given(CALL("100us", "30us", META("allgather", "1000", "2000", "2")),
        CALL("0", "50us", META("allreduce", "1000", "1000", "1")));
  given_lane("rank=1");
  given(CALL("40us", "11us", META("allreduce", "1000", "1000", "1")),
        CALL("90us", "40us", META("allgather", "1000", "2000", "2")));
}

static void what_belongs_together(void)
{
  two_ranks();
  expect_table("collectives",
               "0_1 | 0 | [0,1] | allreduce | 2 | Float | 1000 | 1000 | 4000 | 11000 | 40000 | 0 | "
               "1 | 20000 | 1000 | 0.363636364 | 0.363636364 | true | -",
               "0_2 | 0 | [0,1] | allgather | 2 | Float | 1000 | 2000 | 8000 | 30000 | 10000 | 1 | "
               "0 | 5000 | 0 | 0.266666667 | 0.133333333 | true | -");
  expect_table("collective-ranks", "0_1 | [0,1] | 0 | 0 | 50000 | 40000",
               "0_1 | [0,1] | 1 | 40000 | 11000 | 0", "0_2 | [0,1] | 0 | 100000 | 30000 | 0",
               "0_2 | [0,1] | 1 | 90000 | 40000 | 10000");
  expect_notice(2, 0);
  expect_notice(3, 0);
}

/* Rank 1 waited 10 us, rank 0 40, which two collectives do not tell from chance. */
static void who_waited(void)
{
  two_ranks();
  expect_table("stragglers", "0 | 40000 | 20000 | 1 | 1 | 50 | 2 | 80000",
               "1 | 10000 | 5000 | 1 | 1 | 50 | 2 | 51000");
  expect_metric("straggler_rank", NULL, NULL);
  expect_metric("straggler_share", NULL, NULL);
  expect_metric("collective_latency", "mean", "20500");
  expect_metric("collective_latency", "max", "30000");
  expect_metric("collective_skew", "p50", "25000");
  expect_metric("collective_busbw", "max", "0.363636");
}

/* So many collectives of four ranks, a millisecond apart, that all end 100 us after their time: each rank comes up to
 * 20 us late, and rank 2 later than that. */
static void four_ranks(int n, int later_us)
{
  char line[320];
  uint32_t noise = 1;
  for (int rank = 0; rank < 4; rank++) {
    snprintf(line, sizeof line, "rank=%d", rank);
    given_lane(line);
    for (int i = 0; i < n; i++) {
      noise = noise * 1664525u + 1013904223u;
      int late_us = (int)(noise >> 16) % 20 + (rank == 2 ? later_us : 0);
      snprintf(
          line, sizeof line,
          "X ncclDevKernel_AllReduce %dus %dus p=1 t=20 cat=kernel {Collective name=allreduce, In "
          "msg nelems=1000, Out msg nelems=1000, Group size=4, dtype=Float, Process Group Name=0, "
          "Process Group Ranks=\"[0, 1, 2, 3]\", Seq=%d, stream=20}",
          1000 * i + late_us, 100 - late_us, i);
      given(line);
    }
  }
}

static void noise_is_no_straggler(void)
{
  four_ranks(200, 0);
  expect_metric("straggler_rank", NULL, NULL);
  expect_metric("straggler_share", NULL, NULL);
}

static void who_is_late_is_the_straggler(void)
{
  four_ranks(40, 25);
  expect_metric("straggler_rank", NULL, "2");
  expect_metric("straggler_share", NULL, "100");
}

static void few_collectives_do_not_tell(void)
{
  four_ranks(7, 25);
  expect_metric("straggler_rank", NULL, NULL);
}

/* 1 us of 82. */
static void few_calls_without_arguments_are_no_warning(void)
{
  two_ranks();
  given(CALL("200us", "1us", "stream=20"));
  expect_notice(4, 1);
  expect_notice(6, 0);
}

static void by_kind(void)
{
  two_ranks();
  expect_table("collective-summary",
               "allgather | Float | 1000 | 0 | 2 | 8000 | - | 1 | 30000 | 30000 | 30000 | 30000 | "
               "10000 | 10000 | 10000 | 10000 | 0 | 0 | 0 | 0 | 0.266667 | 0.266667 | 0.266667 | "
               "0.266667 | 0.133333 | 0.133333 | 0.133333 | 0.133333 | 30000",
               "allreduce | Float | 1000 | 0 | 2 | 4000 | - | 1 | 11000 | 11000 | 11000 | 11000 | "
               "40000 | 40000 | 40000 | 40000 | 1000 | 1000 | 1000 | 1000 | 0.363636 | 0.363636 | "
               "0.363636 | 0.363636 | 0.363636 | 0.363636 | 0.363636 | 0.363636 | 11000");
}

static void calls_of_a_rank(void)
{
  with("gpus-per-node=1");
  given(CALL("0", "50us", META("allreduce", "1000", "1000", "7")),
        CALL("60us", "10us", META("allreduce", "1000", "1000", "8")));
  expect_table("collective-calls",
               "0 | 0_7 | 0 | 0 | [0,1] | allreduce | 2 | Float | 1000 | 4000 | 1000 | 4000 | | | "
               "20 | 0 | 50000 | 0 | 2",
               "0 | 0_8 | 1 | 0 | [0,1] | allreduce | 2 | Float | 1000 | 4000 | 1000 | 4000 | | | "
               "20 | 60000 | 10000 | 0 | 2");
  expect_table("collective-kinds", "0 | 0 | [0,1] | allreduce | 2 | Float | 1000 | 1000 | | | 20 | "
                                   "4000 | 4000 | 2 | 60000 | 30000 | 28284.2712 | 10000 | 50000");
  expect_notice(2, 2);
}

/* Without arguments: by position on the only stream, named by the kernel; the bytes are not known. */
static void without_arguments(void)
{
  given_lane("rank=0");
  given(CALL("0", "10us", ""), CALL("20us", "10us", ""));
  given_lane("rank=1");
  given(CALL("5us", "5us", ""), "X cross_device_reduce_1stage 25us 5us p=1 t=20 cat=kernel");
  expect_table("collectives",
               "all_0 | all | | allreduce | 2 | | - | - | - | 5000 | 5000 | 0 | 1 | 2500 | 0 | - | "
               "- | true | -",
               "all_1 | all | | allreduce | 2 | | - | - | - | 5000 | 5000 | 0 | 1 | 2500 | 0 | - | "
               "- | true | -");
  expect_table(
      "collective-kinds",
      "0 | all | | allreduce | 0 | | - | - | | | 20 | - | - | 2 | 20000 | 10000 | 0 | 10000 | "
      "10000",
      "1 | all | | allreduce | 0 | | - | - | | | 20 | - | - | 2 | 10000 | 5000 | 0 | 5000 | 5000");
  expect_notice(6, 2); /* of each rank; a kernel that is not of NCCL never has any */
}

/* One rank lacks the call; one says another type; one list is cut short. */
static void what_is_not_complete(void)
{
  given_lane("rank=0");
  given(CALL("0", "10us", META("allreduce", "1000", "1000", "1")),
        CALL("20us", "10us", META("allreduce", "1000", "1000", "2")),
        CALL("40us", "10us",
             "Collective name=allreduce, Group size=2, Process Group Name=1, Process Group "
             "Ranks=\"[0, ...]\", Seq=1"));
  given_lane("rank=1");
  given(CALL("20us", "10us", META("allreduce", "999", "1000", "2")),
        CALL("40us", "10us",
             "Collective name=allreduce, Group size=2, Process Group Name=1, Process Group "
             "Ranks=\"[0, ...]\", Seq=1"));
  expect_notice(2, 3);
}

#define LISTED(ranks, seq)                                                             \
  CALL("0", "10us",                                                                    \
       "Collective name=allreduce, Group size=1, Process Group Name=0, Process Group " \
       "Ranks=\"" ranks "\", Seq=" seq)
/* Alone, so that only the list can be what is missing: cut in three ways, no list, no numbers; then whole ones. */
static void lists_that_are_not_whole(void)
{
  given_lane("rank=0");
  given(LISTED("[0, ...]", "1"), LISTED("[0, 1", "2"), LISTED("[0, x]", "3"), LISTED("0", "4"),
        LISTED("...", "5"), LISTED("[0]", "6"), LISTED("[ 0 ]", "7"), LISTED("", "8"));
  expect_notice(2, 5);
}

/* Amounts that are cut short are in no pair; of the other rank they are. */
static void amounts_that_are_not_whole(void)
{
#define EXCHANGE(split)                                                                           \
  CALL("0", "40us",                                                                               \
       "Collective name=all_to_allv, In msg nelems=400, dtype=Long, Group size=2, Process Group " \
       "Name=0, Process Group Ranks=[4,5], In split size=\"" split "\", Seq=1")
  given_lane("rank=4");
  given(EXCHANGE("[100, ...]"));
  given_lane("rank=5");
  given(EXCHANGE("[300, 100]"));
  expect_table("alltoallv-pairs", "5 | 4 | 2400 | 2400 | 1", "5 | 5 | 800 | 800 | 1");
  expect_notice(2, 1);
}

/* Longer than an hour: in no mean, and missing in its collective. */
static void absurd_durations(void)
{
  given_lane("rank=0");
  given(CALL("0", "10us", META("allreduce", "1000", "1000", "1")),
        CALL("20us", "3600000001us", META("allreduce", "1000", "1000", "2")));
  given_lane("rank=1");
  given(CALL("0", "10us", META("allreduce", "1000", "1000", "1")),
        CALL("20us", "3600000000us", META("allreduce", "1000", "1000", "2")));
  expect_notice(5, 1);
  expect_notice(2, 1);
}

/* The other rank's trace is missing. */
static void an_exchange_that_is_not_complete(void)
{
  given_lane("rank=4");
  given(EXCHANGE("[300, 100]"));
  expect_notice(2, 1);
}

/* Bases differ by 1 ms: what begins at 0 in one trace and at 1 ms in the other is at one time. */
static void times_are_absolute(void)
{
  given_lane("rank=0 base=2ms");
  given(CALL("0", "10us", META("allreduce", "1000", "1000", "1")));
  given_lane("rank=1 base=1ms");
  given(CALL("1002us", "8us", META("allreduce", "1000", "1000", "1")));
  expect_table("collective-ranks", "0_1 | [0,1] | 0 | 0 | 10000 | 2000",
               "0_1 | [0,1] | 1 | 1002000 | 8000 | 0");
}

/* Ends 150 us apart in the median. */
static void clocks_that_disagree(void)
{
  given_lane("rank=0");
  given(CALL("0", "10us", META("allreduce", "1000", "1000", "1")));
  given_lane("rank=1");
  given(CALL("150us", "10us", META("allreduce", "1000", "1000", "1")));
  expect_notice(3, 1);
}

/* Rank 0 sends 100 and 300 longs, rank 1 200 and 0: 4800 bytes from 0 to 50 us; most 3200 of a mean of 2400. */
static void different_amounts(void)
{
  given_lane("rank=0");
  given(CALL("0", "40us",
             "Collective name=all_to_allv, In msg nelems=400, dtype=Long, Group size=2, Process "
             "Group Name=0, Process Group Ranks=[4,5], In split size=[100,300], Seq=1"));
  given_lane("rank=1");
  given(CALL("10us", "40us",
             "Collective name=all_to_allv, In msg nelems=200, dtype=Long, Group size=2, Process "
             "Group Name=0, Process Group Ranks=[4,5], In split size=\"[200, 0]\", Seq=1"));
  expect_table("alltoallv", "0_1 | 0 | [4,5] | Long | 4800 | 50000 | 0.096 | 40000 | 40000 | 40000 "
                            "| 1.33333333 | 10000 | 10000");
  expect_table("alltoallv-pairs", "0 | 4 | 800 | 800 | 1", "0 | 5 | 2400 | 2400 | 1",
               "1 | 4 | 1600 | 1600 | 1", "1 | 5 | 0 | 0 | 1");
  expect_empty_table("collectives");
}

static void configurations_are_apart(void)
{
  with("by=threads");
  given_lane("rank=0 tag.threads=256");
  given(CALL("0", "10us", META("allreduce", "1000", "1000", "1")));
  given_lane("rank=0 tag.threads=512");
  given(CALL("500us", "10us", META("allreduce", "1000", "1000", "1")));
  expect_notice(2, 2);
  expect_empty_table("stragglers");
}

#define CALL_OF(kernel, name, in, out, seq)                                                  \
  "X " kernel " 0 8us p=1 t=20 cat=kernel {Collective name=" name ", In msg nelems=" in      \
  ", Out msg nelems=" out ", Group size=4, dtype=Half, Process Group Name=g, Process Group " \
  "Ranks=[0,1,2,3], Seq=" seq ", stream=20}"
#define ROW_OF(seq, name, in, out, full, algbw, busbw)                         \
  "g_" seq " | g | [0,1,2,3] | " name " | 4 | Half | " in " | " out " | " full \
  " | 8000 | 0 | 3 | 0 | 0 | 0 | " algbw " | " busbw " | true | -"

/* Of 4 ranks in 8 us: an allreduce of 4000 halves moves 8000 bytes, 1 GB/s, times 2 * 3 / 4; the others times 3 / 4:
 * reducescatter of what goes in (8000), allgather of what comes out (8000), alltoall of what goes in.  What has no such
 * factor, and what goes from one to one, is in the long tables alone. */
static void given_all_types(void)
{
  static const char *const lanes[] = { "rank=0", "rank=1", "rank=2", "rank=3" };
  for (int i = 0; i < 4; i++) {
    given_lane(lanes[i]);
    given(CALL_OF("ncclDevKernel_A", "allreduce_coalesced", "4000", "4000", "1"),
          CALL_OF("ncclDevKernel_B", "_reduce_scatter_base", "4000", "1000", "2"),
          CALL_OF("ncclDevKernel_C", "_allgather_base", "1000", "4000", "3"),
          CALL_OF("ncclDevKernel_D", "all_to_all", "2000", "2000", "4"),
          CALL_OF("ncclDevKernel_E", "broadcast", "4000", "4000", "5"),
          CALL_OF("ncclDevKernel_SendRecv", "send", "10", "10", "6"));
  }
}

static void types_and_their_factors(void)
{
  given_all_types();
  expect_table("collectives",
               ROW_OF("1", "allreduce_coalesced", "4000", "4000", "8000", "1", "1.5"),
               ROW_OF("2", "_reduce_scatter_base", "4000", "1000", "8000", "1", "0.75"),
               ROW_OF("3", "_allgather_base", "1000", "4000", "8000", "1", "0.75"),
               ROW_OF("4", "all_to_all", "2000", "2000", "4000", "0.5", "0.375"));
  expect_metric("collective_busbw", "mean", "0.84375");
  expect_metric("collective_busbw", "p50", "0.75");
  expect_metric("collective_busbw", "p99",
                "1.4775"); /* 0.97 of the way from the third to the fourth */
  expect_notice(2, 0);
}

static void what_is_in_long_tables_alone(void)
{
  given(CALL_OF("ncclDevKernel_E", "broadcast", "4000", "4000", "5"),
        CALL_OF("ncclDevKernel_SendRecv", "send", "10", "10", "6"));
  expect_table("collective-calls",
               "0 | g_5 | 0 | g | [0,1,2,3] | broadcast | 4 | Half | 4000 | 8000 | 4000 | 8000 | | "
               "| 20 | 0 | 8000 | - | -",
               "0 | g_6 | 1 | g | [0,1,2,3] | send | 4 | Half | 10 | 20 | 10 | 20 | | | 20 | 0 | "
               "8000 | - | -");
  expect_empty_table("collectives");
  expect_empty_table("stragglers");
}

/* Two streams of one rank without arguments: what is on one is no call of the other. */
static void streams_without_arguments(void)
{
  given("X ncclDevKernel_AllGather 0 10us p=1 t=20 cat=kernel {stream=20}",
        "X ncclDevKernel_Broadcast 5us 10us p=1 t=21 cat=kernel {stream=21}");
  expect_table("collective-calls",
               "0 | all on stream 20_0 | 0 | all on stream 20 | | allgather | - | | - | - | - | - "
               "| | | 20 | 0 | 10000 | - | -",
               "0 | all on stream 21_0 | 0 | all on stream 21 | | broadcast | - | | - | - | - | - "
               "| | | 21 | 5000 | 10000 | - | -");
}

#define ONE_CALL CALL("0", "10us", META("allreduce", "1", "1", "1"))

/* Both list two devices: one node. */
static void nodes_by_the_devices_listed(void)
{
  given_lane("rank=0 member.other=[{}] member.deviceProperties=[{\"id\":0},{\"a\":\"]{\"}]");
  given(ONE_CALL);
  given_lane("rank=1 member.deviceProperties=[{\"id\":0,\"x\":[{}]},{}]");
  given(ONE_CALL);
  expect_table(
      "collective-calls",
      "0 | 0_1 | 0 | 0 | [0,1] | allreduce | 2 | Float | 1 | 4 | 1 | 4 | | | 20 | 0 | 10000 | 0 | "
      "1",
      "1 | 0_1 | 0 | 0 | [0,1] | allreduce | 2 | Float | 1 | 4 | 1 | 4 | | | 20 | 0 | 10000 | 0 | "
      "1");
  expect_table("collectives", "0_1 | 0 | [0,1] | allreduce | 2 | Float | 1 | 1 | 4 | 10000 | 0 | 1 "
                              "| 0 | 0 | 0 | 0.0004 | 0.0004 | true | 1");
}

static void devices_that_say_nothing(void)
{
  given_lane("rank=0 member.deviceProperties=[{},{},{}]");
  given(ONE_CALL);
  given_lane("rank=1 member.deviceProperties=[{},{}]");
  given(ONE_CALL);
  expect_table("collectives", "0_1 | 0 | [0,1] | allreduce | 2 | Float | 1 | 1 | 4 | 10000 | 0 | 1 "
                              "| 0 | 0 | 0 | 0.0004 | 0.0004 | true | -");
  harness_clear();
  given_lane("rank=1 member.deviceProperties=[{}]");
  given(ONE_CALL);
  expect_table("collective-calls", "1 | 0_1 | 0 | 0 | [0,1] | allreduce | 2 | Float | 1 | 4 | 1 | "
                                   "4 | | | 20 | 0 | 10000 | - | -");
}

/* 200 ranks, two to a node; a list that is cut short says nothing. */
static void groups_of_many_nodes(void)
{
  char line[2048];
  size_t n =
      (size_t)sprintf(line, "X ncclDevKernel 0 9us p=1 t=20 cat=kernel {Collective name=allreduce, "
                            "Group size=200, Process Group Name=w, stream=20, Seq=1, Process Group "
                            "Ranks=\"[0");
  for (int i = 1; i < 200; i++) n += (size_t)sprintf(line + n, ",%d", i);
  sprintf(line + n, "]\"}");
  with("gpus-per-node=2");
  given_lane("rank=7");
  given(line,
        "X ncclDevKernel 20us 9us p=1 t=20 cat=kernel {Collective name=allreduce, Group size=200, "
        "Process Group Name=x, stream=20, Seq=1, Process Group Ranks=\"[0, 1, ...]\"}");
  expect_table("collective-summary",
               "allreduce | | - | w | 200 | - | 100 | 2 | 9000 | 9000 | 9000 | 9000 | 0 | 0 | 0 | "
               "0 | 0 | 0 | 0 | 0 | - | - | - | - | - | - | - | - | 18000");
  expect_notice(2, 2);
}

HARNESS_MAIN(
    { "nothing is no row", nothing_is_no_row }, { "what belongs together", what_belongs_together },
    { "who waited", who_waited }, { "noise is no straggler", noise_is_no_straggler },
    { "who is late is the straggler", who_is_late_is_the_straggler },
    { "few collectives do not tell", few_collectives_do_not_tell },
    { "few calls without arguments are no warning", few_calls_without_arguments_are_no_warning },
    { "by kind", by_kind }, { "calls of a rank", calls_of_a_rank },
    { "without arguments", without_arguments }, { "what is not complete", what_is_not_complete },
    { "lists that are not whole", lists_that_are_not_whole },
    { "amounts that are not whole", amounts_that_are_not_whole },
    { "absurd durations", absurd_durations },
    { "an exchange that is not complete", an_exchange_that_is_not_complete },
    { "times are absolute", times_are_absolute }, { "clocks that disagree", clocks_that_disagree },
    { "different amounts", different_amounts },
    { "configurations are apart", configurations_are_apart },
    { "types and their factors", types_and_their_factors },
    { "what is in long tables alone", what_is_in_long_tables_alone },
    { "streams without arguments", streams_without_arguments },
    { "nodes by the devices listed", nodes_by_the_devices_listed },
    { "devices that say nothing", devices_that_say_nothing },
    { "groups of many nodes", groups_of_many_nodes })
