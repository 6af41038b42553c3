/* Tests of tune/tuner-check. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define LINE(line, text) "- tuner.line - {line=" #line ", bytes=40, rule=\"" text "\"}"

static void lines_as_the_plugin_takes_them(void)
{
  given(LINE(2, "allreduce,0,1024,tree,ll,4,1,8"),
        LINE(3, "allgather,0,1024,ring,simple,-1,-1,-1,2,1"));
  expect_table("tuner-check", "0 | 2 | allreduce | 0 | 1024 | tree | ll | 4 | 1 | 8 | -1 | -1 | -",
               "0 | 3 | allgather | 0 | 1024 | ring | simple | -1 | -1 | -1 | 2 | 1 | -");
  expect_metric("tuner_odd_lines", NULL, "0");
}

static void words_and_numbers_that_are_none(void)
{
  given(LINE(1, "alltoall,0,1024,rings,LL,4x,1,8"), LINE(2, "allreduce,2000,1500,ring,ll,4,1,8"));
  expect_table(
      "tuner-check",
      "0 | 1 | allreduce | 0 | 1024 | ring | simple | 4 | 1 | 8 | -1 | -1 | unknown word alltoall: "
      "allreduce is taken; unknown word rings: ring is taken; unknown word LL: simple is taken; 4x "
      "is not a number: 4 is taken",
      "0 | 2 | allreduce | 2000 | 1500 | ring | ll | 4 | 1 | 8 | -1 | -1 | the range is empty");
  expect_metric("tuner_odd_lines", NULL, "2");
}

/* The plugin reads decimal digits, and so 0 of 0x10. */
static void hexadecimal(void)
{
  given(LINE(1, "allreduce,0,0x400,ring,ll,4,1,8"));
  expect_table("tuner-check",
               "0 | 1 | allreduce | 0 | 0 | ring | ll | 4 | 1 | 8 | -1 | -1 | 0x400 is not a "
               "number: 0 is taken");
}

/* The first that matches wins: any number of nodes covers one. */
static void lines_that_do_nothing(void)
{
  given(LINE(1, "allreduce,0,1024,ring,ll,4,-1,8"), LINE(2, "allreduce,8,1024,tree,ll,4,1,8"),
        LINE(3, "allreduce,8,1025,tree,ll,4,1,8"), LINE(4, "allreduce,8,16,tree,ll,4,1,16"),
        LINE(5, "allreduce,2048,4096,nvls,ll,4,1,8"), LINE(6, "reduce,0,8,ring,ll,4,1"));
  expect_table(
      "tuner-check", "0 | 1 | allreduce | 0 | 1024 | ring | ll | 4 | -1 | 8 | -1 | -1 | -",
      "0 | 2 | allreduce | 8 | 1024 | tree | ll | 4 | 1 | 8 | -1 | -1 | shadowed by line 1",
      "0 | 3 | allreduce | 8 | 1025 | tree | ll | 4 | 1 | 8 | -1 | -1 | -",
      "0 | 4 | allreduce | 8 | 16 | tree | ll | 4 | 1 | 16 | -1 | -1 | -",
      "0 | 5 | allreduce | 2048 | 4096 | nvls | ll | 4 | 1 | 8 | -1 | -1 | NCCL ignores nvls with "
      "ll",
      "0 | 6 | - | - | - | - | - | - | - | - | - | - | ignored: 7 fields, and 8 are needed");
}

static void long_lines(void)
{
  given("- tuner.line - {line=1, bytes=300, rule=\"allreduce , 0,1024,ring,ll,4,1,8,-1,-1,x\"}");
  expect_table(
      "tuner-check",
      "0 | 1 | allreduce | 0 | 1024 | ring | ll | 4 | 1 | 8 | -1 | -1 | the line is longer than "
      "255 bytes and would be read as two; fields after the tenth are ignored");
}

HARNESS_MAIN({ "lines as the plugin takes them", lines_as_the_plugin_takes_them },
             { "words and numbers that are none", words_and_numbers_that_are_none },
             { "lines that do nothing", lines_that_do_nothing }, { "hexadecimal", hexadecimal },
             { "long lines", long_lines })
