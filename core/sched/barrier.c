/* What happens where all lanes meet: merging into a run-level instance, merging into one stream,
 * and splitting it. */
/* SPDX-License-Identifier: MIT */
#include "sched/barrier.h"

#include "sched/executor.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/lost.h"
#include "sched/merge.h"
#include "sched/shared.h"

/* ---------------------------------------------------------------- run scope */

static Error *observed_of(Run *run, Lane *lane, uint32_t stage, Summary *out)
{
  return run->shared ? shared_get_observed(run, lane, stage, out)
                     : run->executor->save_observed(run, lane, stage, out);
}

/* A group may have been decided by another process: its lanes need not be merged then. */
static Error *join_group(Run *run, Lane *lane, uint32_t stage, FoldGroup **out)
{
  Error *e = fold_group(run, stage, lane, out);
  FoldGroup *group = *out;
  if (e) return e;
  if (!group->waiting) {
    group->waiting = g_ptr_array_new();
    e = shared_get_decision(run, lane, stage, &group->decided, &group->decision);
  }
  g_ptr_array_add(group->waiting, lane);
  return e;
}

static Error *merge_observed(Run *run, Lane *lane, uint32_t stage)
{
  const MillStageOps *ops = run->plan->stages[stage].stage->stage_ops;
  Summary s = { 0 };
  FoldGroup *group;
  if (lost_is(run, stage)) return NULL;
  Error *e = observed_of(run, lane, stage, &s);
  if (!e) e = join_group(run, lane, stage, &group);
  if (!e && !group->decided)
    e = instance_load(group->instance, PHASE_MERGE, "merging", ops->merge_observed, &s);
  summary_clear(&s);
  return e;
}

static Error *decide_group(Run *run, FoldGroup *group, uint32_t stage)
{
  const MillStageOps *ops = group->instance->descriptor->stage_ops;
  if (group->decided) return NULL;
  Error *e = instance_call(group->instance, PHASE_DECIDE_RUN, "deciding", ops->decide_run);
  if (!e) e = instance_save(group->instance, ops->save_decision, &group->decision);
  if (e || !group->waiting) return e;
  return shared_put_decision(run, group->waiting->pdata[0], stage, &group->decision);
}

/* Lanes load the decision of their group. */
static Error *load_decision(Run *run, FoldGroup *group, uint32_t stage)
{
  Error *e = decide_group(run, group, stage);
  for (guint i = 0; group->waiting && i < group->waiting->len && !e; i++) {
    Lane *lane = group->waiting->pdata[i];
    if (lane->from != LANE_READ) continue;
    e = run->executor->load_decision(run, lane, stage, &group->decision);
  }
  summary_clear(&group->decision);
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

/* ----------------------------------------------------------- what others need */

/* With --state other processes get what was observed here, or the base that was moved. */
static Error *leave_observed(Run *run, Lane *lane, uint32_t stage)
{
  Summary s = { 0 };
  bool all = run->plan->stages[stage].stage->scope == MILL_SCOPE_RUN;
  Error *e = all ? run->executor->save_observed(run, lane, stage, &s) : NULL;
  if (!e) e = shared_put_observed(run, lane, stage, &s);
  summary_clear(&s);
  return e;
}

static Error *leave_all_observed(Run *run, const GPtrArray *lanes, uint32_t stage)
{
  Error *e = NULL;
  for (guint i = 0; run->shared && i < lanes->len && !e; i++) {
    Lane *lane = lanes->pdata[i];
    if (lane->from == LANE_READ) e = leave_observed(run, lane, stage);
  }
  return e;
}

/* Bases of all lanes must be known before the first lane is written, so each lane decides at
 * this barrier. */
static Error *decide_alone(Run *run, Lane *lane, uint32_t stage)
{
  Summary none = { 0 };
  if (lane->from == LANE_READ) return run->executor->decide(run, lane, stage);
  Error *e = shared_get_observed(run, lane, stage, &none);
  summary_clear(&none);
  return e;
}

static Error *decide_each(Run *run, const GPtrArray *lanes, uint32_t stage, bool here)
{
  Error *e = NULL;
  for (guint i = 0; i < lanes->len && !e; i++) {
    Lane *lane = lanes->pdata[i];
    if ((lane->from == LANE_READ) == here) e = decide_alone(run, lane, stage);
  }
  return e;
}

/* *out_complete is false if lanes that other processes read are missing. */
static Error *decide(Run *run, GPtrArray *lanes, uint32_t stage, bool *out_complete)
{
  bool all = run->plan->stages[stage].stage->scope == MILL_SCOPE_RUN;
  Error *e = all ? NULL : decide_each(run, lanes, stage, true);
  if (!e) e = leave_all_observed(run, lanes, stage);
  if (!e) e = shared_meet(run, lanes, stage, out_complete);
  if (e || !*out_complete) return e;
  return all ? cross_run_barrier(run, lanes, stage) : decide_each(run, lanes, stage, false);
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
    e = decide(run, lanes, (uint32_t)first->decides, out_crossed);
    if (!e && *out_crossed) release(lanes);
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
