/* Tests of probe/block-sched. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define LAUNCH(threads) "- probe.launch - {blocks=6, block_x=" #threads ", block_y=1, block_z=1}"
#define KERNEL \
  "- probe.launch - {blocks=6, block_x=32, block_y=1, block_z=1, kernel=\"gemm<float>\"}"
#define SECTION(schema) \
  "- probe.section - {section=0, schema=" #schema ", level=32, capacity=1, units=6}"
#define WARP(block, warp, start, elapsed, sm)                                  \
  "- probe.unit - {section=0, block=" #block ", unit=" #warp ", start=" #start \
  ", elapsed=" #elapsed ", smid=" #sm "}"

/* Five blocks on SM 3, two at a time: 10, 5 and 20 between them.  The published procedure pairs only two of them. */
static void two_slots(void)
{
  given(LAUNCH(32), SECTION(block_sched), WARP(0, 0, 100, 50, 3), WARP(1, 0, 110, 100, 3),
        WARP(2, 0, 160, 40, 3), WARP(3, 0, 205, 20, 3), WARP(4, 0, 230, 10, 3),
        WARP(5, 0, 1000, 100, 5));
  expect_table(
      "block-sched",
      "0 | 6 | 1 | 32 | 2 | 3 | 320 | 35 | 10.9375 | 3 | 5 | 11.666667 | 10 | 18 | 20 | 17.5 | "
      "1.375 | 160 | 15 | No.block:6 Running:160 Scheduling:15(cycle) | cycles");
  expect_table("block-sched-sm", "0 | 3 | 5 | 2 | 220 | 35 | 140", "0 | 5 | 1 | 1 | 100 | 0 | 100");
  expect_table("block-gaps", "0 | 4 | 8 | 1 | -", "0 | 8 | 16 | 1 | -", "0 | 16 | 32 | 1 | -");
  expect_table("block-slots", "0 | 3 | 0 | 0 | 0 | 50 | SM 3", "0 | 3 | 1 | 1 | 10 | 110 | SM 3",
               "0 | 3 | 0 | 2 | 60 | 100 | SM 3", "0 | 3 | 0 | 3 | 105 | 125 | SM 3",
               "0 | 3 | 1 | 4 | 130 | 140 | SM 3");
  expect_table("sm-occupancy", "0 | 3 | 0 | 1 | 1 | -", "0 | 3 | 10 | 2 | 2 | -",
               "0 | 3 | 50 | 1 | 1 | -", "0 | 3 | 60 | 2 | 2 | -", "0 | 3 | 100 | 1 | 1 | -",
               "0 | 3 | 105 | 2 | 2 | -", "0 | 3 | 110 | 1 | 1 | -", "0 | 3 | 125 | 0 | 0 | -",
               "0 | 3 | 130 | 1 | 1 | -", "0 | 3 | 140 | 0 | 0 | -", "0 | 5 | 0 | 1 | 1 | -",
               "0 | 5 | 100 | 0 | 0 | -");
  expect_notice(20, 2);
}

/* A block is from the smallest start of its warps to the largest end; the published line knows warp 0 alone. */
static void warps_of_a_block(void)
{
  given(LAUNCH(64), SECTION(sched), WARP(0, 0, 10, 20, 0), WARP(0, 1, 5, 30, 0),
        WARP(1, 0, 42, 8, 0), WARP(1, 1, 40, 5, 0));
  expect_table("block-sched",
               "0 | 2 | 2 | 32 | 1 | 1 | 40 | 5 | 12.5 | 1 | 5 | 5 | 5 | 5 | 5 | 5 | 1 | 28 | 12 | "
               "No.block:2 Running:28 Scheduling:12(cycle) | ns");
}

/* Twice 6e18 ticks are more than a sum can be. */
static void blocks_of_absurd_length(void)
{
  given(LAUNCH(64), SECTION(block_sched), WARP(0, 0, 0, 10, 0),
        WARP(0, 1, 6000000000000000000, 10, 0), WARP(1, 0, 0, 10, 0),
        WARP(1, 1, 6000000000000000000, 10, 0));
  expect_table("block-sched-sm", "0 | 0 | 2 | 2 | 9223372036854775807 | 0 | 6000000000000000010");
}

/* The same by the block: lists of its warps. */
static void lists(void)
{
  given(LAUNCH(64), SECTION(sched),
        "- probe.unit - {section=0, block=0, start=[10,5], elapsed=[20,30], smid=[0,0]}",
        "- probe.unit - {section=0, block=1, start=[42,40], elapsed=[8,5], smid=[0,0]}");
  expect_table("block-sched",
               "0 | 2 | 2 | 32 | 1 | 1 | 40 | 5 | 12.5 | 1 | 5 | 5 | 5 | 5 | 5 | 5 | 1 | 28 | 12 | "
               "No.block:2 Running:28 Scheduling:12(cycle) | ns");
}

/* A block starts where another ends: it takes its slot, and the gap is 0.  Of equal starts the lower number is first. */
static void ties(void)
{
  given(LAUNCH(32), SECTION(block_sched), WARP(0, 0, 20, 10, 0), WARP(1, 0, 20, 5, 0),
        WARP(2, 0, 25, 5, 0), WARP(3, 0, 30, 0, 0));
  expect_table("block-slots", "0 | 0 | 0 | 0 | 0 | 10 | SM 0", "0 | 0 | 1 | 1 | 0 | 5 | SM 0",
               "0 | 0 | 1 | 2 | 5 | 10 | SM 0", "0 | 0 | 0 | 3 | 10 | 10 | SM 0");
  expect_table("block-gaps", "0 | 0 | 1 | 2 | -");
  expect_notice(20, 0);
}

static void another_sm(void)
{
  with("sm=1");
  given(KERNEL, SECTION(block_sched), WARP(0, 0, 20, 10, 0), WARP(1, 0, 20, 5, 0),
        WARP(2, 0, 7, 5, 1));
  expect_table("block-slots", "0 | 1 | 0 | 2 | 0 | 5 | SM 1 of gemm<float>");
  expect_table("sm-occupancy", "0 | 0 | 0 | 2 | 2 | gemm<float>", "0 | 0 | 5 | 1 | 1 | gemm<float>",
               "0 | 0 | 10 | 0 | 0 | gemm<float>", "0 | 1 | 0 | 1 | 1 | gemm<float>",
               "0 | 1 | 5 | 0 | 0 | gemm<float>");
}

/* What was not written is no warp: block 0 has its second one alone, block 1 none; block 2 takes the slot after 13. */
static void unwritten(void)
{
  given(LAUNCH(64), SECTION(block_sched),
        "- probe.unit - {section=0, block=0, start=[0,1000], elapsed=[0,40], smid=[0,4]}",
        "- probe.unit - {section=0, block=1, start=[0,0], elapsed=[0,0], smid=[0,0]}",
        "- probe.unit - {section=0, block=2, start=[1053,0], elapsed=[7,0], smid=[4,0]}");
  expect_table(
      "block-sched",
      "0 | 2 | 2 | 32 | 1 | 1 | 47 | 13 | 27.659574 | 1 | 13 | 13 | 13 | 13 | 13 | 13 | 1 | 47 | "
      "13 | No.block:2 Running:47 Scheduling:13(cycle) | cycles");
  expect_table("block-sched-sm", "0 | 4 | 2 | 1 | 47 | 13 | 60");
  expect_table("block-slots", "0 | 4 | 0 | 0 | 0 | 40 | SM 4", "0 | 4 | 0 | 2 | 53 | 60 | SM 4");
  expect_notice(21, 0);
}

static void nothing_written(void)
{
  given(LAUNCH(32), SECTION(block_sched), WARP(0, 0, 0, 0, 0), WARP(1, 0, 0, 0, 0));
  expect_empty_table("block-sched");
  expect_empty_table("block-sched-sm");
}

static void no_such_sm(void)
{
  with("sm=9");
  given(LAUNCH(32), SECTION(block_sched), WARP(0, 0, 20, 10, 0), WARP(1, 0, 20, 5, 0));
  expect_empty_table("block-slots");
  expect_notice(22, 1);
}

/* Warps of a block 2^32 ticks apart. */
static void wrapped(void)
{
  given(LAUNCH(64), SECTION(block_sched), WARP(0, 0, 10, 20, 0), WARP(0, 1, 5000000000, 1, 0),
        WARP(1, 0, 5000000011, 20, 0), WARP(1, 1, 5000000011, 1, 0));
  expect_table("block-sched-sm", "0 | 0 | 2 | 1 | 5000000011 | 10 | 5000000021");
  expect_notice(21, 1);
}

static void too_far_apart(void)
{
  given(LAUNCH(32), SECTION(block_sched), WARP(0, 0, 9223372036854775807, 20, 0));
  expect_status(MILL_BAD_INPUT);
}

/* Each fits, but no difference between them. */
static void blocks_too_far_apart(void)
{
  given(LAUNCH(64), SECTION(block_sched), WARP(0, 0, -4611686018427387904, 20, 0),
        WARP(1, 0, 4611686018427387904, 20, 0));
  expect_status(MILL_BAD_INPUT);
}

static void too_many(void)
{
  static char lines[50000][96];
  with("max-held=1MiB");
  given(LAUNCH(32), SECTION(block_sched));
  for (int i = 0; i < 43691; i++) {
    snprintf(lines[i], sizeof lines[i],
             "- probe.unit - {section=0, block=%d, unit=0, start=%d, elapsed=1, smid=0}", i, i);
    given(lines[i]);
  }
  expect_status(MILL_LIMIT);
}

HARNESS_MAIN({ "two slots", two_slots }, { "warps of a block", warps_of_a_block },
             { "lists", lists }, { "blocks of absurd length", blocks_of_absurd_length },
             { "ties", ties }, { "another SM", another_sm }, { "wrapped", wrapped },
             { "too far apart", too_far_apart }, { "blocks too far apart", blocks_too_far_apart },
             { "too many", too_many }, { "no such SM", no_such_sm }, { "unwritten", unwritten },
             { "nothing written", nothing_written })
