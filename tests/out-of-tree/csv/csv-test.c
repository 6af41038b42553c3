/* Tests of acme.csv. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define HEADING "name,start_ns,dur_ns,bytes,peer\n"

static void lines_are_slices(void)
{
  given_bytes(HEADING "send,5,100,4096,left\nrecv,200,7,,\n");
  expect("X send 5 100 {bytes=4096, peer=left}", "X recv 200 7");
}

static void the_last_line_may_be_open(void)
{
  given_bytes("name,start_ns,dur_ns\na,1,2\nb,3,4");
  expect("X a 1 2", "X b 3 4");
}

static void another_delimiter(void)
{
  with("delimiter=;");
  given_bytes("n;s;d\na,b;1;2\n");
  expect("X a,b 1 2");
}

static void odd_lines_are_counted(void)
{
  given_bytes(HEADING "a,1,2\nb,x,2,,\nc,1,2,,\n");
  expect("X c 1 2");
  expect_notice(1, 2);
}

static void the_wrong_delimiter(void)
{
  with("delimiter=;");
  given_bytes(HEADING "a,1,2,,\n");
  expect_status(MILL_BAD_INPUT);
}

static void gives_the_rank(void)
{
  given_bytes("#rank 12\n" HEADING "a,1,2,,\n");
  expect_described(0, "rank=12");
  expect("X a 1 2");
}

static void knows_its_heading(void)
{
  expect_probe(HEADING, "a.csv", 90);
  expect_probe("{\"traceEvents\":[]}", "a.csv", 0);
}

HARNESS_MAIN({ "lines are slices", lines_are_slices },
             { "the last line may be open", the_last_line_may_be_open },
             { "another delimiter", another_delimiter },
             { "odd lines are counted", odd_lines_are_counted },
             { "the wrong delimiter", the_wrong_delimiter }, { "gives the rank", gives_the_rank },
             { "knows its heading", knows_its_heading })
