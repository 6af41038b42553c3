/* A distribution as tables show it: sums, and percentiles. */
#ifndef KIT_DIST_H
#define KIT_DIST_H

#include "kit/numbers/hist.h"
#include "kit/numbers/moments.h"

typedef struct Dist { /* zero-initialised is empty */
  Moments moments;
  Hist hist;
} Dist;

/* Here and below false means that memory was refused. */
bool dist_add(Dist *d, Hists *of, int64_t value);

void dist_save(Dist *d, const MillStageHost *host);
bool dist_load(Dist *d, Hists *of, const MillStageHost *host); /* adds to what is there */

/* NaN where there is no such number. */
double dist_mean(const Dist *d);
double dist_std(const Dist *d); /* n - 1 */
double dist_percentile(Dist *d, double p);

typedef struct DistStats {
  double mean, median, std, min, max;
} DistStats;
DistStats dist_stats(Dist *d, double unit); /* over the unit */

#endif
