/* Frequencies of one kind: how many, the smallest, the largest, their mean; and gaps too long to be
 * counted before the frequency is known. */
/* SPDX-License-Identifier: MIT */
#ifndef FREQ_BASIS_H
#define FREQ_BASIS_H

#include <stagemill/types.h>

#include "clock/lib/rate.h"

typedef struct FreqBasis { /* zero-initialised is empty */
  uint64_t n;
  double min, max, sum; /* MHz */
} FreqBasis;

void basis_add(FreqBasis *basis, double mhz);
double basis_mean(const FreqBasis *basis);
/* Without some of its values; the range stays that of all. */
FreqBasis basis_without(const FreqBasis *basis, const FreqBasis *some);
double basis_range(const FreqBasis *basis); /* of its mean */

/* Cycles from one count to the next, over whatever wraps: near to what `hz` makes of the span.
 * False when they are none or less. */
bool basis_add_span(FreqBasis *basis, int64_t hz, int64_t count_by, int64_t span_ns);
/* From one time to another; false when it does not fit, or goes back. */
bool basis_span(int64_t from_ns, int64_t to_ns, int64_t *out_ns);

typedef struct FreqGaps {
  RatePair *items; /* counts and spans */
  size_t n, capacity;
} FreqGaps;

bool gaps_add(const MillHost *common, FreqGaps *gaps, int64_t count_by, int64_t span_ns);

#endif
