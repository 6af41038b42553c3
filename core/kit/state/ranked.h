/* The entries of a map by size, the largest first, as tables with cumulative shares need them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_RANKED_H
#define KIT_RANKED_H

#include "kit/state/keyed.h"

typedef struct RankedEntry {
  const KeyedEntry *entry;
  int64_t size;
} RankedEntry;

typedef struct Ranked {
  RankedEntry *entries; /* in scratch memory */
  uint32_t n;
  __int128 total, sum; /* of all, and of those before and at the one that was asked for last */
} Ranked;

/* Of equal size by key.  False: memory was refused. */
bool ranked_make(const MillHost *common, Keyed *k, int64_t (*size_of)(const void *state),
                 Ranked *out);
/* Share of the entry in the total, in percent, and that with all before it: to be asked in order.  Empty where the
 * total is not positive. */
double ranked_share(const Ranked *, uint32_t i);
double ranked_cumulative(Ranked *, uint32_t i);

/* A part in percent of the whole; empty where that is not positive. */
double percent_of(__int128 part, __int128 whole);

#endif
