/* Tests of blocks by SM. */
/* SPDX-License-Identifier: MIT */
#include "probe/lib/probe-sms.h"

#include <stagemill/harness.h>

#include "check.h"
#include "kit/trace/probe.h"

typedef struct Block {
  int64_t start;
  uint32_t sm;
} Block;

static bool make(ProbeSms *out, const Block *blocks, size_t n)
{
  const ProbeBlockColumns columns = { n ? &blocks->start : NULL, sizeof *blocks,
                                      n ? &blocks->sm : NULL, sizeof *blocks, n };
  return probe_sms_make(out, harness_host()->common, &columns);
}

static void blocks_are_in_order_of_sm_and_number(void)
{
  static const Block blocks[] = { { 5, 9 }, { 1, 2 }, { 7, 9 }, { PROBE_NO_START, 2 }, { 0, 2 } };
  ProbeSms sms;
  CHECK(make(&sms, blocks, MILL_COUNT(blocks)));
  CHECK(sms.n == 2 && sms.n_blocks == 4);
  CHECK(sms.at[0].sm == 2 && sms.at[0].n == 2);
  CHECK(sms.at[0].blocks[0] == 1 && sms.at[0].blocks[1] == 4);
  CHECK(sms.at[1].sm == 9 && sms.at[1].n == 2);
  CHECK(sms.at[1].blocks[0] == 0 && sms.at[1].blocks[1] == 2);
  probe_sms_free(&sms, harness_host()->common);
  CHECK(sms.n == 0 && !sms.at);
}

static void the_fullest_sm_is_picked_and_the_lowest_on_a_tie(void)
{
  static const Block blocks[] = { { 1, 8 }, { 2, 4 }, { 3, 4 }, { 4, 6 }, { 5, 6 } };
  ProbeSms sms;
  CHECK(make(&sms, blocks, MILL_COUNT(blocks)));
  CHECK_INT(probe_sms_pick(&sms, -1)->sm, 4);
  CHECK_INT(probe_sms_pick(&sms, 8)->n, 1);
  CHECK(!probe_sms_pick(&sms, 5));
  probe_sms_free(&sms, harness_host()->common);
}

static void without_blocks_there_is_no_sm(void)
{
  static const Block none[] = { { PROBE_NO_START, 0 } };
  ProbeSms sms;
  CHECK(make(&sms, NULL, 0) && sms.n == 0 && !probe_sms_pick(&sms, -1));
  CHECK(make(&sms, none, 1) && sms.n == 0 && sms.n_blocks == 0);
}

TEST_MAIN({ "blocks are in order of SM and number", blocks_are_in_order_of_sm_and_number },
          { "the fullest SM is picked, and the lowest on a tie",
            the_fullest_sm_is_picked_and_the_lowest_on_a_tie },
          { "without blocks there is no SM", without_blocks_there_is_no_sm })
