/* Groups of lanes, seen, saved and loaded; see rank-sync-groups.h. */
#include "rank-sync-groups.h"

#include <stdlib.h>

#include "kit/state/grow.h"

SyncGroup *sync_group(SyncRun *run, SyncPart *part, const char *name, size_t len)
{
  uint32_t number;
  if (!sync_run_number(run, name, len, &number)) return NULL;
  if (!array_reserve_at(run->common, &part->groups, &part->groups_max, number,
                        sizeof *part->groups))
    return NULL;
  SyncGroup *group = &part->groups[number];
  if (group->order == 0) group->order = ++part->n_groups;
  return group;
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

static bool is_moderate(int64_t v) { return v > INT64_MIN / 4 && v < INT64_MAX / 4; }

static void put_stamp(const MillStageHost *host, const SyncStamp *stamp, const MillLane *lane)
{
  int64_t at_ns = 0;
  bool fits = stamp->known && mill_abs_ts(lane, stamp->at_ns, &at_ns) && is_moderate(at_ns) &&
              is_moderate(stamp->cycles);
  host->put_int(host, fits);
  host->put_int(host, stamp->cycles);
  host->put_int(host, at_ns);
}

static SyncStamp get_stamp(const MillStageHost *host)
{
  SyncStamp stamp = { .known = host->get_int(host) != 0 };
  stamp.cycles = host->get_int(host);
  stamp.at_ns = host->get_int(host);
  return stamp;
}

/* On a lane, keys are numbered in order of appearance. */
void sync_groups_put(const SyncRun *run, const SyncPart *part, const MillStageHost *host,
                     const MillLane *lane)
{
  host->put_int(host, part->n_groups);
  for (uint32_t i = 0; i < keyed_count(run->keys) && i < part->groups_max; i++) {
    const SyncGroup *group = &part->groups[i];
    if (group->order == 0) continue;
    host->put_text(host, run->by_number[i]->key, run->by_number[i]->len);
    host->put_int(host, group->tree);
    put_stamp(host, &group->prepared, lane);
    put_stamp(host, &group->done, lane);
  }
}

bool sync_groups_get(SyncRun *run, SyncPart *part, const MillStageHost *host)
{
  int64_t n = host->get_int(host);
  for (int64_t i = 0; i < n && host->get_more(host); i++) {
    size_t len;
    const char *name = host->get_text(host, &len);
    SyncGroup *group = sync_group(run, part, name, len);
    if (!group) return false;
    group->tree = host->get_int(host) != 0;
    group->prepared = get_stamp(host);
    group->done = get_stamp(host);
  }
  return true;
}
