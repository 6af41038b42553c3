/* Values by symbol; see symmap.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/symmap.h"

#include "kit/state/grow.h"

enum { FIRST_BITS = 3 }; /* of how many slots there are */

static size_t n_slots(const SymMap *map) { return map->slots ? (size_t)1 << (32 - map->shift) : 0; }

static bool grow(const MillHost *common, SymMap *map)
{
  SymMap bigger = { .n = map->n,
                    .shift = map->slots ? map->shift - 1 : 32 - FIRST_BITS,
                    .seed = (uint32_t)common->seed->start };
  if (bigger.shift == 0) return false;
  bigger.slots = mill_new(common, sizeof *bigger.slots << (32 - bigger.shift));
  if (!bigger.slots) return false;
  for (size_t i = 0; i < n_slots(map); i++)
    if (map->slots[i].value) *symmap_slot(&bigger, map->slots[i].sym) = map->slots[i];
  array_free(common, map->slots);
  *map = bigger;
  return true;
}

bool symmap_put_value(const MillHost *common, SymMap *map, MillSym sym, uint32_t value)
{
  SymSlot *slot = map->slots ? symmap_slot(map, sym) : NULL;
  if (slot && slot->value) {
    slot->value = value;
    return true;
  }
  if (map->n >= n_slots(map) / 4 * 3) {
    if (!grow(common, map)) return false;
    slot = symmap_slot(map, sym);
  }
  *slot = (SymSlot){ sym, value };
  map->n++;
  return true;
}

uint32_t symmap_number(const MillHost *common, SymMap *map, MillSym sym)
{
  uint32_t value = symmap_value(map, sym);
  if (value) return value - 1;
  return symmap_put_value(common, map, sym, map->n + 1) ? map->n - 1 : MILL_FAILED;
}
