/* How much is open over time, as a counter that steps where intervals begin and end.
 *
 * Intervals come in order of their start.  A sample is made once nothing can change it any more: when a later event
 * comes.  It stands right before that one, so that the order of a lane is kept.  Memory: 16 bytes for each
 * interval that is open. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPUTE_LIB_LEVEL_H
#define COMPUTE_LIB_LEVEL_H

#include <stagemill/stage.h>

typedef struct LevelEnd {
  int64_t end_ns, weight;
} LevelEnd;

typedef struct Level { /* zero-initialised but for host, name, cat, key and per is empty */
  const MillStageHost *host;
  MillSym name, cat, key; /* of the counter, and of its value */
  double per; /* the value is the sum of the weights divided by this; 0: the sum, a whole number */
  double most,
      beyond; /* with `per`: a value above the one is shown as the other; 0: no such bound */

  LevelEnd *open; /* a heap: the first to end is first */
  size_t n, capacity;
  __int128 sum; /* of their weights */
  bool begun;   /* an interval began at begin_ns, of which there is no sample yet */
  int64_t begin_ns;
  uint32_t track; /* of the samples: the process of the first interval */
  bool has_track;
} Level;

/* 0, or what the call returns.  Before the event at `index` of the batch: makes the samples of earlier times. */
int level_reach(Level *, MillBatch *, uint32_t index);
/* The same up to a time that is not after the next event; samples stand after the event at `after`. */
int level_reach_time(Level *, MillBatch *, uint32_t after, int64_t until_ns);
/* The event itself opens; its duration is not negative. */
int level_open(Level *, const MillEvent *, int64_t weight);
/* All that is left. */
int level_finish(Level *, MillBatch *);

#endif
