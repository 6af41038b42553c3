/* Levels over time, one of each group, from changes that come in any order: 40 bytes each, and 32 while they are sorted. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_CHANGES_H
#define TORCH_LIB_CHANGES_H

#include "kit/numbers/dist.h"
#include "torch/lib/order.h"

typedef struct Changes { /* { .common = common } is empty */
  const MillHost *common;
  OrderKey *keys;
  int64_t *deltas;
  size_t n, capacity, delta_capacity;
} Changes;

/* False: memory was refused.  Of equal times a lower rank comes first. */
bool changes_add(Changes *, uint32_t group, int64_t ts_ns, int rank, int64_t delta);
void changes_sort(Changes *);
void changes_clear(Changes *);

typedef struct ChangeStats {
  Dist samples;        /* the level after each change */
  __int128 area;       /* level times ns */
  int64_t span_ns;     /* from the first change to the last */
  int64_t busy_ns;     /* the level is above 0 */
  int64_t at_limit_ns; /* it is at least the limit */
  int64_t max;
} ChangeStats;

/* Called with the level after the last change of each time; a negative status ends the walk. */
typedef int ChangeSample(void *user, int64_t ts_ns, int64_t level);

/* Walks over the changes of a group, which begin at *io_at, and past them; sample may be NULL.  0, or what sample
 * returned, or -MILL_LIMIT. */
int changes_walk(const Changes *, size_t *io_at, int64_t limit, Hists *, ChangeStats *out,
                 ChangeSample *sample, void *user);

#endif
