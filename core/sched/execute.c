/* Executing a run, from planned lanes to committed output: lanes in parallel between barriers. */
/* SPDX-License-Identifier: MIT */
#include "sched/execute.h"

#include "input/bases.h"
#include "input/rank-files.h"
#include "results/collect.h"
#include "sched/barrier.h"
#include "sched/executor.h"
#include "sched/finish.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/shared.h"

/* ---------------------------------------------------------- lanes in parallel */

static void share_threads(const Run *run, const GPtrArray *lanes)
{
  uint32_t each = MAX(1u, run->options.jobs / MAX(1u, lanes->len));
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    lane->threads = each;
    if (lane->input) lane->input->threads = each;
  }
}

/* The errors of lanes, in lane order. "interrupted" only follows from the error of another lane,
 * so it is left out. */
static Error *collect_errors(const Run *run, const GPtrArray *lanes)
{
  Error *errors = NULL;
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    if (!lane->error) continue;
    if (atomic_load(&run->control.cancelled) == 0 && lane->error->kind == ERROR_INTERRUPTED)
      error_free(lane->error);
    else
      errors = error_join(errors, lane->error);
    lane->error = NULL;
  }
  return errors;
}

static GPtrArray *ready_lanes(const Run *run)
{
  GPtrArray *ready = g_ptr_array_new();
  Lane *lane;
  for (guint i = 0; (lane = run_lane(run, i)); i++)
    if (!lane->done && !lane->at_barrier) g_ptr_array_add(ready, lane);
  return ready;
}

/* An input may end its lane before its own end; the next lane is planned like the first. Only
 * lanes that ran can have a next one. */
static GPtrArray *follow_lanes(Run *run, const GPtrArray *ran)
{
  GPtrArray *next = g_ptr_array_new();
  for (guint i = 0; i < ran->len; i++) {
    const Lane *before = ran->pdata[i];
    Input *in = before->input;
    if (before->error || !in || !in->follows || in->lane != before->info) continue;
    inputs_follow(run->inputs, in);
    Lane *after = run_add_lane(run, run->inputs->lanes->len - 1);
    run_prepare_lane(run, after, before->class);
    after->from = before->from;
    g_ptr_array_add(next, after);
  }
  if (next->len) inputs_name_lanes(run->inputs);
  return next;
}

/* Runs the lanes, and those that follow them, up to a barrier or their end. */
static Error *run_lanes(Run *run, const GPtrArray *lanes, GPtrArray **out_next)
{
  share_threads(run, lanes);
  run->executor->run(run, lanes);
  *out_next = follow_lanes(run, lanes);
  Error *e = error_join(collect_errors(run, lanes), shared_check_following(run, *out_next));
  if (e && atomic_load(&run->control.lane_failed)) return e;
  if (e) g_ptr_array_add(run->aside.errors, e);
  return run_cancelled(run) ? run_stopped(run) : NULL;
}

static Error *run_ready_lanes(Run *run)
{
  g_autoptr(GPtrArray) lanes = ready_lanes(run);
  while (lanes->len) {
    GPtrArray *next;
    Error *e = run_lanes(run, lanes, &next);
    g_ptr_array_unref(lanes);
    lanes = next;
    if (e) return e;
  }
  return NULL;
}

static Error *run_all(Run *run)
{
  for (;;) {
    bool crossed;
    Error *e = run_ready_lanes(run);
    if (!e) e = barrier_cross(run, &crossed);
    if (e) return e;
    if (!crossed) return barrier_end(run);
  }
}

/* ------------------------------------------------------------------- output */

static Error *spare_inputs(const Run *run)
{
  Error *errors = NULL;
  const GPtrArray *inputs = run->inputs->list;
  for (guint i = 0; i < inputs->len; i++) {
    const InputSpec *spec = ((const Input *)inputs->pdata[i])->spec;
    errors = error_join(errors, output_spare(run->out.output, spec->path));
  }
  return errors ? output_abort(run->out.output, errors, false) : NULL;
}

static void open_temporary(Run *run, const char *folder)
{
  run->pools.spill = spill_new(folder);
  run->env.rows_file = run->pools.rows_file = file_memory_new(folder);
}

static Error *open_output(Run *run)
{
  const RunOptions *o = &run->options;
  Error *e = NULL;
  if (o->output_file)
    e = output_file(o->output_file, o->force, &run->out.output);
  else if (o->output)
    e = output_folder(o->output, run->plan->profile->name, o->force, &run->out.output);
  else
    run->out.output = output_nowhere();
  if (!e && o->sync) output_sync(run->out.output);
  if (!e) e = spare_inputs(run);
  if (!e) open_temporary(run, output_temp(run->out.output));
  for (guint i = 0; !e && o->capture && i < o->capture->len; i++)
    output_capture(run->out.output, o->capture->pdata[i]);
  return e;
}

/* Removes what was written, and leaves a log of the error. */
static Error *give_up(Run *run, Error *e)
{
  if (atomic_load(&run->control.cancelled)) { /* other errors only follow from the cancelling */
    error_free(e);
    e = run_stopped(run);
  }
  return output_abort(run->out.output, e, run->options.output && e->kind != ERROR_INTERRUPTED);
}

/* -------------------------------------------------------------------- whole */

static void search_base(Run *run, Lane *lane)
{
  (void)run; /* run_each_lane gives it */
  bases_search(lane->input);
}

Error *run_execute(Run *run)
{
  Error *e = shared_begin(run);
  if (e) return e;
  atomic_store(&run->control.delicate, true);
  e = open_output(run);
  atomic_store(&run->control.delicate, false);
  if (e) return e;
  rank_files_find_bases(run->inputs);
  if (bases_are_needed(run->inputs)) run_each_lane(run, run->lanes.list, search_base);
  e = sinks_open(run->out.sinks, &run->env, run->out.output);
  run->env.n_lead = collect_n_lead(run->inputs);
  if (!e) e = run_all(run);
  if (!e && !shared_is_shard(run)) e = finish_run(run); /* commits */
  return e && !run->out.written ? give_up(run, e) : e;
}
