/* Transfers as one slice: their names, times, peers and jobs. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

static void the_last_event_becomes_the_whole(void)
{
  given("X \"SenRdmaSend_5 Data DmaO\" 1010us 4us {Peer=\"1\"}", "X other_5 1011us 1us",
        "X \"SenRdmaSend_5 Wait DmaO\" 1013us 7us t=3 {Peer=\"2\", k=1}");
  expect("X other_5 1011us 1us",
         "X \"SenRdmaSend_5 \" 1010us 10us t=3 {Peer=\"2\", k=1, Peers=[\"1\",\"2\"]}");
}

/* The second begins first and the first ends last; a peer counts once. */
static void times_are_the_outermost(void)
{
  given("X SenRdmaRecv-07 20us 30us {Peer=3}", "X SenRdmaRecv_7x 10us 5us {Peer=\"3\"}",
        "X SenRdmaRecv_007 30us - {Peer=4}");
  expect("X SenRdmaRecv 10us 40us {Peer=4, Peers=[\"3\",\"4\"]}");
}

static void one_event_stays(void)
{
  given("X SenRdmaSend_5 10us 4us", "X SenRdmaSend_6 10us 4us {Peer=\"a\\\"b\"}",
        "X SenRdmaSend 10us 4us {Peer=1}", "i SenRdmaSend_5 10us", "X SenRdmaSend_x 10us 4us");
  expect_attr(0, "Peers", NULL);
  expect_attr(2, "Peers", NULL);
  expect_attr(4, "Peers", NULL);
}

/* The first number counts; names that are the same stay. */
static void transfers_are_told_apart_by_number(void)
{
  given("X SenRdmaSend_1_2 10us 4us", "X SenRdmaSend_2_1 11us 4us", "X SenRdmaSend_1_2 15us 4us");
  expect("X SenRdmaSend_2_1 11us 4us", "X SenRdmaSend_1_2 10us 9us");
}

static void jobs_are_told_apart(void)
{
  given("X SenRdmaSend_1 10us 4us {jobname=\"j0.json(0)\"}",
        "X SenRdmaSend_1 20us 4us {jobname=\"j1.json(1)\"}",
        "X SenRdmaSend_1 30us 4us {jobname=\"j0.json(0)\"}");
  expect("X SenRdmaSend_1 20us 4us {jobname=\"j1.json(1)\"}",
         "X SenRdmaSend_1 10us 24us {jobname=\"j0.json(0)\"}");
}

/* U+00E9 and U+00E8 share their first byte. */
static void names_are_cut_between_characters(void)
{
  given("X \"SenRdma_1 \xc3\xa9\" 10us 4us", "X \"SenRdma_1 \xc3\xa8\" 20us 4us");
  expect("X \"SenRdma_1 \" 10us 14us");
}

static void times_at_the_ends_do_no_harm(void)
{
  given("X SenRdma_1 -9223372036854775808 1us",
        "X SenRdma_1 9223372036854775807 9223372036854775807");
  expect("X SenRdma_1 -9223372036854775808 9223372036854775807");
}

static void a_hundred_thousand_events(void)
{
  char line[80];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X \"SenRdmaSend_%d DmaO\" %d 1", i % 1000, i);
    given(line);
  }
  expect_attr(999, "Peers", NULL); /* the last of the 1,000 that are left */
}

HARNESS_MAIN({ "the last event becomes the whole", the_last_event_becomes_the_whole },
             { "times are the outermost", times_are_the_outermost },
             { "one event stays", one_event_stays },
             { "transfers are told apart by number", transfers_are_told_apart_by_number },
             { "jobs are told apart", jobs_are_told_apart },
             { "names are cut between characters", names_are_cut_between_characters },
             { "times at the ends do no harm", times_at_the_ends_do_no_harm },
             { "a hundred thousand events", a_hundred_thousand_events })
