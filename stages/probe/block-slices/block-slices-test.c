/* Tests of probe/block-slices. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define LAUNCH "- probe.launch - {blocks=3, block_x=32, block_y=1, block_z=1}"
#define SECTION(schema) \
  "- probe.section - {section=0, schema=" #schema ", level=32, capacity=1, units=3}"
#define WARP(block, start, elapsed, sm)                                                      \
  "- probe.unit - {section=0, block=" #block ", unit=0, start=" #start ", elapsed=" #elapsed \
  ", smid=" #sm "}"
#define SLICE(ts, dur, sm, slot, rest) \
  "X block " #ts " " #dur " p=\"SM " #sm "\" t=\"slot " #slot "\" cat=kernel {" rest "}"

static void by_slot(void)
{
  given(LAUNCH, SECTION(block_sched), WARP(0, 100, 50, 1), WARP(1, 110, 20, 1), WARP(2, 140, 5, 1));
  expect(LAUNCH, SECTION(block_sched), WARP(0, 100, 50, 1), WARP(1, 110, 20, 1), WARP(2, 140, 5, 1),
         SLICE(0, 50, 1, 0, "block=0"), SLICE(10, 20, 1, 1, "block=1"),
         SLICE(40, 5, 1, 1, "block=2, gap=10"));
}

/* Cycles of 2 GHz are half a nanosecond; those of an SM count from its first one. */
static void cycles(void)
{
  with("clock-mhz=2000");
  given(LAUNCH, SECTION(block_sched), WARP(0, 100, 50, 0), WARP(1, 5000, 20, 1));
  expect(LAUNCH, SECTION(block_sched), WARP(0, 100, 50, 0), WARP(1, 5000, 20, 1),
         SLICE(0, 25, 0, 0, "block=0"), SLICE(0, 10, 1, 0, "block=1"));
}

/* The global timer is one for all SMs, and in nanoseconds. */
static void global_timer(void)
{
  with("clock-mhz=2000");
  given(LAUNCH, SECTION(sched), WARP(0, 100, 50, 0), WARP(1, 5000, 20, 1));
  expect(LAUNCH, SECTION(sched), WARP(0, 100, 50, 0), WARP(1, 5000, 20, 1),
         SLICE(0, 50, 0, 0, "block=0"), SLICE(4900, 20, 1, 0, "block=1"));
}

/* Each fits, but no difference between them. */
static void too_far_apart(void)
{
  given(LAUNCH, SECTION(sched), WARP(0, -4611686018427387904, 20, 0),
        WARP(1, 4611686018427387904, 20, 1));
  expect_status(MILL_BAD_INPUT);
}

HARNESS_MAIN({ "too far apart", too_far_apart }, { "by slot", by_slot }, { "cycles", cycles },
             { "global timer", global_timer })
