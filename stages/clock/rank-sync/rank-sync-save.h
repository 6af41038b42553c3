/* What goes from lanes to the run, and what was decided of each back to all. */
/* SPDX-License-Identifier: MIT */
#ifndef RANK_SYNC_SAVE_H
#define RANK_SYNC_SAVE_H

#include "kit/state/state.h"
#include "rank-sync-match.h"

extern const StateType sync_run_state;
/* A lane as the run is to see it, until the call returns: times are on the absolute scale, as a lane's base may come
 * after its events.  Sorts the marks.  False: memory was refused. */
bool sync_run_absolute(SyncRun *run, const MillLane *lane, SyncRun *out);

typedef struct SyncVerdict { /* of one lane */
  int64_t lane, matched, any_marks;
  int64_t origin_ns, offset_ns, drift, latency_ns, pairs, rejected, one_sided, steep; /* as in SyncLine */
  int64_t rms_ns, max_ns; /* residuals */
  int64_t missing;
  SyncPlace place;
} SyncVerdict;

typedef struct SyncDecision {
  int64_t reference_rank; /* -1: none */
  SyncVerdict *verdicts;
  uint32_t n;
} SyncDecision;
extern const StateType sync_decision_state;
/* Until the call returns; false: memory was refused. */
bool sync_decision_make(const SyncRun *run, SyncDecision *out);

#endif
