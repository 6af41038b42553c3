/* Tests of compute/transfer-bandwidth: which transfers count, and how fast they are. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define SAMPLE(at, gbps) "C TransferBW " at " t=- {GB/s=" gbps "}"

static void a_transfer_is_as_fast_as_it_says(void)
{
  given("X \"Memcpy (HtoD)\" 5040us 10us {class=DATA_IN, memory bandwidth (GB/s)=104.8576}");
  expect("X \"Memcpy (HtoD)\" 5040us 10us {class=DATA_IN, memory bandwidth (GB/s)=104.8576}",
         SAMPLE("5040us", "104.8576"), SAMPLE("5050us", "0.0"));
  expect_notice(1, 0);
  expect_notice(2, 0);
}

static void transfers_add_up(void)
{
  given("X a 0 10us {class=DATA_IN, memory bandwidth (GB/s)=5}",
        "X b 5us 10us {class=MAIU_PROTOCOL_SEND_DATA, memory bandwidth (GB/s)=0.1}",
        "X c 15us 5us {class=MAIU_PROTOCOL_RECV_DATA, memory bandwidth (GB/s)=2.5}",
        "X x 17us 1us");
  expect_attr(1, "GB/s", "5.0");
  expect_attr(3, "GB/s", "5.1");
  expect_attr(4, "GB/s", "0.1");
  expect_attr(6, "GB/s", "2.5");
  expect_attr(8, "GB/s", "0.0");
}

static void other_classes_and_events_do_not_count(void)
{
  given("X a 0 10us {class=COMPUTE_EXEC, memory bandwidth (GB/s)=5}",
        "X b 0 10us {memory bandwidth (GB/s)=5}", "X c 0 10us {class=DATA_IN}",
        "X d 0 10us {class=DATA_IN, memory bandwidth (GB/s)=0}",
        "X e 0 10us {class=DATA_IN, TS1=1, bytes=1000}",
        "i f 0 {class=DATA_IN, memory bandwidth (GB/s)=5}",
        "X g - 10us {class=DATA_IN, memory bandwidth (GB/s)=5}");
  expect("X g - 10us {class=DATA_IN, memory bandwidth (GB/s)=5}",
         "X a 0 10us {class=COMPUTE_EXEC, memory bandwidth (GB/s)=5}",
         "X b 0 10us {memory bandwidth (GB/s)=5}", "X c 0 10us {class=DATA_IN}",
         "X d 0 10us {class=DATA_IN, memory bandwidth (GB/s)=0}",
         "X e 0 10us {class=DATA_IN, TS1=1, bytes=1000}",
         "i f 0 {class=DATA_IN, memory bandwidth (GB/s)=5}");
  expect_notice(1, 0);
  expect_notice(2, 0);
}

/* 4096 bytes in 2 us are 2.048 GB/s; of 0 bytes, or in no time, nothing is known. */
static void bytes_over_time_on_request(void)
{
  with("bytes=true");
  given("X \"x DmaI\" 10us 2us {class=DATA_IN, TS1=1, bytes=4096}",
        "X \"x DmaO\" 20us 1us {class=DATA_OUT, TS1=1, bytes=\"500\"}",
        "X \"x DmaO\" 30us 1us {class=DATA_OUT, bytes=\"500\"}",
        "X \"x DmaO\" 40us 1us {class=DATA_OUT, TS1=1, bytes=0}",
        "X \"x DmaO\" 50us 0 {class=DATA_OUT, TS1=1, bytes=5}");
  expect_attr(1, "GB/s", "2.048");
  expect_attr(2, "GB/s", "0.0");
  expect_attr(4, "GB/s", "0.5");
  expect_attr(5, "GB/s", "0.0");
  expect_attr(8, "GB/s", NULL);
  expect_notice(1, 0);
}

static void what_cannot_be_read_is_noticed(void)
{
  with("bytes=true");
  given("X a 0 10us {class=DATA_IN, memory bandwidth (GB/s)=NaN}",
        "X b 1us 10us {class=DATA_IN, memory bandwidth (GB/s)=-1}",
        "X c 2us 10us {class=DATA_IN, memory bandwidth (GB/s)=1e300}",
        "X d 3us 10us {class=DATA_IN, TS1=1, bytes=\"NaN\"}",
        "X e 4us 10us {class=DATA_IN, TS1=1, bytes=-9223372036854775808}",
        "X f 5us - {class=DATA_IN, memory bandwidth (GB/s)=1}");
  expect_notice(1, 5);
  expect_notice(2, 1);
}

static void the_longest_transfer_ends_at_the_end(void)
{
  given("X a -9223372036854775808 9223372036854775807 {class=DATA_OUT, memory bandwidth "
        "(GB/s)=9000000000}",
        "X a 9223372036854775800 9223372036854775807 {class=DATA_OUT, memory bandwidth "
        "(GB/s)=9000000000}");
  expect_attr(1, "GB/s", "9000000000.0");
  expect_attr(2, "GB/s", "0.0");
  expect_attr(5, "GB/s", "0.0");
}

/* 100,000 transfers of 10 us, one each us: at most 10 at once, each 0.1 GB/s. */
static void a_hundred_thousand_transfers(void)
{
  char line[96];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X a %dus 10us {class=DATA_IN, memory bandwidth (GB/s)=0.1}", i);
    given(line);
  }
  expect_attr(1, "GB/s", "0.1");
  expect_attr(19, "GB/s", "1.0");
  expect_attr(199999, "GB/s", "1.0");
  expect_attr(200009, "GB/s", "0.0");
}

HARNESS_MAIN({ "a transfer is as fast as it says", a_transfer_is_as_fast_as_it_says },
             { "transfers add up", transfers_add_up },
             { "other classes and events do not count", other_classes_and_events_do_not_count },
             { "bytes over time on request", bytes_over_time_on_request },
             { "what cannot be read is noticed", what_cannot_be_read_is_noticed },
             { "the longest transfer ends at the end", the_longest_transfer_ends_at_the_end },
             { "a hundred thousand transfers", a_hundred_thousand_transfers })
