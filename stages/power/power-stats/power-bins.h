/* Power over time in at most 2,000 equal bins, which double in width as time goes on. */
/* SPDX-License-Identifier: MIT */
#ifndef POWER_STATS_BINS_H
#define POWER_STATS_BINS_H

#include <stagemill/types.h>

#define POWER_BINS_MAX 2000
#define POWER_BIN_FIRST_NS 1000

typedef struct PowerBin {
  __int128 energy;          /* nanowatts times nanoseconds */
  int64_t known_ns, max_nw; /* known: 0 for an empty bin */
} PowerBin;

/* Zeroed is empty.  Bin i begins at (first + i) * width, so that bounds do not depend on what comes. */
typedef struct PowerBins {
  PowerBin *bins;
  size_t capacity;
  int64_t first, width_ns;
  uint32_t n;
} PowerBins;

/* In any order: sums are the same.  False: memory was refused. */
bool power_bins_add(const MillHost *common, PowerBins *b, int64_t from_ns, int64_t to_ns,
                    int64_t nw);
/* Clipped to int64. */
int64_t power_bin_start(const PowerBins *b, uint32_t bin);

#endif
