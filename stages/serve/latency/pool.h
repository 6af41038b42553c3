/* One latency over all runs: exact where every run has its requests, else combined from what
 * the runs' files report. */
/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_POOL_H
#define LATENCY_POOL_H

#include "kit/numbers/hist.h"
#include "runs.h"

typedef enum Basis { BASIS_NONE, BASIS_EXACT, BASIS_COMBINED, BASIS_REPORTED } Basis;

typedef struct Pool {
  const Runs *runs;
  Hist *hist; /* values of all requests, ns */
  uint32_t latency;
  Basis basis;
  uint32_t n_exact, n_reported, n_missing; /* runs */
  int64_t n;                               /* values, or completed requests; or BENCH_NONE */
  double mean_ms, std_ms, min_ms, max_ms;  /* NaN: none */
} Pool;

void pool_make(Pool *out, const Runs *runs, Hist *hist, uint32_t latency);

/* In millionths of a percent.  NaN: none, and *out_why says why. */
double pool_percentile(const Pool *pool, int64_t percentile, const char **out_why);
/* That percentile is one of several runs, as the others do not report it. */
bool pool_percentile_is_of_one(const Pool *pool, int64_t percentile);

#endif
