/* Sets of half-open intervals [start, end) of int64 nanoseconds and their union arithmetic;
 * touching ones join. */
#ifndef STAGES_INTERVAL_H
#define STAGES_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Interval {
  int64_t start_ns, end_ns; /* start < end */
} Interval;

/* Zero-initialised is empty.  Intervals may be added in any order; once `interval_settle` was
 * called they are sorted and disjoint with gaps between them.  Memory: 16 bytes an interval of
 * the union, times two. */
typedef struct IntervalSet {
  Interval *items;
  size_t n, max;
  size_t unsettled_from; /* items before it are sorted and disjoint */
} IntervalSet;

void interval_clear(IntervalSet *set);
/* False when memory is out.  Empty and reversed intervals are nothing. */
bool interval_add(IntervalSet *set, int64_t start_ns, int64_t end_ns);
void interval_settle(IntervalSet *set);

/* Of settled sets; `out` must be empty, and is settled. */
bool interval_union(const IntervalSet *a, const IntervalSet *b, IntervalSet *out);
bool interval_subtract(const IntervalSet *a, const IntervalSet *b, IntervalSet *out);

/* Length of a settled set; INT64_MAX when it is longer. */
int64_t interval_length(const IntervalSet *set);
/* The gaps between the intervals of a settled set: their total, and how much of it are gaps
 * below the threshold. */
typedef struct IntervalGaps {
  int64_t total_ns, below_ns;
  uint64_t n, n_below;
} IntervalGaps;
IntervalGaps interval_gaps(const IntervalSet *set, int64_t threshold_ns);

/* start + dur without overflow. */
int64_t interval_end(int64_t start_ns, int64_t dur_ns);

#endif
