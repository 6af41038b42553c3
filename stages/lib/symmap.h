/* One number a symbol, for what is decided once per distinct name. */
#ifndef LIB_SYMMAP_H
#define LIB_SYMMAP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct SymMap {
  uint32_t *value; /* 0: not yet set */
  uint32_t n;
} SymMap;

/* Valid until the next call; NULL without memory.  Symbols are dense, so this
 * grows with the number of distinct names of the run and no further. */
static inline uint32_t *symmap_at(SymMap *map, uint32_t symbol)
{
  if (symbol >= map->n) {
    uint32_t n = symbol < 1024 ? 1024 : symbol < UINT32_MAX / 2 ? symbol * 2 : UINT32_MAX;
    uint32_t *value = (uint32_t *)realloc(map->value, n * sizeof *value);
    if (!value) return NULL;
    memset(value + map->n, 0, (n - map->n) * sizeof *value);
    map->value = value;
    map->n = n;
  }
  return &map->value[symbol];
}

static inline void symmap_clear(SymMap *map)
{
  free(map->value);
  map->value = NULL;
  map->n = 0;
}

#endif
