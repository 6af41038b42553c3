/* Tests of comm/collective-report: matching, and what follows from it. */
#include <stagemill/harness.h>

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
               "1 | 20000 | 1000 | 0.363636364 | "
               "0.363636364 | true | -",
               "0_2 | 0 | [0,1] | allgather | 2 | Float | 1000 | 2000 | 8000 | 30000 | 10000 | 1 | "
               "0 | 5000 | 0 | 0.266666667 | "
               "0.133333333 | true | -");
  expect_table("collective-ranks", "0_1 | [0,1] | 0 | 0 | 50000 | 40000",
               "0_1 | [0,1] | 1 | 40000 | 11000 | 0", "0_2 | [0,1] | 0 | 100000 | 30000 | 0",
               "0_2 | [0,1] | 1 | 90000 | 40000 | 10000");
  expect_notice(2, 0);
  expect_notice(3, 0);
}

/* Rank 1 waited 10 us, rank 0 40: the straggler is rank 1, who came last to half of them. */
static void who_waited(void)
{
  two_ranks();
  expect_table("stragglers", "0 | 40000 | 20000 | 1 | 1 | 50 | 2 | 80000",
               "1 | 10000 | 5000 | 1 | 1 | 50 | 2 | 51000");
  expect_metric("straggler_rank", NULL, "1");
  expect_metric("straggler_share", NULL, "50");
  expect_metric("collective_latency", "mean", "20500");
  expect_metric("collective_latency", "max", "30000");
  expect_metric("collective_skew", "p50", "25000");
  expect_metric("collective_busbw", "max", "0.363636");
}

static void by_kind(void)
{
  two_ranks();
  expect_table("collective-summary",
               "allgather | Float | 1000 | 0 | 2 | 8000 | - | 1 | 30000 | 30000 | 30000 | 30000 | "
               "10000 | 10000 | 10000 | 10000 | 0 | 0 | "
               "0 | 0 | 0.266667 | 0.266667 | 0.266667 | 0.266667 | 0.133333 | 0.133333 | 0.133333 "
               "| 0.133333 | 30000",
               "allreduce | Float | 1000 | 0 | 2 | 4000 | - | 1 | 11000 | 11000 | 11000 | 11000 | "
               "40000 | 40000 | 40000 | 40000 | 1000 | "
               "1000 | 1000 | 1000 | 0.363636 | 0.363636 | 0.363636 | 0.363636 | 0.363636 | "
               "0.363636 | 0.363636 | 0.363636 | 11000");
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
                                   "4000 | 4000 | 2 | 60000 | 30000 | 28284.2712 | 10000 | "
                                   "50000");
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
  expect_notice(4, 2); /* of each rank; a kernel that is not of NCCL never has any */
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
             "Group Name=0, Process Group "
             "Ranks=[4,5], In split size=[100,300], Seq=1"));
  given_lane("rank=1");
  given(CALL("10us", "40us",
             "Collective name=all_to_allv, In msg nelems=200, dtype=Long, Group size=2, Process "
             "Group Name=0, Process Group "
             "Ranks=[4,5], In split size=\"[200, 0]\", Seq=1"));
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

HARNESS_MAIN({ "nothing is no row", nothing_is_no_row },
             { "what belongs together", what_belongs_together }, { "who waited", who_waited },
             { "by kind", by_kind }, { "calls of a rank", calls_of_a_rank },
             { "without arguments", without_arguments },
             { "what is not complete", what_is_not_complete },
             { "lists that are not whole", lists_that_are_not_whole },
             { "amounts that are not whole", amounts_that_are_not_whole },
             { "absurd durations", absurd_durations },
             { "an exchange that is not complete", an_exchange_that_is_not_complete },
             { "times are absolute", times_are_absolute },
             { "clocks that disagree", clocks_that_disagree },
             { "different amounts", different_amounts },
             { "configurations are apart", configurations_are_apart })
