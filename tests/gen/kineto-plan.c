/* Plans the events of one training step for kineto-gen. Every event has its own fixed place in a
   unit of 2 ms (one forward or backward layer) plus a little jitter, so that slices of a thread
   nest, kernels of a stream follow each other and no state crosses a step. */
/* SPDX-License-Identifier: MIT */
#include "kineto.h"

enum {
  US = 1000,
  UNIT_NS = 2000 * US,
  STEP_UNITS = 2 * MAX_LAYERS + 3,
  GROUPS = 9,
  GROUP_NS = 215 * US,
  FORWARD_FLOWS = 11,
  IDS_PER_STEP = 1024,
  EXTERNALS_PER_STEP = 1024,
  PYTHON_PER_STEP = 1024
};

typedef struct {
  const Run *run;
  Random common; /* the same on every rank: names and shapes */
  Random own;    /* times of this rank */
  uint32_t step, layers;
  uint32_t next_correlation, next_external, next_python;
  Planned *plan;
  size_t n;
} Planner;

int64_t step_start_ns(uint32_t step) { return (int64_t)step * STEP_UNITS * UNIT_NS; }

static Planned *add(Planner *p, Kind kind, Place place, int64_t ts_ns, int64_t dur_ns)
{
  Planned *event = &p->plan[p->n++];
  *event =
      (Planned){ .ts_ns = ts_ns, .dur_ns = dur_ns, .kind = (uint8_t)kind, .place = (uint8_t)place };
  return event;
}

static int64_t jitter(Planner *p, uint32_t below_ns) { return random_below(&p->own, below_ns); }

/* Half of the picks fall on the first 64 names, as in real runs. */
static uint16_t pick_name(Planner *p, uint32_t n)
{
  uint64_t bits = random_next(&p->common);
  uint32_t range = bits & 1 && n > 64 ? 64 : n;
  return (uint16_t)(((bits >> 32) * range) >> 32);
}

/* Correlations are even and forward-backward flow ids odd: an id names one flow of a file. */
static uint32_t next_correlation(Planner *p)
{
  return 2 * (p->step * IDS_PER_STEP + ++p->next_correlation);
}

static uint32_t flow_id(const Planner *p, uint32_t layer, int i)
{
  return 2 * (p->step * IDS_PER_STEP + layer * FORWARD_FLOWS + (uint32_t)i) + 1;
}

static uint32_t next_external(Planner *p)
{
  return p->step * EXTERNALS_PER_STEP + ++p->next_external;
}

static uint32_t add_frame(Planner *p, uint32_t parent, int64_t ts_ns, int64_t dur_ns)
{
  Planned *frame = add(p, PYTHON, MAIN_THREAD, ts_ns, dur_ns);
  frame->id = p->step * PYTHON_PER_STEP + ++p->next_python;
  frame->external = parent;
  frame->name = pick_name(p, PYTHON_NAMES);
  return frame->id;
}

static void add_runtime(Planner *p, Place place, int name, uint32_t id, uint32_t external,
                        int64_t ts_ns, int64_t dur_ns)
{
  Planned *call = add(p, RUNTIME, place, ts_ns, dur_ns);
  call->name = (uint16_t)name;
  call->id = id;
  call->external = external;
}

/* A call, the device event that it causes, and the two ends of the flow between them: 4 events. */
static Planned *add_launch(Planner *p, Place thread, int call, int64_t call_ts_ns,
                           uint32_t external, Kind kind, Place stream, int64_t ts_ns,
                           int64_t dur_ns)
{
  uint32_t id = next_correlation(p);
  add_runtime(p, thread, call, id, external, call_ts_ns, 6 * US + jitter(p, 3 * US));
  add(p, LAUNCH_FLOW, thread, call_ts_ns, -1)->id = id;
  Planned *work = add(p, kind, stream, ts_ns, dur_ns);
  work->id = id;
  work->external = external;
  work->value = random_next(&p->common);
  add(p, ARRIVE_FLOW, stream, ts_ns, -1)->id = id;
  return work;
}

static void add_fwdbwd(Planner *p, bool forward, Place thread, uint32_t layer, int i, int64_t ts_ns)
{
  add(p, forward ? FORWARD_FLOW : BACKWARD_FLOW, thread, ts_ns, -1)->id = flow_id(p, layer, i);
}

/* Two nested operators of one group, their memory event and their calls. */
static void add_group_ops(Planner *p, bool forward, uint32_t layer, int group, int64_t start_ns)
{
  Place thread = forward ? MAIN_THREAD : BACKWARD_THREAD;
  int64_t outer_dur = 180 * US + jitter(p, 10 * US);
  int64_t inner_ts = start_ns + 4 * US + jitter(p, 2 * US);
  Planned *outer = add(p, CPU_OP, thread, start_ns, outer_dur);
  outer->external = next_external(p);
  outer->name = pick_name(p, OP_NAMES);
  outer->sequence = flow_id(p, layer, group);
  outer->value = forward;
  add_fwdbwd(p, forward, thread, layer, group, start_ns);

  Planned *inner = add(p, CPU_OP, thread, inner_ts, 165 * US + jitter(p, 5 * US));
  uint32_t external = inner->external = next_external(p);
  inner->name = pick_name(p, OP_NAMES);
  if (group < FORWARD_FLOWS - GROUPS) {
    inner->sequence = flow_id(p, layer, GROUPS + group);
    inner->value = forward;
    add_fwdbwd(p, forward, thread, layer, GROUPS + group, inner_ts);
  }

  Planned *memory = add(p, MEMORY, thread, start_ns + 8 * US, -1);
  memory->value = random_next(&p->own);
  add_runtime(p, thread, RUN_OTHER + pick_name(p, RUNTIME_NAMES - RUN_OTHER), next_correlation(p),
              external, start_ns + 15 * US, 2 * US + jitter(p, 4 * US));
  int64_t call_ts = start_ns + 55 * US + jitter(p, 10 * US);
  if (group == GROUPS - 1) {
    add_runtime(p, thread, RUN_OTHER, next_correlation(p), external, call_ts, 1 * US);
    return;
  }
  int64_t kernel_ts = start_ns + 75 * US + jitter(p, 5 * US);
  Planned *kernel = add_launch(p, thread, RUN_LAUNCH, call_ts, external, KERNEL, COMPUTE_STREAM,
                               kernel_ts, 1 * US + jitter(p, 180 * US));
  kernel->name = pick_name(p, KERNEL_NAMES);
}

/* 100 events: 20 frames, 18 operators, 18 calls, 8 kernels, 16 + 11 flow ends, 9 memory events. */
static void add_unit(Planner *p, bool forward, uint32_t layer, int64_t unit_ns)
{
  uint32_t module = add_frame(p, 0, unit_ns + 5 * US, 1988 * US);
  uint32_t body = add_frame(p, module, unit_ns + 8 * US, 1980 * US);
  for (int group = 0; group < GROUPS; group++) {
    int64_t start = unit_ns + 20 * US + group * GROUP_NS + jitter(p, 8 * US);
    uint32_t frame = add_frame(p, body, start, 204 * US);
    add_frame(p, frame, start + 2 * US, 200 * US);
    add_group_ops(p, forward, layer, group, start + 5 * US);
  }
}

static int64_t arrival_jitter_ns(const Planner *p, uint32_t collective, int rank)
{
  return (int64_t)(hash3(p->run->seed, collective, (uint64_t)rank + 1000) % (200 * US));
}

/* All ranks leave a collective at the same time, after the last one has come. 6 events. */
static void add_collective(Planner *p, uint32_t layer, int64_t unit_ns)
{
  uint32_t number = p->step * MAX_LAYERS + layer + 1;
  int64_t latest = 0, begin_ns = unit_ns + 1978 * US;
  for (int rank = 0; rank < p->run->n_ranks; rank++) {
    int64_t late = arrival_jitter_ns(p, number, rank);
    if (late > latest) latest = late;
  }
  uint32_t work_ns = 100 * US + random_below(&p->common, 1300 * US);
  int64_t arrive_ns = begin_ns + arrival_jitter_ns(p, number, p->run->rank);
  add(p, COLLECTIVE_RANGE, BACKWARD_THREAD, unit_ns + 1962 * US, 30 * US)->external =
      next_external(p);
  Planned *op = add(p, COLLECTIVE_OP, BACKWARD_THREAD, unit_ns + 1963 * US, 27 * US);
  uint32_t external = op->external = next_external(p);
  Planned *kernel =
      add_launch(p, BACKWARD_THREAD, RUN_LAUNCH, unit_ns + 1965 * US, external, COLLECTIVE_KERNEL,
                 COMM_STREAM, arrive_ns, begin_ns + latest + work_ns - arrive_ns);
  kernel->sequence = op->sequence = number;
  kernel->value = op->value = 1u << (14 + number % 12);
}

static void add_copies(Planner *p, int64_t start_ns)
{
  Planned *copy =
      add_launch(p, MAIN_THREAD, RUN_MEMCPY, start_ns + 100 * US, next_external(p), MEMCPY,
                 COPY_STREAM, start_ns + 130 * US, 50 * US + jitter(p, 500 * US));
  copy->value = 1 << 20;
  Planned *set =
      add_launch(p, MAIN_THREAD, RUN_MEMSET, start_ns + 200 * US, next_external(p), MEMSET,
                 COMPUTE_STREAM, start_ns + 230 * US, 1 * US + jitter(p, 2 * US));
  set->value = 4096;
}

size_t plan_step(const Run *run, uint32_t step, uint32_t layers, Planned *plan)
{
  Planner p = { .run = run, .step = step, .layers = layers, .plan = plan };
  int64_t start_ns = step_start_ns(step), end_ns = start_ns + (2 * layers + 2) * (int64_t)UNIT_NS;
  p.common.state = hash3(run->seed, 2, step);
  p.own.state = hash3(run->seed, 3 + (uint64_t)run->rank, step);
  add(&p, STEP, MAIN_THREAD, start_ns, end_ns - start_ns)->external = step;
  add_copies(&p, start_ns);
  add(&p, GPU_STEP, COMPUTE_STREAM, start_ns + UNIT_NS, 2 * layers * (int64_t)UNIT_NS + 100 * US)
      ->external = step;
  for (uint32_t i = 0; i < layers; i++)
    add_unit(&p, true, i, start_ns + (1 + i) * (int64_t)UNIT_NS);
  for (uint32_t i = 0; i < layers; i++) {
    int64_t unit_ns = start_ns + (1 + layers + i) * (int64_t)UNIT_NS;
    add_unit(&p, false, layers - 1 - i, unit_ns);
    add_collective(&p, i, unit_ns);
  }
  add_runtime(&p, MAIN_THREAD, RUN_SYNC, next_correlation(&p), 0, end_ns - 1800 * US, 1700 * US);
  return p.n;
}
