/* How well the device was used, job by job: where only all kernels of a job together have an ideal time. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_SPANS_H
#define UTIL_SPANS_H

#include "util-run.h"

/* The share of a time that is ideal; 0 where there is no time. */
double util_share(int64_t cycles, int64_t core_hz, int64_t time_ns);
/* It is more than all, by more than the nanosecond to which times are rounded. */
bool util_is_over(int64_t cycles, int64_t core_hz, int64_t time_ns);
/* As the counter shows it: 101 for what is more than all. */
double util_percent(int64_t cycles, int64_t core_hz, int64_t time_ns);
/* Time in which kernels of the job ran, at most that from its first to its last. */
int64_t util_job_time(const UtilJob *);

typedef struct UtilSample {
  int64_t ts_ns;
  double percent;
} UtilSample;

typedef struct UtilSpans { /* samples of the counter, in order of time */
  UtilSample *samples;
  size_t n, next;
  uint32_t hidden; /* jobs that ended before an earlier one did */
} UtilSpans;

/* Of the jobs whose table is one of autopilot; false: memory was refused. */
bool util_spans_make(UtilSpans *, const MillHost *, const UtilJobs *, const UtilDecision *,
                     int64_t core_hz);

#endif
