/* Readings of a power meter in the order of device time. */
/* SPDX-License-Identifier: MIT */
#ifndef PEC_SAMPLES_H
#define PEC_SAMPLES_H

#include <stagemill/types.h>

#define SAMPLES_MAX 16384u /* held: this many may come before one that is earlier */

typedef struct Sample {
  int64_t at_ns;
  uint64_t number; /* order of arrival, which decides between equal times */
  uint32_t charge;
  MillSym name; /* of the event that was read */
} Sample;

typedef struct Samples { /* zeroed is empty */
  Sample *items;         /* a heap, the earliest first */
  size_t n, capacity;
  uint64_t n_seen;
  int64_t last_ns; /* of what was taken out */
  bool has_last;
} Samples;

/* False when memory was refused. */
bool samples_put(const MillHost *common, Samples *s, const Sample *sample);
static inline bool samples_are_full(const Samples *s) { return s->n == SAMPLES_MAX; }
/* Earlier than what was taken out already. */
static inline bool samples_missed(const Samples *s, int64_t at_ns)
{
  return s->has_last && at_ns < s->last_ns;
}
/* The earliest; there must be one. */
Sample samples_take(Samples *s);

#endif
