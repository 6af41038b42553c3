/* Tests of probe/memory-peak. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

/* Each is the largest over the parts of a test. */
static void largest(void)
{
  given_lane("tag.model=m tag.test=dmat tag.sub=a");
  given("- probe.output - {max_memory=100}");
  given_lane("tag.model=m tag.test=dmat tag.sub=b");
  given("- probe.output - {max_memory=400}");
  given_lane("tag.model=m tag.test=dmat tag.sub=a tag.trace=t");
  given("- probe.exec - {memory=50}", "- probe.exec - {memory=1000}",
        "- probe.exec - {result=backup}");
  given_lane("tag.model=m tag.test=acc tag.sub=a");
  given("- probe.output - {max_memory=200}");
  expect_table("memory-peak", "m | acc | 200 | 0 | 0 | m acc 200 0",
               "m | dmat | 400 | 1000 | 2.5 | m dmat 400 1000");
  expect_table("memory-bars", "m | original | 400 | -", "m | acc | - | 0.00x",
               "m | dmat | 1000 | 2.50x");
}

/* Nobody said how much the program used; other folders are not of models. */
static void no_original(void)
{
  given_lane("tag.model=m tag.test=t");
  given("- probe.output - {}", "- probe.exec - {memory=7}");
  given_lane("tag.group=g tag.op=o tag.probe=p");
  given("- probe.exec - {memory=9}");
  expect_table("memory-peak", "m | t | 0 | 7 | - | m t 0 7");
}

HARNESS_MAIN({ "largest", largest }, { "no original", no_original })
