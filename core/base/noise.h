/* What changed between two sets of repeated measurements, and within what limits: no random numbers.
 *
 * The change is that of the medians.  Its interval ends at those of all changes from a value of one side to a value of
 * the other that the Mann-Whitney distribution names, or at the change where that lies beyond.
 */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NOISE_H
#define BASE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOISE_CONFIDENCE 0.95
#define NOISE_UNBOUNDED UINT64_MAX

typedef struct NoiseChange {
  bool
      relative; /* all are parts of the old value: 0.1 is 10 % more; else differences, as a value is not positive */
  bool bounded;             /* there is an interval */
  double change, low, high; /* may be infinite where values are extreme */
} NoiseChange;

/* Of the pairwise changes, how many lie outside of the interval at each end; NOISE_UNBOUNDED: so few runs
 * cannot give this confidence.  Exact up to 50 runs a side, by the normal distribution above. */
uint64_t noise_outside(size_t n_base, size_t n_new, double confidence);
/* Both ascending (spread_sort), of at least one value; outside: by noise_outside for these numbers. */
NoiseChange noise_change(const double *base, size_t n_base, const double *changed, size_t n_changed,
                         uint64_t outside);

#endif
