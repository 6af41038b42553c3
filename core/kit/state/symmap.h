/* What a symbol becomes in a stage, such as a name without its numbers: worked out once per symbol.
 * It takes memory for the symbols that were put, however many there are in the run. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SYMMAP_H
#define KIT_SYMMAP_H

#include <stagemill/types.h>
#include <stdbool.h>

typedef struct SymSlot {
  MillSym sym;
  uint32_t value; /* 0: free */
} SymSlot;

/* Zero-initialised is empty. */
typedef struct SymMap {
  SymSlot *slots;          /* open addressing; NULL: none yet */
  uint32_t n, shift, seed; /* 2 to the power of 32 - shift slots */
} SymMap;

/* Where it is, or would be; not of a map without slots. */
static inline SymSlot *symmap_slot(const SymMap *map, MillSym sym)
{
  uint32_t i = ((sym ^ map->seed) * UINT32_C(0x9e3779b1)) >> map->shift;
  while (map->slots[i].sym != sym && map->slots[i].value) i = (i + 1) & (UINT32_MAX >> map->shift);
  return &map->slots[i];
}

/* The value; 0: it has none. */
static inline uint32_t symmap_value(const SymMap *map, MillSym sym)
{
  return map->slots ? symmap_slot(map, sym)->value : 0;
}

/* The value is not 0.  False: memory was refused, the instance has failed, and nothing is remembered. */
bool symmap_put_value(const MillHost *, SymMap *, MillSym, uint32_t value);
/* Its place among all that were asked for, from 0; MILL_FAILED: memory was refused.  Not with the other two. */
uint32_t symmap_number(const MillHost *, SymMap *, MillSym);

/* ---- for values that may be 0 */

static inline bool symmap_get(const SymMap *map, MillSym from, MillSym *out)
{
  uint32_t value = symmap_value(map, from);
  if (value) *out = value - 1;
  return value != 0;
}

static inline void symmap_put(const MillHost *common, SymMap *map, MillSym from, MillSym to)
{
  (void)symmap_put_value(common, map, from, to + 1);
}

#endif
