/* Largest stamps of each group of collectives, for the methods that go by them. */
#ifndef RANK_SYNC_GROUPS_H
#define RANK_SYNC_GROUPS_H

#include "kit/trace/stamps.h"
#include "rank-sync-match.h"

/* The group of that name on a lane, made if need be.  NULL: memory was refused. */
SyncGroup *sync_group(SyncRun *run, SyncPart *part, const char *name, size_t len);
/* An event of the group; of equal stamps the last one counts. */
void sync_group_see(SyncGroup *group, int64_t hz, const Stamps *stamps, const MillEvent *e);

/* From a lane to the run, in order of appearance; times become absolute. */
void sync_groups_put(const SyncRun *run, const SyncPart *part, const MillStageHost *host,
                     const MillLane *lane);
bool sync_groups_get(SyncRun *run, SyncPart *part, const MillStageHost *host);

#endif
