/* Making a run: what its instances reach, and its inputs; see open.h. */
#include "sched/open.h"

#include "base/hash-seed.h"
#include "base/second.h"
#include "input/chunks.h"
#include "input/feed.h"
#include "input/join.h"
#include "model/engine.h"
#include "model/log.h"
#include "model/usage.h"
#include "sched/expand.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/named-folders.h"
#include "sched/bases.h"

/* ---------------------------------------------- what instances reach of the run */

static const LaneInfo *env_lane(void *run, uint32_t index)
{
  const GPtrArray *lanes = ((Run *)run)->lanes;
  return index < lanes->len ? ((const Lane *)lanes->pdata[index])->info : NULL;
}

/* Side inputs are the last ones: nobody counts them. */
static uint32_t env_n_lanes(void *run)
{
  const GPtrArray *lanes = ((Run *)run)->lanes;
  guint n = lanes->len;
  while (n && ((const Lane *)lanes->pdata[n - 1])->info->side) n--;
  return n;
}

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
  return bases_move(run, lane, base_ns);
}

static void make_envs(Run *run)
{
  const RunOptions *o = &run->options;
  run->env = (HostEnv){ .symbols = run->symbols,
                        .budget = &run->budget,
                        .batches = run->batches,
                        .strict = o->strict,
                        .recover = o->recover,
                        .verify = o->verify,
                        .jobs = o->jobs,
                        .run = run,
                        .lane = env_lane,
                        .n_lanes = env_n_lanes,
                        .cancelled = env_cancelled,
                        .wanted = env_wanted,
                        .move_base = env_move_base,
                        .planned = env_planned };
  run->input_env = (InputEnv){ .host = &run->env,
                               .sources = run->sources,
                               .batches = run->batches,
                               .blocks = run->blocks,
                               .chunk_blocks = run->chunk_blocks,
                               .rank_regex = o->rank_regex,
                               .settings = o->source_set };
}

static Run *run_empty(Modules *modules, const RunOptions *options)
{
  Run *run = g_new0(Run, 1);
  run->options = *options;
  if (!run->options.jobs) run->options.jobs = 1;
  second_allow(run->options.jobs - 1);
  run->modules = modules;
  run->symbols = symbols_new();
  run->budget.limit_bytes =
      options->max_memory_bytes ? options->max_memory_bytes : budget_default();
  symbols_charge_to(run->symbols, &run->budget);
  run->batches = batch_pool_new(options->batch_events ? options->batch_events : BATCH_EVENTS);
  run->blocks = block_pool_new(FEED_BLOCK + FEED_CARRY_MAX);
  run->chunk_blocks = block_pool_new(CHUNK_BYTES + CHUNK_OVERLAP);
  run->held_blocks = block_pool_new(HELD_BLOCK);
  run->sources = sources_new(modules, options->source, options->sources);
  run->inputs = g_ptr_array_new_with_free_func((GDestroyNotify)input_free);
  run->joined = g_ptr_array_new_with_free_func((GDestroyNotify)join_free);
  run->lanes = g_ptr_array_new_with_free_func((GDestroyNotify)lane_free);
  run->failures = g_ptr_array_new();
  run->segments = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  run->left_out = g_ptr_array_new_with_free_func(g_free);
  run->expanders = g_ptr_array_new_with_free_func((GDestroyNotify)instance_free);
  pthread_mutex_init(&run->fold_lock, NULL);
  pthread_mutex_init(&run->counters_lock, NULL);
  notices_init(&run->notices, engine_stage());
  make_envs(run);
  run->started_ns = usage_clock_ns();
  return run;
}

/* ------------------------------------------------------------------ inputs */

/* What lies in a folder beside the traces: empty, or in no known format. */
static bool may_skip(const InputSpec *spec, const Error *e)
{
  return spec->optional && (e->kind == ERROR_UNKNOWN_FORMAT || e->kind == ERROR_SIDE_INPUT ||
                            e->kind == ERROR_EMPTY_INPUT);
}

static void drop_input(Input *in)
{
  lane_info_clear(in->lane);
  g_free(in->lane);
  input_free(in);
}

static void skip_input(Run *run, NamedFolders *folders, Input *in, Error *e)
{
  const char *path = in->spec->path;
  log_format(MILL_LEVEL_INFO, "RUN", "%s was skipped: %s", path, e->what);
  if (e->kind == ERROR_SIDE_INPUT) {
    const char *what_to_type = e->help->pdata[0];
    engine_note(&run->notices, ENGINE_NO_LABEL, 0, "what", path, "remedy", what_to_type, NULL);
    named_folders_advise(folders, in->spec, what_to_type);
  }
  expand_leave_out(run, path);
  error_free(e);
  drop_input(in);
}

static Error *nothing_recognised(void)
{
  Error *e = error_new(EXIT_INPUT, "RUN-92", "no source can read any of the files found");
  return error_help(e, "stagemill list sources    shows the formats");
}

#define INPUT_BYTES 2048u /* that each takes until the end, with its lane */

static Error *too_many_inputs(const Run *run, const GPtrArray *inputs)
{
  g_autofree char *uses = budget_text(&run->budget);
  Error *e = error_new(EXIT_LIMIT, "RUN-12", "%s take more than --max-memory",
                       budget_largest(&run->budget));
  error_why(e, "%s, of %u inputs", uses, inputs->len);
  return error_help(e, "raise --max-memory, or give fewer inputs");
}

Lane *open_lane(Run *run, Input *in)
{
  Lane *lane = g_new0(Lane, 1);
  lane->info = in->lane;
  lane->input = in;
  if (in->n_lanes == 1) in->first_lane = in->lane->index;
  g_ptr_array_add(run->lanes, lane);
  return lane;
}

/* Each lane of a file reads it by itself, in the place of the file. */
static void add_parts(Run *run, GPtrArray *inputs, guint at, uint32_t n_parts)
{
  const InputSpec *spec = inputs->pdata[at];
  for (uint32_t part = 1; part < n_parts; part++)
    g_ptr_array_insert(inputs, (gint)(at + part), input_spec_part(spec, part));
  if (n_parts > 1) budget_take(&run->budget, USE_INPUTS, (uint64_t)(n_parts - 1) * INPUT_BYTES);
}

static bool is_side(const Run *run, const InputSpec *spec)
{
  Error *unknown = NULL;
  if (!spec->source) return sources_of_side(run->sources, spec->label) != NULL;
  const Descriptor *source = sources_find(run->sources, spec->source, &unknown);
  error_free(unknown); /* opening the input says so */
  return source && source_side(source);
}

/* So that the lanes of traces are numbered as they would be without them. */
static void put_sides_last(const Run *run, GPtrArray *inputs)
{
  g_autoptr(GPtrArray) sides = g_ptr_array_new();
  guint n = 0;
  for (guint i = 0; i < inputs->len; i++) {
    if (is_side(run, inputs->pdata[i]))
      g_ptr_array_add(sides, inputs->pdata[i]);
    else
      inputs->pdata[n++] = inputs->pdata[i];
  }
  for (guint i = 0; i < sides->len; i++) inputs->pdata[n++] = sides->pdata[i];
}

Error *run_new(Modules *modules, GPtrArray *inputs, const RunOptions *options, Run **out)
{
  Run *run = run_empty(modules, options);
  Error *errors = expand_folders(run, inputs);
  g_autoptr(NamedFolders) folders = named_folders_of(inputs);
  put_sides_last(run, inputs);
  budget_take(&run->budget, USE_INPUTS, (uint64_t)inputs->len * INPUT_BYTES);
  if (budget_is_full(&run->budget)) {
    errors = error_join(errors, too_many_inputs(run, inputs));
    g_ptr_array_set_size(inputs, 0);
  }
  for (guint i = 0; i < inputs->len; i++) {
    Input *in;
    InputSpec *spec = inputs->pdata[i];
    Error *e = input_open(&run->input_env, spec, run->lanes->len, &in);
    if (e && may_skip(spec, e)) {
      skip_input(run, folders, in, e);
      continue;
    }
    if (e && !(e = run_set_aside(run, e))) {
      drop_input(in);
      continue;
    }
    errors = error_join(errors, e);
    named_folders_use(folders, spec);
    g_ptr_array_add(run->inputs, in);
    open_lane(run, in);
    if (!spec->part) add_parts(run, inputs, i, in->n_parts);
  }
  errors = error_join(modules_unseen(modules), errors); /* it may be the source that knows them */
  if (!errors) errors = named_folders_judge(folders, run);
  if (!errors && !run->lanes->len) errors = run_failures(run);
  if (!errors && !run->lanes->len) errors = nothing_recognised();
  g_free(g_ptr_array_steal(inputs, NULL)); /* the inputs own their specs now */
  if (errors) {
    run_free(run);
    return errors;
  }
  *out = run;
  return NULL;
}
