/* What happens where all lanes meet: merging into a run-level instance, merging into one stream,
 * and splitting it. */
#include "sched/barrier.h"

#include "sched/executor.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/merge.h"

static Error *merge_observed(Run *run, Lane *lane, uint32_t stage)
{
  const MillStageOps *ops = run->plan->stages[stage].stage->stage_ops;
  Summary s = { 0 };
  FoldGroup *group;
  Error *e = fold_group(run, stage, lane, &group);
  if (!e) e = run->executor->save_observed(run, lane, stage, &s);
  if (!e) e = instance_load(group->instance, PHASE_MERGE, "merging", ops->merge_observed, &s);
  summary_clear(&s);
  if (!group->waiting) group->waiting = g_ptr_array_new();
  g_ptr_array_add(group->waiting, lane);
  return e;
}

/* Lanes load the decision of their group. */
static Error *load_decision(Run *run, FoldGroup *group, uint32_t stage)
{
  const MillStageOps *ops = group->instance->descriptor->stage_ops;
  Summary decision = { 0 };
  Error *e = instance_call(group->instance, PHASE_DECIDE_RUN, "deciding", ops->decide_run);
  if (!e) e = instance_save(group->instance, ops->save_decision, &decision);
  for (guint i = 0; group->waiting && i < group->waiting->len && !e; i++)
    e = run->executor->load_decision(run, group->waiting->pdata[i], stage, &decision);
  summary_clear(&decision);
  g_clear_pointer(&group->waiting, g_ptr_array_unref);
  return e;
}

static Error *cross_run_barrier(Run *run, GPtrArray *lanes, uint32_t stage)
{
  const GPtrArray *groups = run->totals.folds[stage].groups;
  Error *e = NULL;
  for (guint i = 0; i < lanes->len && !e; i++) e = merge_observed(run, lanes->pdata[i], stage);
  for (guint g = 0; g < groups->len && !e; g++) e = load_decision(run, groups->pdata[g], stage);
  return e;
}

/* Bases of all lanes must be known before the first lane is written, so each lane decides at
 * this barrier. */
static Error *decide(Run *run, GPtrArray *lanes, uint32_t stage)
{
  Error *e = NULL;
  if (run->plan->stages[stage].stage->scope == MILL_SCOPE_RUN)
    return cross_run_barrier(run, lanes, stage);
  for (guint i = 0; i < lanes->len && !e; i++)
    e = run->executor->decide(run, lanes->pdata[i], stage);
  return e;
}

static void release(GPtrArray *lanes)
{
  for (guint i = 0; i < lanes->len; i++) {
    Lane *lane = lanes->pdata[i];
    lane->at_barrier = false;
    lane->next_segment++;
  }
}

/* The order in which barriers are crossed: before a run-scope stage decides, the merged stream
 * is split for it. */
static uint64_t order_of(const Segment *s)
{
  return 2 * (uint64_t)s->barrier_no + (s->barrier != BARRIER_SPLIT);
}

static GPtrArray *waiting_lanes(const Run *run, const Segment **out_first)
{
  GPtrArray *waiting = g_ptr_array_new();
  Lane *lane;
  *out_first = NULL;
  for (guint i = 0; (lane = run_lane(run, i)); i++) {
    if (!lane->at_barrier || lane->done) continue;
    const Segment *s = lane_segment(lane);
    if (s->barrier == BARRIER_MERGE && run->lanes.merged) continue; /* it waits for the split */
    if (*out_first && order_of(s) > order_of(*out_first)) continue;
    if (*out_first && order_of(s) < order_of(*out_first)) g_ptr_array_set_size(waiting, 0);
    *out_first = s;
    g_ptr_array_add(waiting, lane);
  }
  return waiting;
}

/* These lanes write nothing themselves, so the merged stream need not wait for their turn in
 * files. */
static Error *end_positions(const Run *run, const GPtrArray *lanes)
{
  Error *e = NULL;
  for (guint i = 0; i < lanes->len && !e; i++) {
    const Lane *lane = lanes->pdata[i];
    if (lane->next_segment + 1 == lane->segments->len)
      e = output_end_position(run->out.output, (int)lane->info->index);
  }
  return e;
}

/* The lane has no segment left to run. */
static Error *report_lane(Run *run, Lane *lane)
{
  executor_lane_ran(run, lane, lane_run(run, lane));
  return g_steal_pointer(&lane->error);
}

static Error *cross_split(Run *run)
{
  GPtrArray *members = merge_members(run->lanes.merged);
  Error *e = merge_split(run, run->lanes.merged);
  if (e) return e;
  run->lanes.merged->at_barrier = false;
  run->lanes.merged->next_segment = run->lanes.merged->segments->len;
  release(members);
  return report_lane(run, run->lanes.merged);
}

Error *barrier_cross(Run *run, bool *out_crossed)
{
  const Segment *first;
  g_autoptr(GPtrArray) lanes = waiting_lanes(run, &first);
  Error *e = NULL;
  *out_crossed = first != NULL;
  if (!first) return NULL;
  switch (first->barrier) {
  case BARRIER_RUN:
    e = decide(run, lanes, (uint32_t)first->decides);
    if (!e) release(lanes);
    return e;
  case BARRIER_MERGE:
    run->lanes.merged = merge_lanes(run, lanes);
    run_prepare_lane(run, run->lanes.merged, run->plan->joint);
    return end_positions(run, lanes);
  default: return cross_split(run);
  }
}

Error *barrier_end(Run *run)
{
  g_autoptr(GPtrArray) joined = g_ptr_array_new();
  for (guint i = 0; i < run->lanes.list->len; i++) {
    Lane *lane = run->lanes.list->pdata[i];
    if (!lane->done && lane->at_barrier && lane_segment(lane)->barrier == BARRIER_MERGE)
      g_ptr_array_add(joined, lane);
  }
  release(joined);
  for (guint i = 0; i < joined->len; i++) {
    Error *e = report_lane(run, joined->pdata[i]);
    if (e) return e;
  }
  return NULL;
}
