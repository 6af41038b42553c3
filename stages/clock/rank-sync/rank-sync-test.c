/* Clocks from matched collectives: offset, drift, latency, outliers, lanes that share nothing. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define NCCL(ts, dur, seq) \
  "X nccl " ts " " dur     \
  " cat=kernel {Collective name=allreduce, Process Group Name=\"0\", Seq=" seq "}"
#define NCCL_GROUP(ts, dur, group, more) \
  "X nccl " ts " " dur " cat=kernel {Collective name=allreduce, Process Group Name=" group more "}"

/* Ends on rank 0: 110, 210, 310 us; on rank 1 5 us later each, whenever the kernels began. */
static void takes_an_offset_off(void)
{
  given_lane("rank=0");
  given(NCCL("100us", "10us", "1"), NCCL("200us", "10us", "2"), NCCL("300us", "10us", "3"));
  given_lane("rank=1");
  given("M process_name - {name=b}", NCCL("103us", "12us", "1"), NCCL("213us", "2us", "2"),
        NCCL("305us", "10us", "3"), "C power 400us {w=3}", "s arrow 401us id=7", "X host 402us 5us",
        "- row - {a=1}");
  expect_lane(0, NCCL("100us", "10us", "1"), NCCL("200us", "10us", "2"),
              NCCL("300us", "10us", "3"));
  expect_lane(1, "M process_name - {name=b}", NCCL("98us", "12us", "1"), NCCL("208us", "2us", "2"),
              NCCL("300us", "10us", "3"), "C power 395us {w=3}", "s arrow 396us id=7",
              "X host 397us 5us", "- row - {a=1}");
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 5000 | 0 | 3 | 0 | 0 | 0 | -");
  expect_metric("rank_sync_residual", "rms", "0");
  expect_metric("rank_sync_residual", "max", "0");
  expect_notice(1, 0);
}

/* Rank 1 runs 100 ppm fast: ends at 100, 200, 300, 400 ms are seen at 100.01, 200.02, 300.03,
 * 400.04 ms, so off by 10, 20, 30, 40 us. As a function of its own time that is 10 us in
 * 100.01 ms = 99.990001 ppm, 10,000 ns at the first. A begin 10.001 ms before an end is off by
 * 1 us less than the end: 90.009 ms becomes 90 ms, and 10.001 ms last 10 ms. */
static void given_drift(void)
{
  given_lane("rank=0");
  given(NCCL("90ms", "10ms", "1"), NCCL("190ms", "10ms", "2"), NCCL("290ms", "10ms", "3"),
        NCCL("390ms", "10ms", "4"));
  given_lane("rank=1");
  given(NCCL("90009us", "10001us", "1"));
}

static void takes_a_drift_off(void)
{
  given_drift();
  given(NCCL("190019us", "10001us", "2"), NCCL("290029us", "10001us", "3"),
        NCCL("390039us", "10001us", "4"));
  expect_lane(1, NCCL("90ms", "10ms", "1"), NCCL("190ms", "10ms", "2"), NCCL("290ms", "10ms", "3"),
              NCCL("390ms", "10ms", "4"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 10000 | 99.990001 | 4 | 0 | 0 | 0 | -");
}

/* The offset steps from 10,000 to 10,001 ns half a step (5000.5 ns) after the origin of 100.01 ms.
 * 100,015,000 becomes 100,005,000; 100,015,001 would too, and is put one later to stay after it;
 * its end 100,015,101 becomes 100,005,100. Equal times stay equal. */
static void strict_order_stays_strict(void)
{
  given_drift();
  given("X a 100015000 0", "X b 100015001 100ns", "i c 100015001");
  given(NCCL("190019us", "10001us", "2"), NCCL("290029us", "10001us", "3"),
        NCCL("390039us", "10001us", "4"));
  expect_lane(1, NCCL("90ms", "10ms", "1"), "X a 100005000 0", "X b 100005001 99ns",
              "i c 100005001", NCCL("190ms", "10ms", "2"), NCCL("290ms", "10ms", "3"),
              NCCL("390ms", "10ms", "4"));
}

/* Seq 4 is matched wrongly: 50 ms off. The others are 5 us off, with 100 ns of noise that sums to 0
 * around 5 us: 5000, 5100, 4900, -, 5000, 5000; not a drift. Sum of squares 20,000 over 5: rms
 * 63.2. */
static void outliers_do_not_count(void)
{
  given_lane("rank=0");
  given(NCCL("1ms", "10us", "1"), NCCL("2ms", "10us", "2"), NCCL("3ms", "10us", "3"),
        NCCL("4ms", "10us", "4"), NCCL("5ms", "10us", "5"), NCCL("6ms", "10us", "6"));
  given_lane("rank=1");
  given(NCCL("1005us", "10us", "1"), NCCL("2005.1us", "10us", "2"), NCCL("3004.9us", "10us", "3"),
        NCCL("54ms", "10us", "4"), NCCL("5005us", "10us", "5"), NCCL("6005us", "10us", "6"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 5000 | 0 | 5 | 1 | 63 | 100 | -");
  expect_metric("rank_sync_residual", "rms", "63.2456");
  expect_metric("rank_sync_residual", "max", "100");
}

#define SEND(ts, dur, sync, peer, type)                                                  \
  "X \"SenRdmaSend_10 [sync=" sync "] DmaO\" " ts " " dur " {CollGroup=AR_1, Peer=" peer \
  ", Type=" type "}"
#define RECEIVE(ts, dur, sync)                            \
  "X \"SenRdmaRecv_20 [sync=" sync "] DmaI\" " ts " " dur \
  " {CollGroup=AR_1, Type=\"WDone Barrier\"}"

/* Rank 1's clock is 37 us ahead and a transfer takes 2 us. Rank 0 sends until 110, rank 1 has it
 * at 112, on its clock 149: 39 apart. Rank 1 sends until 120, on its clock 157; rank 0 has it at
 * 122: 35 apart. Half the sum is 37, half the difference 2. The host's kernel at 1000137 moves
 * along. */
static void transfers_both_ways_part_offset_and_latency(void)
{
  given_lane("rank=0");
  given(SEND("100us", "10us", "AR_1_s0_r1_0", "\"1\"", "SingleCast"),
        RECEIVE("115us", "7us", "AR_1_s1_r0_0"));
  given_lane("rank=1");
  given(RECEIVE("139us", "10us", "AR_1_s0_r1_0"),
        SEND("150us", "7us", "AR_1_s1_r0_0", "0", "\"MultiCast XSEG\""),
        "X \"k Cmpt Exec\" 1000137us 20us {TS1=5}");
  expect_lane(1, RECEIVE("102us", "10us", "AR_1_s0_r1_0"),
              SEND("113us", "7us", "AR_1_s1_r0_0", "0", "\"MultiCast XSEG\""),
              "X \"k Cmpt Exec\" 1000100us 20us {TS1=5}");
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 37000 | 0 | 2 | 0 | 0 | 0 | 2000");
  expect_notice(4, 0);
}

/* Around the ring 0 > 1 > 2 > 0 each hop takes 17 us; rank 1 is 4 us behind, rank 2 39 us ahead.
 * Sends end at 100, receives at 117 by the true clock: 113 on rank 1. From 1 (sent 200, seen
 * 196) to
 * 2 (217, seen 256), from 2 (300, seen 339) to 0 (317). No two ranks see both directions, but the
 * ring does: 13 + 60 - 22 = 51 = 3 * 17. */
static void a_ring_parts_offset_and_latency(void)
{
  given_lane("rank=0");
  given(SEND("90us", "10us", "a", "1", "SingleCast"), RECEIVE("310us", "7us", "c"));
  given_lane("rank=1");
  given(RECEIVE("100us", "13us", "a"), SEND("186us", "10us", "b", "2", "SingleCast"));
  given_lane("rank=2");
  given(RECEIVE("250us", "6us", "b"), SEND("329us", "10us", "c", "0", "SingleCast"));
  expect_lane(1, RECEIVE("104us", "13us", "a"), SEND("190us", "10us", "b", "2", "SingleCast"));
  expect_lane(2, RECEIVE("211us", "6us", "b"), SEND("290us", "10us", "c", "0", "SingleCast"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | -4000 | 0 | 2 | 0 | 0 | 0 | 17000",
               "2 | 0 | 39000 | 0 | 2 | 0 | 0 | 0 | 17000");
  expect_notice(4, 0);
}

static void one_way_only_is_noticed(void)
{
  given_lane("rank=0");
  given(SEND("100us", "10us", "AR_1_s0_r1_0", "[1, 2]", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("139us", "10us", "AR_1_s0_r1_0"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 39000 | 0 | 1 | 0 | 0 | 0 | -");
  expect_notice(4, 1);
}

/* Without a rank the process stands for it, as AIU traces have it. Types that move nothing do
 * not count. */
static void process_stands_for_rank(void)
{
  given_lane("rank=-1");
  given("X \"S [sync=a] DmaO\" 100us 10us p=0 {CollGroup=G, Peer=1, Type=SingleCast}",
        "X \"S [sync=b] DmaO\" 200us 10us p=0 {CollGroup=G, Peer=1, Type=\"Set BCList\"}");
  given_lane("rank=-1");
  given("X \"R [sync=a] DmaI\" 105us 10us p=1 {CollGroup=G, Peer=0, Type=\"WDone Barrier\"}",
        "X \"R [sync=b] DmaI\" 299us 10us p=1 {CollGroup=G, Peer=0, Type=\"WDone Barrier\"}");
  expect_lane(1,
              "X \"R [sync=a] DmaI\" 100us 10us p=1 {CollGroup=G, Peer=0, Type=\"WDone Barrier\"}",
              "X \"R [sync=b] DmaI\" 294us 10us p=1 {CollGroup=G, Peer=0, Type=\"WDone Barrier\"}");
}

/* Rank 2 shares a group with rank 1 only: 1 is 5 us ahead of 0, 2 is 7 us behind 1, so 2 us
 * after 0. */
static void ranks_are_tied_over_others(void)
{
  given_lane("rank=2");
  given(NCCL_GROUP("193us", "10us", "b", ", Seq=1"));
  given_lane("rank=0");
  given(NCCL_GROUP("95us", "10us", "a", ", Seq=1"));
  given_lane("rank=1");
  given(NCCL_GROUP("100us", "10us", "a", ", Seq=1"), NCCL_GROUP("200us", "10us", "b", ", Seq=1"));
  expect_lane(0, NCCL_GROUP("195us", "10us", "b", ", Seq=1"));
  expect_lane(2, NCCL_GROUP("95us", "10us", "a", ", Seq=1"),
              NCCL_GROUP("195us", "10us", "b", ", Seq=1"));
  expect_table("rank-sync", "2 | 0 | -2000 | 0 | 1 | 0 | 0 | 0 | -",
               "0 | 0 | 0 | 0 | 0 | 0 | - | - | -", "1 | 0 | 5000 | 0 | 1 | 0 | 0 | 0 | -");
}

static void a_lane_without_matches_is_left_alone(void)
{
  given_lane("rank=0");
  given(NCCL("100us", "10us", "1"));
  given_lane("rank=1");
  given(NCCL("105us", "10us", "1"));
  given_lane("rank=2");
  given(NCCL("107us", "10us", "9"));
  expect_lane(2, NCCL("107us", "10us", "9"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 5000 | 0 | 1 | 0 | 0 | 0 | -", "2 | - | - | - | 0 | 0 | - | - | -");
  expect_notice(1, 1);
}

static void one_lane_has_nothing_to_do(void)
{
  given_lane("rank=0");
  given(NCCL("100us", "10us", "1"));
  expect(NCCL("100us", "10us", "1"));
  expect_empty_table("rank-sync");
  expect_metric("rank_sync_residual", "rms", NULL);
  expect_notice(1, 0);
}

/* 1, 2, 3, 4 ms off at 100, 200, 300, 400 ms: 1 %, no clock does that. The mean of 2.5 ms is
 * taken off. */
static void an_absurd_drift_is_not_believed(void)
{
  given_lane("rank=0");
  given(NCCL("90ms", "10ms", "1"), NCCL("190ms", "10ms", "2"), NCCL("290ms", "10ms", "3"),
        NCCL("390ms", "10ms", "4"));
  given_lane("rank=1");
  given(NCCL("91ms", "10ms", "1"), NCCL("192ms", "10ms", "2"), NCCL("293ms", "10ms", "3"),
        NCCL("394ms", "10ms", "4"));
  expect_lane(1, NCCL("88500us", "10ms", "1"), NCCL("189500us", "10ms", "2"),
              NCCL("290500us", "10ms", "3"), NCCL("391500us", "10ms", "4"));
  expect_notice(3, 1);
}

/* Without Seq the two of each side match in order of time; rank 2 has three and matches nobody. */
static void repetitions_match_when_their_numbers_agree(void)
{
  given_lane("rank=0");
  given(NCCL_GROUP("200us", "10us", "a", ""), NCCL_GROUP("100us", "10us", "a", ""));
  given_lane("rank=1");
  given(NCCL_GROUP("105us", "10us", "a", ""), NCCL_GROUP("205us", "10us", "a", ""));
  given_lane("rank=2");
  given(NCCL_GROUP("1us", "1us", "a", ""), NCCL_GROUP("2us", "1us", "a", ""),
        NCCL_GROUP("3us", "1us", "a", ""));
  expect_lane(1, NCCL_GROUP("100us", "10us", "a", ""), NCCL_GROUP("200us", "10us", "a", ""));
  expect_lane(2, NCCL_GROUP("1us", "1us", "a", ""), NCCL_GROUP("2us", "1us", "a", ""),
              NCCL_GROUP("3us", "1us", "a", ""));
  expect_notice(1, 1);
}

/* A group of the same name with other members, point-to-point kernels and host ops match
 * nothing. */
static void only_like_meets_like(void)
{
  given_lane("rank=0");
  given(NCCL_GROUP("100us", "10us", "a", ", Seq=1, Process Group Ranks=[0,1]"),
        "X nccl 1us 1us cat=kernel {Collective name=send, Process Group Name=a, Seq=2}",
        "X record 2us 1us cat=cpu_op {Collective name=allreduce, Process Group Name=a, Seq=3}");
  given_lane("rank=2");
  given(NCCL_GROUP("100us", "10us", "a", ", Seq=1, Process Group Ranks=[2,3]"),
        "X nccl 1us 1us cat=kernel {Collective name=send, Process Group Name=a, Seq=2}",
        "X record 2us 1us cat=cpu_op {Collective name=allreduce, Process Group Name=a, Seq=3}");
  expect_notice(1, 2);
  expect_table("rank-sync", "0 | - | - | - | 0 | 0 | - | - | -",
               "2 | - | - | - | 0 | 0 | - | - | -");
}

/* Both show 110 us from their base, but rank 1's base is 5 us later: its clock is 5 us ahead. */
static void bases_of_lanes_count(void)
{
  given_lane("rank=0 base=5000000us");
  given(NCCL("100us", "10us", "1"));
  given_lane("rank=1 base=5000005us");
  given(NCCL("100us", "10us", "1"));
  expect_lane(1, NCCL("95us", "10us", "1"));
}

/* One mark too many on rank 1; the 65,536 of each side still match. */
static void marks_are_bounded(void)
{
  char line[160];
  given_lane("rank=0");
  for (int i = 1; i <= 65536; i++) {
    snprintf(line, sizeof line, NCCL("%dus", "1us", "%d"), i * 10, i);
    given(line);
  }
  given_lane("rank=1");
  for (int i = 1; i <= 65537; i++) {
    snprintf(line, sizeof line, NCCL("%dus", "1us", "%d"), i * 10 + 5, i);
    given(line);
  }
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 0 | 0 | - | - | -",
               "1 | 0 | 5000 | 0 | 65536 | 0 | 0 | 0 | -");
  expect_notice(2, 1);
}

/* ------------------------------------------------- by groups: tight and v2 */

#define TS(a, b, c, d, e) "TS1=" a ", TS2=" b ", TS3=" c ", TS4=" d ", TS5=" e
#define MEMBER(name, ts, dur, group, stamps) \
  "X " name " " ts " " dur " {CollGroup=" group ", " stamps "}"
#define LAST "\"AllReduce_all_reduce_1 DmaO\""
#define KERNEL(ts, stamps) "X \"k Cmpt Exec\" " ts " 20us {" stamps "}"
#define KERNEL_0(ts) KERNEL(ts, TS("150000", "155000", "156000", "167200", "167480"))
#define KERNEL_1(ts) KERNEL(ts, TS("7911657", "7912000", "7933777", "7944977", "7945257"))
#define LAST_0(ts) \
  MEMBER(LAST, ts, "1us", "AllReduce_1", TS("200000", "210000", "220000", "247840", "248400"))
#define LAST_1(ts) \
  MEMBER(LAST, ts, "1us", "AllReduce_1", TS("8000000", "8006857", "8010000", "8022817", "8023377"))

/* At 560 MHz. Rank 0 is done at 248,400 cycles = 443.5714 us, by the host at 1,000,265 us. Rank 1 has its
 * last TS2 at 8,006,857 = 14,297.9589 us and its last TS5 at 8,023,377, 29.5 us later; its host is 37 us
 * ahead. Its kernel, TS3 at 7,933,777, is 130.5 us before that TS2. */
static void given_two_ranks_and_a_tree(void)
{
  given_lane("rank=0");
  given("X host 1000000us 5us", KERNEL_0("1000100us"), LAST_0("1000264us"));
  given_lane("rank=1");
  given("X host 1000137us 5us", "i mark 1000138us", KERNEL_1("1000137us"), LAST_1("1000296us"));
}

/* The last TS2 of rank 1 is put to 1,000,265: its kernel to 130.5 us before, 34.5 us late, which is what
 * this method gives. By its host that TS2 was at 1,000,267.5: host rows move by 2.5 us. */
static void tight_puts_the_last_receive_to_the_last_end(void)
{
  with("method=tight");
  given_two_ranks_and_a_tree();
  expect_lane(0, "X host 1000000us 5us", KERNEL_0("1000100us"), LAST_0("1000264us"));
  expect_lane(1, "X host 1000134.5us 5us", "i mark 1000135.5us", KERNEL_1("1000134.5us"),
              LAST_1("1000293.5us"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 1 | 0 | - | - | -",
               "1 | 0 | 2500 | 0 | 1 | 0 | - | - | -");
  expect_metric("rank_sync_residual", "rms", NULL);
  for (uint32_t number = 1; number <= 6; number++) expect_notice(number, 0);
}

/* The last TS5 of both are one moment, and all events end with theirs: the kernel of rank 0 0.5 us later, that
 * of rank 1 139.5 us before 1,000,265. Host rows of rank 1 move by 1,000,297 - 1,000,265. */
static void v2_puts_last_ends_together(void)
{
  with("method=v2");
  given_two_ranks_and_a_tree();
  expect_lane(0, "X host 1000000us 5us", KERNEL_0("1000100.5us"), LAST_0("1000264us"));
  expect_lane(1, "X host 1000105us 5us", "i mark 1000106us", KERNEL_1("1000105.5us"),
              LAST_1("1000264us"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 1 | 0 | - | - | -",
               "1 | 0 | 32000 | 0 | 1 | 0 | - | - | -");
}

#define on_rank(rank, event) given_lane("rank=" rank), given(event)

/* In us by the devices, (TS1, TS2, TS5): rank 4 (90, 95, 100) and (190, 195, 200), its host 1000 ahead;
 * rank 7 (105, 110, 115) and (200, 205, 210), 1007; rank 9 (145, 150, 155) and (210, 215, 220), 1020. */
#define TREE(ts, n, issued, prepared, done)                      \
  MEMBER("\"AllReduce_all_reduce\"", ts, "10us", "AllReduce_" n, \
         TS(issued, prepared, prepared, prepared, done))
static void given_three_ranks(void)
{
  given_lane("rank=9");
  given(TREE("1165us", "1", "81200", "84000", "86800"),
        TREE("1230us", "2", "117600", "120400", "123200"));
  given_lane("rank=4");
  given(TREE("1090us", "1", "50400", "53200", "56000"),
        TREE("1190us", "2", "106400", "109200", "112000"),
        MEMBER("other", "1300us", "10us", "Barrier", TS("0", "0", "0", "0", "5600")));
  given_lane("rank=7");
  given(TREE("1112us", "1", "58800", "61600", "64400"), "X host 1117us 9.5us",
        TREE("1207us", "2", "112000", "114800", "117600"));
}

/* Receives of ranks 7 and 9 are 40 us apart in the first group, 10 in the second, which is closer; rank 7
 * received 10 and 5 us after rank 4 was done. So 205 on rank 7 and 215 on rank 9 are rank 4's 200, at 1200.
 * By their hosts these were at 1212 and 1235. */
static void tight_goes_by_the_closest_group(void)
{
  with("method=tight");
  given_three_ranks();
  expect_lane(0, TREE("1130us", "1", "81200", "84000", "86800"),
              TREE("1195us", "2", "117600", "120400", "123200"));
  expect_lane(2, TREE("1100us", "1", "58800", "61600", "64400"), "X host 1105us 9.5us",
              TREE("1195us", "2", "112000", "114800", "117600"));
  expect_table("rank-sync", "9 | 4 | 35000 | 0 | 2 | 0 | - | - | -",
               "4 | 4 | 0 | 0 | 2 | 0 | - | - | -", "7 | 4 | 12000 | 0 | 2 | 0 | - | - | -");
  expect_notice(5, 0);
}

/* From group to group 100, 95 and 65 us pass. The others end 10 and 20 us after rank 4 in the second group,
 * together sooner than in the first, so 210 and 220 are 1200, and their clocks are stretched by
 * 100/95 and 100/65. The host's slice of rank 7, 100 to 90.5 us before 1217, is 105.263 to 95.263 before. */
static void v2_stretches_clocks(void)
{
  with("method=v2");
  given_three_ranks();
  expect_lane(0, TREE("1090us", "1", "81200", "84000", "86800"),
              TREE("1190us", "2", "117600", "120400", "123200"));
  expect_lane(2, TREE("1090us", "1", "58800", "61600", "64400"), "X host 1094737 10us",
              TREE("1190us", "2", "112000", "114800", "117600"));
  expect_table("rank-sync", "9 | 4 | 40000 | -538461.538 | 2 | 0 | - | - | -",
               "4 | 4 | 0 | 0 | 2 | 0 | - | - | -",
               "7 | 4 | 17000 | -52631.5789 | 2 | 0 | - | - | -");
}

/* A chain runs from the last rank to the first: rank 1 is done at 300 us (2300 by its host), rank 0
 * receives at 320 us (1320): 300 on rank 1 is 1320. */
#define RECEIVED \
  MEMBER("recv", "1310us", "20us", "Ring", TS("173600", "179200", "179200", "179200", "184800"))
#define SENT(ts) \
  MEMBER("send", ts, "10us", "Ring", TS("162400", "163520", "163520", "163520", "168000"))
static void a_chain_runs_the_other_way(void)
{
  with("method=tight");
  on_rank("0", RECEIVED);
  on_rank("1", SENT("2290us"));
  expect_lane(1, SENT("1310us"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 1 | 0 | - | - | -",
               "1 | 0 | 980000 | 0 | 1 | 0 | - | - | -");
}

/* Counters of ranks 0, 1, 2 show 50, 1000 and 5000 us when rank 2 is done and ranks 1 and 0 have received, at
 * 2000 us by rank 0's host, 2007 and 2009 by the others'. Rank 0 stays, whatever its counter shows. */
#define RING(ts, from, to) MEMBER("a", ts, "10us", "Ring", TS(from, to, to, to, to))
static void the_reference_of_a_long_chain_stays(void)
{
  with("method=tight");
  on_rank("0", RING("1990us", "22400", "28000"));
  on_rank("1", RING("1997us", "554400", "560000"));
  on_rank("2", RING("1999us", "2794400", "2800000"));
  expect_lane(0, RING("1990us", "22400", "28000"));
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 1 | 0 | - | - | -",
               "1 | 0 | 7000 | 0 | 1 | 0 | - | - | -", "2 | 0 | 9000 | 0 | 1 | 0 | - | - | -");
}

/* Only the second group is on both: rank 1's TS2, 205, at 1200. */
static void a_group_that_a_rank_lacks_does_not_count(void)
{
  with("method=tight");
  given_lane("rank=0");
  given(TREE("1090us", "1", "50400", "53200", "56000"),
        TREE("1190us", "2", "106400", "109200", "112000"));
  given_lane("rank=1");
  given(TREE("1207us", "2", "112000", "114800", "117600"),
        "X \"k DmaI\" 1300us 1us {TS1=5, TS2=6}");
  expect_lane(1, TREE("1195us", "2", "112000", "114800", "117600"),
              "X \"k DmaI\" 1288us 1us {TS1=5, TS2=6}");
  expect_table("rank-sync", "0 | 0 | 0 | 0 | 1 | 0 | - | - | -",
               "1 | 0 | 12000 | 0 | 1 | 1 | - | - | -");
  expect_notice(5, 1);
  expect_notice(6, 1);
}

/* Rank 0 has a group of its own; v2 needs all-reduces. */
static void ranks_that_share_no_group_are_left_alone(void)
{
  with("method=v2");
  given_lane("rank=0");
  given(RECEIVED, TREE("1090us", "1", "50400", "53200", "56000"));
  on_rank("1", SENT("2290us"));
  expect_lane(1, SENT("2290us"));
  expect_notice(1, 2);
}

static void extremes_of_stamps_are_no_groups(void)
{
  with("method=tight");
  given_lane("rank=0");
  given(MEMBER("a", "9223372036854775807", "1", "G", TS("0", "1", "1", "1", "9223372036854775807")),
        MEMBER("a", "5", "-", "H", TS("0", "-9223372036854775808", "nan", "1", "5")));
  given_lane("rank=1");
  given(MEMBER("a", "5", "1", "G", TS("0", "1", "1", "1", "5")),
        MEMBER("a", "6", "1", "\"\"", "TS1=1"),
        MEMBER("a", "7", "1", "H", TS("0", "1", "1", "1", "5")));
  expect_notice(1, 2);
}

static void groups_are_bounded(void)
{
  char line[160];
  with("method=tight");
  given_lane("rank=0");
  for (int i = 1; i <= 65537; i++) {
    snprintf(line, sizeof line, MEMBER("a", "%dus", "1us", "%d", TS("0", "1", "1", "1", "560")), i,
             i);
    given(line);
  }
  given_lane("rank=1");
  given(MEMBER("a", "8us", "1us", "1", TS("0", "1", "1", "1", "560")));
  expect_notice(2, 1);
  expect_notice(5, 65535);
}

HARNESS_MAIN(
    { "takes an offset off", takes_an_offset_off }, { "takes a drift off", takes_a_drift_off },
    { "strict order stays strict", strict_order_stays_strict },
    { "outliers do not count", outliers_do_not_count },
    { "transfers both ways part offset and latency", transfers_both_ways_part_offset_and_latency },
    { "a ring parts offset and latency", a_ring_parts_offset_and_latency },
    { "one way only is noticed", one_way_only_is_noticed },
    { "process stands for rank", process_stands_for_rank },
    { "ranks are tied over others", ranks_are_tied_over_others },
    { "a lane without matches is left alone", a_lane_without_matches_is_left_alone },
    { "one lane has nothing to do", one_lane_has_nothing_to_do },
    { "an absurd drift is not believed", an_absurd_drift_is_not_believed },
    { "repetitions match when their numbers agree", repetitions_match_when_their_numbers_agree },
    { "only like meets like", only_like_meets_like },
    { "bases of lanes count", bases_of_lanes_count }, { "marks are bounded", marks_are_bounded },
    { "tight puts the last receive to the last end", tight_puts_the_last_receive_to_the_last_end },
    { "v2 puts last ends together", v2_puts_last_ends_together },
    { "tight goes by the closest group", tight_goes_by_the_closest_group },
    { "v2 stretches clocks", v2_stretches_clocks },
    { "a chain runs the other way", a_chain_runs_the_other_way },
    { "the reference of a long chain stays", the_reference_of_a_long_chain_stays },
    { "a group that a rank lacks does not count", a_group_that_a_rank_lacks_does_not_count },
    { "ranks that share no group are left alone", ranks_that_share_no_group_are_left_alone },
    { "extremes of stamps are no groups", extremes_of_stamps_are_no_groups },
    { "groups are bounded", groups_are_bounded })
