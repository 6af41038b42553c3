/* Arrows between ranks: matching, closing of groups, ids, and transfers without partner. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define SEND(ts, dur, sync, group, peer, type)                                                \
  "X \"SenRdmaSend_10 [sync=" sync "] DmaO\" " ts " " dur " {CollGroup=" group ", Peer=" peer \
  ", Type=" type "}"
#define RECEIVE(ts, dur, sync, group)                                          \
  "X \"SenRdmaRecv_20 [sync=" sync "] DmaI\" " ts " " dur " {CollGroup=" group \
  ", Type=\"WDone Barrier\"}"

/* Rank 0 sends from 160 to 180, rank 1 receives from 162 to 185: the arrow ends 1 ns inside the
 * receive. */
static void a_send_meets_its_receive(void)
{
  given_lane("rank=0");
  given("X \"SenRdmaSend_10 [sync=AR_1_s0_r1_0] DmaO\" 160us 20us p=0 {CollGroup=G, Peer=\"1\", "
        "Type=SingleCast, bytes=4096}");
  given_lane("rank=1");
  given("X \"SenRdmaRecv_20 [sync=AR_1_s0_r1_0] DmaI\" 162us 23us p=1 {CollGroup=G, Peer=\"0\", "
        "Type=\"WDone Barrier\"}");
  expect("X \"SenRdmaSend_10 [sync=AR_1_s0_r1_0] DmaO\" 160us 20us p=0 {CollGroup=G, Peer=\"1\", "
         "Type=SingleCast, bytes=4096}",
         "X \"SenRdmaRecv_20 [sync=AR_1_s0_r1_0] DmaI\" 162us 23us p=1 {CollGroup=G, Peer=\"0\", "
         "Type=\"WDone Barrier\"}",
         "s AR_1_s0_r1_0 160us p=0 cat=G id=1000001",
         "f AR_1_s0_r1_0 184999 p=1 cat=G id=1000001 bp=e");
  expect_table("flow", "G | 1 | 4096 | 0 | 0 | 0 | 0");
  expect_table("links", "0 | 1 | 1 | 4096 | 25000 | 0.16384"); /* 160 to 185 us */
  expect_metric("flows", NULL, "1");
  expect_notice(3, 0);
}

/* Both keys of G are done by 40 us, so the transfer of H at 50 us closes G before H is closed at
 * the end. The arrows of G come by the time of their sends, not of their receives. */
static void a_complete_group_is_closed_when_time_has_passed(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "1", "SingleCast"), RECEIVE("21us", "9us", "b", "G"),
        SEND("50us", "5us", "c", "H", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("11us", "29us", "a", "G"), SEND("20us", "5us", "b", "G", "0", "SingleCast"),
        RECEIVE("51us", "9us", "c", "H"));
  expect(SEND("10us", "5us", "a", "G", "1", "SingleCast"), RECEIVE("11us", "29us", "a", "G"),
         SEND("20us", "5us", "b", "G", "0", "SingleCast"), RECEIVE("21us", "9us", "b", "G"),
         SEND("50us", "5us", "c", "H", "1", "SingleCast"), "s a 10us cat=G id=1000001",
         "f a 39999 cat=G id=1000001 bp=e", "s b 20us cat=G id=1000002",
         "f b 29999 cat=G id=1000002 bp=e", RECEIVE("51us", "9us", "c", "H"),
         "s c 50us cat=H id=1000003", "f c 59999 cat=H id=1000003 bp=e");
  expect_table("flow", "G | 2 | 0 | 0 | 0 | 0 | 0", "H | 1 | 0 | 0 | 0 | 0 | 0");
}

/* The smallest multicast of three: one list, one multicast, two segments, two barriers. */
static void a_multicast_has_an_arrow_for_each_segment(void)
{
  given_lane("rank=0");
  given(SEND("10us", "1us", "m", "G", "\"1, 2\"", "\"Set BCList\""),
        SEND("12us", "1us", "m", "G", "1", "MultiCast"),
        SEND("14us", "1us", "m", "G", "1", "\"MultiCast XSEG\""),
        SEND("16us", "1us", "m", "G", "2", "\"MultiCast XSEG\""));
  given_lane("rank=1");
  given("X \"R [sync=m] DmaI\" 11us 9us p=1 {CollGroup=G, Type=\"WDone Barrier\"}");
  given_lane("rank=2");
  given("X \"R [sync=m] DmaI\" 11us 8us p=2 {CollGroup=G, Type=\"WDone Barrier\"}");
  expect_table("flow", "G | 2 | 0 | 0 | 0 | 0 | 0");
  expect_notice(1, 0);
  expect_notice(3, 0);
}

/* The barrier of rank 1 waits for both sends to it. */
static void one_barrier_ends_several_sends(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "\"1,2\"", "SingleCast"),
        SEND("16us", "5us", "a", "G", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("11us", "20us", "a", "G"));
  expect(SEND("10us", "5us", "a", "G", "\"1,2\"", "SingleCast"), RECEIVE("11us", "20us", "a", "G"),
         SEND("16us", "5us", "a", "G", "1", "SingleCast"), "s a 10us cat=G id=1000001",
         "f a 30999 cat=G id=1000001 bp=e", "s a 16us cat=G id=1000002",
         "f a 30999 cat=G id=1000002 bp=e");
}

/* The first round of G is closed by the second, which uses the same names. */
static void names_may_come_again(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "1", "SingleCast"),
        SEND("110us", "5us", "a", "G", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("11us", "9us", "a", "G"), RECEIVE("108us", "9us", "a", "G"));
  expect(SEND("10us", "5us", "a", "G", "1", "SingleCast"), RECEIVE("11us", "9us", "a", "G"),
         RECEIVE("108us", "9us", "a", "G"), "s a 10us cat=G id=1000001",
         "f a 19999 cat=G id=1000001 bp=e", SEND("110us", "5us", "a", "G", "1", "SingleCast"),
         "s a 110us cat=G id=1000002", "f a 116999 cat=G id=1000002 bp=e");
}

/* The send at 10 us has no receive. 4 * 5 s after 15 us it is given up, so that the next round at
 * 30 s is matched on its own: an arrow from 30 s, none from 10 us. */
static void a_stale_group_is_given_up(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "1", "SingleCast"),
        SEND("19s", "5us", "x", "H", "1", "SingleCast"),
        SEND("30s", "5us", "a", "G", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("19s", "7us", "x", "H"), RECEIVE("30s", "7us", "a", "G"));
  expect_table("flow", "G | 1 | 0 | 0 | 0 | 1 | 0", "H | 1 | 0 | 0 | 0 | 0 | 0");
  expect_metric("flows", NULL, "2");
  expect_notice(3, 1);
}

/* Rank 1's clock is early: the receive ends (1 ns inside) at 8,999, the send begins at 10,000. */
static void arrows_back_in_time_are_counted(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("2us", "7us", "a", "G"));
  expect_table("flow", "G | 1 | 0 | 1 | 1001 | 0 | 0");
  expect_notice(4, 1);
}

/* Same group and sync text, but another receiver; same text in another group; receive of no
 * send. */
static void only_like_meets_like(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "2", "SingleCast"),
        SEND("10us", "5us", "b", "H", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("11us", "9us", "a", "G"), RECEIVE("11us", "9us", "b", "I"));
  expect_table("flow", "G | 0 | 0 | 0 | 0 | 1 | 1", "H | 0 | 0 | 0 | 0 | 1 | 0",
               "I | 0 | 0 | 0 | 0 | 0 | 1");
  expect_metric("flows", NULL, "0");
  expect_notice(3, 3);
}

static void what_cannot_be_read_is_counted(void)
{
  given_lane("rank=0");
  given(SEND("10us", "5us", "a", "G", "1", "Broadcast"),
        "X \"S [sync=a] DmaO\" 11us 1us {Type=SingleCast}",
        "X \"S [sync=a] DmaO\" 12us 1us {Type=SingleCast, Peer=all}",
        "X \"S [sync=a] DmaO\" 13us 1us {Peer=1}", "X \"S[sync=a]\" 14us 1us {Type=SingleCast}",
        "X \"S [sync=\" 15us 1us {Type=SingleCast}");
  expect_notice(1, 1);
  expect_notice(2, 2);
  expect_empty_table("flow");
}

static void a_receive_needs_a_rank(void)
{
  given_lane("rank=-1");
  given("X \"S [sync=a] DmaO\" 10us 5us p=0 {CollGroup=G, Peers=\"1\", Type=SingleCast}",
        "X \"R [sync=a] DmaI\" 11us 5us p=device {CollGroup=G, Type=\"WDone Barrier\"}");
  given_lane("rank=-1");
  given("X \"R [sync=a] DmaI\" 11us 5us p=1 {CollGroup=G, Type=\"WDone Barrier\"}");
  expect_notice(7, 1);
  expect_metric("flows", NULL, "1");
}

/* 1000001 and 1000005 are taken; ids far away cannot be reached. */
static void ids_of_the_input_are_passed_over(void)
{
  given_lane("rank=0");
  given("s x 1us id=1000001", "t x 2us id=0xf4245", "f x 3us id=9000000000000000000",
        SEND("10us", "5us", "a", "G", "1", "SingleCast"));
  given_lane("rank=1");
  given(RECEIVE("11us", "9us", "a", "G"));
  expect("s x 1us id=1000001", "t x 2us id=0xf4245", "f x 3us id=9000000000000000000",
         SEND("10us", "5us", "a", "G", "1", "SingleCast"), RECEIVE("11us", "9us", "a", "G"),
         "s a 10us cat=G id=1000006", "f a 19999 cat=G id=1000006 bp=e");
}

/* 65,537 sends in as many groups and no receive: each beyond the first 1,024 closes the oldest. */
static void state_is_bounded(void)
{
  char line[160];
  given_lane("rank=0");
  for (int i = 0; i < 65537; i++) {
    snprintf(line, sizeof line, SEND("%d", "1", "a", "G%d", "1", "SingleCast"), i, i);
    given(line);
  }
  expect_notice(5, 65537 - 1024);
  expect_notice(6, 1);
  expect_notice(3, 65537);
}

/* From 0 to 1: 10 to 40 us with 3000 bytes, and 110 to 120 with 1000 bytes, by name: 40 us.  From 1 to
 * 0: one that ends before it begins. */
static void links_add_up_by_their_ends(void)
{
  given_lane("rank=0");
  given("X \"S [sync=a] DmaO\" 10us 5us {CollGroup=G, Peer=1, Type=SingleCast, Bytes=\"3000\"}",
        RECEIVE("12us", "8us", "b", "G"),
        "X \"S_1 [1000B] [sync=a] DmaO\" 110us 5us {CollGroup=G, Peer=1, Type=SingleCast}");
  given_lane("rank=1");
  given(RECEIVE("20us", "20us", "a", "G"), SEND("21us", "5us", "b", "G", "0", "SingleCast"),
        RECEIVE("111us", "9us", "a", "G"));
  expect_table("links", "0 | 1 | 2 | 4000 | 20000 | 0.1", "1 | 0 | 1 | 0 | - | -");
}

/* Ordered at 10 us, 3000 bytes arrive at rank 1 by 30 us and at rank 2 by 41 us: 20 and 31 us, though the second segment
 * begins at 40 us. */
static void a_multicast_takes_from_its_order_on(void)
{
#define SEGMENT(ts, peer)                                     \
  "X \"S [sync=m] DmaO\" " ts " 1us {CollGroup=G, Peer=" peer \
  ", Type=\"MultiCast XSEG\", Bytes=3000}"
  given_lane("rank=0");
  given(SEND("10us", "1us", "m", "G", "\"1, 2\"", "MultiCast"), SEGMENT("20us", "1"),
        SEGMENT("40us", "2"));
  given_lane("rank=1");
  given("X \"R [sync=m] DmaI\" 11us 19us p=1 {CollGroup=G, Type=\"WDone Barrier\"}");
  given_lane("rank=2");
  given("X \"R [sync=m] DmaI\" 11us 30us p=2 {CollGroup=G, Type=\"WDone Barrier\"}");
  expect_table("links", "0 | 1 | 1 | 3000 | 20000 | 0.15",
               "0 | 2 | 1 | 3000 | 31000 | 0.0967741935");
}

/* One lane whose processes are the ranks: 0 sends to 65,537 others. */
static void links_are_bounded(void)
{
  char line[160];
  given_lane("rank=-");
  for (int i = 1; i <= 65537; i++) {
    snprintf(line, sizeof line,
             "X \"S [sync=a] DmaO\" %d 5 {CollGroup=G, Peer=%d, Type=SingleCast}", 10 * i, i);
    given(line);
    snprintf(line, sizeof line,
             "X \"R [sync=a] DmaI\" %d 4 p=%d {CollGroup=G, Type=\"WDone Barrier\"}", 10 * i + 2,
             i);
    given(line);
  }
  expect_notice(8, 1);
  expect_metric("flows", NULL, "65537");
}

/* One group, each send begins when the one before has ended, nobody receives. */
static void four_thousand_without_a_partner(void)
{
  char line[100];
  for (int i = 0; i < 4000; i++) {
    snprintf(line, sizeof line,
             "X \"S [sync=a] DmaO\" %d 5 {CollGroup=G, Peer=%d, Type=SingleCast}", 10 * i, i);
    given(line);
  }
  expect_table("flow", "G | 0 | 0 | 0 | 0 | 4000 | 0");
  expect_metric("flows", NULL, "0");
}

HARNESS_MAIN({ "a send meets its receive", a_send_meets_its_receive },
             { "a complete group is closed when time has passed",
               a_complete_group_is_closed_when_time_has_passed },
             { "a multicast has an arrow for each segment",
               a_multicast_has_an_arrow_for_each_segment },
             { "one barrier ends several sends", one_barrier_ends_several_sends },
             { "names may come again", names_may_come_again },
             { "a stale group is given up", a_stale_group_is_given_up },
             { "arrows back in time are counted", arrows_back_in_time_are_counted },
             { "only like meets like", only_like_meets_like },
             { "what cannot be read is counted", what_cannot_be_read_is_counted },
             { "a receive needs a rank", a_receive_needs_a_rank },
             { "ids of the input are passed over", ids_of_the_input_are_passed_over },
             { "state is bounded", state_is_bounded },
             { "four thousand without a partner", four_thousand_without_a_partner },
             { "a multicast takes from its order on", a_multicast_takes_from_its_order_on },
             { "links add up by their ends", links_add_up_by_their_ends },
             { "links are bounded", links_are_bounded })
