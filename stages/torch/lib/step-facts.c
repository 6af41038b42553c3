/* What a rank's steps are made of: collecting it, and what is saved; see step-facts.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/step-facts.h"

#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/trace/lane-member.h"
#include "kit/trace/tree-attrs.h"

const char *const cause_names[N_CAUSES] = { NULL,     "wait",       "transfer",   "unsplit", NULL,
                                            "loader", "allocation", "collection", "compile", "sync",
                                            "launch", "stream",     "unknown" };
const char *const part_names[] = { "compute", "exposed-comm", "exposed-copy", "idle" };

Part cause_part(Cause cause)
{
  switch (cause) {
  case CAUSE_COMPUTE: return PART_COMPUTE;
  case CAUSE_WAIT:
  case CAUSE_TRANSFER:
  case CAUSE_UNSPLIT: return PART_COMM;
  case CAUSE_COPY: return PART_COPY;
  default: return PART_IDLE;
  }
}

bool facts_open(Facts *f, const MillStageHost *host)
{
  f->host = host;
  f->common = f->words.common = f->marks.common = host->common;
  f->call_start = tree_key(f->common, TREE_CALL_START);
  f->call_dur = tree_key(f->common, TREE_CALL_DUR);
  f->call_track = tree_key(f->common, TREE_TRACK);
  f->step = tree_key(f->common, TREE_STEP);
  calls_open(&f->calls, f->common);
  f->gaps = keyed_new(f->common, sizeof(GapSum));
  f->copy_sums = keyed_new(f->common, sizeof(CopyTime));
  f->allocations = keyed_new(f->common, sizeof(CallSum));
  return f->gaps && f->copy_sums && f->allocations && device_works_open(&f->works, f->common) &&
         step_windows_open(&f->windows, f->common);
}

/* A lane that has no rank is known by its number. */
int64_t facts_rank(const Facts *f)
{
  MillLane lane = { .size = sizeof lane };
  f->common->lane(f->common, MILL_NO_LANE, &lane);
  return lane.rank >= 0 ? lane.rank : (int64_t)lane.index;
}

static bool see_call(Facts *f, const MillBatch *b, const MillEvent *e, int64_t step,
                     uint32_t *out_call)
{
  const size_t before = f->calls.n;
  *out_call = NO_CALL;
  if (!calls_see(&f->calls, b, e, facts_rank(f))) return false;
  if (f->calls.n == before) return true;
  if (!array_reserve(f->common, &f->call_steps, &f->call_step_capacity, f->calls.n,
                     sizeof *f->call_steps))
    return false;
  *out_call = (uint32_t)before;
  f->call_steps[f->n_call_steps++] = step;
  return true;
}

static bool see_work(Facts *f, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  const TorchWork does = torch_work(&f->words, kind, e->name);
  WorkInfo info = { .call = NO_CALL, .name = e->name };
  int64_t track, call_dur_ns = 0, step = -1;
  bool added;
  (void)mill_attr_int(b, e, f->step, &step);
  if (does == WORK_COMMUNICATION && !see_call(f, b, e, step, &info.call)) return false;
  if (!device_works_add(&f->works, e, does, (uint32_t)f->n_infos, &added)) return false;
  if (!added) return true;
  info.called = mill_attr_int(b, e, f->call_start, &info.call_ns) &&
                mill_attr_int(b, e, f->call_track, &track);
  (void)mill_attr_int(b, e, f->call_dur, &call_dur_ns);
  if (info.called) info.call_track = (uint32_t)track;
  info.call_end_ns = interval_end(info.call_ns, call_dur_ns);
  if (!array_reserve(f->common, &f->infos, &f->info_capacity, f->n_infos + 1, sizeof *f->infos))
    return false;
  f->infos[f->n_infos++] = info;
  const DeviceWork *work = &f->works.items[f->works.n - 1];
  if (f->watch && !f->watch->work(f, b, e)) return false;
  return step_windows_work(&f->windows, step, work->start_ns, work->end_ns);
}

static bool see(Facts *f, const MillBatch *b, const MillEvent *e)
{
  const TorchKind kind = torch_kind(&f->words, e);
  if (torch_is_device(kind)) return see_work(f, b, e, kind);
  f->has_frames = f->has_frames || kind == TORCH_FRAME;
  if (kind == TORCH_WAIT || kind == TORCH_DEVICE_RANGE || kind == TORCH_FRAME) return true;
  const bool may_step = kind == TORCH_RANGE || kind == TORCH_OPERATOR;
  const int64_t step = may_step ? torch_step(&f->words, e->name) : -1;
  if (step >= 0 && !step_windows_slice(&f->windows, step, e->ts_ns)) return false;
  return host_marks_see(&f->marks, e, kind, step >= 0);
}

bool facts_see(Facts *f, const MillBatch *b)
{
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (!see(f, b, e)) return false;
  }
  return true;
}

/* A filter may have taken the frames away; the profiler says that it recorded them. */
static bool says_frames(const MillStageHost *host)
{
  MillValue json;
  for (uint32_t i = 0; lane_member_next(host, &i, "with_stack", &json);)
    if (json.len && json.u.text[0] != '0' && json.u.text[0] != 'f') return true;
  return false;
}

bool facts_learn_frames(Facts *f)
{
  if (!f->n_lanes || !(f->has_frames || says_frames(f->host))) return false;
  f->lanes[f->n_lanes - 1].has_frames = true;
  return true;
}

/* ---- saved state */

static const StateField lane_fields[] = {
  STATE_FIRST(LaneFacts, has_steps), STATE_FIRST(LaneFacts, rank),
  STATE_FIRST(LaneFacts, devices),   STATE_FIRST(LaneFacts, n_steps),
  STATE_FIRST(LaneFacts, n_copies),  STATE_FIRST(LaneFacts, n_pieces),
  STATE_FIRST(LaneFacts, n_calls),   STATE_FIRST(LaneFacts, has_frames),
};
static const StateType lane_state = STATE_TYPE(LaneFacts, lane_fields);
static const StateField step_fields[] = {
  STATE_FIRST(LaneStep, number),
  STATE_FIRST(LaneStep, span_ns),
  STATE_FIRST(LaneStep, is_warmup),
  STATE_FIRSTS(LaneStep, sums_ns),
};
static const StateType step_state = STATE_TYPE(LaneStep, step_fields);
static const StateField copy_fields[] = {
  STATE_FIRST(CopyTime, step),
  STATE_SYM(CopyTime, name),
  STATE_FIRST(CopyTime, exposed_ns),
  STATE_FIRST(CopyTime, sync_ns),
};
static const StateType copy_state = STATE_TYPE(CopyTime, copy_fields);
static const StateField piece_fields[] = {
  STATE_FIRST(CommPiece, step),
  STATE_FIRST(CommPiece, call),
  STATE_FIRST(CommPiece, from_ns),
  STATE_FIRST(CommPiece, to_ns),
};
static const StateType piece_state = STATE_TYPE(CommPiece, piece_fields);
static const StateField facts_fields[] = {
  STATE_LIST(Facts, lanes, n_lanes, lane_capacity, lane_state),
  STATE_LIST(Facts, steps, n_steps, step_capacity, step_state),
  STATE_LIST(Facts, copies, n_copies, copy_capacity, copy_state),
  STATE_LIST(Facts, pieces, n_pieces, piece_capacity, piece_state),
  STATE_LIST(Facts, call_steps, n_call_steps, call_step_capacity, state_of_int),
  STATE_PART(Facts, calls, calls_state),
};
const StateType step_facts_state = STATE_TYPE(Facts, facts_fields);
