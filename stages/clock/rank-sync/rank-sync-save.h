/* What lanes saw, from them to the run. */
#ifndef RANK_SYNC_SAVE_H
#define RANK_SYNC_SAVE_H

#include "rank-sync-match.h"

/* Times are put on the absolute scale here: a lane's base may come after its events.  Sorts the marks. */
void sync_part_put(const SyncRun *run, SyncPart *part, const MillStageHost *host,
                   const MillLane *lane);
bool sync_part_get(SyncRun *run, const MillStageHost *host);

#endif
