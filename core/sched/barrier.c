/* What happens where all lanes meet: folding into a run-level instance, merging into one stream, splitting again. */
#include "sched/barrier.h"

#include "sched/lane.h"
#include "sched/merge.h"

static Error *fold_observed(Run *run, Lane *lane, uint32_t stage)
{
  Summary s = { 0 };
  Instance *top;
  Error *e = fold_instance(run, stage, lane, &top);
  if (!e) e = instance_save(lane->instances[stage], MILL_OBSERVED, &s);
  if (!e) e = instance_merge(top, MILL_OBSERVED, &s);
  summary_clear(&s);
  return e;
}

/* Lanes get back what their group settled on. */
static Error *adopt_settled(Run *run, GPtrArray *lanes, uint32_t stage, Instance *top)
{
  Summary settled = { 0 };
  Error *e = instance_settle(top);
  if (!e) e = instance_save(top, MILL_SETTLED, &settled);
  for (guint i = 0; i < lanes->len && !e; i++) {
    Instance *own;
    e = fold_instance(run, stage, lanes->pdata[i], &own);
    if (!e && own == top) e = instance_adopt(((Lane *)lanes->pdata[i])->instances[stage], &settled);
  }
  summary_clear(&settled);
  return e;
}

static Error *cross_run_barrier(Run *run, GPtrArray *lanes, uint32_t stage)
{
  const GPtrArray *groups = run->folds[stage].groups;
  Error *e = NULL;
  for (guint i = 0; i < lanes->len && !e; i++) e = fold_observed(run, lanes->pdata[i], stage);
  for (guint g = 0; g < groups->len && !e; g++)
    e = adopt_settled(run, lanes, stage, ((FoldGroup *)groups->pdata[g])->instance);
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

static GPtrArray *waiting_lanes(const Run *run, const Segment **out_first)
{
  GPtrArray *waiting = g_ptr_array_new();
  Lane *lane;
  *out_first = NULL;
  for (guint i = 0; (lane = run_lane(run, i)); i++) {
    if (!lane->at_barrier || lane->done) continue;
    const Segment *s = lane_segment(lane);
    if (s->barrier == BARRIER_MERGE && run->merged) continue; /* it waits for the split */
    if (*out_first && s->barrier_no > (*out_first)->barrier_no) continue;
    if (*out_first && s->barrier_no < (*out_first)->barrier_no) g_ptr_array_set_size(waiting, 0);
    *out_first = s;
    g_ptr_array_add(waiting, lane);
  }
  return waiting;
}

static Error *cross_split(Run *run)
{
  GPtrArray *members = merge_members(run->merged);
  Error *e = merge_split(run, run->merged);
  if (e) return e;
  run->merged->at_barrier = false;
  run->merged->next_segment = run->merged->segments->len;
  release(members);
  e = lane_run(run, run->merged); /* reports */
  return e;
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
    e = cross_run_barrier(run, lanes, (uint32_t)first->settles);
    if (!e) release(lanes);
    return e;
  case BARRIER_MERGE:
    run->merged = merge_lanes(run, lanes);
    run_prepare_lane(run, run->merged, run->plan->joint);
    return NULL;
  default: return cross_split(run);
  }
}

Error *barrier_end(Run *run)
{
  g_autoptr(GPtrArray) joined = g_ptr_array_new();
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    if (!lane->done && lane->at_barrier && lane_segment(lane)->barrier == BARRIER_MERGE)
      g_ptr_array_add(joined, lane);
  }
  release(joined);
  for (guint i = 0; i < joined->len; i++) {
    Error *e = lane_run(run, joined->pdata[i]);
    if (e) return e;
  }
  return NULL;
}
