/* Plans what the accelerators of an AIU run do, for aiu-gen; see aiu.h. */
/* SPDX-License-Identifier: MIT */
#include "aiu.h"

#include <stdlib.h>

static const int64_t COUNTER_RANGE = INT64_C(1) << 32;
static const int64_t BASE_NS = INT64_C(1475000000000);

/* Milestones of a slot in thousandths of its busy part. Prep always contains WRAP_IN_PREP and
   Exec always WRAP_IN_EXEC: where counters wrap. */
enum { WRAP_IN_PREP = 120, WRAP_IN_EXEC = 300, COLLECTIVE_AT = 550 };
enum { ROUND_TRIP = 25, TRANSFER_IN = 30 }; /* where they begin */

static int64_t scaled(int64_t a, int64_t b, int64_t c) { return (int64_t)((__int128)a * b / c); }

int64_t slot_start(const Grid *grid, int64_t slot)
{
  return scaled(slot, grid->total_cycles, grid->slots);
}

static int job_of(const Grid *grid, int64_t slot)
{
  return (int)scaled(slot, grid->options->jobs, grid->slots);
}

int64_t job_first_slot(const Grid *grid, int job)
{
  int64_t jobs = grid->options->jobs;
  return (job * grid->slots + jobs - 1) / jobs;
}

/* Rounded to the nearest nanosecond of the rank's host clock. */
int64_t host_ns(const Grid *grid, const Clock *clock, int64_t cycles)
{
  int64_t khz = grid->options->soc_khz;
  __int128 twice = (__int128)cycles * 2000000 + (cycles < 0 ? -khz : khz);
  int64_t true_ns = (int64_t)(twice / (2 * khz));
  return BASE_NS + true_ns + clock->offset_ns + scaled(true_ns, clock->drift_ppb, 1000000000);
}

/* The end of the chain, or the top of the tree. */
static int collective_root(const Options *o) { return o->tree ? 0 : o->ranks - 1; }

/* Whom a rank gives its sum to; the root gives it to nobody. */
static int collective_parent(const Options *o, int rank)
{
  return o->tree ? (rank - 1) / 2 : rank + 1;
}

int64_t collective_slices(const Options *o, int rank)
{
  if (!o->collectives) return 0;
  return rank == collective_root(o) ? o->ranks + 3 : 4;
}

Grid grid_make(const Options *o, int64_t slices)
{
  int64_t step = o->wraps ? o->wraps : 1;
  Grid grid = { .options = o };
  grid.slots = (slices - o->collectives * collective_slices(o, collective_root(o))) /
               OPERATION_SLICES / step * step;
  if (grid.slots < step || grid.slots < o->collectives)
    die("--events %lld: too few for %lld wraps and %lld collectives of %d ranks",
        (long long)o->events, (long long)o->wraps, (long long)o->collectives, o->ranks);
  int64_t usual = o->soc_khz, most = scaled(COUNTER_RANGE, 45, 100) / grid.slots;
  grid.total_cycles =
      o->wraps ? o->wraps * COUNTER_RANGE : grid.slots * (usual < most ? usual : most);
  int64_t slot_cycles = grid.total_cycles / grid.slots;
  grid.busy_cycles = slot_cycles < 2 * usual ? slot_cycles : 2 * usual;
  grid.transfer_cycles = grid.busy_cycles * 36 / 100 * 2 / (5 * o->ranks + 6);
  if (grid.busy_cycles < SMALLEST_SLOT)
    die("--events %lld: too many for %lld wraps", (long long)o->events, (long long)o->wraps);
  if (o->collectives && grid.transfer_cycles < SMALLEST_TRANSFER)
    die("--ranks %d: too many for so many events; raise --wraps", o->ranks);
  return grid;
}

/* From -most to most, never 0 unless most is. */
static int64_t spread(uint64_t seed, uint64_t what, int rank, int64_t most)
{
  if (!rank || !most) return 0;
  uint64_t bits = hash3(seed, what, (uint64_t)rank);
  int64_t size = 1 + (int64_t)((bits >> 1) % (uint64_t)most);
  return bits & 1 ? -size : size;
}

int64_t slack_ns(const Grid *grid)
{
  int64_t cycles =
      scaled(grid->busy_cycles, TRANSFER_IN, 1000) - scaled(grid->busy_cycles, ROUND_TRIP, 1000);
  return scaled(cycles, 1000000, grid->options->soc_khz);
}

int64_t job_shift_ns(const Options *o, int rank, int job)
{
  int64_t half = o->shift_ns / 2;
  int64_t more = spread(o->seed, 30 + (uint64_t)job, rank + 1, o->shift_ns - half);
  return more < 0 ? more - half : more > 0 ? more + half : 0;
}

/* With wraps the first one is put into the operation of a slot, and as slots divide the
   counter's range evenly, all others fall into operations too: into Exec on even ranks and into
   Prep on odd ones. */
Clock clock_make(const Grid *grid, int rank)
{
  const Options *o = grid->options;
  uint64_t bits = hash3(o->seed, 11, (uint64_t)rank);
  Clock clock = { .rank = rank,
                  .offset_ns = spread(o->seed, 12, rank, o->skew_ns),
                  .drift_ppb = spread(o->seed, 13, rank, o->drift_ppb) };
  clock.first_count = (1 << 20) + (int64_t)(bits % (UINT64_C(1) << 30));
  if (!o->wraps) return clock;
  int64_t period = grid->slots / o->wraps;
  int64_t slot = period * 3 / 10 + (int64_t)(bits % (uint64_t)(period / 5 + 1));
  int64_t inside = rank % 2 ? WRAP_IN_PREP : WRAP_IN_EXEC;
  clock.first_count =
      COUNTER_RANGE - slot_start(grid, slot) - scaled(grid->busy_cycles, inside, 1000);
  return clock;
}

typedef struct {
  const Grid *grid;
  const Clock *clock;
  int64_t start;
  Slice *slices;
  int n;
} Slot;

static int64_t at(const Slot *s, int64_t thousandths)
{
  return s->start + scaled(s->grid->busy_cycles, thousandths, 1000);
}

static Slice *add(Slot *s, Part part, int thread, const char *name, int64_t start, int64_t end)
{
  static const int first_shown[] = { [DMA_IN] = 0, [PREP] = 1, [EXEC] = 2, [DMA_OUT] = 3 };
  Slice *slice = &s->slices[s->n++];
  *slice = (Slice){ .start = start,
                    .end = end,
                    .part = part,
                    .thread = thread,
                    .name = name,
                    .number = -1,
                    .group = -1,
                    .peer = -1,
                    .to = -1 };
  if (part == HOST) return slice;
  for (int i = 0; i < 5; i++) {
    int shown = first_shown[part];
    slice->stamp[i] = i <= shown ? start - (shown - i) : end + (i - shown - 1);
  }
  return slice;
}

/* One kernel: host launch, copy in, preparation and execution (one instruction), copy out. */
static void add_operation(Slot *s, int64_t slot, Random *random)
{
  const Options *o = s->grid->options;
  uint64_t order = o->shuffled ? hash3(o->seed, 40, (uint64_t)slot) : (uint64_t)slot;
  int kernel = (int)(order % KERNELS);
  const char *name = kernel_name(kernel);
  int64_t number = kernel + (int64_t)KERNELS * job_of(s->grid, slot);
  bool overlap = o->overlap_every && slot % o->overlap_every == o->overlap_every - 1;
  int64_t exec_start = at(s, 150 + random_below(random, 50)),
          exec_end = at(s, 360 + random_below(random, 100));
  add(s, HOST, GRAPH_THREAD, "Compute of ", at(s, 0), at(s, 20))->type = name;
  add(s, HOST, LAUNCH_THREAD, "Flex RoundTrip", at(s, 22), at(s, 540));
  add(s, HOST, RUNTIME_THREAD, "AIU Roundtrip", at(s, ROUND_TRIP), at(s, 530));
  Slice *in =
      add(s, DMA_IN, DMA_THREAD, name, at(s, TRANSFER_IN), at(s, 60 + random_below(random, 10)));
  Slice *prep = add(s, PREP, CORE_THREAD, name, at(s, 80 + random_below(random, 10)), exec_start);
  Slice *exec = add(s, EXEC, CORE_THREAD, name, exec_start, exec_end);
  int64_t stamps[5] = { at(s, 75), prep->start, exec_start, exec_end, exec_end + 8 };
  memcpy(prep->stamp, stamps, sizeof stamps);
  memcpy(exec->stamp, stamps, sizeof stamps);
  Slice *out =
      overlap
          ? add(s, DMA_OUT, CORE_THREAD, name, (exec_start + exec_end) / 2, exec_end + 20)
          : add(s, DMA_OUT, DMA_THREAD, name, at(s, 480), at(s, 500 + random_below(random, 20)));
  in->number = prep->number = exec->number = out->number = number;
  in->bytes = 4096 << (slot % 4);
  out->bytes = 4096;
}

static Slice *add_message(Slot *s, Part part, const char *name, int64_t start, int64_t end,
                          int64_t group, int from, int to, int peer, const char *type)
{
  Slice *slice = add(s, part, part == DMA_IN ? RECEIVE_THREAD : SEND_THREAD, name, start, end);
  slice->number = group;
  slice->group = group;
  slice->from = from;
  slice->to = to;
  slice->peer = peer;
  slice->type = type;
  slice->bytes = 4096;
  return slice;
}

/* The times of a collective, in true cycles. */
typedef struct {
  int64_t group, begin, end;
  int64_t *ready; /* when each rank has the sum of those below it */
} Collective;

/* The root sends to all others: one list, one multicast, one message each. */
static void add_multicast(Slot *s, Collective *c)
{
  const Options *o = s->grid->options;
  int root = collective_root(o), rank = s->clock->rank, n = 0;
  int64_t d = s->grid->transfer_cycles, begin = c->ready[root], first = begin + d / 2 + d;
  if (rank == root) {
    add_message(s, DMA_OUT, "Set BcList", begin, begin + d / 2, c->group, root, -1, -1,
                "Set BCList")
        ->bytes = 0;
    add_message(s, DMA_OUT, "MultiCast", begin + d / 2, first, c->group, root, -1, -1, "MultiCast");
  }
  for (int to = 0; to < o->ranks; to++) {
    if (to == root) continue;
    int64_t start = first + n++ * d;
    if (rank == root)
      add_message(s, DMA_OUT, "Xseg to rank", start, start + d, c->group, root, -1, to,
                  "MultiCast XSEG");
    if (rank == to)
      add_message(s, DMA_IN, "SenRdmaRecv", c->ready[to] + d, start + d + d / 4, c->group, root, -1,
                  root, "WDone Barrier");
    c->end = start + d + d / 4;
  }
}

/* A rank comes in, waits for each that is below it, on a row each, until a quarter of a transfer after that has
   finished, and sends the sum on. */
static void add_rank(Slot *s, Collective *c, int rank, int64_t enter)
{
  const Options *o = s->grid->options;
  int64_t d = s->grid->transfer_cycles, ready = enter;
  int thread = RECEIVE_THREAD;
  for (int from = 0; from < o->ranks; from++) {
    if (from == collective_root(o) || collective_parent(o, from) != rank) continue;
    int64_t done = c->ready[from] + d + d / 4;
    if (done < enter + d / 2) done = enter + d / 2;
    if (rank == s->clock->rank)
      add_message(s, DMA_IN, "SenRdmaRecv", enter, done, c->group, from, rank, from,
                  "WDone Barrier")
          ->thread = thread++;
    if (done > ready) ready = done;
  }
  c->ready[rank] = ready;
  if (enter < c->begin) c->begin = enter;
  if (rank == collective_root(o) || rank != s->clock->rank) return;
  int to = collective_parent(o, rank);
  add_message(s, DMA_OUT, "SenRdmaSend", ready, ready + d, c->group, rank, to, to, "SingleCast");
}

/* A reduction along the chain 0, 1, ..., or up a binary tree, then a multicast by its end. */
static void add_collective(Slot *s, Collective *c, int64_t ordinal)
{
  const Grid *grid = s->grid;
  const Options *o = grid->options;
  int64_t late = grid->busy_cycles / 20 + 1;
  c->group = ordinal % o->groups;
  c->begin = INT64_MAX;
  for (int i = 0; i < o->ranks; i++) {
    int rank = o->tree ? o->ranks - 1 - i : i;
    uint64_t wait = hash3(o->seed, (uint64_t)ordinal + 100, (uint64_t)rank) % (uint64_t)late;
    add_rank(s, c, rank, at(s, COLLECTIVE_AT) + (int64_t)wait);
  }
  add_multicast(s, c);
}

static bool find_collective(const Grid *grid, int64_t slot, int64_t *ordinal)
{
  int64_t n = grid->options->collectives;
  if (!n) return false;
  for (int64_t k = scaled(slot, n, grid->slots) - 1; k <= scaled(slot, n, grid->slots) + 1; k++)
    if (k >= 0 && k < n && scaled(2 * k + 1, grid->slots, 2 * n) == slot) {
      *ordinal = k;
      return true;
    }
  return false;
}

static void sort_by_start(Slice *slices, int n)
{
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && slices[j - 1].start > slices[j].start; j--) {
      Slice swap = slices[j];
      slices[j] = slices[j - 1];
      slices[j - 1] = swap;
    }
}

/* The meter counts 512/12 units per microsecond and watt. */
static void fill_charges(Slot *s, int64_t exec_before, const Slice *exec)
{
  for (int i = 0; i < s->n; i++) {
    int64_t until = s->slices[i].stamp[3], ran = until - exec->start, all = exec->end - exec->start;
    int64_t exec_cycles = exec_before + (ran < 0 ? 0 : ran < all ? ran : all);
    __int128 watt_cycles =
        (__int128)IDLE_WATTS * until + (__int128)(EXEC_WATTS - IDLE_WATTS) * exec_cycles;
    s->slices[i].charge =
        (uint64_t)(watt_cycles * 512000 / (12 * s->grid->options->soc_khz)) + 1000000;
  }
}

int plan_slot(const Grid *grid, const Clock *clock, int64_t slot, int64_t *exec_cycles,
              Slice *slices, Planted *planted)
{
  Random random = { hash3(grid->options->seed, 20 + (uint64_t)clock->rank, (uint64_t)slot) };
  Slot s = { .grid = grid, .clock = clock, .start = slot_start(grid, slot), .slices = slices };
  int64_t ordinal;
  add_operation(&s, slot, &random);
  Slice exec = slices[5];
  if (find_collective(grid, slot, &ordinal)) {
    Collective c = { .ready = malloc(sizeof *c.ready * (size_t)grid->options->ranks) };
    if (!c.ready) die("no memory for a collective");
    add_collective(&s, &c, ordinal);
    planted[ordinal] = (Planted){ c.group, c.begin, c.end };
    free(c.ready);
  }
  fill_charges(&s, *exec_cycles, &exec);
  *exec_cycles += exec.end - exec.start;
  sort_by_start(slices, s.n);
  return s.n;
}
