/* A map from two numbers to a third one; see pairmap.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/pairmap.h"

#include "kit/state/grow.h"

void pairmap_open(PairMap *map, const MillHost *common)
{
  *map = (PairMap){ .common = common };
  map->seed = common->seed;
}

void pairmap_clear(PairMap *map)
{
  array_free(map->common, map->slots);
  map->slots = NULL;
  map->n = map->n_slots = 0;
}

static PairSlot *slot_of(const PairMap *map, uint64_t a, uint64_t b)
{
  size_t mask = map->n_slots - 1, i = (size_t)hash_pair(map->seed, a, b) & mask;
  while (map->slots[i].value && (map->slots[i].a != a || map->slots[i].b != b)) i = (i + 1) & mask;
  return &map->slots[i];
}

static bool grow(PairMap *map)
{
  PairMap bigger = *map;
  bigger.n_slots = map->n_slots ? map->n_slots * 2 : 64;
  bigger.slots = mill_new(map->common, bigger.n_slots * sizeof *bigger.slots);
  if (!bigger.slots) return false;
  for (size_t i = 0; i < map->n_slots; i++) {
    const PairSlot *slot = &map->slots[i];
    if (slot->value) *slot_of(&bigger, slot->a, slot->b) = *slot;
  }
  array_free(map->common, map->slots);
  *map = bigger;
  return true;
}

uint64_t *pairmap_at(PairMap *map, uint64_t a, uint64_t b)
{
  PairSlot *slot = map->n_slots ? slot_of(map, a, b) : NULL;
  if (slot && slot->value) return &slot->value;
  if (map->n >= map->n_slots / 2) {
    if (!grow(map)) return NULL;
    slot = slot_of(map, a, b);
  }
  *slot = (PairSlot){ a, b, 0 };
  map->n++;
  return &slot->value;
}

uint64_t pairmap_get(const PairMap *map, uint64_t a, uint64_t b)
{
  return map->n_slots ? slot_of(map, a, b)->value : 0;
}

const PairSlot *pairmap_next(const PairMap *map, size_t *at)
{
  while (*at < map->n_slots) {
    const PairSlot *slot = &map->slots[(*at)++];
    if (slot->value) return slot;
  }
  return NULL;
}
