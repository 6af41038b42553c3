/* Replay; see replay.h.  The contract is in stagemill/stage.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/replay.h"

#include "plan/reread.h"
#include "sched/lanes.h"

Error *replay_fresh(Run *run, Lane *lane, uint32_t stage, Summary *decision, Instance **out)
{
  Error *e = lane_open_stage(run, lane, stage, true, out);
  const MillStageOps *ops = (*out)->descriptor->stage_ops;
  if (!e) e = instance_load(*out, PHASE_LOAD, "loading the decision", ops->load_decision, decision);
  (*out)->mute = false;
  return e;
}

Error *replay_succeed(Instance *first, Instance *second)
{
  notices_merge(&second->notices, &first->notices, 0);
  second->counters = first->counters;
  return instance_close(first);
}

Error *replay_stage(Run *run, Lane *lane, uint32_t stage)
{
  Instance *first = lane->instances[stage];
  Summary decision = { 0 };
  if (!reread_replays(first->descriptor)) return NULL;
  Error *e = instance_save(first, first->descriptor->stage_ops->save_decision, &decision);
  if (!e) {
    e = replay_fresh(run, lane, stage, &decision, &lane->instances[stage]);
    e = error_join(e, replay_succeed(first, lane->instances[stage]));
    instance_free(first);
  }
  summary_clear(&decision);
  return e;
}
