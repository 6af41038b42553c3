/* Lanes in threads of this process, and the end of each; see executor.h. */
/* SPDX-License-Identifier: MIT */
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

/* What other processes need of the lane is with them before it can be folded, which takes it. */
static Error *end_lane(Run *run, Lane *lane)
{
  Error *e = lane_end_output(run, lane);
  if (!e) e = shared_let_go(run, lane);
  if (e) g_clear_pointer(&lane->outcome, outcome_free);
  lane->through = !e;
  return e;
}

/* False: the run cannot go on without the lane. */
static bool give_up_lane(Run *run, Lane *lane)
{
  if (!run->options.keep_going || !fails_alone(run, lane)) return false;
  Error *e = shared_let_go(run, lane);
  if (!e) e = output_end_position(run->out.output, (int)lane->info->index);
  lane->error = error_join(lane->error, e);
  return !e;
}

void executor_lane_ran(Run *run, Lane *lane, Error *e)
{
  lane->error = e || lane->at_barrier ? e : end_lane(run, lane);
  bool go_on = lane->error && give_up_lane(run, lane);
  if (lane->input && !lane->at_barrier) found_forget(lane->input);
  if (lane->error || !lane->at_barrier) lane->done = true;
  if (!lane->error) lane->error = fold_done_lanes(run, lane);
  if (lane->error && !go_on) atomic_store(&run->control.lane_failed, 1);
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
