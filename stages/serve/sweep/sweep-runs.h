/* The runs of a sweep, and the points that they make. */
/* SPDX-License-Identifier: MIT */
#ifndef SWEEP_RUNS_H
#define SWEEP_RUNS_H

#include "kit/state/state.h"

enum { SWEEP_TTFT, SWEEP_TPOT, SWEEP_REQUESTS, SWEEP_OUTPUT, SWEEP_METRICS };
enum { SWEEP_SEQS, SWEEP_TOKENS, SWEEP_AXES };

/* First one run of a file, then the mean of a folder's, see sweep_average. */
typedef struct SweepRun {
  const char *folder, *implementation;
  int64_t setting[SWEEP_AXES];  /* max_num_seqs, max_num_batched_tokens */
  double values[SWEEP_METRICS]; /* NaN: not known */
  uint32_t added;               /* which it was, see sweep_average */
} SweepRun;

typedef struct SweepRuns { /* { .common = common } is empty */
  const MillHost *common;
  SweepRun *runs;
  uint32_t n;
  size_t capacity;
} SweepRuns;
extern const StateType sweep_runs_state;

typedef struct SweepPoint {
  const char *implementation;
  uint32_t series; /* position of its line: 1, 2, ... */
  int64_t x;
  uint32_t folders;
  double values[SWEEP_METRICS]; /* NaN: not known */
  uint32_t n[SWEEP_METRICS];    /* folders that know it */
} SweepPoint;

/* Texts are copied.  False: memory was refused. */
bool sweep_add(SweepRuns *runs, const SweepRun *run);

/* Makes one run of those that share folder, implementation and settings: the mean, added up in the order
 * in which they came.  Sorts them as lines are drawn. */
void sweep_average(SweepRuns *runs);
/* Of averaged runs: the wanted value of a setting where some run has it, else the commonest. */
int64_t sweep_fixed(const SweepRuns *runs, uint32_t axis, int64_t wanted);
/* Of averaged runs: points along an axis where the other one is fixed; space for n of the runs. */
uint32_t sweep_points(const SweepRuns *runs, uint32_t axis, int64_t fixed, SweepPoint *out);

#endif
