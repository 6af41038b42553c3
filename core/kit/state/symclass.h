/* What a symbol means to a stage: worked out once per symbol, then looked up in an array. */
#ifndef KIT_SYMCLASS_H
#define KIT_SYMCLASS_H

#include "kit/state/grow.h"

/* Zero-initialised is empty; class 0 means not yet known, so that classes begin at 1. */
typedef struct SymClass {
  uint8_t *classes;
  size_t n;
} SymClass;

static inline uint8_t symclass_get(const SymClass *c, MillSym sym)
{
  return sym < c->n ? c->classes[sym] : 0;
}

/* Where memory is refused, the instance has failed and nothing is remembered. */
static inline void symclass_put(const MillHost *common, SymClass *c, MillSym sym, uint8_t value)
{
  if (array_reserve_at(common, &c->classes, &c->n, sym, 1)) c->classes[sym] = value;
}

#endif
