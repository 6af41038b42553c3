/* Tests of probe/coalescing. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define SECTION "- probe.section - {section=0, schema=dmat, level=1, capacity=4, units=64}"

/* 32 threads with 4 bytes each are 4 sectors, each with a sector of its own 32: 12.5 % of what would do. */
static void full_warps(void)
{
  static char lines[64][120];
  given(SECTION);
  for (int t = 0; t < 64; t++) {
    snprintf(lines[t], sizeof lines[t],
             "- probe.unit - {section=0, block=0, unit=%d, clock=[1,2], address=[%d,%d]}", t,
             4096 + 4 * t, 4096 + 32 * t);
    given(lines[t]);
  }
  expect_table("coalescing", "0 | 0 | 2 | 64 | 4 | 4 | 100", "0 | 1 | 2 | 64 | 32 | 32 | 12.5");
}

/* The access number is the place: one that was not used is no access.  Blocks are warps of their own. */
static void places(void)
{
  given(SECTION, "- probe.unit - {section=0, block=0, unit=0, clock=[1,0,3], address=[64,0,64]}",
        "- probe.unit - {section=0, block=0, unit=1, clock=[1,2,3], address=[96,5,95]}",
        "- probe.unit - {section=0, block=0, unit=1, place=3, clock=[4], address=[8]}",
        "- probe.unit - {section=0, block=1, unit=1, clock=[1], address=[96]}",
        "- probe.unit - {section=0, block=1, unit=2}");
  expect_table("coalescing", "0 | 0 | 2 | 3 | 1.5 | 2 | 66.666667", "0 | 1 | 1 | 1 | 1 | 1 | 100",
               "0 | 2 | 1 | 2 | 1 | 1 | 100", "0 | 3 | 1 | 1 | 1 | 1 | 100");
}

/* A launch of one warp: its accesses of the second section do not replace those of the first. */
static void of_two_sections(void)
{
  given(SECTION, "- probe.section - {section=1, schema=dmat, level=1, capacity=4, units=1}",
        "- probe.unit - {section=0, block=0, unit=0, clock=[1], address=[64]}",
        "- probe.unit - {section=0, block=0, unit=1, clock=[1], address=[128]}",
        "- probe.unit - {section=1, block=0, unit=0, clock=[1], address=[64]}");
  expect_table("coalescing", "0 | 0 | 2 | 3 | 1.5 | 2 | 66.666667");
}

static void sectors_of_another_size(void)
{
  with("sector=128");
  given(SECTION, "- probe.unit - {section=0, block=0, unit=0, clock=[1], address=[0]}",
        "- probe.unit - {section=0, block=0, unit=1, clock=[1], address=[127]}");
  expect_table("coalescing", "0 | 0 | 1 | 2 | 1 | 1 | 100");
  harness_clear();
  with("sector=33");
  given(SECTION);
  expect_status(MILL_STAGE_FAILED);
}

HARNESS_MAIN({ "full warps", full_warps }, { "places", places },
             { "of two sections", of_two_sections },
             { "sectors of another size", sectors_of_another_size })
