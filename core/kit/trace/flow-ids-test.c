/* Tests of numbers for arrows. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/flow-ids.h"

#include "check.h"

static void see(FlowIds *ids, uint8_t kind, uint8_t id_kind, uint64_t id)
{
  MillEvent e = { .kind = kind, .id_kind = id_kind, .id = id };
  flow_ids_see(ids, &e);
}

static void numbers_begin_high_and_ascend(void)
{
  FlowIds ids = { 0 };
  CHECK_INT(flow_ids_next(&ids), 1000001);
  CHECK_INT(flow_ids_next(&ids), 1000002);
}

static void numbers_in_use_are_passed_over(void)
{
  FlowIds ids = { 0 };
  see(&ids, MILL_FLOW_START, MILL_ID_INT, 1000001);
  see(&ids, MILL_FLOW_END, MILL_ID_HEX, 1000004);
  see(&ids, MILL_FLOW_STEP, MILL_ID_INT, 1000002);
  CHECK_INT(flow_ids_next(&ids), 1000005);
}

static void other_numbers_do_not_matter(void)
{
  FlowIds ids = { 0 };
  see(&ids, MILL_FLOW_START, MILL_ID_INT, 7);
  see(&ids, MILL_FLOW_START, MILL_ID_HASH, 1000001);
  see(&ids, MILL_SLICE, MILL_ID_INT, 1000001);
  see(&ids, MILL_FLOW_START, MILL_ID_INT, UINT64_MAX);
  see(&ids, MILL_FLOW_START, MILL_ID_INT, UINT64_C(1) << 40);
  CHECK_INT(flow_ids_next(&ids), 1000001);
}

TEST_MAIN({ "numbers begin high and ascend", numbers_begin_high_and_ascend },
          { "numbers in use are passed over", numbers_in_use_are_passed_over },
          { "other numbers do not matter", other_numbers_do_not_matter })
