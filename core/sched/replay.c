/* Replay; see replay.h.  The contract is in stagemill/stage.h. */
#include "sched/replay.h"

bool replay_can(const Descriptor *stage)
{
  const MillStageOps *ops = stage->stage_ops;
  return stage->scope == MILL_SCOPE_LANE && ops->observe && ops->save_decision &&
         ops->load_decision;
}

/* What the first instance counted stays; what the second counts while it learns what was decided
 * does not. */
static Error *go_on(Run *run, Instance *first, uint32_t stage, Summary *decision, Instance *second)
{
  const MillStageOps *ops = second->descriptor->stage_ops;
  second->mute = true;
  Error *e = instance_open_stage(second, option_values_struct(run->plan->stages[stage].options));
  if (!e)
    e = instance_load(second, PHASE_LOAD, "loading the decision", ops->load_decision, decision);
  second->mute = false;
  notices_merge(&second->notices, &first->notices, 0);
  second->counters = first->counters;
  return error_join(e, instance_close(first));
}

Error *replay_stage(Run *run, Lane *lane, uint32_t stage)
{
  Instance *first = lane->instances[stage];
  Summary decision = { 0 };
  if (!replay_can(first->descriptor)) return NULL;
  Error *e = instance_save(first, first->descriptor->stage_ops->save_decision, &decision);
  if (!e) {
    Instance *second = instance_new(&run->env, lane->info, first->descriptor, first->id);
    lane->instances[stage] = second;
    e = go_on(run, first, stage, &decision, second);
    instance_free(first);
  }
  summary_clear(&decision);
  return e;
}
