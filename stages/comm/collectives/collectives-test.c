/* Slices of collectives: where they begin and end, chains and trees, and what is missing. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define G "CollGroup=AllReduce_all_reduce_1"
#define SEND(ts, dur, sync, peer, type)                                                       \
  "X \"SenRdmaSend_1 [sync=" sync "] DmaO\" " ts " " dur " {" G ", Peer=" peer ", Type=" type \
  ", bytes=4096}"
#define RECEIVE(ts, dur, sync) \
  "X \"SenRdmaRecv_1 [sync=" sync "] DmaI\" " ts " " dur " {" G ", Type=\"WDone Barrier\"}"

/* Rank 0 sends from 100 to 120 us, rank 1 waits for it from 90 to 125, orders the multicast at 130 and
 * sends its segment from 132 to 150, for which rank 0 waits until 155.  Kernels: of rank 0 from 101
 * to 110, of rank 1 from 95 to 123; others do not fit. */
static void a_chain_begins_with_kernels_and_ends_with_transfers(void)
{
  given_lane("rank=0");
  given("X \"k_0 Cmpt Exec\" 80us 15us p=0", SEND("100us", "20us", "a", "1", "SingleCast"),
        "X \"k_1 Cmpt Exec\" 101us 9us p=0", RECEIVE("121us", "34us", "m"));
  given_lane("rank=1");
  given(RECEIVE("90us", "35us", "a"), "X \"AllReduce_2 Cmpt Exec\" 91us 9us p=1",
        "X \"k_2 Cmpt Exec\" 95us 28us p=1", SEND("130us", "2us", "m", "0", "MultiCast"),
        SEND("132us", "18us", "m", "0", "\"MultiCast XSEG\""));
  expect_table("collectives", "AllReduce_all_reduce_1 | 0 | chain | 2 | 110000 | 155000 | 4096 | "
                              "0.18204444444 | 13000"); /* 8192 bytes in 45 us */
  expect_attr(9, "rank group compute event", "k_1 Cmpt Exec");
  expect_attr(9, "collective algorithm type", "chain");
  expect_attr(9, "peers", "{0, 1}");
  expect_attr(9, "Coll_data_size", "8192");
  expect_attr(9, "bytes", "4096");
  expect_attr(9, "orig_name", "AllReduce_all_reduce_1");
  expect_attr(9, "external id", "1");
  expect_attr(10, "rank group compute event", "k_2 Cmpt Exec");
  for (uint32_t i = 1; i <= 6; i++) expect_notice(i, 0);
}

/* In a tree rank 1 sends up, and rank 0, the root, orders the multicast.  Without kernels slices begin
 * with the first transfer. */
static void a_tree_has_its_root_first(void)
{
  given_lane("rank=0");
  given(RECEIVE("90us", "35us", "a"), SEND("130us", "2us", "m", "1", "MultiCast"),
        SEND("132us", "18us", "m", "1", "\"MultiCast XSEG\""));
  given_lane("rank=1");
  given(RECEIVE("89us", "66us", "m"), SEND("100us", "20us", "a", "0", "SingleCast"));
  expect_attr(5, "collective algorithm type", "tree");
  expect_attr(5, "rank group compute event", NULL);
  expect_attr(6, "bytes", "4096");
  expect_table(
      "collectives",
      "AllReduce_all_reduce_1 | 0 | tree | 2 | 90000 | 155000 | 4096 | 0.126030769 | 10000");
}

/* A kernel that ends after the last transfer, or 10 ms and 1 ns from the end of the first, does not fit. */
static void slices_are_never_negative(void)
{
  given_lane("rank=0");
  given("X \"S [4096B] [sync=a] DmaO\" 100us 20us {CollGroup=H, Peer=1, Type=SingleCast}",
        "X \"k_1 Cmpt Exec\" 101us 30us");
  given_lane("rank=1");
  given("X \"R [sync=a] DmaI\" 105us 20ms {CollGroup=H, Type=\"WDone Barrier\"}",
        "X \"k_2 Cmpt Exec\" 106us 9998999", "X \"k_3 Cmpt Exec\" 107us 1us");
  expect_table("collectives",
               "H | 0 | unknown | 2 | 100000 | 20105000 | 4096 | 0.000409498 | 5000");
  expect_attr(5, "bytes", "4096");
  expect_notice(1, 1);
}

/* The same group again once the first is over. */
static void rounds_are_counted(void)
{
  given_lane("rank=0");
  given("X \"S [sync=a] DmaO\" 10us 5us {CollGroup=H_, Peer=1, Type=SingleCast, bytes=10}",
        "X \"S [sync=a] DmaO\" 110us 5us {CollGroup=H_, Peer=1, Type=SingleCast, bytes=\"20\"}");
  given_lane("rank=1");
  given("X \"R [sync=a] DmaI\" 11us 9us {CollGroup=H_, Type=\"WDone Barrier\"}",
        "X \"R [sync=a] DmaI\" 111us 9us {CollGroup=H_, Type=\"WDone Barrier\"}");
  expect_table("collectives", "H_ | 0 | unknown | 2 | 10000 | 20000 | 10 | 0.002 | 1000",
               "H_ | 1 | unknown | 2 | 110000 | 120000 | 20 | 0.004 | 1000");
}

/* Rank 2 is sent to, but has no events; group I has no pair; there is no group of the last. */
static void what_is_missing_is_counted(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "1", "SingleCast"), SEND("16us", "5us", "b", "2", "SingleCast"),
        "X \"S [sync=a] DmaO\" 17us 5us {CollGroup=I, Peer=1, Type=SingleCast}",
        "X \"S [sync=a] DmaO\" 18us 5us {CollGroup=I, Peer=1, Type=Strange}",
        "X \"S [sync=a] DmaO\" 18us 5us {CollGroup=I, Type=SingleCast}",
        "X \"S [sync=a] DmaO\" 19us 5us {Peer=1, Type=SingleCast}");
  given_lane("rank=1");
  given(RECEIVE("11us", "9us", "a"));
  expect_table(
      "collectives",
      "AllReduce_all_reduce_1 | 0 | unknown | 3 | 10000 | 21000 | 4096 | 1.4894545 | 1000");
  expect_notice(2, 1);
  expect_notice(3, 1);
  expect_notice(4, 2);
}

static void times_at_the_ends_do_no_harm(void)
{
  given_lane("rank=0");
  given("X \"S [sync=a] DmaO\" -9223372036854775808 5us {CollGroup=H, Peer=1, Type=SingleCast, "
        "bytes=9223372036854775807}");
  given_lane("rank=1");
  given("X \"R [sync=a] DmaI\" 9223372036854775807 9223372036854775807 {CollGroup=H, Type=\"WDone "
        "Barrier\"}",
        "X \"k Cmpt Exec\" 9223372036854775807 9223372036854775807");
  expect_notice(3, 2); /* the send was given up long before */
}

/* 65,537 collectives of two ranks. */
static void state_is_bounded(void)
{
  char line[160];
  given_lane("rank=-");
  for (int i = 1; i <= 65537; i++) {
    snprintf(line, sizeof line,
             "X \"S [sync=a] DmaO\" %d 5 {CollGroup=G, Peer=1, Type=SingleCast, bytes=1}", 10 * i);
    given(line);
    snprintf(line, sizeof line,
             "X \"R [sync=a] DmaI\" %d 4 p=1 {CollGroup=G, Type=\"WDone Barrier\"}", 10 * i + 2);
    given(line);
  }
  expect_notice(6, 1);
  expect_notice(5, 0);
}

/* Each of 1,025 sends waits for its receive. */
static void open_groups_are_bounded(void)
{
  char line[160];
  given_lane("rank=0");
  for (int i = 0; i < 1025; i++) {
    snprintf(line, sizeof line,
             "X \"S [sync=a] DmaO\" %d 1 {CollGroup=G%d, Peer=1, Type=SingleCast}", i, i);
    given(line);
  }
  expect_notice(5, 1);
  expect_notice(3, 1025);
}

#define HOP(at, from, to, sync, type)                                                 \
  "X \"S [4096B] [sync=" sync "] DmaO\" " at " 5us p=" from " {CollGroup=C, Peer=" to \
  ", Type=" type "}"
#define HOP_END(at, to, sync) \
  "X \"R [sync=" sync "] DmaI\" " at " 6us p=" to " {CollGroup=C, Type=\"WDone Barrier\"}"
#define SEGMENT "\"MultiCast XSEG\""

/* Along the chain 0 1 2 3, then the multicast of rank 3, with pauses in which all that began is complete: from 10 us,
 * where rank 0 sends, to 89, where rank 2 has received.  24,576 bytes in 79 us.  Again 1 ms later. */
static void a_chain_of_hops_is_one_round(void)
{
  given_lane("rank=0");
  given(HOP("10us", "0", "1", "a", "SingleCast"), HOP_END("63us", "0", "m"),
        HOP("1010us", "0", "1", "a", "SingleCast"), HOP_END("1063us", "0", "m"));
  given_lane("rank=1");
  given(HOP_END("11us", "1", "a"), HOP("24us", "1", "2", "b", "SingleCast"),
        HOP_END("73us", "1", "m"), HOP_END("1011us", "1", "a"),
        HOP("1024us", "1", "2", "b", "SingleCast"), HOP_END("1073us", "1", "m"));
  given_lane("rank=2");
  given(HOP_END("25us", "2", "b"), HOP("38us", "2", "3", "c", "SingleCast"),
        HOP_END("83us", "2", "m"), HOP_END("1025us", "2", "b"),
        HOP("1038us", "2", "3", "c", "SingleCast"), HOP_END("1083us", "2", "m"));
  given_lane("rank=3");
  given(HOP_END("39us", "3", "c"), HOP("55us", "3", "0", "m", "MultiCast"),
        HOP("62us", "3", "0", "m", SEGMENT), HOP("72us", "3", "1", "m", SEGMENT),
        HOP("82us", "3", "2", "m", SEGMENT), HOP_END("1039us", "3", "c"),
        HOP("1055us", "3", "0", "m", "MultiCast"), HOP("1062us", "3", "0", "m", SEGMENT),
        HOP("1072us", "3", "1", "m", SEGMENT), HOP("1082us", "3", "2", "m", SEGMENT));
  expect_table("collectives", "C | 0 | chain | 4 | 10000 | 89000 | 4096 | 0.311088608 | 29000",
               "C | 1 | chain | 4 | 1010000 | 1089000 | 4096 | 0.311088608 | 29000");
}

HARNESS_MAIN({ "a chain of hops is one round", a_chain_of_hops_is_one_round },
             { "a chain begins with kernels and ends with transfers",
               a_chain_begins_with_kernels_and_ends_with_transfers },
             { "a tree has its root first", a_tree_has_its_root_first },
             { "slices are never negative", slices_are_never_negative },
             { "rounds are counted", rounds_are_counted },
             { "what is missing is counted", what_is_missing_is_counted },
             { "times at the ends do no harm", times_at_the_ends_do_no_harm },
             { "state is bounded", state_is_bounded },
             { "open groups are bounded", open_groups_are_bounded })
