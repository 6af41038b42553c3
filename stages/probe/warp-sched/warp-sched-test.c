/* Tests of probe/warp-sched. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define LAUNCH "- probe.launch - {blocks=3, block_x=64, block_y=1, block_z=1}"
#define SECTION(schema, level) \
  "- probe.section - {section=0, schema=" #schema ", level=" #level ", capacity=8, units=6}"
#define WARP(block, warp, start, elapsed, sm)                                  \
  "- probe.unit - {section=0, block=" #block ", unit=" #warp ", start=" #start \
  ", elapsed=" #elapsed ", smid=" #sm "}"

/* SM 2: blocks 0 to 100 and 40 to 80; SM 7: 500 to 550.  Block 0: warps end at 100 and 60, (0 + 40) / (2 * 100). */
static void shared(void)
{
  given(LAUNCH, SECTION(block_sched, 32), WARP(0, 0, 1000, 100, 2), WARP(0, 1, 1010, 50, 2),
        WARP(1, 0, 1040, 40, 2), WARP(1, 1, 1040, 40, 2), WARP(2, 0, 500, 50, 7),
        WARP(2, 1, 500, 25, 7));
  /* 3 blocks on 2 SMs with 2 slots: 0.75 waves. */
  expect_table("warp-sched", "0 | shared | 2 | 3 | 2 | 2 | 0.75 | 75 | 2 | 17.5 | 25");
  expect_table("warp-sched-sm", "0 | 2 | 2 | 2 | 4 | 100 | 230 | 57.5 | 10 | 20 | 0",
               "0 | 7 | 1 | 1 | 2 | 50 | 75 | 75 | 25 | 25 | 50");
  expect_table("warp-bars", "0 | 0 | 0 | 0 | 100 | 0 | SM 2", "0 | 0 | 1 | 10 | 60 | 1 | SM 2",
               "0 | 1 | 0 | 40 | 80 | 2 | SM 2", "0 | 1 | 1 | 40 | 80 | 3 | SM 2");
}

/* The same by the block: lists of its warps. */
static void lists(void)
{
  given(LAUNCH, SECTION(block_sched, 32),
        "- probe.unit - {section=0, block=0, start=[1000,1010], elapsed=[100,50], smid=[2,2]}",
        "- probe.unit - {section=0, block=1, start=[1040,1040], elapsed=[40,40], smid=[2,2]}",
        "- probe.unit - {section=0, block=2, start=[500,500], elapsed=[50,25], smid=[7,7]}");
  expect_table("warp-sched", "0 | shared | 2 | 3 | 2 | 2 | 0.75 | 75 | 2 | 17.5 | 25");
  expect_table("warp-bars", "0 | 0 | 0 | 0 | 100 | 0 | SM 2", "0 | 0 | 1 | 10 | 60 | 1 | SM 2",
               "0 | 1 | 0 | 40 | 80 | 2 | SM 2", "0 | 1 | 1 | 40 | 80 | 3 | SM 2");
}

/* What was not written is no warp: block 0 has its second one alone, block 1 none. */
static void unwritten(void)
{
  given(LAUNCH, SECTION(block_sched, 32),
        "- probe.unit - {section=0, block=0, start=[0,1010], elapsed=[0,50], smid=[0,2]}",
        "- probe.unit - {section=0, block=1, start=[0,0], elapsed=[0,0], smid=[0,0]}",
        "- probe.unit - {section=0, block=2, start=[1030,1040], elapsed=[50,20], smid=[2,2]}");
  /* 1010 to 1060 and 1030 to 1080; 120 of 3 * 70; the tail is (0 + 20) / (2 * 50). */
  expect_table("warp-sched", "0 | shared | 1 | 2 | 2 | 2 | 1 | 100 | 2 | 10 | 0");
  expect_table("warp-sched-sm", "0 | 2 | 2 | 2 | 3 | 70 | 120 | 57.142857 | 10 | 20 | 0");
  expect_table("warp-bars", "0 | 0 | 1 | 0 | 50 | 0 | SM 2", "0 | 2 | 0 | 20 | 70 | 1 | SM 2",
               "0 | 2 | 1 | 30 | 50 | 2 | SM 2");
}

/* Two waves of 2^62 + 2^61 ticks each: more than their type holds in sum. */
static void sums_that_are_too_large(void)
{
  given("- probe.launch - {blocks=1, block_x=128, block_y=1, block_z=1}", SECTION(amd, 64),
        "- probe.unit - {section=0, block=0, unit=0, start=0, end=6917529027641081856}",
        "- probe.unit - {section=0, block=0, unit=1, start=0, end=6917529027641081856}");
  expect_table("warp-sched", "0 | - | - | 1 | 2 | - | - | - | - | 0 | -");
}

static void nothing_written(void)
{
  given(LAUNCH, SECTION(block_sched, 32),
        "- probe.unit - {section=0, block=0, start=[0,0], elapsed=[0,0], smid=[0,0]}");
  expect_empty_table("warp-sched");
  expect_empty_table("warp-bars");
}

static void no_such_sm(void)
{
  with("sm=9");
  given(LAUNCH, SECTION(block_sched, 32), WARP(0, 0, 1000, 100, 2), WARP(0, 1, 1010, 50, 2));
  expect_empty_table("warp-bars");
  expect_notice(20, 1);
}

/* 65,536 warps of 16 bytes are a MiB. */
static void too_many(void)
{
  static char lines[65537][96];
  with("max-held=1MiB");
  given("- probe.launch - {blocks=65537, block_x=32, block_y=1, block_z=1}",
        SECTION(block_sched, 32));
  for (int i = 0; i < 65537; i++) {
    snprintf(lines[i], sizeof lines[i],
             "- probe.unit - {section=0, block=%d, unit=0, start=1, elapsed=1, smid=0}", i);
    given(lines[i]);
  }
  expect_status(MILL_LIMIT);
}

/* A block that starts where another ends takes turns with it. */
static void exclusive(void)
{
  with("sm=0");
  given("- probe.launch - {blocks=3, block_x=32, block_y=1, block_z=1}", SECTION(sched, 32),
        WARP(0, 0, 0, 10, 0), WARP(1, 0, 10, 10, 0), WARP(2, 0, 0, 10, 1));
  expect_table("warp-sched", "0 | exclusive | 2 | 3 | 1 | 1 | 1.5 | 75 | 0 | 0 | 25");
  expect_table("warp-bars", "0 | 0 | 0 | 0 | 10 | 0 | SM 0", "0 | 1 | 0 | 10 | 20 | 1 | SM 0");
}

/* Waves of AMD have no SM: block tails alone. */
static void waves(void)
{
  given("- probe.launch - {blocks=1, block_x=128, block_y=1, block_z=1}", SECTION(amd, 64),
        "- probe.unit - {section=0, block=0, unit=0, start=5, end=25}",
        "- probe.unit - {section=0, block=0, unit=1, start=5, end=15}");
  expect_table("warp-sched", "0 | - | - | 1 | 2 | - | - | - | - | 25 | -");
  expect_empty_table("warp-sched-sm");
  harness_clear();
  given("- probe.launch - {blocks=1, block_x=64, block_y=1, block_z=1}", SECTION(amd, 64),
        "- probe.unit - {section=0, block=0, unit=0, start=5, end=4}");
  expect_status(MILL_BAD_INPUT);
}

/* Each fits, but no difference between them. */
static void too_far_apart(void)
{
  given("- probe.launch - {blocks=2, block_x=32, block_y=1, block_z=1}", SECTION(sched, 32),
        WARP(0, 0, -4611686018427387904, 10, 0), WARP(1, 0, 4611686018427387904, 10, 0));
  expect_status(MILL_BAD_INPUT);
}

/* Turns at 0, 10, 20, 30, 40 and 100 since the first: half of six are done at 20, ceil(5.4) at 100. */
static void turns(void)
{
  given(LAUNCH, SECTION(acc, 32),
        "- probe.unit - id=0 {section=0, block=0, unit=0, clock=[50,0,70]}",
        "- probe.unit - id=1 {section=0, block=0, unit=1, clock=[60,80]}",
        "- probe.unit - id=2 {section=0, block=1, unit=0, clock=[90]}",
        "- probe.unit - id=2 {section=0, block=1, unit=0, place=1, clock=[150]}",
        "- probe.unit - id=3 {section=0, block=1, unit=1}");
  expect_table("warp-tail", "0 | 3 | 6 | 20 | 100 | 100 | 0");
  expect_table("warp-spread", "0 | 0 | 10", "0 | 1 | 0");
  static char lines[101][40];
  const char *rows[102];
  for (int k = 0; k <= 100; k++) {
    snprintf(lines[k], sizeof lines[k], "0 | %d | %d | %d", k, k,
             k == 100  ? 6
             : k >= 40 ? 5
                       : k / 10 + 1);
    rows[k] = lines[k];
  }
  rows[101] = NULL;
  harness_expect_table(HARNESS_AT, "warp-progress", rows);
}

#define NAMED_LAUNCH \
  "- probe.launch - {blocks=3, block_x=64, block_y=1, block_z=1, kernel=\"gemm<float>\"}"

/* Of 20 turns the 18th is nine tenths: at 17, and the last at 100. */
static void tail(void)
{
  given(NAMED_LAUNCH, SECTION(acc, 32),
        "- probe.unit - id=0 {section=0, block=0, unit=0, "
        "clock=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,101]}");
  expect_table("warp-tail", "0 | 1 | 20 | 9 | 17 | 100 | 83");
  expect_table("warp-marks", "0 | 50 % | 9 | 10 | 50 %: 9 | tail 83.0 % of gemm<float>",
               "0 | 90 % | 17 | 18 | 90 %: 17 | tail 83.0 % of gemm<float>",
               "0 | all | 100 | 20 | all: 100 | tail 83.0 % of gemm<float>");
}

HARNESS_MAIN({ "no such SM", no_such_sm }, { "unwritten", unwritten },
             { "sums that are too large", sums_that_are_too_large },
             { "nothing written", nothing_written }, { "shared", shared }, { "lists", lists },
             { "too many", too_many }, { "exclusive", exclusive }, { "waves", waves },
             { "too far apart", too_far_apart }, { "turns", turns }, { "tail", tail })
