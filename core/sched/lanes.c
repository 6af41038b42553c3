/* The lanes of a run; see lanes.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/lanes.h"

#include "base/thread.h"
#include "host/isolate.h"
#include "sched/lost.h"

/* --------------------------------------------------------------- all of them */

Lane *run_lane(const Run *run, guint index)
{
  if (index < run->lanes.list->len) return run->lanes.list->pdata[index];
  return index == run->lanes.list->len ? run->lanes.merged : NULL;
}

void lanes_init(Lanes *l)
{
  *l = (Lanes){ .list = g_ptr_array_new(),
                .segments =
                    g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref) };
}

void lanes_clear(Lanes *l)
{
  g_ptr_array_unref(l->list);
  g_hash_table_unref(l->segments);
}

Lane *run_add_lane(Run *run, guint index)
{
  Lane *lane = g_new0(Lane, 1);
  lane->info = inputs_lane(run->inputs, index);
  lane->input = inputs_reader(run->inputs, index);
  g_ptr_array_add(run->lanes.list, lane);
  return lane;
}

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
    p->work(p->run, p->lanes->pdata[p->run->options.backwards ? p->lanes->len - 1 - i : i]);
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

/* ------------------------------------------------------------------ one lane */

/* Those of the class, or of the merged stream; a joined lane goes on after the split. */
static GPtrArray *segments_of(const Plan *plan, const PlanClass *class)
{
  GPtrArray *segments = g_ptr_array_new();
  bool merged = class == plan->joint;
  if (!merged) g_ptr_array_extend(segments, class->segments, NULL, NULL);
  for (guint i = 0; (merged || class->ends_in_merge) && i < plan->joint->segments->len; i++) {
    Segment *s = plan->joint->segments->pdata[i];
    if (s->merged == merged) g_ptr_array_add(segments, s);
  }
  return segments;
}

/* Its events reach the sinks before the lanes meet. */
static bool streams(const Lane *lane)
{
  if (lane->class->ends_in_merge) return false;
  for (guint s = 0; s < lane->segments->len; s++)
    if (((const Segment *)lane->segments->pdata[s])->barrier > BARRIER_LANE) return false;
  return true;
}

void run_prepare_lane(Run *run, Lane *lane, PlanClass *class)
{
  GPtrArray *segments = g_hash_table_lookup(run->lanes.segments, class);
  if (!segments) {
    segments = segments_of(run->plan, class);
    g_hash_table_insert(run->lanes.segments, class, segments);
  }
  lane->class = class;
  lane->segments = segments;
  lane->info->streams = streams(lane);
  lane->instances = g_new0(Instance *, run->plan->n_stages + 1);
  lane->sinks = g_new0(Instance *, run->out.sinks->list->len + 1);
}

bool run_isolates(const char *pattern, const PlanStage *p)
{
  return g_pattern_match_simple(pattern, p->stage->name) || g_pattern_match_simple(pattern, p->id);
}

static bool is_isolated(const Run *run, const PlanStage *p)
{
  const GPtrArray *patterns = run->options.isolate;
  for (guint k = 0; patterns && k < patterns->len; k++)
    if (run_isolates(patterns->pdata[k], p)) return true;
  return false;
}

Error *lane_open_stage(Run *run, Lane *lane, uint32_t index, bool mute, Instance **out)
{
  const PlanStage *p = &run->plan->stages[index];
  *out = instance_new(&run->env, lane ? lane->info : NULL, p->stage, p->id);
  (*out)->mute = mute;
  (*out)->facts = plan_facts_at(run->plan, lane ? lane->class : NULL, index);
  (*out)->asked = p->reads;
  if (is_isolated(run, p)) (*out)->away = &isolate_ops;
  Error *e = instance_open_stage(*out, option_values_struct(p->options));
  if (e && e->kind == ERROR_LOST_STAGE) return lost_set_aside(run, index, *out, e);
  /* There was no event yet, and refused memory has a status of its own. */
  bool rejected = e && e->status == EXIT_STAGE && e->kind != ERROR_BROKEN_RULE;
  return rejected ? error_of_kind(profile_rejected(p->entry, e), ERROR_REJECTED_OPTION) : e;
}

/* ----------------------------------------------------------------- cancelling */

bool run_cancelled(const Run *run)
{
  return atomic_load_explicit(&((Run *)run)->control.cancelled, memory_order_relaxed) ||
         atomic_load_explicit(&((Run *)run)->control.lane_failed, memory_order_relaxed);
}

Error *run_stopped(const Run *run)
{
  int status = atomic_load(&((Run *)run)->control.cancelled);
  if (status != EXIT_LIMIT)
    return error_of_kind(error_new(status, "RUN-09", "interrupted"), ERROR_INTERRUPTED);
  Error *e = error_new(status, "RUN-10", "the time limit was reached");
  return error_help(e, "give more time with --timeout, or cut the input with --from and --to");
}

StoreEnv run_store_env(const Run *run)
{
  return (StoreEnv){ (Budget *)&run->pools.budget, run->pools.batches, run->pools.held_blocks,
                     run->pools.spill, run->env.with_raw };
}
