/* Replay: a two-phase stage goes on in a fresh instance that loaded what the first one decided. */
#ifndef SCHED_REPLAY_H
#define SCHED_REPLAY_H

#include "sched/run.h"

/* After `decide` of a lane; nothing happens where the stage cannot be replayed. */
bool replay_can(const Descriptor *stage);
Error *replay_stage(Run *run, Lane *lane, uint32_t stage);

#endif
