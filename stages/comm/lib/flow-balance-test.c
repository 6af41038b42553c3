/* Tests of whether sends and receives of a group are even. */
/* SPDX-License-Identifier: MIT */
#include "comm/lib/flow-balance.h"

#include <stagemill/harness.h>

#include "check.h"

static void each_needs_the_other(void)
{
  const MillHost *common = harness_host()->common;
  FlowBalance b = { 0 };
  CHECK(flow_balance_is_even(&b));
  CHECK(flow_balance_add(common, &b, 1, 7, true, 0));
  CHECK(!flow_balance_is_even(&b));
  CHECK(flow_balance_add(common, &b, 1, 8, false, 0)); /* another receiver */
  CHECK(flow_balance_add(common, &b, 1, 7, false, 0));
  CHECK(!flow_balance_is_even(&b));
  CHECK(flow_balance_add(common, &b, 1, 8, true, 0));
  CHECK(flow_balance_is_even(&b));
  CHECK(flow_balance_add(common, &b, 1, 7, true, 0)); /* one receive for two sends */
  CHECK(flow_balance_is_even(&b));
  CHECK(flow_balance_add(common, &b, 1, 8, false, 0)); /* but not the other way */
  CHECK(!flow_balance_is_even(&b));
  flow_balance_clear(common, &b);
  CHECK(flow_balance_is_even(&b));
}

/* All sends of 5,000 keys, then all receives but that of the last. */
static void many_keys(void)
{
  const MillHost *common = harness_host()->common;
  FlowBalance b = { 0 };
  for (uint32_t i = 0; i < 5000; i++) CHECK(flow_balance_add(common, &b, i % 70, i / 70, true, 0));
  for (uint32_t i = 0; i < 4999; i++) CHECK(flow_balance_add(common, &b, i % 70, i / 70, false, 0));
  CHECK_INT(b.n_off, 1);
  CHECK(flow_balance_add(common, &b, 4999 % 70, 4999 / 70, false, 0));
  CHECK(flow_balance_is_even(&b));
  flow_balance_clear(common, &b);
}

TEST_MAIN({ "each needs the other", each_needs_the_other }, { "many keys", many_keys })
