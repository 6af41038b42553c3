/* What the files of the warp-sched stage share: warps, and their turns. */
/* SPDX-License-Identifier: MIT */
#ifndef WARP_SCHED_H
#define WARP_SCHED_H

#include "kit/trace/probe.h"
#include "probe/lib/probe-span.h"

enum { TABLE_ALL, TABLE_SM, TABLE_BARS, TABLE_TAIL, TABLE_PROGRESS, TABLE_SPREAD, TABLE_MARKS };

enum { NOTICE_NO_SM = 20 };

typedef struct Options {
  int64_t sm; /* -1: the one with the most blocks */
  int64_t max_held;
} Options;

typedef struct Warp {
  int64_t start;
  uint32_t low; /* of how long it ran */
  uint32_t
      high; /* number of the SM; of a wave, which has none, the upper half of how long it ran */
} Warp;

typedef struct Spread { /* of a block: its warps' last turns */
  int64_t min, max;
  bool any;
} Spread;

typedef struct Sched {
  const MillStageHost *host;
  const Options *options;
  ProbeReader reader;
  int64_t section; /* of the warps; -1: none yet */
  bool of_waves;
  int64_t per_block; /* warps */
  Warp *warps;       /* block by block */
  ProbeSpan span;    /* of those that ran */
  size_t n, capacity;
  /* turns: */
  int64_t turn_section; /* -1: none yet */
  int64_t *turns;
  size_t n_turns, turns_capacity;
  Spread *spreads; /* by block */
  size_t n_spreads, spreads_capacity;
  uint64_t n_turning; /* warps that had a turn */
  uint64_t last_id;
  int64_t last_turn; /* of the warp at hand; 0: none */
  size_t last_block;
  bool in_warp;
} Sched;

static inline bool warp_has_run(const Sched *x, const Warp *w)
{
  return probe_has_run(w->start, x->of_waves ? (uint64_t)w->low | w->high : w->low);
}

static inline int64_t warp_length(const Sched *x, const Warp *w)
{
  return x->of_waves ? (int64_t)((uint64_t)w->high << 32 | w->low) : (int64_t)w->low;
}

int sched_warp_rows(Sched *x);
int sched_turn_rows(Sched *x);
void sched_end_turns(Sched *x); /* of the warp at hand */

typedef struct AllRow {
  const char *kind;
  int64_t sms, blocks, warps_per_block, slots;
  double waves, wave_efficiency;
  int64_t sm;
  double block_tail, sm_tail;
} AllRow;

typedef struct BarRow {
  int64_t block, warp, start, end, row;
  MillText shown;
} BarRow;

typedef struct SmRow {
  int64_t sm, blocks, peak_blocks, peak_warps, span, busy;
  double occupancy, block_tail, block_tail_max, sm_tail;
} SmRow;

typedef struct SpreadRow {
  int64_t block, spread;
} SpreadRow;

typedef struct ProgressRow {
  int64_t point, time, turns;
} ProgressRow;

typedef struct MarkRow {
  const char *mark;
  int64_t time, turns;
  MillText label;
  const char *tail;
} MarkRow;

typedef struct TailRow {
  int64_t warps, turns, half_at, p90_at, last;
  double tail;
} TailRow;

#endif
