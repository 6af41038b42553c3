/* Executing a run, from inputs to committed output: phases of lanes in parallel, barriers between them. */
#include "sched/run.h"

#include <pthread.h>
#include <string.h>

#include "base/num.h"
#include "base/thread.h"
#include "model/engine.h"
#include "model/log.h"
#include "model/usage.h"
#include "plan/planner.h"
#include "sched/again.h"
#include "sched/barrier.h"
#include "sched/classes.h"
#include "sched/collect.h"
#include "sched/empty.h"
#include "sched/fold.h"
#include "sched/joins.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/bases.h"
#include "sched/open.h"
#include "sched/provenance.h"
#include "sched/run-json.h"

/* ---------------------------------------------------------------- planning */

static Error *only_sides(const Run *run)
{
  const LaneInfo *first = ((const Lane *)run->lanes->pdata[0])->info;
  Error *e =
      error_new(EXIT_INPUT, "RUN-18", "no input is a trace, only the side input %s", first->name);
  error_why(e, "inputs labelled \"%s\" only describe traces", first->label);
  return error_help(e, "also name a trace: stagemill run -p PROFILE TRACE... %s=PATH",
                    first->label);
}

static Error *make_plan(const Run *run, Profile *profile, bool cascade, guint *out_of_lane,
                        Plan **out)
{
  g_autoptr(GArray) classes = classes_of_inputs(run, out_of_lane);
  if (!classes->len || !g_array_index(classes, PlanInputClass, 0).side)
    return plan_new(profile, run->modules, (const PlanInputClass *)classes->data, classes->len,
                    cascade, out);
  profile_free(profile);
  return only_sides(run);
}

Error *run_fits(const Run *run, Profile *profile)
{
  g_autofree guint *of_lane = g_new(guint, run->lanes->len);
  g_autoptr(Plan) plan = NULL;
  return make_plan(run, profile, false, of_lane, &plan);
}

static void note_skipped(Run *run, const Lane *lane)
{
  for (guint b = 0; b < lane->class->skipped->len; b++) {
    const PlanSkip *skip = &g_array_index(lane->class->skipped, PlanSkip, b);
    if (plan_left_out(run->plan, skip->stage)) continue; /* of no lane: the plan says so */
    engine_note(&run->notices, ENGINE_SKIPPED, lane->info->index, "stage",
                run->plan->stages[skip->stage].id, "fact", skip->fact, NULL);
  }
}

/* Options that a profile or the command line sets although their author gave them up. */
static void note_deprecated(Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const PlanStage *p = &run->plan->stages[s];
    for (guint i = 0; i < p->entry->with->len; i++) {
      const ProfileSetting *set = p->entry->with->pdata[i];
      const MillOption *o = option_find(p->stage->options, p->stage->n_options, set->name);
      if (!o || !(o->flags & MILL_OPTION_DEPRECATED) || !strcmp(set->origin, "default")) continue;
      engine_note(&run->notices, ENGINE_DEPRECATED, 0, "stage", p->id, "option", o->name, "origin",
                  set->origin, NULL);
    }
  }
}

static void add_read(void *plan, MillRead read) { plan_add_read(plan, read); }

static Error *choose_sinks(Run *run)
{
  g_autoptr(GPtrArray) formats = plan_formats(run->plan, run->options.formats);
  g_ptr_array_add(formats, NULL);
  Error *e = sinks_new(run->modules, (const char *const *)formats->pdata, run->options.sink_set,
                       &run->sinks);
  run->sinks->asked = run->options.formats_asked;
  run->env.with_raw = sinks_read_raw(run->sinks) || run->options.dump_after;
  if (!e) sinks_each_read(run->sinks, add_read, run->plan);
  return e;
}

Error *run_plan(Run *run, Profile *profile, bool cascade)
{
  Error *e = joins_refuse_twice(run);
  if (e) return e;
  if (profile->join_ranks) joins_make(run);
  joins_note_duplicates(run);
  lanes_name(run->lanes);
  g_autofree guint *of_lane = g_new(guint, run->lanes->len);
  e = make_plan(run, profile, cascade, of_lane, &run->plan);
  if (!e) e = choose_sinks(run);
  if (e) return e;
  note_deprecated(run);
  run->counters = g_new0(Counters, run->plan->n_stages + 1);
  run->stage_notices = g_new0(Notices, run->plan->n_stages + 1);
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    notices_init(&run->stage_notices[s], run->plan->stages[s].stage);
  run->folds = folds_new(run);
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    run_prepare_lane(run, lane, run->plan->classes->pdata[of_lane[i]]);
    note_skipped(run, lane);
  }
  return again_plan(run);
}

/* ---------------------------------------------------------- lanes in parallel */

/* --keep-going is for what is wrong with one input: not with the stream of all, the run level or the output. */
static bool fails_alone(const Run *run, const Lane *lane)
{
  return lane->error && lane->error->status != EXIT_OUTPUT && lane != run->merged;
}

static void run_segments(Run *run, Lane *lane)
{
  if (run_cancelled(run)) return;
  lane->error = lane_run(run, lane);
  bool go_on = run->options.keep_going && fails_alone(run, lane);
  if (!lane->error) lane->error = fold_done_lanes(run);
  if (!lane->error) return;
  lane->done = true;
  Error *e = go_on ? output_end_position(run->output, (int)lane->info->index) : NULL;
  if (!go_on || e) atomic_store(&run->lane_failed, 1);
  lane->error = error_join(lane->error, e);
}

static void share_threads(const Run *run, const GPtrArray *lanes)
{
  uint32_t each = MAX(1u, run->options.jobs / MAX(1u, lanes->len));
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    lane->threads = each;
    if (lane->input) lane->input->threads = each;
  }
}

/* Errors of lanes, in lane order; "interrupted" is an echo of the others. */
static Error *collect_errors(const Run *run, const GPtrArray *lanes)
{
  Error *errors = NULL;
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    if (!lane->error) continue;
    if (atomic_load(&run->cancelled) == 0 && lane->error->kind == ERROR_INTERRUPTED)
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

/* Inputs whose lane ended before they did go on with another one, planned like the first: those of the
 * lanes that ran, which only the new ones can follow. */
static GPtrArray *follow_lanes(Run *run, const GPtrArray *ran)
{
  GPtrArray *next = g_ptr_array_new();
  for (guint i = 0; i < ran->len; i++) {
    Lane *before = ran->pdata[i];
    Input *in = before->input;
    if (before->error || !in || !in->follows || in->lane != before->info) continue;
    input_follow(in, run->lanes->len);
    before->next = open_lane(run, in);
    run_prepare_lane(run, before->next, before->class);
    g_ptr_array_add(next, before->next);
  }
  if (next->len) lanes_name(run->lanes);
  return next;
}

/* Runs the lanes, and those that follow them, up to a barrier or their end. */
static Error *run_lanes(Run *run, const GPtrArray *lanes, GPtrArray **out_next)
{
  share_threads(run, lanes);
  run_each_lane(run, lanes, run_segments);
  *out_next = follow_lanes(run, lanes);
  Error *e = collect_errors(run, lanes);
  if (e && atomic_load(&run->lane_failed)) return e;
  if (e) g_ptr_array_add(run->failures, e);
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

/* ------------------------------------------------------------------ ending */

static Error *spare_inputs(const Run *run)
{
  Error *errors = NULL;
  for (guint i = 0; i < run->inputs->len; i++) {
    const InputSpec *spec = ((const Input *)run->inputs->pdata[i])->spec;
    errors = error_join(errors, output_spare(run->output, spec->path));
  }
  return errors ? output_abort(run->output, errors, false) : NULL;
}

static Error *open_output(Run *run)
{
  const RunOptions *o = &run->options;
  Error *e = NULL;
  if (o->output_file)
    e = output_file(o->output_file, o->force, &run->output);
  else if (o->output)
    e = output_folder(o->output, run->plan->profile->name, o->force, &run->output);
  else
    run->output = output_nowhere();
  if (!e && o->sync) output_sync(run->output);
  if (!e) e = spare_inputs(run);
  if (!e) run->spill = spill_new(output_temp(run->output));
  for (guint i = 0; !e && o->capture && i < o->capture->len; i++)
    output_capture(run->output, o->capture->pdata[i]);
  return e;
}

/* Only a log line: results must not depend on the memory limit. */
static void log_spilled(Run *run)
{
  char size[NUM_BUF];
  uint64_t bytes = atomic_load(&run->spilled_bytes);
  if (!bytes) return;
  num_format_size(size, bytes);
  log_format(MILL_LEVEL_INFO, "RUN",
             "held events exceeded --max-memory: %s went to a temporary file", size);
}

static void note_clipped_of(Run *run, uint32_t stage, const Reported *reported)
{
  for (uint64_t k = 0; reported && k < reported->n_clipped; k++)
    engine_note(&run->notices, ENGINE_CLIPPED, 0, "stage", run->plan->stages[stage].id, NULL);
}

/* Sums that stages clipped. */
static void note_clipped(Run *run)
{
  const Lane *lane;
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const GPtrArray *groups = run->folds[s].groups;
    for (guint l = 0; (lane = run_lane(run, l)); l++)
      note_clipped_of(run, s, lane_reported(lane, s));
    for (guint g = 0; g < groups->len; g++) {
      const Instance *i = ((const FoldGroup *)groups->pdata[g])->instance;
      note_clipped_of(run, s, i ? i->reported : NULL);
    }
  }
}

/* Inputs that shrank after they had been read, or changed between two readings. */
static Error *check_inputs(const Run *run)
{
  Error *errors = NULL;
  for (guint i = 0; i < run->inputs->len; i++) {
    const Input *in = run->inputs->pdata[i];
    errors = error_join(errors, input_has_shrunk(in) ? input_shrank(in) : origin_check(in->origin));
  }
  bool torn = block_pool_torn(run->blocks) || block_pool_torn(run->chunk_blocks);
  if (torn && !errors)
    errors = error_new(EXIT_INPUT, "RUN-04",
                       "an input cannot be read: it became shorter during the read");
  return errors;
}

static Error *finish_run(Run *run)
{
  Error *e = bases_check(run);
  if (!e) e = run_set_aside(run, empty_check(run));
  if (!e) e = fold_report(run);
  if (e) return e;
  log_spilled(run);
  note_clipped(run);
  run->results = collect_results(run);
  e = empty_check_results(run);
  if (e) return e;
  run_offer_provenance(run);
  e = sinks_end(run->sinks, results_view(run->results));
  collect_late_notices(run);
  if (!e) e = check_inputs(run);
  if (!e && run->options.output) e = run_json_write(run);
  atomic_store(&run->delicate, true);
  if (!e) e = output_commit(run->output);
  atomic_store(&run->delicate, false);
  run->written = !e;
  return e;
}

/* --strict: outputs are written, and the status still says that something was odd. */
static Error *strict_error(const Run *run)
{
  const MillResults *r = results_view(run->results);
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

Error *run_set_aside(Run *run, Error *e)
{
  if (!e || !run->options.keep_going || e->status != EXIT_INPUT) return e;
  g_ptr_array_add(run->failures, e);
  return NULL;
}

Error *run_failures(Run *run)
{
  Error *errors = NULL;
  for (guint i = 0; i < run->failures->len; i++)
    errors = error_join(errors, run->failures->pdata[i]);
  g_ptr_array_set_size(run->failures, 0);
  return errors;
}

/* Removes what was written, and leaves a log of what went wrong. */
static Error *give_up(Run *run, Error *e)
{
  if (atomic_load(&run->cancelled)) { /* whatever failed on the way is an echo */
    error_free(e);
    e = run_stopped(run);
  }
  return output_abort(run->output, e, run->options.output && e->kind != ERROR_INTERRUPTED);
}

Error *run_execute(Run *run)
{
  atomic_store(&run->delicate, true);
  Error *e = open_output(run);
  atomic_store(&run->delicate, false);
  if (e) return e;
  joins_find_bases(run);
  bases_find(run);
  e = sinks_open(run->sinks, &run->env, run->output);
  if (!e) e = run_all(run);
  if (!e) e = finish_run(run); /* commits */
  if (e) return give_up(run, e);
  e = run_failures(run);
  if (!e) e = sinks_unwritten(run->sinks);
  return e ? e : strict_error(run);
}

Error *run_profile(const RunJob *job, Run **out)
{
  Profile *profile = NULL;
  Error *e = run_new(job->modules, job->inputs, job->options, out);
  if (!e) e = job->choose(job->context, *out, &profile);
  if (!e) e = run_plan(*out, profile, job->options->cascade);
  if (e) return e;
  if (job->begin) job->begin(job->context, *out);
  e = run_execute(*out);
  if (job->end) job->end(job->context, *out);
  return e;
}

/* ------------------------------------------------------------------ asking */

void run_cancel(Run *run, int status) { atomic_store(&run->cancelled, status); }

const MillResults *run_results(const Run *run)
{
  return run->results ? results_view(run->results) : NULL;
}

void run_progress(const Run *run, uint64_t *out_done, uint64_t *out_size)
{
  bool known = true;
  *out_done = *out_size = 0;
  for (guint i = 0; i < run->inputs->len; i++) {
    const Input *in = run->inputs->pdata[i];
    uint64_t before = atomic_load(&in->reading) * in->size_bytes;
    *out_done += (before + atomic_load(&in->done_bytes)) / in->readings;
    *out_size += in->size_bytes;
    known = known && in->size_bytes;
  }
  if (!known) *out_size = 0;
}

static void free_lane_parts(Run *run, Lane *lane)
{
  lane_free_instances(run, lane);
  for (uint32_t s = 0; lane->results && s < run->plan->n_stages; s++)
    reported_free(lane->results[s]);
  g_free(lane->results);
}

void run_free(Run *run)
{
  Lane *lane;
  if (!run) return;
  results_free(run->results);
  if (run->input_hashes) g_ptr_array_unref(run->input_hashes);
  for (guint i = 0; (lane = run_lane(run, i)); i++) free_lane_parts(run, lane);
  lane_free(run->merged);
  folds_free(run);
  g_ptr_array_unref(run->expanders);
  g_ptr_array_unref(run->left_out);
  sinks_free(run->sinks);
  g_ptr_array_unref(run->joined);
  g_ptr_array_unref(run->inputs);
  sources_free(run->sources);
  g_ptr_array_unref(run->lanes);
  error_free(run_failures(run));
  g_ptr_array_unref(run->failures);
  notices_clear(&run->notices);
  output_free(run->output);
  for (uint32_t s = 0; run->stage_notices && s < run->plan->n_stages; s++)
    notices_clear(&run->stage_notices[s]);
  g_free(run->stage_notices);
  g_hash_table_unref(run->segments);
  plan_free(run->plan);
  g_free(run->counters);
  pthread_mutex_destroy(&run->fold_lock);
  pthread_mutex_destroy(&run->counters_lock);
  spill_free(run->spill);
  batch_pool_free(run->batches);
  block_pool_free(run->blocks);
  block_pool_free(run->chunk_blocks);
  block_pool_free(run->held_blocks);
  symbols_free(run->symbols);
  g_free(run);
}
