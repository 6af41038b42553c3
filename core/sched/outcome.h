/* The outcome of a lane, wherever it ran: all that the run's results need of it. No instance,
 * symbol or track. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_OUTCOME_H
#define SCHED_OUTCOME_H

#include "host/instance.h"

typedef struct StageOutcome {
  bool opened;        /* the stage had an instance; otherwise all is empty */
  Summary result;     /* to be merged on the run level; empty: nothing */
  Reported *reported; /* rows and metrics */
  Notices notices;
  Counters counters;
} StageOutcome;

typedef struct LaneOutcome {
  uint32_t n_stages;
  StageOutcome stages[]; /* as in the plan */
} LaneOutcome;

LaneOutcome *outcome_new(uint32_t n_stages);
void outcome_free(LaneOutcome *o);
/* Takes the counts and reports of a closed instance, which has nothing after that. */
void outcome_take(StageOutcome *o, Instance *i);

#endif
