/* Tests of probe/probe-dump. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void a_trace(void)
{
  with("records=2", "values=2");
  given(
      "- probe.launch - {grid_x=2, grid_y=1, grid_z=1, block_x=64, block_y=1, block_z=1, shared=0, "
      "blocks=2, sections=1, bytes=112}",
      "- probe.section - {section=0, schema=dmat, level=1, layout=unit, unit_bytes=64, capacity=4, "
      "units=128, offset=48, bytes=64, fields=\"clock:u64,address:u64\"}",
      "- probe.unit - {section=0, block=0, unit=0, clock=[1,2,3,4], address=[5,6]}",
      "- probe.unit - {section=0, block=0, unit=1}",
      "- probe.unit - {section=0, block=0, unit=2, clock=[9], address=[8]}");
  expect_table("dump-launch", "0 | 2 | 1 | 1 | 64 | 1 | 1 | 0 | 1 | 112");
  expect_table("dump-sections",
               "0 | 0 | dmat | unit | clock:u64,address:u64 | 1 | 64 | 4 | 128 | 48 | 64");
  expect_table("dump-records", "0 | 0 | 0 | 0 | 0 | clock=1,2... address=5,6",
               "0 | 0 | 0 | 1 | 0 | -");
}

HARNESS_MAIN({ "a trace", a_trace })
