/* What the files of the block-sched stage share: the instance, and its tables. */
/* SPDX-License-Identifier: MIT */
#ifndef BLOCK_SCHED_H
#define BLOCK_SCHED_H

#include "probe/lib/probe-blocks.h"

enum { TABLE_ALL, TABLE_SM, TABLE_GAPS, TABLE_SLOTS, TABLE_OCCUPANCY };
enum { NOTICE_HOLES = 20, NOTICE_WRAPPED = 21, NOTICE_NO_SM = 22 };
enum { OCCUPANCY_STEPS = 512, GAP_BINS = 65 };

typedef struct Options {
  int64_t sm; /* -1: the one with the most blocks */
  int64_t max_held;
} Options;

typedef struct Totals {
  int64_t running, scheduling, slots, sms;
  int64_t busiest;                      /* running of an SM */
  double fifo_running, fifo_scheduling; /* sums over the SMs */
  int64_t gap_min, gap_max;
  uint64_t gaps, bins[GAP_BINS]; /* bin k: gaps of k bits */
} Totals;

typedef struct Sched {
  const MillStageHost *host;
  const Options *options;
  ProbeBlocks blocks;
  Totals totals;
} Sched;

/* Of one SM, whose blocks are in their slots. */
int sched_slot_rows(const Sched *x, const ProbeSm *m, const ProbeSlots *slots);
int sched_occupancy_rows(const Sched *x, const ProbeSm *m, const ProbeSlots *slots);
int sched_gap_rows(const Sched *x);

/* The published procedure: it looks at the block alone that has been there the longest, and at warp 0 of each. */
void sched_fifo(const ProbeBlocks *x, const ProbeSm *m, double *io_running, double *io_scheduling);

typedef struct OccupancyRow {
  int64_t sm, time, blocks, warps;
  const char *kernel;
} OccupancyRow;

typedef struct GapRow {
  int64_t low, high, count;
  const char *kernel;
} GapRow;

typedef struct SlotRow {
  int64_t sm, slot, block, start, end;
  MillText shown;
} SlotRow;

#endif
