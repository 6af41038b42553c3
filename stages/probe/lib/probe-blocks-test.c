/* Tests of slots: where the blocks of an SM ran. */
/* SPDX-License-Identifier: MIT */
#include "probe/lib/probe-blocks.h"

#include <stagemill/harness.h>

#include "check.h"

static ProbeSlots placed(ProbeBlock *blocks, uint32_t n)
{
  static const uint32_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const ProbeBlocks x = { .at = blocks, .n = n };
  const ProbeSm sm = { .blocks = numbers, .n = n };
  ProbeSlots s = { .common = harness_host()->common };
  CHECK(probe_place(&s, &x, &sm));
  return s;
}

static bool is_placed(const ProbeSlots *s, size_t i, uint32_t block, uint32_t slot, int64_t gap)
{
  const ProbePlaced *p = &s->placed[i];
  return i < s->n && p->block == block && p->slot == slot && p->gap == gap;
}

/* 0..10 and 2..6 run at once; 8 goes behind the second, 11 behind the first. */
static void a_block_takes_the_slot_that_is_free_the_longest(void)
{
  ProbeBlock blocks[] = { { .start = 0, .length = 10 },
                          { .start = 2, .length = 4 },
                          { .start = 11, .length = 1 },
                          { .start = 8, .length = 9 } };
  const ProbeSlots s = placed(blocks, 4);
  CHECK_INT(s.n_slots, 2);
  CHECK(is_placed(&s, 0, 0, 0, -1) && is_placed(&s, 1, 1, 1, -1));
  CHECK(is_placed(&s, 2, 3, 1, 2) && is_placed(&s, 3, 2, 0, 1));
}

/* One that begins where another ends follows it; of equal starts the lower number comes first. */
static void an_end_is_a_place_to_begin(void)
{
  ProbeBlock blocks[] = { { .start = 5, .length = 5 },
                          { .start = 0, .length = 5 },
                          { .start = 5 } };
  const ProbeSlots s = placed(blocks, 3);
  CHECK_INT(s.n_slots, 2);
  CHECK(is_placed(&s, 0, 1, 0, -1) && is_placed(&s, 1, 0, 0, 0) && is_placed(&s, 2, 2, 1, -1));
}

static void a_length_of_32_bits_and_more_is_kept_apart(void)
{
  struct ProbeLong longs[] = { { 1, INT64_C(5) << 32 } };
  ProbeBlock blocks[] = { { .length = 7 }, { .length = UINT32_MAX } };
  const ProbeBlocks x = { .at = blocks, .n = 2, .long_ones = longs, .n_long = 1 };
  CHECK_INT(probe_block_length(&x, 0), 7);
  CHECK_INT(probe_block_length(&x, 1), INT64_C(5) << 32);
}

TEST_MAIN({ "a block takes the slot that is free the longest",
            a_block_takes_the_slot_that_is_free_the_longest },
          { "an end is a place to begin", an_end_is_a_place_to_begin },
          { "a length of 32 bits and more is kept apart",
            a_length_of_32_bits_and_more_is_kept_apart })
