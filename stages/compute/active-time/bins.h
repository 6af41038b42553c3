/* When something was active: time summed in at most 2,000 bins, whose width doubles when they no longer reach. */
/* SPDX-License-Identifier: MIT */
#ifndef ACTIVE_TIME_BINS_H
#define ACTIVE_TIME_BINS_H

#include <stdbool.h>
#include <stdint.h>

enum { BINS_MOST = 2000 };

typedef struct Bins { /* zero-initialised is empty */
  uint32_t shift;     /* a bin is 2^shift ns, and begins at a multiple of that */
  uint32_t n;
  int64_t first; /* number of the first bin: its begin is first * 2^shift */
  int64_t busy_ns[BINS_MOST];
} Bins;

/* Intervals must not overlap, and each begin no earlier than the first one. */
void bins_add(Bins *b, int64_t start_ns, int64_t end_ns);
/* Widens them until there are at most so many, of which two always do. */
void bins_fit(Bins *b, uint64_t most);

typedef struct Bin {
  int64_t start_ns, end_ns; /* clipped to int64 */
  double percent;           /* of it, active */
} Bin;
Bin bins_at(const Bins *b, uint32_t i);

#endif
