/* Groups that all ranks have, and the shifts that they give; see rank-sync-tight.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-tight.h"

#include <stdlib.h>
#include <string.h>

#include "kit/trace/stamps.h"
#include "kit/text/words.h"
#include "rank-sync-groups.h"

typedef struct Shared { /* ranks and the groups that all of them have */
  SyncRun *run;
  int64_t hz;
  SyncPart **ranks; /* ascending */
  uint32_t n_ranks;
  uint32_t *groups; /* numbers, as they appear on the first rank */
  uint32_t n_groups;
} Shared;

/* ------------------------------------------------------------ what is shared */

static const SyncGroup *find(const SyncPart *part, uint32_t number)
{
  const SyncGroup *group = sync_group_find(part, number);
  return group && group->prepared.known && group->done.known ? group : NULL;
}

static const SyncStamp *prepared(const Shared *s, const SyncPart *part, uint32_t g)
{
  return &sync_group_find(part, s->groups[g])->prepared;
}

static const SyncStamp *done(const Shared *s, const SyncPart *part, uint32_t g)
{
  return &sync_group_find(part, s->groups[g])->done;
}

static int by_rank(const void *a, const void *b)
{
  const SyncPart *p = *(SyncPart *const *)a, *q = *(SyncPart *const *)b;
  uint64_t x = (uint64_t)p->rank, y = (uint64_t)q->rank; /* without a rank: last */
  if (x != y) return x < y ? -1 : 1;
  return (p->lane > q->lane) - (p->lane < q->lane);
}

static bool is_all_reduce(const SyncRun *run, uint32_t number)
{
  const KeyedEntry *name = run->keys.entries[number];
  return words_have(name->key, name->len, "AllReduce");
}

/* The groups of a lane in order of appearance; of all-reduces only, where it has some or must. */
static void list_groups(Shared *s, const SyncPart *part, bool must)
{
  bool only = must;
  for (uint32_t i = 0; i < part->n_groups; i++) {
    uint32_t key = part->groups[i].key;
    only |= find(part, key) && is_all_reduce(s->run, key);
  }
  s->n_groups = 0;
  for (uint32_t i = 0; i < part->n_groups; i++) {
    uint32_t key = part->groups[i].key;
    if (find(part, key) && (!only || is_all_reduce(s->run, key))) s->groups[s->n_groups++] = key;
  }
}

static uint32_t count_shared(const Shared *s, const SyncPart *part)
{
  uint32_t n = 0;
  for (uint32_t g = 0; g < s->n_groups; g++) n += find(part, s->groups[g]) != NULL;
  return n;
}

/* The lowest rank that shares a group with another, and its groups. */
static bool find_reference(Shared *s, bool must)
{
  for (uint32_t r = 0; r + 1 < s->n_ranks; r++) {
    list_groups(s, s->ranks[r], must);
    for (uint32_t i = r + 1; i < s->n_ranks; i++) {
      if (count_shared(s, s->ranks[i]) == 0) continue;
      s->ranks += r;
      s->n_ranks -= r;
      return true;
    }
  }
  return false;
}

static void keep_ranks(Shared *s)
{
  uint32_t n = 0;
  for (uint32_t r = 0; r < s->n_ranks; r++) {
    uint32_t shared = count_shared(s, s->ranks[r]);
    if (shared == 0) continue;
    s->ranks[r]->missing = s->n_groups - shared;
    s->ranks[n++] = s->ranks[r];
  }
  s->n_ranks = n;
}

static void keep_groups(Shared *s)
{
  uint32_t n = 0;
  for (uint32_t g = 0; g < s->n_groups; g++) {
    bool all = true;
    for (uint32_t r = 0; r < s->n_ranks; r++) all &= find(s->ranks[r], s->groups[g]) != NULL;
    if (all) s->groups[n++] = s->groups[g];
  }
  s->n_groups = n;
}

/* False when memory was refused; without shared groups there are none. */
static bool find_shared(SyncRun *run, int64_t hz, bool must, Shared *s)
{
  *s = (Shared){ .run = run, .hz = hz };
  s->ranks = run->common->scratch(run->common, (run->n_parts + 1) * sizeof *s->ranks);
  s->groups = run->common->scratch(run->common, (run->keys.n + 1) * sizeof *s->groups);
  if (!s->ranks || !s->groups) return false;
  for (uint32_t p = 0; p < run->n_parts; p++) s->ranks[s->n_ranks++] = &run->parts[p];
  qsort(s->ranks, s->n_ranks, sizeof *s->ranks, by_rank);
  run->reference = run->n_parts;
  if (!find_reference(s, must)) {
    s->n_groups = 0;
    return true;
  }
  keep_ranks(s);
  keep_groups(s);
  if (s->n_groups > 0) run->reference = (uint32_t)(s->ranks[0] - run->parts);
  return true;
}

/* ------------------------------------------------------------------- results */

/* At host_ns of its own clock, the lane's counter is where the place says. */
static void settle(const Shared *s, SyncPart *part, SyncPlace place, int64_t host_ns)
{
  SyncWide unit = (SyncWide)1 << SYNC_DRIFT_BITS;
  part->matched = true;
  part->place = place;
  part->line = (SyncLine){ .origin_ns = host_ns,
                           .offset_ns = sync_clip((SyncWide)host_ns - place.at_ns),
                           .drift = sync_clip((SyncWide)(place.den - place.num) * unit / place.den),
                           .pairs = s->n_groups,
                           .rejected = part->missing };
}

/* --------------------------------------------------------------------- tight */

/* Of the chain's or tree's ranks, position k: the first sends, the others receive. */
static SyncPart *at(const Shared *s, bool tree, uint32_t k)
{
  return s->ranks[tree ? k : s->n_ranks - 1 - k];
}

/* The group in which the receivers' stamps lie closest together. */
static uint32_t closest_group(const Shared *s, bool tree)
{
  SyncWide best = 0;
  uint32_t best_group = 0;
  for (uint32_t g = 0; g < s->n_groups; g++) {
    int64_t min = prepared(s, at(s, tree, 1), g)->cycles, max = min;
    for (uint32_t k = 2; k < s->n_ranks; k++) {
      int64_t cycles = prepared(s, at(s, tree, k), g)->cycles;
      if (cycles < min) min = cycles;
      if (cycles > max) max = cycles;
    }
    SyncWide spread = (SyncWide)max - min;
    if (g > 0 && spread >= best) continue;
    best = spread;
    best_group = g;
  }
  return best_group;
}

static SyncWide from_send(const Shared *s, bool tree, uint32_t g)
{
  return (SyncWide)prepared(s, at(s, tree, 1), g)->cycles - done(s, at(s, tree, 0), g)->cycles;
}

/* The group in which the first receiver was soonest after the sender. */
static uint32_t soonest_group(const Shared *s, bool tree)
{
  uint32_t best = 0;
  for (uint32_t g = 1; g < s->n_groups; g++)
    if (from_send(s, tree, g) < from_send(s, tree, best)) best = g;
  return best;
}

/* What to add to the counts of the rank at position k. */
static SyncWide shift_of(const Shared *s, bool tree, uint32_t k, uint32_t closest, SyncWide delta)
{
  SyncWide shift = 0;
  if (k == 0) return tree ? 0 : delta;
  if (k >= 2)
    shift = (SyncWide)prepared(s, at(s, tree, 1), closest)->cycles -
            prepared(s, at(s, tree, k), closest)->cycles;
  return tree ? shift - delta : shift;
}

bool sync_run_tight(SyncRun *run, int64_t hz)
{
  Shared s;
  if (!find_shared(run, hz, false, &s)) return false;
  if (s.n_groups == 0) return true;
  bool tree = sync_group_find(s.ranks[0], s.groups[0])->tree;
  uint32_t closest = closest_group(&s, tree), soonest = soonest_group(&s, tree);
  SyncWide delta = from_send(&s, tree, soonest);
  const SyncStamp *reference =
      tree ? done(&s, s.ranks[0], soonest) : prepared(&s, s.ranks[0], soonest);
  /* The reference itself stays where its host saw it. */
  SyncWide kept = shift_of(&s, tree, tree ? 0 : s.n_ranks - 1, closest, delta);
  for (uint32_t k = 0; k < s.n_ranks; k++) {
    SyncPart *part = at(&s, tree, k);
    const SyncStamp *own = k == 0 ? done(&s, part, soonest) : prepared(&s, part, soonest);
    SyncWide shift = shift_of(&s, tree, k, closest, delta) - kept;
    int64_t cycles = sync_clip(reference->cycles - shift);
    int64_t to_place = stamps_span_ns(hz, sync_clip((SyncWide)cycles - own->cycles));
    settle(&s, part, (SyncPlace){ cycles, reference->at_ns, 1, 1 },
           sync_clip((SyncWide)own->at_ns + to_place));
  }
  return true;
}

/* ------------------------------------------------------------------------ v2 */

/* The group that the other ranks ended soonest after the first. */
static uint32_t earliest_group(const Shared *s)
{
  SyncWide best = 0;
  uint32_t best_group = 0;
  for (uint32_t g = 0; g < s->n_groups; g++) {
    SyncWide sum = 0;
    for (uint32_t r = 1; r < s->n_ranks; r++)
      sum += (SyncWide)done(s, s->ranks[r], g)->cycles - done(s, s->ranks[0], g)->cycles;
    if (g > 0 && sum >= best) continue;
    best = sum;
    best_group = g;
  }
  return best_group;
}

/* Cycles from the first to the last end of a group. */
static int64_t range_of(const Shared *s, const SyncPart *part)
{
  int64_t min = done(s, part, 0)->cycles, max = min;
  for (uint32_t g = 1; g < s->n_groups; g++) {
    int64_t cycles = done(s, part, g)->cycles;
    if (cycles < min) min = cycles;
    if (cycles > max) max = cycles;
  }
  return max - min;
}

bool sync_run_v2(SyncRun *run, int64_t hz)
{
  Shared s;
  if (!find_shared(run, hz, true, &s)) return false;
  if (s.n_groups == 0) return true;
  uint32_t earliest = earliest_group(&s);
  int64_t range = range_of(&s, s.ranks[0]), at_ns = done(&s, s.ranks[0], earliest)->at_ns;
  for (uint32_t r = 0; r < s.n_ranks; r++) {
    const SyncStamp *own = done(&s, s.ranks[r], earliest);
    int64_t num = range, den = range_of(&s, s.ranks[r]);
    if (num == 0 || den == 0) num = den = 1; /* one group says nothing of drift */
    settle(&s, s.ranks[r], (SyncPlace){ own->cycles, at_ns, num, den }, own->at_ns);
  }
  return true;
}
