/* Lanes on their way to the run level, and the runs there; see why.h. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "kit/state/grow.h"
#include "kit/state/state.h"
#include "why.h"

/* ---- saved: the head of a lane, its facts, its leaves */

static const StateField head_fields[] = { STATE_FIRST(Lane, side), STATE_FIRST(Lane, rank) };
static const StateType head_state = STATE_TYPE(Lane, head_fields);

static const StateField leaf_fields[] = {
  STATE_FIRST(Leaf, key),
  STATE_FIRST(Leaf, time_ns),
  STATE_FIRST(Leaf, calls),
};
static const StateType leaf_state = STATE_TYPE(Leaf, leaf_fields);

typedef struct Leaves { /* of a lane; on the run level they go into its run */
  Leaf *leaves;
  size_t n_leaves;
  Keyed *into;
  double divisor; /* steps times devices */
} Leaves;

static bool add_share(Keyed *shares, MillText key, double time_ns, double calls)
{
  Share *share = keyed_get(shares, key.text, key.len);
  if (!share) return false;
  share->time_ns += time_ns;
  share->calls += calls;
  return true;
}

static bool take_leaf(void *owner, const void *element)
{
  const Leaves *l = owner;
  const Leaf *leaf = element;
  return l->divisor <= 0 || add_share(l->into, leaf->key, (double)leaf->time_ns / l->divisor,
                                      (double)leaf->calls / l->divisor);
}

static const StateField leaves_fields[] = {
  STATE_TAKEN(Leaves, leaves, n_leaves, leaf_state, take_leaf),
};
static const StateType leaves_state = STATE_TYPE(Leaves, leaves_fields);

void lane_save(Why *w)
{
  Leaves leaves = { .leaves = w->lane.leaves, .n_leaves = w->lane.n_leaves };
  state_save(w->host, &head_state, &w->lane);
  state_save(w->host, &step_facts_state, &w->facts);
  state_save(w->host, &leaves_state, &leaves);
}

/* ---- runs */

static Run *add_run(Why *w, int side)
{
  Run *run = mill_new(w->common, sizeof *run);
  if (!run || !array_reserve(w->common, &w->runs, &w->run_capacity, w->n_runs + 1, sizeof *w->runs))
    return NULL;
  run->side = side;
  run->shares = keyed_new(w->common, sizeof(Share));
  if (!run->shares || !facts_open(&run->facts, w->host)) return NULL;
  w->runs[w->n_runs++] = run;
  return run;
}

/* The same rank again is of a repeat: the next run of its side. */
static Run *run_of(Why *w, int side, int64_t rank)
{
  char key[48];
  const int len = snprintf(key, sizeof key, "%d %lld", side, (long long)rank);
  int64_t *n_before = keyed_get(w->ranks, key, (size_t)len);
  if (!n_before) return NULL;
  int64_t number = (*n_before)++;
  for (size_t i = 0; i < w->n_runs; i++)
    if (w->runs[i]->side == side && number-- == 0) return w->runs[i];
  return add_run(w, side);
}

static uint64_t steps_after_warmup(const LaneStep *steps, uint64_t n)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += !steps[i].is_warmup;
  return sum;
}

int lane_merge(Why *w)
{
  Lane head = { 0 };
  if (!state_load(w->host, &head_state, &head)) return -MILL_LIMIT;
  Run *run = run_of(w, head.side == NEW ? NEW : BASE, head.rank);
  if (!run || !state_merge(w->host, &step_facts_state, &run->facts)) return -MILL_LIMIT;
  const Facts *f = &run->facts;
  const LaneFacts *lane = f->n_lanes ? &f->lanes[f->n_lanes - 1] : NULL;
  Leaves leaves = { .into = run->shares };
  if (lane && lane->n_steps <= f->n_steps)
    leaves.divisor =
        (double)steps_after_warmup(f->steps + f->n_steps - lane->n_steps, lane->n_steps) *
        (double)lane->devices;
  return state_merge(w->host, &leaves_state, &leaves) ? 0 : -MILL_LIMIT;
}

/* ---- communication */

typedef struct LateOwner {
  Why *why;
  const Run *run;
} LateOwner;

/* Whom the others waited for. */
static int see_collective(const Waits *waits, const Collective *c)
{
  const LateOwner *owner = waits->owner;
  const Call *last = NULL;
  double waited_ns = 0;
  for (size_t i = 0; i < c->n; i++) {
    const LaneStep *step = waits->steps[c->calls[i].index];
    if (!step || step->is_warmup) return 0;
    if (!last && c->calls[i].dur_ns == c->latency_ns) last = &c->calls[i];
    waited_ns += (double)(c->calls[i].dur_ns - c->latency_ns);
  }
  if (!last) return 0;
  LateRank *late = keyed_get(owner->why->late, (const char *)&last->rank, sizeof last->rank);
  if (!late) return -MILL_LIMIT;
  const LaneFacts *lane = waits->facts->lanes;
  const uint64_t n_steps = steps_after_warmup(waits->lane_steps[0], lane->n_steps);
  late->rank = last->rank;
  if (n_steps) late->waits_ns[owner->run->side] += waited_ns / (double)c->n / (double)n_steps;
  return 0;
}

static bool add_comm(Why *w, const Run *run, const CollectiveSum *sum, double divisor)
{
  const int64_t times_ns[] = { sum->wait_ns, sum->transfer_ns, sum->unsplit_ns };
  const MillText op = { sum->name, strlen(sum->name) }, none = { "", 0 };
  bool fits = true;
  for (int i = 0; i < 3 && fits; i++) {
    const Cause cause = (Cause)(CAUSE_WAIT + i);
    if (!times_ns[i]) continue;
    fits = leaf_key(&w->text, cause, cause_names[cause], op, none) &&
           add_share(run->shares, (MillText){ w->text.text, w->text.len },
                     (double)times_ns[i] / divisor, 1 / divisor);
  }
  return fits;
}

static int divide_comm(Why *w, Run *run)
{
  const LateOwner owner = { w, run };
  const Facts *f = &run->facts;
  Waits waits = { .facts = &run->facts, .see = see_collective, .owner = (void *)&owner };
  const int status = waits_divide(&waits);
  if (status) return status;
  const KeyedEntry *const *entries = keyed_sorted(waits.sums);
  bool fits = entries != NULL;
  for (uint32_t i = 0; fits && i < keyed_count(waits.sums); i++) {
    const CollectiveSum *sum = entries[i]->state;
    const LaneFacts *lane = &f->lanes[sum->lane];
    const LaneStep *steps = waits.lane_steps[sum->lane];
    const uint64_t n_steps = steps_after_warmup(steps, lane->n_steps);
    if (steps[sum->step].is_warmup || !n_steps) continue;
    fits = add_comm(w, run, sum, (double)n_steps * (double)lane->devices);
  }
  return fits ? 0 : -MILL_LIMIT;
}

/* Ranks that did nothing on a device are no part of the mean. */
static uint64_t n_ranks(const Facts *f)
{
  uint64_t n = 0;
  for (size_t i = 0; i < f->n_lanes; i++) n += f->lanes[i].n_steps > 0;
  return n;
}

int runs_close(Why *w)
{
  for (size_t i = 0; i < w->n_runs; i++) {
    Run *run = w->runs[i];
    const int status = divide_comm(w, run);
    if (status) return status;
    const KeyedEntry *const *entries = keyed_sorted(run->shares);
    if (!entries) return -MILL_LIMIT;
    for (uint32_t k = 0; k < keyed_count(run->shares); k++) {
      Share *share = entries[k]->state;
      share->time_ns /= (double)n_ranks(&run->facts);
      share->calls /= (double)n_ranks(&run->facts);
    }
  }
  return 0;
}
