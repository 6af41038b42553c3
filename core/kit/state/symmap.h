/* What a symbol becomes in a stage, such as a name without its numbers: worked out once per symbol. */
#ifndef KIT_SYMMAP_H
#define KIT_SYMMAP_H

#include "kit/state/grow.h"

typedef struct SymMap {
  MillSym *to; /* by symbol: what it becomes, plus 1; 0: not yet known */
  size_t n;
} SymMap;

static inline bool symmap_get(const SymMap *map, MillSym from, MillSym *out)
{
  if (from >= map->n || map->to[from] == 0) return false;
  *out = map->to[from] - 1;
  return true;
}

/* Where memory is refused, the instance has failed and nothing is remembered. */
static inline void symmap_put(const MillHost *common, SymMap *map, MillSym from, MillSym to)
{
  if (array_reserve_at(common, &map->to, &map->n, from, sizeof *map->to)) map->to[from] = to + 1;
}

#endif
