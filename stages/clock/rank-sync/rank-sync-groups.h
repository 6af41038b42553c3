/* Largest stamps of each group of collectives, for the methods that go by them. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_GROUPS_H
#define RANK_SYNC_GROUPS_H

#include "kit/trace/stamps.h"
#include "rank-sync-match.h"

/* The group of that name on a lane, made if need be; moves when another one is made.  NULL: memory was refused. */
SyncGroup *sync_group(SyncRun *run, SyncPart *part, const char *name, size_t len);
/* NULL: the lane has none of that key. */
static inline const SyncGroup *sync_group_find(const SyncPart *part, uint32_t key)
{
  uint32_t place = key < part->keys_max ? part->group_of_key[key] : 0;
  return place ? &part->groups[place - 1] : NULL;
}
/* An event of the group; of equal stamps the last one counts. */
void sync_group_see(SyncGroup *group, int64_t hz, const Stamps *stamps, const MillEvent *e);
/* Finds the groups of a lane that was merged.  False: memory was refused. */
bool sync_groups_index(const SyncRun *run, SyncPart *part);

#endif
