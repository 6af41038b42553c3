/* Tests of the map from two numbers. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/pairmap.h"

#include <stagemill/harness.h>

#include "check.h"

static void pairs_have_their_values(void)
{
  PairMap map;
  pairmap_open(&map, harness_host()->common);
  CHECK_INT(pairmap_get(&map, 1, 2), 0);
  *pairmap_at(&map, 1, 2) = 3;
  *pairmap_at(&map, 2, 1) = 4;
  *pairmap_at(&map, 0, 0) = 5;
  *pairmap_at(&map, 1, 2) += 10;
  CHECK_INT(pairmap_get(&map, 1, 2), 13);
  CHECK_INT(pairmap_get(&map, 2, 1), 4);
  CHECK_INT(pairmap_get(&map, 0, 0), 5);
  CHECK_INT(pairmap_get(&map, 1, 1), 0);
  CHECK_INT(map.n, 3);
}

/* 0 + 1 + ... + 9,999 */
static void many_pairs_stay(void)
{
  PairMap map;
  uint64_t sum = 0;
  size_t at = 0;
  pairmap_open(&map, harness_host()->common);
  for (uint64_t i = 0; i < 10000; i++) *pairmap_at(&map, i % 7, UINT64_MAX - i) = i + 1;
  for (uint64_t i = 0; i < 10000; i += 97)
    CHECK_INT(pairmap_get(&map, i % 7, UINT64_MAX - i), (int64_t)i + 1);
  for (const PairSlot *slot; (slot = pairmap_next(&map, &at));) sum += slot->value - 1;
  CHECK_INT(map.n, 10000);
  CHECK_INT(sum, 49995000);
}

static void a_cleared_map_is_empty(void)
{
  PairMap map;
  size_t at = 0;
  pairmap_open(&map, harness_host()->common);
  CHECK(pairmap_next(&map, &at) == NULL);
  *pairmap_at(&map, 1, 2) = 3;
  pairmap_clear(&map);
  CHECK_INT(pairmap_get(&map, 1, 2), 0);
  *pairmap_at(&map, 1, 2) = 7;
  CHECK_INT(pairmap_get(&map, 1, 2), 7);
  CHECK_INT(map.n, 1);
}

TEST_MAIN({ "pairs have their values", pairs_have_their_values },
          { "many pairs stay", many_pairs_stay },
          { "a cleared map is empty", a_cleared_map_is_empty })
