/* Events moved onto the common clock. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_MOVE_H
#define RANK_SYNC_MOVE_H

#include "kit/trace/stamps.h"
#include "rank-sync-match.h"

enum { SYNC_FIT, SYNC_TIGHT, SYNC_V2 }; /* methods */

typedef struct SyncMove { /* of a lane */
  SyncLine line;
  SyncPlace place;
  int64_t base_ns, hz;
  uint32_t method;
  int64_t last_ts_ns, last_moved_ns; /* the event before, to keep strict order strict */
  bool has_last;
} SyncMove;

/* By the line; a duration is stretched with it. */
void sync_move(SyncMove *move, MillEvent *e);
/* By its stamps; false when it lacks those that are needed. */
bool sync_move_device(const SyncMove *move, const Stamps *stamps, MillEvent *e);

#endif
