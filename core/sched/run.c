/* A run from inputs to committed output: phases of lanes in parallel, barriers between them. */
#include "sched/run.h"

#include <pthread.h>
#include <string.h>

#include "base/num.h"
#include "base/thread.h"
#include "sched/barrier.h"
#include "input/chunks.h"
#include "model/engine.h"
#include "sched/expand.h"
#include "input/feed.h"
#include "input/input.h"
#include "sched/lane.h"
#include "sched/late.h"
#include "model/log.h"
#include "results/results.h"
#include "sched/run-json.h"
#include "output/sinks.h"
#include "model/usage.h"

/* ----------------------------------------------------------------- opening */

static Run *run_empty(Modules *modules, const RunOptions *options)
{
  Run *run = g_new0(Run, 1);
  run->options = *options;
  if (!run->options.jobs) run->options.jobs = 1;
  run->modules = modules;
  run->symbols = symbols_new();
  run->budget.limit_bytes =
      options->max_memory_bytes ? options->max_memory_bytes : budget_default();
  run->batches = batch_pool_new(options->batch_events ? options->batch_events : BATCH_EVENTS);
  run->blocks = block_pool_new(FEED_BLOCK + FEED_ROOM);
  run->chunk_blocks = block_pool_new(CHUNK_BYTES + CHUNK_OVERLAP);
  run->inputs = g_ptr_array_new_with_free_func((GDestroyNotify)input_free);
  run->lanes = g_ptr_array_new_with_free_func((GDestroyNotify)lane_free);
  run->sinks = g_ptr_array_new();
  run->failures = g_ptr_array_new();
  run->names = modules_names(modules);
  run->sources = g_ptr_array_new();
  run->expanders = g_ptr_array_new_with_free_func((GDestroyNotify)instance_free);
  pthread_mutex_init(&run->fold_lock, NULL);
  notices_init(&run->notices, engine_stage());
  run->started_ns = usage_clock_ns();
  return run;
}

const Module *run_source(Run *run, guint index)
{
  while (run->sources->len <= index && run->next_name < run->names->len) {
    const char *name = run->names->pdata[run->next_name++];
    const Module *m = modules_take(run->modules, MILL_KIND_SOURCE, name);
    if (m) g_ptr_array_add(run->sources, (gpointer)m);
  }
  return index < run->sources->len ? run->sources->pdata[index] : NULL;
}

static void note_duplicate_ranks(Run *run)
{
  g_autoptr(GHashTable) ranks = g_hash_table_new(g_int64_hash, g_int64_equal);
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    if (lane->rank >= 0 && !g_hash_table_add(ranks, &lane->rank))
      engine_note(run, ENGINE_DUPLICATE_RANK, lane->index, NULL);
  }
}

/* What lies in a folder beside the traces: empty, or in no known format. */
static bool passes_by(const InputSpec *spec, const Error *e)
{
  return spec->optional && (!strcmp(e->code, "RUN-03") || !strcmp(e->code, "RUN-05"));
}

static Error *nothing_recognised(void)
{
  Error *e = error_new(EXIT_INPUT, "RUN-92",
                       "none of the files found is in a format that a source here can read");
  return error_help(e, "stagemill list sources    shows the formats");
}

Error *run_new(Modules *modules, GPtrArray *inputs, const RunOptions *options, Run **out)
{
  Run *run = run_empty(modules, options);
  Error *errors = expand_folders(run, inputs);
  for (guint i = 0; i < inputs->len; i++) {
    Input *in;
    InputSpec *spec = inputs->pdata[i];
    Error *e = input_open(run, spec, run->lanes->len, &in);
    if (e && passes_by(spec, e)) {
      log_format(MILL_LEVEL_INFO, "RUN", "%s was passed by: %s", spec->path, e->what);
      error_free(e);
      lane_free(in->lane);
      input_free(in);
      continue;
    }
    errors = error_join(errors, e);
    g_ptr_array_add(run->inputs, in);
    g_ptr_array_add(run->lanes, in->lane);
  }
  if (!errors && !run->lanes->len) errors = nothing_recognised();
  g_free(g_ptr_array_steal(inputs, NULL)); /* the inputs own their specs now */
  if (errors) {
    run_free(run);
    return errors;
  }
  note_duplicate_ranks(run);
  *out = run;
  return NULL;
}

/* ---------------------------------------------------------------- planning */

static bool same_facts(const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len) return false;
  for (guint i = 0; i < a->len; i++)
    if (!g_ptr_array_find_with_equal_func((GPtrArray *)b, a->pdata[i], g_str_equal, NULL))
      return false;
  return true;
}

static guint class_of(const GArray *classes, const PlanInputClass *class)
{
  guint c = 0;
  for (; c < classes->len; c++) {
    const PlanInputClass *k = &g_array_index(classes, PlanInputClass, c);
    if (!strcmp(k->source, class->source) && !strcmp(k->dialect, class->dialect) &&
        same_facts(k->facts, class->facts))
      break;
  }
  return c;
}

/* What the lanes are: PlanInputClass, and which of them each lane is. */
static GArray *input_classes(const Run *run, guint *out_of_lane)
{
  GArray *classes = g_array_new(FALSE, FALSE, sizeof(PlanInputClass));
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *lane = run->lanes->pdata[i];
    PlanInputClass k = { lane->input->source->name, lane->dialect, lane->facts };
    out_of_lane[i] = class_of(classes, &k);
    if (out_of_lane[i] == classes->len) g_array_append_val(classes, k);
  }
  return classes;
}

static Error *make_plan(const Run *run, Profile *profile, bool cascade, guint *out_of_lane,
                        Plan **out)
{
  g_autoptr(GArray) classes = input_classes(run, out_of_lane);
  return plan_new(profile, run->modules, (const PlanInputClass *)classes->data, classes->len,
                  cascade, out);
}

Error *run_fits(const Run *run, Profile *profile)
{
  g_autofree guint *of_lane = g_new(guint, run->lanes->len);
  g_autoptr(Plan) plan = NULL;
  return make_plan(run, profile, false, of_lane, &plan);
}

static void note_bypassed(Run *run, const Lane *lane)
{
  for (guint b = 0; b < lane->class->bypassed->len; b++) {
    const PlanBypass *bypass = &g_array_index(lane->class->bypassed, PlanBypass, b);
    engine_note(run, ENGINE_BYPASSED, lane->index, "stage", run->plan->stages[bypass->stage].id,
                "fact", bypass->fact, NULL);
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
      engine_note(run, ENGINE_DEPRECATED, 0, "stage", p->id, "option", o->name, "origin",
                  set->origin, NULL);
    }
  }
}

/* Those of the class, or of the merged stream; a lane that joins goes on behind the split. */
static GPtrArray *segments_of(const Plan *plan, const PlanClass *class)
{
  GPtrArray *segments = g_ptr_array_new();
  bool merged = class == plan->joint;
  if (!merged) g_ptr_array_extend(segments, class->segments, NULL, NULL);
  for (guint i = 0; (merged || class->joins) && i < plan->joint->segments->len; i++) {
    Segment *s = plan->joint->segments->pdata[i];
    if (s->merged == merged) g_ptr_array_add(segments, s);
  }
  return segments;
}

void run_prepare_lane(Run *run, Lane *lane, PlanClass *class)
{
  lane->class = class;
  lane->segments = segments_of(run->plan, class);
  lane->instances = g_new0(Instance *, run->plan->n_stages + 1);
  lane->sinks = g_new0(Instance *, run->sinks->len + 1);
}

Error *run_plan(Run *run, Profile *profile, bool cascade)
{
  g_autofree guint *of_lane = g_new(guint, run->lanes->len);
  Error *e = make_plan(run, profile, cascade, of_lane, &run->plan);
  if (!e) e = sinks_choose(run);
  if (e) return e;
  note_deprecated(run);
  if (run->options.dump_after) run->want_raw = true;
  run->counters = g_new0(Counters, run->plan->n_stages + 1);
  run->folds = folds_new(run);
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    run_prepare_lane(run, lane, run->plan->classes->pdata[of_lane[i]]);
    note_bypassed(run, lane);
  }
  return NULL;
}

/* ---------------------------------------------------------- lanes in parallel */

typedef struct Phase {
  Run *run;
  const GPtrArray *lanes;
  void (*work)(Run *run, Lane *lane);
  _Atomic uint32_t next;
} Phase;

static void *work_on_lanes(void *data)
{
  Phase *p = data;
  for (;;) {
    uint32_t i = atomic_fetch_add(&p->next, 1);
    if (i >= p->lanes->len) return NULL;
    p->work(p->run, p->lanes->pdata[i]);
  }
}

void run_each_lane(Run *run, const GPtrArray *lanes, void (*work)(Run *run, Lane *lane))
{
  Phase phase = { .run = run, .lanes = lanes, .work = work };
  uint32_t n = MIN(run->options.jobs, lanes->len), started = 0;
  g_autofree pthread_t *threads = g_new0(pthread_t, n + 1);
  for (uint32_t i = 1; i < n; i++)
    if (!thread_start(&threads[started], work_on_lanes, &phase)) started++;
  work_on_lanes(&phase);
  for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static void run_segments(Run *run, Lane *lane)
{
  if (run_cancelled(run)) return;
  lane->error = lane_run(run, lane);
  if (!lane->error) lane->error = fold_done_lanes(run);
  if (!lane->error) return;
  lane->done = true;
  if (!run->options.keep_going)
    atomic_store(&run->lane_failed, 1);
  else
    error_free(output_end_place(run->output, (int)lane->index));
}

static void share_threads(Run *run, guint n_lanes)
{
  uint32_t each = MAX(1u, run->options.jobs / MAX(1u, n_lanes));
  for (guint i = 0; i < run->inputs->len; i++) ((Input *)run->inputs->pdata[i])->threads = each;
}

/* Errors of lanes, in lane order; "interrupted" is an echo of the others. */
static Error *collect_errors(Run *run)
{
  Error *errors = NULL;
  Lane *lane;
  for (guint i = 0; (lane = run_lane(run, i)); i++) {
    if (!lane->error) continue;
    if (atomic_load(&run->cancelled) == 0 && !strcmp(lane->error->code, "RUN-09"))
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

/* Inputs whose lane ended before they did go on with another one, planned like the first. */
static void follow_lanes(Run *run)
{
  for (guint i = 0; i < run->inputs->len; i++) {
    Input *in = run->inputs->pdata[i];
    if (!in->follows || in->lane->error) continue;
    PlanClass *class = in->lane->class;
    Lane *lane = input_follow(in, run->lanes->len);
    run_prepare_lane(run, lane, class);
    g_ptr_array_add(run->lanes, lane);
  }
}

static Error *run_all(Run *run)
{
  for (;;) {
    g_autoptr(GPtrArray) ready = ready_lanes(run);
    if (ready->len) {
      share_threads(run, ready->len);
      run_each_lane(run, ready, run_segments);
      follow_lanes(run);
      Error *e = collect_errors(run);
      if (e && !run->options.keep_going) return e;
      if (e) g_ptr_array_add(run->failures, e);
      if (run_cancelled(run)) return run_stopped(run);
      continue;
    }
    bool crossed;
    Error *e = barrier_cross(run, &crossed);
    if (e) return e;
    if (!crossed) return barrier_end(run);
  }
}

/* ------------------------------------------------------------------ ending */

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
             "held events went beyond --max-memory: %s were put in a temporary file", size);
}

/* Inputs that shrank after they had been read; events that were held still showed them. */
static Error *check_inputs(const Run *run)
{
  Error *errors = NULL;
  for (guint i = 0; i < run->inputs->len; i++)
    if (input_has_shrunk(run->inputs->pdata[i]))
      errors = error_join(errors, input_shrank(run->inputs->pdata[i]));
  bool torn = block_pool_torn(run->blocks) || block_pool_torn(run->chunk_blocks);
  if (torn && !errors)
    errors = error_new(EXIT_INPUT, "RUN-04", "an input cannot be read: its bytes have vanished");
  return errors;
}

static Error *finish_run(Run *run)
{
  Error *e = late_check_bases(run);
  if (!e) e = fold_report(run);
  if (e) return e;
  log_spilled(run);
  run->results = results_new(run);
  e = sinks_end(run, results_view(run->results));
  if (!e) e = check_inputs(run);
  if (!e && run->options.output) e = run_json_write(run);
  return e ? e : output_commit(run->output);
}

/* --strict: outputs are written, and the status still says that something was odd. */
static Error *strict_error(const Run *run)
{
  const MillResults *r = results_view(run->results);
  if (!run->options.strict) return NULL;
  for (uint32_t i = 0; i < r->n_notices; i++) {
    const char *code, *what, *effect, *help;
    uint64_t count;
    const MillNotice *n = r->notice(r, i, &code, &count, &what, &effect, &help);
    if (n->level > MILL_LEVEL_WARNING) continue;
    Error *e = error_new(EXIT_INPUT, code, "%s", what);
    return error_why(e, "--strict makes every warning an error; the results were written");
  }
  return NULL;
}

static Error *failures(Run *run)
{
  Error *errors = NULL;
  for (guint i = 0; i < run->failures->len; i++)
    errors = error_join(errors, run->failures->pdata[i]);
  g_ptr_array_set_size(run->failures, 0);
  return errors;
}

Error *run_execute(Run *run)
{
  Error *e = open_output(run);
  if (e) return e;
  late_find_bases(run);
  e = sinks_open(run);
  if (!e) e = run_all(run);
  if (!e) e = finish_run(run);
  if (e && atomic_load(&run->cancelled)) { /* whatever failed on the way is an echo */
    error_free(e);
    e = run_stopped(run);
  }
  if (e) {
    g_autoptr(GString) log = g_string_new(NULL);
    error_format(e, true, false, log);
    bool leave =
        run->options.output && e->status != EXIT_INTERRUPTED && e->status != EXIT_TERMINATED;
    output_abort(run->output, leave ? log->str : NULL);
    return e;
  }
  e = failures(run);
  return e ? e : strict_error(run);
}

/* ------------------------------------------------------------------ asking */

Lane *run_lane(const Run *run, guint index)
{
  if (index < run->lanes->len) return run->lanes->pdata[index];
  return index == run->lanes->len ? run->merged : NULL;
}

bool run_cancelled(const Run *run)
{
  return atomic_load_explicit(&((Run *)run)->cancelled, memory_order_relaxed) ||
         atomic_load_explicit(&((Run *)run)->lane_failed, memory_order_relaxed);
}

Error *run_stopped(const Run *run)
{
  int status = atomic_load(&((Run *)run)->cancelled);
  if (status != EXIT_LIMIT) return error_new(status, "RUN-09", "interrupted");
  Error *e = error_new(status, "RUN-10", "the time limit was reached");
  return error_help(e, "give more time with --timeout, or cut the input with --from and --to");
}

void run_cancel(Run *run, int status) { atomic_store(&run->cancelled, status); }

const MillResults *run_results(const Run *run)
{
  return run->results ? results_view(run->results) : NULL;
}

uint64_t run_events(const Run *run)
{
  uint64_t n = 0;
  for (guint i = 0; i < run->lanes->len; i++) n += ((const Lane *)run->lanes->pdata[i])->n_events;
  return n;
}

void run_progress(const Run *run, uint64_t *out_done, uint64_t *out_size)
{
  bool known = true;
  *out_done = *out_size = 0;
  for (guint i = 0; i < run->inputs->len; i++) {
    const Input *in = run->inputs->pdata[i];
    *out_done += atomic_load(&in->done_bytes);
    *out_size += in->size_bytes;
    known = known && in->size_bytes;
  }
  if (!known) *out_size = 0;
}

static void free_lane_parts(Run *run, Lane *lane)
{
  for (uint32_t s = 0; lane->instances && s < run->plan->n_stages; s++)
    instance_free(lane->instances[s]);
  for (guint s = 0; lane->sinks && s < run->sinks->len; s++) instance_free(lane->sinks[s]);
  g_free(lane->instances);
  g_free(lane->sinks);
}

void run_free(Run *run)
{
  Lane *lane;
  if (!run) return;
  results_free(run->results);
  for (guint i = 0; (lane = run_lane(run, i)); i++) free_lane_parts(run, lane);
  lane_free(run->merged);
  folds_free(run);
  g_ptr_array_unref(run->expanders);
  g_ptr_array_unref(run->sources);
  g_ptr_array_unref(run->names);
  sinks_free(run);
  g_ptr_array_unref(run->inputs);
  g_ptr_array_unref(run->lanes);
  error_free(failures(run));
  g_ptr_array_unref(run->failures);
  notices_clear(&run->notices);
  output_free(run->output);
  plan_free(run->plan);
  g_free(run->counters);
  pthread_mutex_destroy(&run->fold_lock);
  spill_free(run->spill);
  batch_pool_free(run->batches);
  block_pool_free(run->blocks);
  block_pool_free(run->chunk_blocks);
  symbols_free(run->symbols);
  g_free(run);
}
