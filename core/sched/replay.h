/* Replay: a two-phase stage goes on in a fresh instance that loaded what the first one decided. */
#ifndef SCHED_REPLAY_H
#define SCHED_REPLAY_H

#include "sched/run.h"

/* After `decide` of a lane; nothing happens where the stage cannot be replayed. */
Error *replay_stage(Run *run, Lane *lane, uint32_t stage);
/* ---- its parts.  Another instance that knows the decision; what it counts while it loads is left out. */
Error *replay_fresh(Run *run, Lane *lane, uint32_t stage, Summary *decision, Instance **out);
/* What the first one counted stays in the second; it is closed. */
Error *replay_succeed(Instance *first, Instance *second);

#endif
