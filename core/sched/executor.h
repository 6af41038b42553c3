/* Who runs lanes, and where: threads of this process, or another executor that gives the same
 * outcomes. Lanes meet at barriers only through saved state, and the fold takes their outcomes
 * in lane order, so results are the same. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_EXECUTOR_H
#define SCHED_EXECUTOR_H

#include "sched/run.h"

struct Executor {
  /* Runs each lane up to the barrier where it waits, or to its end, and calls executor_lane_ran
   * for each. */
  void (*run)(Run *run, const GPtrArray *lanes);
  /* For a lane at a barrier: save what its instance of the stage observed; load the decision of
   * its group; let it decide by itself. */
  Error *(*save_observed)(Run *run, Lane *lane, uint32_t stage, Summary *out);
  Error *(*load_decision)(Run *run, Lane *lane, uint32_t stage, Summary *decision);
  Error *(*decide)(Run *run, Lane *lane, uint32_t stage);
};

extern const Executor executor_threads;
/* The executor of the program; a test program links another one. */
const Executor *executor_of_program(void);

/* Runs a lane up to a barrier or its end, unless another process has. */
Error *executor_run_lane(Run *run, Lane *lane);
/* To be called after a lane has run. The lane waits at a barrier; or it has an outcome: its
 * output is ended, and it is folded when its turn comes; or it failed (takes e), and others may
 * go on under keep_going. Any thread. */
void executor_lane_ran(Run *run, Lane *lane, Error *e);

#endif
