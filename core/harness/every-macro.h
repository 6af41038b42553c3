/* Each macro of the harness, in what C11 and C++20 have in common. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static const MillStage stage = { (uint32_t)sizeof(MillStage), MILL_SCOPE_EVENT };

static void a_stage(void)
{
  with("limit=1us");
  with("limit=1us", "many=50");
  given_lane("rank=0 tag.threads=256");
  given("X a 0 2ms");
  given("X a 0 2ms", "X b 0 1us {k=1, l=[1,2]}");
  expect("X a 0 2ms", "X b 0 1us");
  expect_lane(1u, "X a 0 2ms");
  expect_nothing(2u);
  expect_attr(0u, "slow_by", "1999000");
  expect_attr(1u, "slow_by", NULL);
  expect_table("slow-calls", "0 | 2 | 1");
  expect_empty_table("slow-calls");
  expect_metric("share", "mean", "2");
  expect_metric("share", NULL, NULL);
  expect_notice(1u, 2u);
  expect_status(MILL_STAGE_FAILED);
  expect_true(1 + 1 == 2);
  harness_clear();
}

static void a_source(void)
{
  const unsigned char bytes[] = { 0, 1 };
  given_bytes("some bytes");
  given_data(bytes, sizeof bytes);
  given_file("trace.json");
  with_stage(&stage);
  expect_probe("some bytes", "trace.json", 50);
  expect_described(0u, "rank=3 fact=slices");
}

static void a_sink(void)
{
  expect_output("list.txt", "a\n");
  expect_output("list.txt", NULL);
  expect_true(harness_host()->common->n_lanes(harness_host()->common) == 1u);
}

MILL_STAGE_MODULE(stage, "acme", "MIT");

HARNESS_MAIN({ "a stage", a_stage }, { "a source", a_source }, { "a sink", a_sink })
