/* Divides the steps of a lane among parts and causes; see step-facts.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/step-facts.h"

#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"

typedef struct Divider { /* of one device */
  Facts *f;
  const uint32_t *call_places; /* of calls, by the order in which they were seen */
  size_t step;                 /* of the window that times have come to */
  MillSym before_idle; /* name of the copy that ended last before the gap; 0: other work did */
} Divider;

/* The part of a time that is in the next window; false: no more is in any. */
static bool cut(Divider *d, int64_t *io_from_ns, int64_t to_ns, int64_t *out_from_ns,
                int64_t *out_to_ns)
{
  const StepWindows *s = &d->f->windows;
  while (d->step < s->n && s->items[d->step].to_ns <= *io_from_ns) d->step++;
  if (d->step >= s->n) return false;
  const StepWindow *w = &s->items[d->step];
  *out_from_ns = w->from_ns > *io_from_ns ? w->from_ns : *io_from_ns;
  *out_to_ns = w->to_ns < to_ns ? w->to_ns : to_ns;
  *io_from_ns = *out_to_ns;
  return *out_from_ns < *out_to_ns;
}

static bool add_copy(Divider *d, MillSym name, int64_t exposed_ns, int64_t sync_ns)
{
  const uint32_t key[] = { (uint32_t)d->step, name };
  CopyTime *copy = keyed_get(d->f->copy_sums, (const char *)key, sizeof key);
  if (!copy) return false;
  copy->step = (uint32_t)d->step;
  copy->name = name;
  copy->exposed_ns = add_clipped(copy->exposed_ns, exposed_ns);
  copy->sync_ns = add_clipped(copy->sync_ns, sync_ns);
  return true;
}

static bool add_piece(Divider *d, const DeviceWork *w, int64_t from_ns, int64_t to_ns)
{
  Facts *f = d->f;
  const uint32_t call = f->infos[w->data].call;
  if (!array_reserve(f->common, &f->pieces, &f->piece_capacity, f->n_pieces + 1, sizeof *f->pieces))
    return false;
  f->pieces[f->n_pieces++] = (CommPiece){ .step = (uint32_t)d->step,
                                          .call = call == NO_CALL ? NO_CALL : d->call_places[call],
                                          .from_ns = interval_span(w->start_ns, from_ns),
                                          .to_ns = interval_span(w->start_ns, to_ns) };
  return true;
}

static bool add_busy(Divider *d, const SweepPiece *p)
{
  Facts *f = d->f;
  bool fits = true;
  for (int64_t at_ns = p->from_ns, from_ns, to_ns;
       fits && cut(d, &at_ns, p->to_ns, &from_ns, &to_ns);) {
    const int64_t time_ns = to_ns - from_ns;
    int64_t *sums = f->steps[d->step].sums_ns;
    switch (p->owner->does) {
    case WORK_COMPUTATION: sums[CAUSE_COMPUTE] = add_clipped(sums[CAUSE_COMPUTE], time_ns); break;
    case WORK_COMMUNICATION: fits = add_piece(d, p->owner, from_ns, to_ns); break;
    default:
      sums[CAUSE_COPY] = add_clipped(sums[CAUSE_COPY], time_ns);
      fits = add_copy(d, f->infos[p->owner->data].name, time_ns, 0);
    }
    if (fits && f->watch) fits = f->watch->busy(f, p->owner, d->step, time_ns);
  }
  return fits;
}

static bool add_gap_sum(Facts *f, const IdlePart *part, int64_t time_ns)
{
  const uint32_t key[] = { (uint32_t)part->cause, part->name };
  GapSum *sum = keyed_get(f->gaps, (const char *)key, sizeof key);
  if (!sum) return false;
  sum->cause = part->cause;
  sum->name = part->name;
  sum->gaps++;
  sum->time_ns = add_clipped(sum->time_ns, time_ns);
  if (time_ns > sum->longest_ns) sum->longest_ns = time_ns;
  return true;
}

static bool add_idle(Divider *d, const SweepPiece *p)
{
  Facts *f = d->f;
  Gap gap = gap_explain(f, p);
  bool fits = true;
  for (IdlePart part; fits && gap_next(&gap, &part);) {
    int64_t within_ns = 0; /* of steps */
    for (int64_t at_ns = part.from_ns, from_ns, to_ns;
         fits && cut(d, &at_ns, part.to_ns, &from_ns, &to_ns);) {
      int64_t *sum = &f->steps[d->step].sums_ns[part.cause];
      *sum = add_clipped(*sum, to_ns - from_ns);
      within_ns += to_ns - from_ns;
      if (part.cause == CAUSE_SYNC && d->before_idle)
        fits = add_copy(d, d->before_idle, 0, to_ns - from_ns);
      if (fits && f->watch) fits = f->watch->idle(f, &part, d->step, to_ns - from_ns);
    }
    if (within_ns) fits = fits && add_gap_sum(f, &part, within_ns);
  }
  return fits;
}

static bool divide_device(Facts *f, const uint32_t *call_places, uint32_t device)
{
  const StepWindows *s = &f->windows;
  Divider d = { .f = f, .call_places = call_places };
  DeviceSweep sweep =
      device_sweep(&f->works, device, s->items[0].from_ns, s->items[s->n - 1].to_ns);
  bool fits = true;
  for (SweepPiece p; fits && device_sweep_next(&sweep, &p);) {
    fits = p.owner ? add_busy(&d, &p) : add_idle(&d, &p);
    d.before_idle = p.owner && p.owner->does == WORK_MEMORY ? f->infos[p.owner->data].name : 0;
  }
  return fits;
}

static bool begin_steps(Facts *f)
{
  const StepWindows *s = &f->windows;
  if (!array_reserve(f->common, &f->steps, &f->step_capacity, s->n + 1, sizeof *f->steps))
    return false;
  for (size_t i = 0; i < s->n; i++)
    f->steps[i] = (LaneStep){ .number = s->items[i].number,
                              .span_ns = interval_span(s->items[i].from_ns, s->items[i].to_ns),
                              .is_warmup = s->items[i].is_warmup };
  f->n_steps = s->n;
  return true;
}

static bool list_copies(Facts *f)
{
  const size_t n = keyed_count(f->copy_sums);
  const KeyedEntry *const *entries = keyed_sorted(f->copy_sums);
  if (!entries || !array_reserve(f->common, &f->copies, &f->copy_capacity, n, sizeof *f->copies))
    return false;
  for (size_t i = 0; i < n; i++) f->copies[i] = *(const CopyTime *)entries[i]->state;
  f->n_copies = n;
  return true;
}

static uint32_t *place_calls(const Facts *f)
{
  uint32_t *places = mill_new(f->common, (f->calls.n + 1) * sizeof *places);
  for (size_t i = 0; places && i < f->calls.n; i++) places[f->calls.items[i].index] = (uint32_t)i;
  return places;
}

/* Calls that begin with the first step after warm-up, or later. */
static bool add_allocations(Facts *f)
{
  const Marks *marks = &f->marks.kinds[MARK_ALLOCATION];
  const StepWindow *first = f->windows.items, *end = first + f->windows.n;
  while (first < end && first->is_warmup) first++;
  const int64_t from_ns = first == end      ? INT64_MIN
                          : first->has_host ? first->host_ns
                                            : first->from_ns;
  for (size_t i = 0; i < marks->n; i++) {
    const Mark *mark = &marks->items[i];
    if (mark->start_ns < from_ns) continue;
    CallSum *sum = keyed_get_sym(f->allocations, mark->name);
    if (!sum) return false;
    sum->calls++;
    sum->time_ns = add_clipped(sum->time_ns, interval_span(mark->start_ns, mark->end_ns));
  }
  return true;
}

static bool divide(Facts *f)
{
  if (!device_works_sort(&f->works) || !host_marks_close(&f->marks) ||
      !step_windows_close(&f->windows) || !calls_close(&f->calls) || !begin_steps(f) ||
      !add_allocations(f))
    return false;
  uint32_t *places = place_calls(f);
  bool fits = places != NULL;
  for (uint32_t i = 0; i < f->works.n_devices && fits && f->n_steps; i++)
    fits = divide_device(f, places, i);
  array_free(f->common, places);
  return fits && list_copies(f);
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

bool facts_close(Facts *f)
{
  if (!divide(f) || !order_call_steps(f) ||
      !array_reserve(f->common, &f->lanes, &f->lane_capacity, 1, sizeof *f->lanes))
    return false;
  f->lanes[f->n_lanes++] = (LaneFacts){ .rank = facts_rank(f),
                                        .has_steps = f->windows.has_steps,
                                        .devices = f->works.n_devices ? f->works.n_devices : 1,
                                        .n_steps = f->n_steps,
                                        .n_copies = f->n_copies,
                                        .n_pieces = f->n_pieces,
                                        .n_calls = f->calls.n };
  return true;
}
