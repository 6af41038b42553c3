/* A distribution as tables show it: sums, and percentiles. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DIST_H
#define KIT_DIST_H

#include "kit/numbers/hist.h"
#include "kit/numbers/moments.h"

typedef struct Dist { /* zero-initialised is empty */
  Moments moments;
  Hist hist;
} Dist;

/* False: memory was refused. */
bool dist_add(Dist *d, Hists *of, int64_t value);

/* NaN where there is no such number. */
double dist_mean(const Dist *d);
double dist_std(const Dist *d); /* n - 1 */
double dist_percentile(Dist *d, double p);

typedef struct DistStats {
  double mean, median, std, min, max;
} DistStats;
DistStats dist_stats(Dist *d, double unit); /* over the unit */

#endif
