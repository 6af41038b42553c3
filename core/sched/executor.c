/* Lanes in threads of this process, and the end of each; see executor.h. */
#include "sched/executor.h"

#include "input/found.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/shared.h"

/* --------------------------------------------------------------- after a lane */

/* --keep-going is for faults of one input: not of the merged stream, the run level or the
 * output. */
static bool fails_alone(const Run *run, const Lane *lane)
{
  return lane->error && lane->error->status != EXIT_OUTPUT && lane != run->lanes.merged;
}

static Error *end_lane(Run *run, Lane *lane)
{
  if (lane->at_barrier) return NULL;
  Error *e = lane_end_output(run, lane);
  lane->through = !e;
  lane->done = true;
  return e;
}

void executor_lane_ran(Run *run, Lane *lane, Error *e)
{
  lane->error = e ? e : end_lane(run, lane);
  bool go_on = run->options.keep_going && fails_alone(run, lane);
  Error *unsaved = lane->error && !go_on ? NULL : shared_let_go(run, lane);
  if (unsaved) go_on = false;
  lane->error = error_join(lane->error, unsaved);
  if (lane->input && !lane->at_barrier) found_forget(lane->input);
  if (!lane->error) lane->error = fold_done_lanes(run);
  if (!lane->error) return;
  lane->done = true;
  e = go_on ? output_end_position(run->out.output, (int)lane->info->index) : NULL;
  if (!go_on || e) atomic_store(&run->control.lane_failed, 1);
  lane->error = error_join(lane->error, e);
}

Error *executor_run_lane(Run *run, Lane *lane)
{
  return lane->from == LANE_READ ? lane_run(run, lane) : shared_run_lane(run, lane);
}

/* ------------------------------------------------------------------- threads */

static void run_one(Run *run, Lane *lane)
{
  if (!run_cancelled(run)) executor_lane_ran(run, lane, executor_run_lane(run, lane));
}

static void run_lanes(Run *run, const GPtrArray *lanes) { run_each_lane(run, lanes, run_one); }

static Error *save_observed(Run *run, Lane *lane, uint32_t stage, Summary *out)
{
  return instance_save(lane->instances[stage],
                       run->plan->stages[stage].stage->stage_ops->save_observed, out);
}

static Error *load_decision(Run *run, Lane *lane, uint32_t stage, Summary *decision)
{
  return instance_load(lane->instances[stage], PHASE_LOAD, "loading the decision",
                       run->plan->stages[stage].stage->stage_ops->load_decision, decision);
}

const Executor executor_threads = { .run = run_lanes,
                                    .save_observed = save_observed,
                                    .load_decision = load_decision,
                                    .decide = lane_decide };
