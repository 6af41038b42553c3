/* What a symbol means to a stage, worked out once a symbol and looked up in an array after that. */
#ifndef STAGES_SYMCLASS_H
#define STAGES_SYMCLASS_H

#include <stagemill/stage.h>

#include "lib/room.h"

/* Zero-initialised is empty; class 0 means not yet known, so that classes begin at 1. */
typedef struct SymClass {
  uint8_t *classes;
  size_t n;
} SymClass;

static inline void symclass_clear(SymClass *c)
{
  free(c->classes);
  *c = (SymClass){ 0 };
}

static inline uint8_t symclass_get(const SymClass *c, MillSym sym)
{
  return sym < c->n ? c->classes[sym] : 0;
}

/* Without memory nothing is remembered, which only costs time. */
static inline void symclass_put(SymClass *c, MillSym sym, uint8_t value)
{
  if (room_at(&c->classes, &c->n, sym, 1)) c->classes[sym] = value;
}

#endif
