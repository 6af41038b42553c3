/* The runs of a sweep, and the points that they make. */
#ifndef SWEEP_RUNS_H
#define SWEEP_RUNS_H

#include <stagemill/stage.h>

enum { SWEEP_TTFT, SWEEP_TPOT, SWEEP_REQUESTS, SWEEP_OUTPUT, SWEEP_METRICS };
enum { SWEEP_SEQS, SWEEP_TOKENS, SWEEP_AXES };

typedef struct SweepRun { /* first one run of a file, then the mean of a folder's, see sweep_fold */
  char *folder, *implementation;
  int64_t setting[SWEEP_AXES];  /* max_num_seqs, max_num_batched_tokens */
  double values[SWEEP_METRICS]; /* NaN: not known */
  uint32_t added;               /* which it was, see sweep_fold */
} SweepRun;

typedef struct SweepRuns { /* zero-initialised is empty */
  SweepRun *runs;
  uint32_t n;
  size_t room;
} SweepRuns;

typedef struct SweepPoint {
  const char *implementation;
  uint32_t series; /* position of its line: 1, 2, ... */
  int64_t x;
  uint32_t folders;
  double values[SWEEP_METRICS]; /* NaN: not known */
  uint32_t n[SWEEP_METRICS];    /* folders that know it */
} SweepPoint;

void sweep_clear(SweepRuns *runs);
bool sweep_add(SweepRuns *runs, const SweepRun *run); /* texts are copied; false without memory */
void sweep_save(const SweepRuns *runs, const MillHost *host);
bool sweep_merge(SweepRuns *runs, const MillHost *host); /* false without memory */

/* Makes one run of those that share folder, implementation and settings: the mean, added up in the order
 * in which they came.  Sorts them as lines are drawn. */
void sweep_fold(SweepRuns *runs);
/* Of folded runs: the wanted value of a setting where some run has it, else the commonest. */
int64_t sweep_fixed(const SweepRuns *runs, uint32_t axis, int64_t wanted);
/* Of folded runs: points along an axis where the other one is fixed; room for n of the runs. */
uint32_t sweep_points(const SweepRuns *runs, uint32_t axis, int64_t fixed, SweepPoint *out);

#endif
