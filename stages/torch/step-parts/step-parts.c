/* Where the time of each step of a rank goes, and why its devices are idle.  Events may come in any order.  Memory: 64 bytes
 * for each piece of device work, 24 for each operator that is in no other one, 144 for each collective call. */
#include "facts.h"
#include "tables.h"

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"
#include "kit/trace/lane-member.h"
#include "kit/trace/tree-attrs.h"

enum { FEW_STEPS = 1, FRAMES };

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

typedef struct Options {
  int64_t sync_slack_ns;
  MillList by;
} Options;

static int parts_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  Facts *f = instance_new(Facts, host, out_instance);
  if (!f) return -MILL_LIMIT;
  f->words.common = f->marks.common = host->common;
  f->sync_slack_ns = ((const Options *)options)->sync_slack_ns;
  f->call_start = tree_key(f->common, TREE_CALL_START);
  f->call_dur = tree_key(f->common, TREE_CALL_DUR);
  f->call_track = tree_key(f->common, TREE_TRACK);
  f->step = tree_key(f->common, TREE_STEP);
  calls_open(&f->calls, f->common);
  f->gaps = keyed_new(f->common, sizeof(GapSum));
  f->copy_sums = keyed_new(f->common, sizeof(CopyTime));
  f->allocations = keyed_new(f->common, sizeof(CallSum));
  const bool fits = f->gaps && f->copy_sums && f->allocations &&
                    device_works_open(&f->works, f->common) &&
                    step_windows_open(&f->windows, f->common);
  return fits ? 0 : -MILL_LIMIT;
}

/* A lane that has no rank is known by its number. */
static int64_t own_rank(const Facts *f)
{
  MillLane lane = { .size = sizeof lane };
  f->common->lane(f->common, MILL_NO_LANE, &lane);
  return lane.rank >= 0 ? lane.rank : (int64_t)lane.index;
}

/* ---- collecting */

static bool see_call(Facts *f, const MillBatch *b, const MillEvent *e, int64_t step,
                     uint32_t *out_call)
{
  const size_t before = f->calls.n;
  *out_call = NO_CALL;
  if (!calls_see(&f->calls, b, e, own_rank(f))) return false;
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

static int parts_process(void *instance, MillBatch *b)
{
  Facts *f = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (!see(f, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* Calls were seen in one order and are saved in another one, their steps as places in the lane. */
static bool order_call_steps(Facts *f)
{
  const StepWindows *s = &f->windows;
  int64_t *ordered = mill_new(f->common, (f->calls.n + 1) * sizeof *ordered);
  if (!ordered) return false;
  for (size_t i = 0; i < f->calls.n; i++) {
    const int64_t number = s->has_steps ? f->call_steps[f->calls.items[i].index] : 0;
    const StepWindow *w = step_windows_find(s, number);
    ordered[i] = w ? w - s->items : -1;
  }
  array_free(f->common, f->call_steps);
  f->call_steps = ordered;
  f->call_step_capacity = f->calls.n + 1;
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

static void learn_frames(Facts *f)
{
  if (!f->n_lanes || !(f->has_frames || says_frames(f->host))) return;
  f->lanes[f->n_lanes - 1].has_frames = true;
  f->common->note(f->common, FRAMES, NULL, MILL_NO_EVENT, NULL, 0);
}

static void note_few_steps(const Facts *f)
{
  const MillNamed values[] = { { "steps", mill_int((int64_t)f->n_steps) } };
  if (f->windows.has_steps && f->n_steps < STEPS_JUDGED)
    f->common->note(f->common, FEW_STEPS, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static int parts_flush(void *instance, MillBatch *b)
{
  Facts *f = instance;
  (void)b;
  if (!facts_divide(f) || !order_call_steps(f) ||
      !array_reserve(f->common, &f->lanes, &f->lane_capacity, 1, sizeof *f->lanes))
    return -MILL_LIMIT;
  note_few_steps(f);
  f->lanes[f->n_lanes++] = (LaneFacts){ .rank = own_rank(f),
                                        .has_steps = f->windows.has_steps,
                                        .devices = f->works.n_devices ? f->works.n_devices : 1,
                                        .n_steps = f->n_steps,
                                        .n_copies = f->n_copies,
                                        .n_pieces = f->n_pieces,
                                        .n_calls = f->calls.n };
  return 0;
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
static const StateType facts_state = STATE_TYPE(Facts, facts_fields);

static int parts_save_result(void *instance)
{
  Facts *f = instance;
  learn_frames(f);
  state_save(f->host, &facts_state, f);
  return 0;
}

/* The groups are counted: rules that judge one run say nothing of several at once. */
static int parts_merge_result(void *instance)
{
  Facts *f = instance;
  if (!f->n_groups && (f->n_groups = f->host->shared_count(f->host))) ++*f->n_groups;
  return state_merge(f->host, &facts_state, f) ? 0 : -MILL_LIMIT;
}

/* ---- results */

static int report_gaps(const Facts *f)
{
  const KeyedEntry *const *entries = keyed_sorted(f->gaps);
  int status = entries ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(f->gaps); i++) {
    const GapSum *sum = entries[i]->state;
    const GapRow row = { .cause = cause_names[sum->cause],
                         .name = sum->name,
                         .gaps = sum->gaps,
                         .time_ns = sum->time_ns,
                         .longest_ns = sum->longest_ns };
    status = mill_row(f->host, TABLE_GAPS, &row);
  }
  return status;
}

static int parts_report(void *instance)
{
  const Facts *f = instance;
  int status = report_gaps(f);
  const KeyedEntry *const *entries = keyed_sorted(f->allocations);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(f->allocations); i++) {
    const CallSum *sum = entries[i]->state;
    const AllocationRow row = { .name = { entries[i]->key, entries[i]->len },
                                .calls = sum->calls,
                                .time_ns = sum->time_ns };
    status = mill_row(f->host, TABLE_ALLOCATIONS, &row);
  }
  return status;
}

static int parts_report_run(void *instance)
{
  Facts *f = instance;
  int status = arrivals_report(f);
  return status == 0 ? steps_report(f) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_DURATION_OPTION(
      Options, sync_slack_ns, "sync-slack", "5us", "0:1s",
      "A gap that begins this long after a call that waited for the device is still its doing"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(FEW_STEPS, "{lane} has only {steps} step[|s]", "rules do not judge where its time goes",
            "record five steps or more, after warm-up: torch.profiler.schedule(wait=1, warmup=1, "
            "active=5)",
            "Findings speak of what is usual in a step, and one of a few steps may be unusual. "
            "Without any step, all of the "
            "trace is taken as one."),
  MILL_INFO(FRAMES, "{lane} has frames of Python", "rules do not judge where its time goes",
            "record without them: torch.profiler.profile(with_stack=False)",
            "The profiler slows the host down for each frame that it records, so that devices wait "
            "for launches which are not slow otherwise."),
};

static const MillRead reads[] = { TREE_READ(TREE_CALL_START), TREE_READ(TREE_CALL_DUR),
                                  TREE_READ(TREE_TRACK), TREE_READ(TREE_STEP), CALLS_READS };

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.step-parts",       "table.step-spans",
                                        "table.step-copies",      "table.step-collectives",
                                        "table.arrivals",         "table.gap-causes",
                                        "table.allocation-calls", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = parts_open,
  .process = parts_process,
  .flush = parts_flush,
  .report = parts_report,
  .save_result = parts_save_result,
  .merge_result = parts_merge_result,
  .report_run = parts_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "step-parts",
  .family = "torch",
  .version = "1.0.0",
  .tag = "PARTS",
  .title = "Where each step's time goes, and why devices are idle",
  .help = "Divides each step of a rank into computation, exposed communication, exposed copies and "
          "idle time; "
          "waiting for the last rank of a collective is told from its transfer, and each idle time "
          "has a cause.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
