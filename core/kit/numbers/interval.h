/* Sets of half-open intervals [start, end) of int64 nanoseconds and their union arithmetic;
 * touching ones join. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_INTERVAL_H
#define KIT_INTERVAL_H

#include <stagemill/types.h>

typedef struct Interval {
  int64_t start_ns, end_ns; /* start < end */
} Interval;

/* { .common = common } is empty.  Intervals may be added in any order; once `interval_normalise` was
 * called they are sorted and disjoint with gaps between them.  Memory: 16 bytes per
 * interval of the union, times two. */
typedef struct IntervalSet {
  const MillHost *common;
  Interval *items;
  size_t n, max;
  size_t unsorted_from; /* items before it are sorted and disjoint */
} IntervalSet;

void interval_clear(IntervalSet *set);
/* Empty again, with the room that it has. */
static inline void interval_reset(IntervalSet *set) { set->n = set->unsorted_from = 0; }
/* False when memory is refused.  Empty and reversed intervals are nothing. */
bool interval_add(IntervalSet *set, int64_t start_ns, int64_t end_ns);
void interval_normalise(IntervalSet *set);

/* Of normalised sets; `out` must be empty, and is normalised. */
bool interval_union(const IntervalSet *a, const IntervalSet *b, IntervalSet *out);
bool interval_subtract(const IntervalSet *a, const IntervalSet *b, IntervalSet *out);

/* Length of a normalised set; INT64_MAX when it is longer. */
int64_t interval_length(const IntervalSet *set);
/* The gaps between the intervals of a normalised set: their total, and how much of it are gaps
 * below the threshold. */
typedef struct IntervalGaps {
  int64_t total_ns, below_ns;
  uint64_t n, n_below;
} IntervalGaps;
IntervalGaps interval_gaps(const IntervalSet *set, int64_t threshold_ns);

/* start + dur without overflow. */
int64_t interval_end(int64_t start_ns, int64_t dur_ns);
/* to - from, of times that may be anywhere in an int64; what is beyond it stays at its ends. */
static inline int64_t interval_span(int64_t from_ns, int64_t to_ns)
{
  int64_t span_ns;
  if (!__builtin_sub_overflow(to_ns, from_ns, &span_ns)) return span_ns;
  return to_ns > from_ns ? INT64_MAX : INT64_MIN;
}

#endif
