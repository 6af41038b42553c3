/* Who waited for whom in collectives, on the run level; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include <stdlib.h>

#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"

#define NOT_SPLIT INT64_MIN

typedef struct Coming { /* of a rank to a collective */
  const Member *member;
  uint32_t lane;
  size_t place; /* of the member among those of all lanes */
} Coming;

static int by_collective(const void *a, const void *b)
{
  const Coming *x = a, *y = b;
  if (x->member->group != y->member->group) return x->member->group < y->member->group ? -1 : 1;
  if (x->member->round != y->member->round) return x->member->round < y->member->round ? -1 : 1;
  return (x->lane > y->lane) - (x->lane < y->lane);
}

static bool are_one(const Coming *a, const Coming *b)
{
  return a->member->group == b->member->group && a->member->round == b->member->round;
}

static Coming *list_comings(const Parts *p)
{
  Coming *out = mill_new(p->common, (p->n_members + 1) * sizeof *out);
  size_t n = 0;
  for (uint32_t lane = 0; out && lane < p->n_lanes; lane++)
    for (uint64_t i = 0; i < p->lanes[lane].n_members; i++, n++)
      out[n] = (Coming){ &p->members[n], lane, n };
  if (out) qsort(out, n, sizeof *out, by_collective);
  return out;
}

/* Where a rank has ended before another one comes, they are not in one collective, or not on one clock. */
static void see_collective(const Coming *comings, size_t n, int64_t *until_ns, Lateness *lateness)
{
  const Coming *last = comings;
  int64_t end_ns = comings->member->end_ns;
  for (size_t i = 1; i < n; i++) {
    if (comings[i].member->first_ns > last->member->first_ns) last = &comings[i];
    if (comings[i].member->end_ns < end_ns) end_ns = comings[i].member->end_ns;
  }
  if (n < 2 || end_ns < last->member->first_ns) return;
  for (size_t i = 0; i < n; i++) {
    until_ns[comings[i].place] = last->member->first_ns;
    lateness[comings[i].lane].collectives++;
  }
  lateness[last->lane].last++;
}

static void add_pieces(Parts *p, const int64_t *until_ns)
{
  const Piece *piece = p->pieces;
  Iteration *iterations = p->iterations;
  for (size_t lane = 0; lane < p->n_lanes; lane++) {
    const LaneParts *l = &p->lanes[lane];
    for (uint64_t i = 0; i < l->n_pieces; i++, piece++) {
      int64_t *sums_ns = iterations[piece->iteration].sums_ns, from_ns = piece->from_ns;
      int64_t at_ns = until_ns[piece->member];
      const Part rest = at_ns == NOT_SPLIT ? PART_UNSPLIT : PART_TRANSFER;
      if (at_ns < from_ns) at_ns = from_ns;
      if (at_ns > piece->to_ns) at_ns = piece->to_ns;
      sums_ns[PART_WAIT] = add_clipped(sums_ns[PART_WAIT], interval_span(from_ns, at_ns));
      sums_ns[rest] = add_clipped(sums_ns[rest], interval_span(at_ns, piece->to_ns));
    }
    iterations += l->n_iterations;
    until_ns += l->n_members;
  }
}

bool parts_split(Parts *p, Lateness *out)
{
  Coming *comings = list_comings(p);
  int64_t *until_ns = mill_new(p->common, (p->n_members + 1) * sizeof *until_ns);
  if (!comings || !until_ns) return false;
  for (size_t i = 0; i < p->n_members; i++) until_ns[i] = NOT_SPLIT;
  for (size_t i = 0, end; i < p->n_members; i = end) {
    for (end = i + 1; end < p->n_members && are_one(&comings[i], &comings[end]);) end++;
    see_collective(&comings[i], end - i, until_ns, out);
  }
  add_pieces(p, until_ns);
  array_free(p->common, comings);
  array_free(p->common, until_ns);
  return true;
}
