/* Steps of an inference engine: what an annotation of the host says of the requests that a step serves, and which step a call
 * belongs to. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_SERVE_STEPS_H
#define TORCH_LIB_SERVE_STEPS_H

#include <stagemill/types.h>

#include "kit/state/symclass.h"

typedef enum ServePhase { SERVE_PREFILL, SERVE_DECODE, SERVE_MIXED, N_SERVE_PHASES } ServePhase;
extern const char *const serve_phase_names[N_SERVE_PHASES];

enum { SERVE_UNKNOWN = -1 };
typedef struct ServeStep { /* numbers that nobody says are SERVE_UNKNOWN */
  ServePhase phase;
  int64_t requests, tokens;
  int64_t keys;         /* sum over requests of the length that is looked at */
  int64_t pairs;        /* sum over requests of query x key lengths */
  bool pairs_are_upper; /* they are no less than that: only sums of each, or the longest keys, are known */
} ServeStep;

/* False: the text is of another kind, or of a step that serves nobody. */
bool serve_step_read(const char *text, size_t len, ServeStep *out);

typedef struct ServeSpan {
  int64_t start_ns, end_ns;
  ServeStep step;
} ServeSpan;

typedef struct ServeTrack { /* its steps, by start; none begins within another one */
  ServeSpan *spans;
  size_t n, capacity;
} ServeTrack;

typedef struct ServeSteps { /* { .common = common } is empty */
  const MillHost *common;
  SymClass names; /* those that are no steps */
  ServeTrack *tracks;
  size_t n_tracks;
} ServeSteps;

/* A range of the host, in order of time; a step within another one is a part of it.  False: memory was refused. */
bool serve_steps_see(ServeSteps *, const MillEvent *);
/* The step of that track at a time, its start included and its end not; NULL: there is none. */
const ServeSpan *serve_steps_at(const ServeSteps *, uint32_t track, int64_t ts_ns);

#endif
