/* Arrows of torch traces: from a launch to each of its kernels, and from the last of them to the wait
 * for it.  Ids are those of one rank.  Memory grows with the number of launches. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <string.h>

#include "kit/declare/rows.h"
#include "kit/trace/dialect.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"
#include "kit/state/symclass.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"

enum { AFTER_WAIT = 1, NO_CORRELATION = 2, NO_LAUNCH = 3 };
enum { WAITS = 1, KERNEL = 2, FORWARD = 3, OTHER = 4 }; /* classes of names and categories */

#define NEVER INT64_MIN
#define NO_ROW MILL_FAILED

typedef struct Launch {
  int64_t id; /* of the correlation */
  bool has_start;
  int64_t start_ns, wait_ns,
      last_ns; /* wait: its end; last: just inside the last kernel; or NEVER */
  MillSym name, cat;
  uint32_t track, wait_track, last_track;
} Launch;

typedef struct LaunchFlow {
  const MillStageHost *host;
  const MillHost *common;
  MillSym correlation_key;
  bool is_flex; /* its kernels have no correlations */
  SymClass names, cats;
  Launch *launches; /* in order of arrival */
  size_t n, max;
  uint32_t *slots; /* open addressing: index of a launch + 1 */
  size_t n_slots;
  uint64_t last_id; /* the largest of the input, then the last given */
} LaunchFlow;

static int launch_flow_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)options;
  LaunchFlow *f = instance_new(LaunchFlow, host, out);
  if (!f) return -MILL_LIMIT;
  f->is_flex = level == MILL_LANE && lane_stamps_device_work(common);
  f->correlation_key = symbol_of(common, "correlation");
  return 0;
}

/* --------------------------------------------------------------- launches */

/* The slot of an id, or the empty one where it belongs; there is always one. */
static uint32_t *slot_of(const LaunchFlow *f, int64_t id)
{
  uint64_t at = (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
  at ^= at >> 32;
  for (at &= f->n_slots - 1; f->slots[at]; at = (at + 1) & (f->n_slots - 1))
    if (f->launches[f->slots[at] - 1].id == id) break;
  return &f->slots[at];
}

static bool grow_slots(LaunchFlow *f)
{
  size_t n = f->n_slots ? 2 * f->n_slots : 64;
  uint32_t *slots = f->common->resize(f->common, NULL, n * sizeof *slots);
  if (!slots) return false;
  array_free(f->common, f->slots);
  f->slots = slots;
  f->n_slots = n;
  for (size_t i = 0; i < f->n; i++) *slot_of(f, f->launches[i].id) = (uint32_t)i + 1;
  return true;
}

static Launch *find(const LaunchFlow *f, int64_t id)
{
  uint32_t at = f->n_slots ? *slot_of(f, id) : 0;
  return at ? &f->launches[at - 1] : NULL;
}

/* NULL: memory was refused.  Good until the next is made. */
static Launch *find_or_make(LaunchFlow *f, int64_t id)
{
  Launch *found = find(f, id);
  if (found) return found;
  if (2 * f->n >= f->n_slots && !grow_slots(f)) return NULL;
  if (!array_reserve(f->common, &f->launches, &f->max, f->n + 1, sizeof *f->launches)) return NULL;
  f->launches[f->n] = (Launch){
    .id = id, .wait_ns = NEVER, .last_ns = NEVER, .track = NO_ROW, .wait_track = NO_ROW
  };
  *slot_of(f, id) = (uint32_t)f->n + 1;
  return &f->launches[f->n++];
}

/* ----------------------------------------------------------------- events */

static uint8_t read_name(const char *text, size_t len)
{
  return words_have(text, len, "ScheduleWait") ? WAITS : OTHER;
}

/* Arrows of autograd have numbers of their own. */
static uint8_t read_cat(const char *text, size_t len)
{
  if (len == 6 && memcmp(text, "kernel", 6) == 0) return KERNEL;
  return len == 6 && memcmp(text, "fwdbwd", 6) == 0 ? FORWARD : OTHER;
}

static bool has_number(const MillEvent *e)
{
  return e->id_kind == MILL_ID_INT || e->id_kind == MILL_ID_HEX;
}

static bool is_flow(const MillEvent *e)
{
  return e->kind == MILL_FLOW_START || e->kind == MILL_FLOW_STEP || e->kind == MILL_FLOW_END;
}

static void see_id(LaunchFlow *f, uint64_t id)
{
  if (id > f->last_id && id <= INT32_MAX) f->last_id = id;
}

static bool waits(LaunchFlow *f, const MillEvent *e)
{
  return symclass_of(f->common, &f->names, e->name, read_name) == WAITS;
}

static bool is_kernel(LaunchFlow *f, const MillEvent *e)
{
  return e->kind == MILL_SLICE && symclass_of(f->common, &f->cats, e->cat, read_cat) == KERNEL &&
         !waits(f, e) && !(e->flags & MILL_FLAG_NO_TS);
}

static int64_t end_of(const MillEvent *e)
{
  return interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0);
}

/* So that viewers bind an arrow from it to that slice. */
static int64_t just_inside(const MillEvent *e) { return e->dur_ns > 0 ? end_of(e) - 1 : e->ts_ns; }

/* -------------------------------------------------------------- observing */

static bool see_start(LaunchFlow *f, const MillEvent *e)
{
  if (symclass_of(f->common, &f->cats, e->cat, read_cat) == FORWARD) return true;
  Launch *launch = find_or_make(f, (int64_t)e->id);
  if (!launch) return false;
  launch->has_start = true;
  launch->start_ns = e->ts_ns;
  launch->name = e->name;
  launch->cat = e->cat;
  launch->track = e->track;
  return true;
}

static bool see_slice(LaunchFlow *f, const MillBatch *batch, const MillEvent *e)
{
  int64_t id;
  if (!mill_attr_int(batch, e, f->correlation_key, &id)) return true;
  if (id > 0) see_id(f, (uint64_t)id);
  if (id == 0 || !waits(f, e)) return true;
  Launch *launch = find_or_make(f, id);
  if (!launch) return false;
  if (launch->wait_ns != NEVER && launch->wait_ns >= end_of(e)) return true;
  launch->wait_ns = end_of(e);
  launch->wait_track = e->track;
  return true;
}

static int launch_flow_observe(void *instance, const MillBatch *batch)
{
  LaunchFlow *f = instance;
  bool fits = true;
  for (uint32_t i = 0; i < batch->n_events && fits; i++) {
    const MillEvent *e = &batch->events[i];
    if (is_flow(e) && has_number(e)) see_id(f, e->id);
    if (e->flags & MILL_FLAG_NO_TS) continue;
    if (e->kind == MILL_FLOW_START && has_number(e)) fits = see_start(f, e);
    if (e->kind == MILL_SLICE) fits = see_slice(f, batch, e);
  }
  return fits ? 0 : -MILL_LIMIT;
}

/* ------------------------------------------------------------- processing */

/* Ids of other ranks stay apart from these in a trace of them all. */
static int launch_flow_decide(void *instance)
{
  LaunchFlow *f = instance;
  MillLane lane = { .size = sizeof lane, .rank = -1 };
  f->common->lane(f->common, MILL_NO_LANE, &lane);
  if (lane.rank > 0 && lane.rank < INT32_MAX) f->last_id += (uint64_t)lane.rank << 32;
  return 0;
}

static const StateField launch_fields[] = {
  STATE_FIRST(Launch, id),        STATE_FIRST(Launch, wait_ns),  STATE_TRACK(Launch, wait_track),
  STATE_FIRST(Launch, has_start), STATE_FIRST(Launch, start_ns), STATE_SYM(Launch, name),
  STATE_SYM(Launch, cat),         STATE_TRACK(Launch, track),
};
static const StateType launch_state = STATE_TYPE(Launch, launch_fields);

static bool take_launch(void *owner, const void *element)
{
  const Launch *from = element;
  Launch *to = find_or_make(owner, from->id);
  if (!to) return false;
  *to = *from;
  to->last_ns = NEVER;
  return true;
}

static const StateField flow_fields[] = {
  STATE_FIRST(LaunchFlow, last_id),
  STATE_TAKEN(LaunchFlow, launches, n, launch_state, take_launch),
};
static const StateType flow_state = STATE_TYPE(LaunchFlow, flow_fields);
STATE_DECISION(LaunchFlow, flow_state)

static int emit_arrow(LaunchFlow *f, MillBatch *batch, uint32_t after, const MillEvent *from,
                      int64_t to_ns, uint32_t to_track)
{
  MillEvent e = *from;
  e.kind = MILL_FLOW_START;
  e.dur_ns = -1;
  e.id_kind = MILL_ID_INT;
  e.id = ++f->last_id;
  if (f->host->emit(f->host, batch, after, &e) == MILL_FAILED) return -MILL_LIMIT;
  e.kind = MILL_FLOW_END;
  e.flags = MILL_FLAG_BIND_END;
  e.ts_ns = to_ns;
  e.track = to_track;
  return f->host->emit(f->host, batch, after, &e) == MILL_FAILED ? -MILL_LIMIT : 0;
}

static void note(const LaunchFlow *f, uint32_t number, const MillBatch *batch, uint32_t index)
{
  f->common->note(f->common, number, batch, index, NULL, 0);
}

/* The wait ends when the last kernel has: one that ends later is none that it waited for. */
static void take_last(const LaunchFlow *f, Launch *launch, const MillBatch *batch, uint32_t index)
{
  const MillEvent *e = &batch->events[index];
  int64_t last_ns = just_inside(e);
  if (launch->wait_ns != NEVER && last_ns > launch->wait_ns) {
    note(f, AFTER_WAIT, batch, index);
    return;
  }
  if (launch->last_ns != NEVER && last_ns <= launch->last_ns) return;
  launch->last_ns = last_ns;
  launch->last_track = e->track;
}

static int take_kernel(LaunchFlow *f, MillBatch *batch, uint32_t index)
{
  int64_t id, ts_ns = batch->events[index].ts_ns;
  uint32_t track = batch->events[index].track;
  if (!mill_attr_int(batch, &batch->events[index], f->correlation_key, &id)) {
    if (!f->is_flex) note(f, NO_CORRELATION, batch, index);
    return 0;
  }
  if (id == 0) return 0;
  Launch *launch = find(f, id);
  if (launch) take_last(f, launch, batch, index);
  if (!launch || !launch->has_start) {
    note(f, NO_LAUNCH, batch, index);
    return 0;
  }
  const MillEvent from = {
    .ts_ns = launch->start_ns, .name = launch->name, .cat = launch->cat, .track = launch->track
  };
  return emit_arrow(f, batch, index, &from, ts_ns, track);
}

static int launch_flow_process(void *instance, MillBatch *batch)
{
  LaunchFlow *f = instance;
  int status = 0;
  uint32_t n = batch->n_events;
  for (uint32_t i = 0; i < n && status == 0; i++)
    if (is_kernel(f, &batch->events[i])) status = take_kernel(f, batch, i);
  return status;
}

static int launch_flow_flush(void *instance, MillBatch *batch)
{
  LaunchFlow *f = instance;
  int status = 0;
  for (size_t i = 0; i < f->n && status == 0; i++) {
    const Launch *l = &f->launches[i];
    const MillEvent from = {
      .ts_ns = l->last_ns, .name = l->name, .cat = l->cat, .track = l->last_track
    };
    if (l->has_start && l->wait_ns != NEVER && l->last_ns != NEVER)
      status = emit_arrow(f, batch, MILL_AT_END, &from, l->wait_ns, l->wait_track);
  }
  return status;
}

/* ------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = launch_flow_open,
  .observe = launch_flow_observe,
  .decide = launch_flow_decide,
  .save_decision = save_decision,
  .load_decision = load_decision,
  .process = launch_flow_process,
  .flush = launch_flow_flush,
};

static const MillNotice notices[] = {
  MILL_WARNING(AFTER_WAIT, "{count} kernel[|s] in {lane} [ends|end] after the wait for [it|them]",
               "the arrow to the wait begins at an earlier kernel, or is missing",
               "put the device on the host's clock: job-align, rank-sync",
               "A ScheduleWait returns when the kernels of its launch are done. A kernel that ends "
               "later has the time of another clock, or belongs to another launch with the same "
               "correlation."),
  MILL_WARNING(
      NO_CORRELATION, "{count} kernel[|s] in {lane} [has|have] no correlation",
      "[it gets|they get] no arrow", "record launches and kernels with the same profiler",
      "The correlation of a kernel is the number of its launch. Without it, the launch of the "
      "kernel is unknown."),
  MILL_INFO(NO_LAUNCH, "{count} kernel[|s] in {lane} [has|have] no launch in the trace",
            "[it gets|they get] no arrow", NULL,
            "A flow start with the id of the correlation marks the launch. It is missing if the "
            "trace begins after the launch, or if flows were filtered."),
};

#define ON_SLICES MILL_KIND(MILL_SLICE)
static const MillRead reads[] = { { "correlation", MILL_AS_INT, ON_SLICES } };

static const char *const needs[] = { "trace.kineto", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const provides[] = { "flows", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .name = "launch-flow",
  .family = "comm",
  .version = "1.0.0",
  .tag = "LFLOW",
  .title = "Draw arrows from launches to their kernels and on to the wait",
  .help =
      "In torch traces a flow start marks each launch. Every kernel with the correlation of a "
      "launch gets an arrow from it, and the last of them has one to the end of the ScheduleWait "
      "that waited for it.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(notices, reads),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
