/* A straight line through offsets of one clock against another, blind to outliers. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_FIT_H
#define RANK_SYNC_FIT_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 SyncWide;

static inline int64_t sync_clip(SyncWide v)
{
  if (v > INT64_MAX) return INT64_MAX;
  return v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* One moment that both clocks saw.  A transfer that this side received shows the
 * offset plus the latency, one that it sent shows the offset minus the latency. */
typedef struct SyncPoint {
  int64_t at_ns;  /* on the clock to be corrected */
  int64_t off_ns; /* that clock minus the reference */
  int side;       /* 1: received, -1: sent, 0: at the same time on both */
} SyncPoint;

#define SYNC_DRIFT_BITS 40

typedef struct SyncLine {
  int64_t origin_ns; /* on the clock to be corrected */
  int64_t offset_ns; /* at the origin */
  int64_t drift;     /* offset per time, times 2^SYNC_DRIFT_BITS */
  int64_t latency_ns;
  int64_t pairs;    /* points that the line rests on */
  int64_t rejected; /* outliers */
  double residual_rms_ns, residual_max_ns;
  bool one_sided; /* transfers in one direction only: the latency is part of the offset */
  bool steep;     /* a drift beyond SYNC_DRIFT_MAX was not believed */
} SyncLine;

#define SYNC_DRIFT_MAX 1e-3

#define SYNC_FIT_BYTES (4 * sizeof(double) + sizeof(int64_t) + sizeof(bool))

/* There are points.  Sorts them.  `space` is n * SYNC_FIT_BYTES to work in, aligned for a double. */
void sync_fit(SyncPoint *points, uint32_t n, void *space, SyncLine *out);

/* What to take off a time of the corrected clock; never falls faster than time rises. */
int64_t sync_offset_at(const SyncLine *line, int64_t at_ns);
double sync_drift_ppm(const SyncLine *line);

#endif
