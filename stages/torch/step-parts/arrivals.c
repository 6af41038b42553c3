/* How long each rank waited in a collective for the last one, on the run level; see facts.h.
 *
 * All ranks leave a collective of these kinds together, so a rank that was in it for longer than another one came that much
 * earlier: durations say who waited, and no clocks are compared. */
#include "facts.h"
#include "rows.h"

#include "kit/numbers/clip.h"

enum { NOT_SPLIT = -1 };

typedef struct CollectiveSum { /* of one collective in a step of a rank, of all devices */
  uint32_t lane, step;
  const char *name;
  int64_t wait_ns, transfer_ns, unsplit_ns;
} CollectiveSum;

typedef struct Arrivals {
  Facts *f;
  const Call **calls;     /* by place among those of all lanes, as they were saved */
  int64_t *waits_ns;      /* by place */
  const LaneStep **steps; /* by place; NULL: in none */
  Keyed *sums;            /* CollectiveSum, by lane, step and name */
} Arrivals;

/* ---- who waited */

/* All ranks are there, more than one, and leave together. */
static bool is_split(const Collective *c)
{
  return c->n > 1 && c->complete && c->calls->type < CALL_OTHER;
}

static int report_collective(const Arrivals *a, const Collective *c)
{
  const Facts *f = a->f;
  int64_t longest_ns = 0, last = -1;
  int status = 0;
  for (size_t i = 0; i < c->n; i++) {
    const Call *call = &c->calls[i];
    if (call->dur_ns > longest_ns) longest_ns = call->dur_ns;
    if (last < 0 && call->dur_ns == c->latency_ns) last = call->rank;
  }
  for (size_t i = 0; i < c->n && status == 0; i++) {
    const Call *call = &c->calls[i];
    const LaneStep *step = a->steps[call->index];
    const ArrivalRow row = { .group = call->group,
                             .ranks = call->ranks,
                             .number = call->number,
                             .name = call->name,
                             .step = step ? step->number : MILL_NO_INT,
                             .is_warmup = step ? step->is_warmup : -1,
                             .rank = call->rank,
                             .late_ns = longest_ns - call->dur_ns,
                             .last = last };
    status = mill_row(f->host, TABLE_ARRIVALS, &row);
  }
  return status;
}

static int match_all(Arrivals *a)
{
  Facts *f = a->f;
  Collective c;
  int status = 0;
  for (size_t i = 0; i < f->calls.n; i++) f->calls.items[i].index = (uint32_t)i;
  match_sort(&f->calls);
  for (size_t at = 0; status == 0 && match_next(&f->calls, &at, &c);) {
    const bool split = is_split(&c);
    for (size_t i = 0; i < c.n; i++) {
      const Call *call = &c.calls[i];
      a->calls[call->index] = call;
      a->waits_ns[call->index] = split ? call->dur_ns - c.latency_ns : NOT_SPLIT;
    }
    if (split) status = report_collective(a, &c);
  }
  return status;
}

/* ---- pieces of communication */

static bool add_piece(const Arrivals *a, LaneStep *steps, uint32_t lane, size_t first_call,
                      const CommPiece *p)
{
  const size_t place = first_call + p->call;
  const bool known = p->call != NO_CALL;
  const int64_t wait_ns = known ? a->waits_ns[place] : NOT_SPLIT, time_ns = p->to_ns - p->from_ns;
  int64_t waited_ns = wait_ns - p->from_ns;
  if (waited_ns < 0) waited_ns = 0;
  if (waited_ns > time_ns) waited_ns = time_ns;
  const int64_t times_ns[] = { wait_ns == NOT_SPLIT ? 0 : waited_ns,
                               wait_ns == NOT_SPLIT ? 0 : time_ns - waited_ns,
                               wait_ns == NOT_SPLIT ? time_ns : 0 };
  int64_t *sums = steps[p->step].sums_ns;
  for (int i = 0; i < 3; i++) sums[CAUSE_WAIT + i] = add_clipped(sums[CAUSE_WAIT + i], times_ns[i]);

  const char *name = known ? a->calls[place]->name : "other";
  struct {
    uint32_t lane, step;
    uintptr_t name;
  } key = { lane, p->step, (uintptr_t)name };
  CollectiveSum *sum = keyed_get(a->sums, (const char *)&key, sizeof key);
  if (!sum) return false;
  sum->lane = lane;
  sum->step = p->step;
  sum->name = name;
  sum->wait_ns = add_clipped(sum->wait_ns, times_ns[0]);
  sum->transfer_ns = add_clipped(sum->transfer_ns, times_ns[1]);
  sum->unsplit_ns = add_clipped(sum->unsplit_ns, times_ns[2]);
  return true;
}

static bool add_pieces(const Arrivals *a)
{
  const Facts *f = a->f;
  LaneStep *steps = f->steps;
  const CommPiece *piece = f->pieces;
  size_t call = 0;
  for (uint32_t i = 0; i < f->n_lanes; i++) {
    const LaneFacts *lane = &f->lanes[i];
    for (uint64_t k = 0; k < lane->n_pieces; k++)
      if (!add_piece(a, steps, i, call, piece++)) return false;
    steps += lane->n_steps;
    call += lane->n_calls;
  }
  return true;
}

/* ---- rows */

static int report_sums(const Arrivals *a, const LaneStep *const *lane_steps)
{
  const Facts *f = a->f;
  const KeyedEntry *const *entries = keyed_sorted(a->sums);
  int status = entries ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; status == 0 && i < keyed_count(a->sums); i++) {
    const CollectiveSum *sum = entries[i]->state;
    const LaneFacts *lane = &f->lanes[sum->lane];
    const LaneStep *step = &lane_steps[sum->lane][sum->step];
    const StepCollectiveRow row = { .rank = lane->rank,
                                    .step = step->number,
                                    .is_warmup = step->is_warmup,
                                    .collective = sum->name,
                                    .wait_ns = sum->wait_ns / lane->devices,
                                    .transfer_ns = sum->transfer_ns / lane->devices,
                                    .unsplit_ns = sum->unsplit_ns / lane->devices };
    status = mill_row(f->host, TABLE_COLLECTIVES, &row);
  }
  return status;
}

/* The steps of each lane, and of each call. */
static const LaneStep **find_steps(const Arrivals *a)
{
  const Facts *f = a->f;
  const LaneStep **firsts = mill_new(f->common, (f->n_lanes + 1) * sizeof *firsts);
  const LaneStep *first = f->steps;
  size_t call = 0;
  for (size_t i = 0; firsts && i < f->n_lanes; i++) {
    const LaneFacts *lane = &f->lanes[i];
    for (uint64_t k = 0; k < lane->n_calls; k++, call++)
      a->steps[call] = f->call_steps[call] < 0 ? NULL : &first[f->call_steps[call]];
    firsts[i] = first;
    first += lane->n_steps;
  }
  return firsts;
}

int arrivals_report(Facts *f)
{
  const MillHost *common = f->common;
  Arrivals a = { .f = f,
                 .calls = mill_new(common, (f->calls.n + 1) * sizeof *a.calls),
                 .waits_ns = mill_new(common, (f->calls.n + 1) * sizeof *a.waits_ns),
                 .steps = mill_new(common, (f->calls.n + 1) * sizeof *a.steps),
                 .sums = keyed_new(common, sizeof(CollectiveSum)) };
  if (!a.calls || !a.waits_ns || !a.steps || !a.sums) return -MILL_LIMIT;
  const LaneStep **firsts = find_steps(&a);
  if (!firsts) return -MILL_LIMIT;
  int status = match_all(&a);
  if (status) return status;
  return add_pieces(&a) ? report_sums(&a, firsts) : -MILL_LIMIT;
}
