/* What is seen of the counter of a process. */
/* SPDX-License-Identifier: MIT */
#ifndef FREQ_DEVICE_H
#define FREQ_DEVICE_H

#include "freq-basis.h"
#include "clock/lib/clock-lines.h"
#include "kit/trace/jobs.h"

enum { FREQ_BY_DURATION, FREQ_BY_INTERVAL, FREQ_BY_DRIFT, FREQ_BASES };

typedef struct FreqMark { /* a host time, and the count then */
  int64_t ts_ns, count;
  uint32_t line; /* of the counter */
  bool known;
} FreqMark;

typedef struct FreqDevice { /* zeroed */
  ClockLines *lines;
  Jobs jobs; /* to their FreqJob */
  FreqBasis bases[FREQ_BASES];
  FreqBasis stand_ins; /* durations among the intervals */
  FreqGaps gaps;
  FreqMark kernel; /* the one before */
  FreqMark
      *references; /* of all events of a line, the one whose counter would have been at 0 first */
  size_t n_references;
  RateEstimate estimate;
  uint64_t n_kernels, n_long,
      n_short; /* kernels with a duration; a thousand times longer, or shorter, than their cycles */
  int64_t drift_ns; /* the largest */
} FreqDevice;

/* False: memory was refused. */
bool freq_device_begin(FreqDevice *, const MillHost *common, int64_t hz);
/* An event of the device, with the count at its begin. */
bool freq_device_see(FreqDevice *, const MillBatch *, const MillEvent *, int64_t count);
/* A kernel, with its cycles and its duration. */
void freq_device_see_kernel(FreqDevice *, int64_t cycles, int64_t dur_ns);
/* What most kernels say: their times are in units of so many microseconds, 0.001 or 1000; else 1. */
double freq_device_unit(const FreqDevice *);
/* Adds what waits for the frequency; counts gaps that contradict it. */
bool freq_device_end(FreqDevice *, int64_t hz, uint64_t *out_left);

#endif
