/* Making a run: its inputs, and what its instances may use of it; see new-run.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/new-run.h"

#include "base/worker.h"
#include "host/isolate.h"
#include "input/bases.h"
#include "input/open.h"
#include "model/usage.h"
#include "sched/executor.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/shared.h"
#include "sched/totals.h"

/* ---------------------------------------------- what instances reach of the run */

static const LaneInfo *env_lane(void *data, uint32_t index)
{
  const Inputs *in = ((Run *)data)->inputs;
  return index < in->lanes->len ? inputs_lane(in, index) : NULL;
}

/* Side inputs do not count. */
static uint32_t env_n_lanes(void *run) { return inputs_n_traces(((Run *)run)->inputs); }

static bool env_cancelled(void *run) { return run_cancelled(run); }

static bool env_planned(void *run) { return ((Run *)run)->plan != NULL; }

static MillReadRows env_wanted(void *run)
{
  const Plan *plan = ((Run *)run)->plan;
  if (!plan) return (MillReadRows){ .stride = sizeof(MillRead) };
  return (MillReadRows){ (const MillRead *)(const void *)plan->reads->data, plan->reads->len,
                         sizeof(MillRead) };
}

static bool env_move_base(void *run, LaneInfo *lane, int64_t base_ns)
{
  return bases_move(((Run *)run)->inputs, lane, base_ns);
}

static uint32_t events_of_batches(const RunOptions *o)
{
  bool isolates = o->isolate && o->isolate->len;
  return o->batch_events || !isolates ? o->batch_events : ISOLATE_BATCH_EVENTS;
}

static HostEnv make_env(Run *run)
{
  const RunOptions *o = &run->options;
  return (HostEnv){ .symbols = run->pools.symbols,
                    .budget = &run->pools.budget,
                    .batches = run->pools.batches,
                    .strict = o->strict,
                    .recover = o->recover,
                    .verify = o->verify,
                    .isolate_limit_ns =
                        o->isolate_limit_ns ? o->isolate_limit_ns : ISOLATE_LIMIT_NS,
                    .run = run,
                    .lane = env_lane,
                    .n_lanes = env_n_lanes,
                    .cancelled = env_cancelled,
                    .wanted = env_wanted,
                    .move_base = env_move_base,
                    .planned = env_planned };
}

/* ------------------------------------------------------------------- making */

static Inputs *make_inputs(Run *run)
{
  const RunOptions *o = &run->options;
  InputEnv env = { .host = &run->env,
                   .sources = sources_new(run->modules, o->source, o->sources),
                   .batches = run->pools.batches,
                   .blocks = run->pools.blocks,
                   .chunk_blocks = run->pools.chunk_blocks,
                   .chunk_bytes = run->options.chunk_bytes,
                   .rank_regex = o->rank_regex,
                   .settings = o->source_set };
  return inputs_new(&env, &run->aside);
}

static Run *make_run(Modules *modules, const RunOptions *options)
{
  Run *run = g_new0(Run, 1);
  run->options = *options;
  if (!run->options.jobs) run->options.jobs = 1;
  worker_allow(run->options.jobs - 1);
  run->modules = modules;
  run->executor = executor_of_program();
  pools_init(&run->pools, options->max_memory_bytes, events_of_batches(options));
  aside_init(&run->aside, options->keep_going);
  run->env = make_env(run);
  run->inputs = make_inputs(run);
  lanes_init(&run->lanes);
  run->control.started_ns = usage_clock_ns();
  return run;
}

Error *run_new(Modules *modules, GPtrArray *specs, const RunOptions *options, Run **out)
{
  Run *run = make_run(modules, options);
  Error *e = inputs_open(run->inputs, modules, specs);
  if (e)
    run_free(run);
  else
    *out = run;
  return e;
}

/* -------------------------------------------------------------------- ending */

static void free_results(Run *run, Lane *lane)
{
  lane_free_instances(run, lane);
  outcome_free(lane->outcome);
  for (uint32_t s = 0; lane->results && s < run->plan->n_stages; s++)
    reported_free(lane->results[s]);
  g_free(lane->results);
}

static void free_lanes(Run *run)
{
  Lane *lane;
  for (guint i = 0; (lane = run_lane(run, i)); i++) free_results(run, lane);
  for (guint i = 0; (lane = run_lane(run, i)); i++) lane_free(lane);
  lanes_clear(&run->lanes);
}

void run_free(Run *run)
{
  if (!run) return;
  ended_run_free(run->ended);
  shared_end(run);
  free_lanes(run);
  totals_clear(run);
  sinks_free(run->out.sinks);
  inputs_free(run->inputs);
  aside_clear(&run->aside);
  output_free(run->out.output);
  plan_free(run->plan);
  pools_clear(&run->pools);
  g_free(run);
}
