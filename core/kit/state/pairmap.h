/* A map from two numbers to a third one that is not 0. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PAIRMAP_H
#define KIT_PAIRMAP_H

#include <stagemill/types.h>

#include "base/hash.h"

typedef struct PairSlot {
  uint64_t a, b, value; /* value 0: free */
} PairSlot;

typedef struct PairMap {
  const MillHost *common;
  const MillSeed *seed;
  PairSlot *slots; /* open addressing; a power of two */
  size_t n, n_slots;
} PairMap;

void pairmap_open(PairMap *, const MillHost *common);
/* Forgets all. */
void pairmap_clear(PairMap *);
/* The value, 0 of a pair that is new: to be set at once.  NULL: memory was refused. */
uint64_t *pairmap_at(PairMap *, uint64_t a, uint64_t b);
/* 0: there is none. */
uint64_t pairmap_get(const PairMap *, uint64_t a, uint64_t b);
/* All of them, in no order that means anything; begin with *at 0.  NULL: no more. */
const PairSlot *pairmap_next(const PairMap *, size_t *at);

#endif
