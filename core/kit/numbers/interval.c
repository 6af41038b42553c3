/* Sets of intervals; see interval.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/interval.h"

#include "kit/state/grow.h"
#include "kit/state/sort.h"

void interval_clear(IntervalSet *set)
{
  array_free(set->common, set->items);
  *set = (IntervalSet){ .common = set->common };
}

int64_t interval_end(int64_t start_ns, int64_t dur_ns)
{
  int64_t end;
  if (!__builtin_add_overflow(start_ns, dur_ns, &end)) return end;
  return dur_ns > 0 ? INT64_MAX : INT64_MIN;
}

/* Joins what overlaps or touches; the items are sorted by start. */
static size_t join(Interval *items, size_t n)
{
  size_t last = 0;
  for (size_t i = 1; i < n; i++) {
    if (items[i].start_ns > items[last].end_ns)
      items[++last] = items[i];
    else if (items[i].end_ns > items[last].end_ns)
      items[last].end_ns = items[i].end_ns;
  }
  return last + 1;
}

void interval_normalise(IntervalSet *set)
{
  if (set->unsorted_from == set->n) return;
  sort_rows(&set->items->start_ns, set->n, 2);
  set->n = join(set->items, set->n);
  set->unsorted_from = set->n;
}

/* A full buffer is joined first, and grows only when that freed less than half of it. */
static bool reserve(IntervalSet *set)
{
  interval_normalise(set);
  if (set->max && set->n <= set->max / 2) return true;
  return array_reserve(set->common, &set->items, &set->max, set->max + 1, sizeof(Interval));
}

bool interval_add(IntervalSet *set, int64_t start_ns, int64_t end_ns)
{
  if (end_ns <= start_ns) return true;
  Interval *last = set->n ? &set->items[set->n - 1] : NULL;
  if (last && start_ns >= last->start_ns && start_ns <= last->end_ns) {
    if (end_ns > last->end_ns) last->end_ns = end_ns;
    return true;
  }
  bool in_order = set->unsorted_from == set->n && (!last || start_ns > last->end_ns);
  if (set->n == set->max) {
    if (!reserve(set)) return false;
    return interval_add(set, start_ns, end_ns);
  }
  set->items[set->n++] = (Interval){ start_ns, end_ns };
  if (in_order) set->unsorted_from = set->n;
  return true;
}

bool interval_union(const IntervalSet *a, const IntervalSet *b, IntervalSet *out)
{
  size_t i = 0, k = 0;
  while (i < a->n || k < b->n) {
    bool from_a = k == b->n || (i < a->n && a->items[i].start_ns <= b->items[k].start_ns);
    const Interval *next = from_a ? &a->items[i++] : &b->items[k++];
    if (!interval_add(out, next->start_ns, next->end_ns)) return false;
  }
  return true;
}

bool interval_subtract(const IntervalSet *a, const IntervalSet *b, IntervalSet *out)
{
  size_t k = 0;
  for (size_t i = 0; i < a->n; i++) {
    int64_t from = a->items[i].start_ns, end = a->items[i].end_ns;
    while (k < b->n && b->items[k].end_ns <= from) k++;
    for (size_t j = k; j < b->n && b->items[j].start_ns < end; j++) {
      if (!interval_add(out, from, b->items[j].start_ns)) return false;
      if (b->items[j].end_ns > from) from = b->items[j].end_ns;
    }
    if (!interval_add(out, from, end)) return false;
  }
  return true;
}

static int64_t clipped(unsigned __int128 ns) { return ns > INT64_MAX ? INT64_MAX : (int64_t)ns; }

int64_t interval_length(const IntervalSet *set)
{
  unsigned __int128 sum = 0;
  for (size_t i = 0; i < set->n; i++)
    sum += (uint64_t)set->items[i].end_ns - (uint64_t)set->items[i].start_ns;
  return clipped(sum);
}

IntervalGaps interval_gaps(const IntervalSet *set, int64_t threshold_ns)
{
  IntervalGaps gaps = { 0 };
  unsigned __int128 total = 0, below = 0;
  for (size_t i = 1; i < set->n; i++) {
    uint64_t gap = (uint64_t)set->items[i].start_ns - (uint64_t)set->items[i - 1].end_ns;
    total += gap;
    gaps.n++;
    if (threshold_ns <= 0 || gap >= (uint64_t)threshold_ns) continue;
    below += gap;
    gaps.n_below++;
  }
  gaps.total_ns = clipped(total);
  gaps.below_ns = clipped(below);
  return gaps;
}
