/* Tests of maps of symbols. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/symmap.h"

#include <stagemill/harness.h>

#include "check.h"
#include "kit/state/grow.h"

static const MillHost *host(void) { return harness_host()->common; }

static void a_map_remembers_what_was_put(void)
{
  SymMap map = { 0 };
  MillSym to = 77;
  CHECK(!symmap_get(&map, 5, &to));
  symmap_put(host(), &map, 5, 0);
  symmap_put(host(), &map, 100, 5);
  CHECK(symmap_get(&map, 5, &to));
  CHECK_INT(to, 0);
  CHECK(symmap_get(&map, 100, &to));
  CHECK_INT(to, 5);
  CHECK(!symmap_get(&map, 0, &to));
  CHECK(!symmap_get(&map, 6, &to));
  CHECK(!symmap_get(&map, UINT32_MAX, &to));
  symmap_put(host(), &map, 100, 9);
  CHECK(symmap_get(&map, 100, &to));
  CHECK_INT(to, 9);
  CHECK_INT(map.n, 2);
  array_free(host(), map.slots);
}

/* 10,000 of them, as names of a trace are numbered, and as those of very many lanes are. */
static void fill(uint32_t step)
{
  SymMap map = { 0 };
  for (uint32_t i = 0; i < 10000; i++) CHECK(symmap_put_value(host(), &map, i * step, i + 1));
  for (uint32_t i = 0; i < 10000; i++) CHECK_INT(symmap_value(&map, i * step), i + 1);
  CHECK_INT(symmap_value(&map, 10000 * step), 0);
  CHECK_INT(map.n, 10000);
  CHECK_INT(map.shift, 32 - 14); /* 16,384 slots */
  array_free(host(), map.slots);
}

static void it_takes_memory_for_what_was_put(void)
{
  fill(1);
  fill(4096);
  fill(400001);
}

static void numbers_come_in_order(void)
{
  SymMap map = { 0 };
  CHECK_INT(symmap_number(host(), &map, 70000), 0);
  CHECK_INT(symmap_number(host(), &map, 0), 1);
  CHECK_INT(symmap_number(host(), &map, UINT32_MAX), 2);
  CHECK_INT(symmap_number(host(), &map, 0), 1);
  CHECK_INT(symmap_number(host(), &map, 70000), 0);
  array_free(host(), map.slots);
}

TEST_MAIN({ "a map remembers what was put", a_map_remembers_what_was_put },
          { "it takes memory for what was put", it_takes_memory_for_what_was_put },
          { "numbers come in order", numbers_come_in_order })
