/* Who runs lanes, and where: threads of this process, or another one that gives the same outcomes.  Lanes meet at
 * barriers only by what they saved, and the fold takes their outcomes in lane order, so results are the same. */
#ifndef SCHED_EXECUTOR_H
#define SCHED_EXECUTOR_H

#include "sched/run.h"

struct Executor {
  /* Each of them up to the barrier that it waits at, or to its end.  executor_lane_ran was called for each. */
  void (*run)(Run *run, const GPtrArray *lanes);
  /* Of a lane at a barrier: what its instance of the stage saw, what its group decided, or that it decides by itself. */
  Error *(*save_observed)(Run *run, Lane *lane, uint32_t stage, Summary *out);
  Error *(*load_decision)(Run *run, Lane *lane, uint32_t stage, Summary *decision);
  Error *(*decide)(Run *run, Lane *lane, uint32_t stage);
};

extern const Executor executor_threads;
/* What the program runs lanes by; a test program links another one. */
const Executor *executor_of_program(void);

/* It waits at a barrier, or its outcome is there: its output is ended, and it is folded as far as its turn has come.  Or
 * it failed (takes e), and may go alone under keep_going.  Any thread. */
void executor_lane_ran(Run *run, Lane *lane, Error *e);

#endif
