/* What a symbol means to a stage: worked out once per symbol. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SYMCLASS_H
#define KIT_SYMCLASS_H

#include "kit/state/symmap.h"

/* Zero-initialised is empty; class 0 means not yet known, so that classes begin at 1. */
typedef struct SymClass {
  SymMap classes;
} SymClass;

static inline uint8_t symclass_get(const SymClass *c, MillSym sym)
{
  return (uint8_t)symmap_value(&c->classes, sym);
}

/* Where memory is refused, the instance has failed and nothing is remembered. */
static inline void symclass_put(const MillHost *common, SymClass *c, MillSym sym, uint8_t value)
{
  (void)symmap_put_value(common, &c->classes, sym, value);
}

/* The class that its text has, from 1. */
static inline uint8_t symclass_of(const MillHost *common, SymClass *c, MillSym sym,
                                  uint8_t (*read)(const char *text, size_t len))
{
  uint8_t known = symclass_get(c, sym);
  if (known) return known;
  size_t len;
  const char *text = common->symbol_text(common, sym, &len);
  known = read(text, len);
  symclass_put(common, c, sym, known);
  return known;
}

/* Of classes that are yes and no alone. */
static inline bool symclass_is(const MillHost *common, SymClass *c, MillSym sym,
                               bool (*says)(const char *text, size_t len))
{
  enum { NOT = 1, IS = 2 };
  uint8_t known = symclass_get(c, sym);
  if (known) return known == IS;
  size_t len;
  const char *text = common->symbol_text(common, sym, &len);
  known = says(text, len) ? IS : NOT;
  symclass_put(common, c, sym, known);
  return known == IS;
}

#endif
