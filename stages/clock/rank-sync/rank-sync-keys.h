/* What makes an event a mark of a collective: its key, its role and whose clock it is. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_KEYS_H
#define RANK_SYNC_KEYS_H

#include <stagemill/types.h>

#define SYNC_KEY_MAX 512

typedef struct SyncKeys { /* symbols, interned once */
  const MillHost *common;
  MillSym group, type, peer, peers;
  MillSym collective, process_group, ranks, seq, kernel;
} SyncKeys;

typedef struct SyncKey {
  char text[SYNC_KEY_MAX];
  size_t len;
  bool too_long;
  uint32_t role; /* SYNC_BOTH ... */
} SyncKey;

void sync_keys_open(SyncKeys *keys, const MillHost *common);
/* False when the event is none. `rank` is the lane's, -1: unknown. */
bool sync_keys_find(const SyncKeys *keys, const MillBatch *batch, const MillEvent *e, int64_t rank,
                    SyncKey *out);

#endif
