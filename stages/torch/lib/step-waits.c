/* How long each rank waited in a collective for the last one; see step-facts.h.
 *
 * All ranks leave a collective of these kinds together, so a rank that was in it for longer than another one came that much
 * earlier: durations say who waited, and no clocks are compared. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/step-facts.h"

#include "kit/numbers/clip.h"

enum { NOT_SPLIT = -1 };

/* ---- who waited */

/* All ranks are there, more than one, and leave together. */
static bool is_split(const Collective *c)
{
  return c->n > 1 && c->complete && c->calls->type < CALL_OTHER;
}

static int match_all(const Waits *w)
{
  Facts *f = w->facts;
  Collective c;
  int status = 0;
  for (size_t i = 0; i < f->calls.n; i++) f->calls.items[i].index = (uint32_t)i;
  match_sort(&f->calls);
  for (size_t at = 0; status == 0 && match_next(&f->calls, &at, &c);) {
    const bool split = is_split(&c);
    for (size_t i = 0; i < c.n; i++) {
      const Call *call = &c.calls[i];
      w->calls[call->index] = call;
      w->waits_ns[call->index] = split ? call->dur_ns - c.latency_ns : NOT_SPLIT;
    }
    if (split && w->see) status = w->see(w, &c);
  }
  return status;
}

/* ---- pieces of communication */

static bool add_piece(const Waits *w, LaneStep *steps, uint32_t lane, size_t first_call,
                      const CommPiece *p)
{
  const size_t place = first_call + p->call;
  const bool known = p->call != NO_CALL;
  const int64_t wait_ns = known ? w->waits_ns[place] : NOT_SPLIT, time_ns = p->to_ns - p->from_ns;
  int64_t waited_ns = wait_ns - p->from_ns;
  if (waited_ns < 0) waited_ns = 0;
  if (waited_ns > time_ns) waited_ns = time_ns;
  const int64_t times_ns[] = { wait_ns == NOT_SPLIT ? 0 : waited_ns,
                               wait_ns == NOT_SPLIT ? 0 : time_ns - waited_ns,
                               wait_ns == NOT_SPLIT ? time_ns : 0 };
  int64_t *sums = steps[p->step].sums_ns;
  for (int i = 0; i < 3; i++) sums[CAUSE_WAIT + i] = add_clipped(sums[CAUSE_WAIT + i], times_ns[i]);

  const char *name = known ? w->calls[place]->name : "other";
  struct {
    uint32_t lane, step;
    uintptr_t name;
  } key = { lane, p->step, (uintptr_t)name };
  CollectiveSum *sum = keyed_get(w->sums, (const char *)&key, sizeof key);
  if (!sum) return false;
  sum->lane = lane;
  sum->step = p->step;
  sum->name = name;
  sum->wait_ns = add_clipped(sum->wait_ns, times_ns[0]);
  sum->transfer_ns = add_clipped(sum->transfer_ns, times_ns[1]);
  sum->unsplit_ns = add_clipped(sum->unsplit_ns, times_ns[2]);
  return true;
}

static bool add_pieces(const Waits *w)
{
  const Facts *f = w->facts;
  LaneStep *steps = f->steps;
  const CommPiece *piece = f->pieces;
  size_t call = 0;
  for (uint32_t i = 0; i < f->n_lanes; i++) {
    const LaneFacts *lane = &f->lanes[i];
    for (uint64_t k = 0; k < lane->n_pieces; k++)
      if (!add_piece(w, steps, i, call, piece++)) return false;
    steps += lane->n_steps;
    call += lane->n_calls;
  }
  return true;
}

/* ---- steps */

/* Those of each lane, and of each call. */
static void find_steps(const Waits *w)
{
  const Facts *f = w->facts;
  const LaneStep *first = f->steps;
  size_t call = 0;
  for (size_t i = 0; i < f->n_lanes; i++) {
    const LaneFacts *lane = &f->lanes[i];
    for (uint64_t k = 0; k < lane->n_calls; k++, call++)
      w->steps[call] = f->call_steps[call] < 0 ? NULL : &first[f->call_steps[call]];
    w->lane_steps[i] = first;
    first += lane->n_steps;
  }
}

int waits_divide(Waits *w)
{
  const Facts *f = w->facts;
  const MillHost *common = f->common;
  w->calls = mill_new(common, (f->calls.n + 1) * sizeof *w->calls);
  w->waits_ns = mill_new(common, (f->calls.n + 1) * sizeof *w->waits_ns);
  w->steps = mill_new(common, (f->calls.n + 1) * sizeof *w->steps);
  w->lane_steps = mill_new(common, (f->n_lanes + 1) * sizeof *w->lane_steps);
  w->sums = keyed_new(common, sizeof(CollectiveSum));
  if (!w->calls || !w->waits_ns || !w->steps || !w->lane_steps || !w->sums) return -MILL_LIMIT;
  find_steps(w);
  const int status = match_all(w);
  if (status) return status;
  return add_pieces(w) ? 0 : -MILL_LIMIT;
}
