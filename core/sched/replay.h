/* Replay: a fresh instance loads the decision of a two-phase stage and replaces the first one. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_REPLAY_H
#define SCHED_REPLAY_H

#include "sched/run.h"

/* After `decide` of a lane; does nothing if the stage cannot be replayed. */
Error *replay_stage(Run *run, Lane *lane, uint32_t stage);
/* ---- its parts. Another instance that loads the decision; what it counts meanwhile is left
 * out. */
Error *replay_fresh(Run *run, Lane *lane, uint32_t stage, Summary *decision, Instance **out);
/* Closes the first instance; the second takes its counts. */
Error *replay_succeed(Instance *first, Instance *second);

#endif
