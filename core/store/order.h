/* Putting held events into lane order: an index of 16 bytes per event, sorted by radix. */
/* SPDX-License-Identifier: MIT */
#ifndef STORE_ORDER_H
#define STORE_ORDER_H

#include "store/pack.h"

typedef struct OrderKey {
  uint64_t key; /* time from the earliest event; 0 also for events without time */
  uint32_t pack, event;
} OrderKey;

/* Sorted by pack_compare; no event is earlier than `earliest_ns`.  The caller frees with g_free. */
OrderKey *order_index(const Pack *const *packs, uint32_t n_packs, uint64_t n_events,
                      int64_t earliest_ns);

#endif
