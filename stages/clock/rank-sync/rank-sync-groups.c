/* Groups of lanes; see rank-sync-groups.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-groups.h"

#include "kit/state/grow.h"

static uint32_t *place_of(const SyncRun *run, SyncPart *part, uint32_t key)
{
  bool fits = array_reserve_at(run->common, &part->group_of_key, &part->keys_max, key,
                               sizeof *part->group_of_key);
  return fits ? &part->group_of_key[key] : NULL;
}

SyncGroup *sync_group(SyncRun *run, SyncPart *part, const char *name, size_t len)
{
  uint32_t key;
  if (!names_number(&run->keys, name, len, &key)) return NULL;
  uint32_t *place = place_of(run, part, key);
  if (!place) return NULL;
  if (*place) return &part->groups[*place - 1];
  if (!array_reserve_at(run->common, &part->groups, &part->groups_max, part->n_groups,
                        sizeof *part->groups))
    return NULL;
  part->groups[part->n_groups].key = key;
  *place = ++part->n_groups;
  return &part->groups[part->n_groups - 1];
}

bool sync_groups_index(const SyncRun *run, SyncPart *part)
{
  for (uint32_t i = 0; i < part->n_groups; i++) {
    uint32_t *place = place_of(run, part, part->groups[i].key);
    if (!place) return false;
    *place = i + 1;
  }
  return true;
}

static void see(SyncStamp *largest, int64_t hz, const Stamps *stamps, const MillEvent *e,
                uint32_t k)
{
  if (!stamps->has[k] || (largest->known && stamps->cycles[k] < largest->cycles)) return;
  *largest = (SyncStamp){ stamps->cycles[k], stamps_time_ns(hz, stamps, e, k), true };
}

void sync_group_see(SyncGroup *group, int64_t hz, const Stamps *stamps, const MillEvent *e)
{
  if (!stamps->has[stamps_first(stamps->part)]) return;
  see(&group->prepared, hz, stamps, e, 1);
  see(&group->done, hz, stamps, e, 4);
}
