/* The end of a run; see finish.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/finish.h"

#include "base/num.h"
#include "input/bases.h"
#include "input/no-events.h"
#include "model/engine.h"
#include "model/log.h"
#include "output/run-json.h"
#include "results/collect.h"
#include "results/provenance.h"
#include "rules/judge.h"
#include "sched/account.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/shared.h"

/* -------------------------------------------------------- what lanes have left */

static void end_groups(EndedStage *out, const Fold *f)
{
  out->by = f->by;
  for (guint g = 0; g < f->groups->len; g++) {
    const FoldGroup *group = f->groups->pdata[g];
    EndedGroup one = { group->values, group->instance->reported, &group->instance->notices };
    g_array_append_val(out->groups, one);
  }
}

static void end_stage(const Run *run, uint32_t stage, EndedStage *out)
{
  const Lane *lane;
  out->counters = &run->totals.counters[stage];
  out->notices = &run->totals.notices[stage];
  for (guint l = 0; (lane = run_lane(run, l)); l++) out->lanes[l] = lane_reported(lane, stage);
  end_groups(out, &run->totals.folds[stage]);
}

EndedRun *finish_end(const Run *run)
{
  const Lane *merged = run->lanes.merged;
  EndedRun *ended = ended_run_new(run->plan, run->inputs, merged ? merged->info : NULL);
  ended->arguments = run->options.arguments;
  ended->source_settings = run->options.source_set;
  ended->cascade = run->options.cascade;
  ended->recover = run->options.recover;
  if (file_memory_bytes(run->pools.rows_file)) ended->rows_file = run->pools.rows_file;
  for (guint l = 0; l < run->lanes.list->len; l++)
    ended->classes[l] = ((const Lane *)run->lanes.list->pdata[l])->class;
  for (uint32_t s = 0; s < run->plan->n_stages; s++) end_stage(run, s, &ended->stages[s]);
  return ended;
}

/* ------------------------------------------------------------------- notices */

static uint64_t spilled_bytes(const Run *run)
{
  uint64_t n = 0;
  const Lane *lane;
  for (guint i = 0; (lane = run_lane(run, i)); i++) n += lane->spilled_bytes;
  return n;
}

/* Only in the log: results must not depend on the memory limit. */
static void log_spilled(const Run *run)
{
  char size[NUM_BUF];
  uint64_t bytes = spilled_bytes(run);
  if (!bytes) return;
  num_format_size(size, bytes);
  log_format(MILL_LEVEL_INFO, "RUN",
             "held events exceeded --max-memory: %s went to a temporary file", size);
}

static void note_clipped_of(Run *run, const EndedStage *stage, const Reported *reported)
{
  for (uint64_t k = 0; reported && k < reported->n_clipped; k++)
    engine_note(&run->aside.notices, ENGINE_CLIPPED, 0, "stage", stage->planned->id, NULL);
}

/* Counts sums that stages clipped. */
static void note_clipped(Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const EndedStage *stage = &run->ended->stages[s];
    for (guint l = 0; l <= run->inputs->lanes->len; l++)
      note_clipped_of(run, stage, stage->lanes[l]);
    for (guint g = 0; g < stage->groups->len; g++)
      note_clipped_of(run, stage, g_array_index(stage->groups, EndedGroup, g).reported);
  }
}

/* A merged stream has noted its own. */
static void note_bases(Run *run)
{
  if (!run->lanes.merged && run->inputs->one_file && run->inputs->lanes->len)
    bases_note_unknown(&run->aside, run->inputs->lanes);
}

/* ------------------------------------------------------------------- results */

static void add_notices(void *ended, const Notices *sum) { collect_notices_of(ended, sum); }

static const LaneInfo *lane_of(const void *run, uint32_t index)
{
  const Inputs *inputs = ((const Run *)run)->inputs;
  return index < inputs->lanes->len ? inputs->lanes->pdata[index] : NULL;
}

static void note_rule(void *notices, const char *what)
{
  engine_note(notices, ENGINE_RULE, 0, "what", what, NULL);
}

static Error *judge_results(Run *run)
{
  Notices notices;
  const JudgeEnv env = { .modules = run->modules,
                         .lane = lane_of,
                         .lanes = run,
                         .folder = output_temp(run->out.output),
                         .fault = note_rule,
                         .context = &notices };
  if (run->options.no_findings) return NULL;
  notices_init(&notices, engine_stage());
  Error *e = rules_judge(run->ended->results, run->plan->profile, &env);
  if (!e) collect_notices_of(run->ended, &notices);
  notices_clear(&notices);
  return e;
}

static Error *make_results(Run *run)
{
  run->ended = finish_end(run);
  log_spilled(run);
  note_clipped(run);
  collect_results(run->ended);
  sinks_each_notices(run->out.sinks, add_notices, run->ended);
  Error *e = judge_results(run);
  if (e || !run->options.output) return e;
  return no_events_check_results(run->inputs, run->plan->profile, run_results(run));
}

static Error *write_results(Run *run)
{
  provenance_offer(run->ended);
  Error *e = sinks_end(run->out.sinks, run_results(run));
  run->out.n_early_notices = run_results(run)->n_notices;
  /* Summaries are written already, so they lack what sinks counted meanwhile. */
  sinks_each_late(run->out.sinks, add_notices, run->ended);
  run_results(run);
  return e;
}

static Error *write_run_json(const Run *run)
{
  const RunOptions *o = &run->options;
  const RunEvents events = account_sum(run);
  RunJson json = { .run = run->ended,
                   .events = &events,
                   .sinks = run->out.sinks,
                   .command_line = o->command_line,
                   .sink_settings = o->sink_set,
                   .timings = o->timings,
                   .since_ns = run->control.started_ns,
                   .jobs = o->jobs,
                   .max_memory_bytes = run->pools.budget.limit_bytes,
                   .spilled_bytes = spilled_bytes(run) };
  json.has_state = shared_counts(run, &json.lanes_taken, &json.lanes_read);
  return run_json_write(&json, run->out.output);
}

static Error *commit(Run *run)
{
  atomic_store(&run->control.delicate, true);
  Error *e = output_commit(run->out.output);
  atomic_store(&run->control.delicate, false);
  run->out.written = !e;
  return e;
}

/* --strict: outputs are written, but the status shows that there were warnings. */
static Error *strict_error(const Run *run)
{
  const MillResults *r = run_results(run);
  if (!run->options.strict) return NULL;
  for (uint32_t i = 0; i < r->n_notices; i++) {
    MillNoticeResult n = { .size = sizeof n };
    r->notice(r, i, &n);
    if (n.notice->level > MILL_LEVEL_WARNING) continue;
    Error *e = error_new(EXIT_INPUT, n.code, "%s", n.what);
    return error_why(e, "--strict makes every warning an error; the results were written");
  }
  return NULL;
}

/* After the output is in place. */
static Error *judge(Run *run)
{
  Error *e = aside_take_errors(&run->aside);
  if (!e) e = sinks_unwritten(run->out.sinks);
  return e ? e : strict_error(run);
}

Error *finish_run(Run *run)
{
  bool to_trace = run->options.output_file != NULL;
  Error *e = bases_check(run->inputs);
  if (e) return e;
  note_bases(run);
  e = no_events_check(run->inputs, run->plan->profile, to_trace);
  e = aside_put(&run->aside, e);
  if (!e) e = fold_report(run);
  if (!e) e = make_results(run);
  if (!e) e = write_results(run);
  if (!e) e = inputs_check_unchanged(run->inputs);
  if (!e && run->options.output) e = write_run_json(run);
  if (!e) e = commit(run);
  return e ? e : judge(run);
}
