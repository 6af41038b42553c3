/* Numbers by pairs of numbers, and arrays, in memory that the host counts. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PAIR_TABLE_H
#define KIT_PAIR_TABLE_H

#include <stagemill/types.h>

#include "base/hash.h"

typedef struct PairSlot {
  uint64_t a, b;  /* the key */
  uint64_t value; /* 0: the slot is free */
} PairSlot;

/* Values that are not 0, by two numbers. */
typedef struct PairTable {
  const MillHost *common;
  const MillSeed *seed;
  bool (*keeps)(const void *user,
                const PairSlot *slot); /* when it grows, others are left out; or NULL */
  const void *user;
  PairSlot *slots;
  uint32_t mask, n_used;
} PairTable;

uint64_t pair_table_get(const PairTable *t, uint64_t a, uint64_t b);       /* 0: it is not there */
bool pair_table_put(PairTable *t, uint64_t a, uint64_t b, uint64_t value); /* false: refused */
void pair_table_clear(PairTable *t);

/* Room for one more element of an array in the host's memory; NULL: refused. */
void *array_grow(const MillHost *common, void *old, uint32_t n, uint32_t *max, size_t element_size);

#endif
