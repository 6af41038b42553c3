/* The lanes of a run; see lanes.h. */
#include "sched/lanes.h"

#include "base/thread.h"

/* --------------------------------------------------------------- all of them */

Lane *run_lane(const Run *run, guint index)
{
  if (index < run->lanes->len) return run->lanes->pdata[index];
  return index == run->lanes->len ? run->merged : NULL;
}

uint64_t run_events(const Run *run)
{
  uint64_t n = 0;
  for (guint i = 0; i < run->lanes->len; i++)
    n += ((const Lane *)run->lanes->pdata[i])->info->n_events;
  return n;
}

static gint by_rank(gconstpointer a, gconstpointer b)
{
  const LaneInfo *x = (*(const Lane *const *)a)->info, *y = (*(const Lane *const *)b)->info;
  if (x->side != y->side) return x->side ? 1 : -1;
  uint64_t one = (uint64_t)x->rank, other = (uint64_t)y->rank; /* none is the largest */
  if (one != other) return one < other ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

void run_order_by_rank(Run *run)
{
  g_ptr_array_sort(run->lanes, by_rank);
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    lane->info->index = lane->input->first_lane = i;
  }
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

/* Those of the class, or of the merged stream; a lane that joins goes on after the split. */
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

void run_prepare_lane(Run *run, Lane *lane, PlanClass *class)
{
  GPtrArray *segments = g_hash_table_lookup(run->segments, class);
  if (!segments) {
    segments = segments_of(run->plan, class);
    g_hash_table_insert(run->segments, class, segments);
  }
  lane->class = class;
  lane->segments = segments;
  lane->instances = g_new0(Instance *, run->plan->n_stages + 1);
  lane->sinks = g_new0(Instance *, run->sinks->list->len + 1);
}

Error *lane_open_stage(Run *run, Lane *lane, uint32_t index, bool mute, Instance **out)
{
  const PlanStage *p = &run->plan->stages[index];
  *out = instance_new(&run->env, lane ? lane->info : NULL, p->stage, p->id);
  (*out)->mute = mute;
  Error *e = instance_open_stage(*out, option_values_struct(p->options));
  /* There was no event yet, and memory that is refused has a status of its own. */
  bool rejected = e && e->status == EXIT_STAGE && e->kind != ERROR_BROKEN_RULE;
  return rejected ? error_of_kind(profile_rejected(p->entry, e), ERROR_REJECTED_OPTION) : e;
}

/* ----------------------------------------------------------------- cancelling */

bool run_cancelled(const Run *run)
{
  return atomic_load_explicit(&((Run *)run)->cancelled, memory_order_relaxed) ||
         atomic_load_explicit(&((Run *)run)->lane_failed, memory_order_relaxed);
}

Error *run_stopped(const Run *run)
{
  int status = atomic_load(&((Run *)run)->cancelled);
  if (status != EXIT_LIMIT)
    return error_of_kind(error_new(status, "RUN-09", "interrupted"), ERROR_INTERRUPTED);
  Error *e = error_new(status, "RUN-10", "the time limit was reached");
  return error_help(e, "give more time with --timeout, or cut the input with --from and --to");
}

StoreEnv run_store_env(const Run *run)
{
  return (StoreEnv){ (Budget *)&run->budget, run->batches, run->held_blocks, run->spill,
                     run->env.with_raw };
}
