/* Runs at several offered loads: from which load on does more of it only cost latency? */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LOAD_SWEEP_H
#define SERVE_LOAD_SWEEP_H

#include "points.h"

typedef struct Level {
  double offered; /* infinite: without limit */
  uint64_t runs;
  double output_per_s, requests_per_s, e2e_ms, ttft_ms; /* means over its runs; NaN: not known */
  double tpot_ms, ttft_p99_ms, tpot_p99_ms;              /* the same */
  const char *latency;                  /* that grows; NULL: none that both levels know */
  double gain_percent, latency_percent; /* of requests per second and of it, from the level before */
  double share_percent;                 /* of a request's time that it takes longer than there */
  bool saturated;
} Level;

typedef struct Sweep {
  uint32_t axis; /* OFFERED_RATE or OFFERED_LIMIT */
  Level *levels; /* by offered load */
  size_t n;
  size_t n_left_out; /* runs that do not say what was offered */
  size_t saturated;  /* the first such level; n: none */
} Sweep;

enum { SWEEP_AUTO, SWEEP_RATE, SWEEP_LIMIT };

/* Levels of the axis that was chosen, or the first that has two; they live until the call of the
 * stage ends.  False: memory was refused. */
bool sweep_make(Sweep *out, const Points *points, int64_t axis, double times);

#endif
