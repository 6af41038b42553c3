/* A lane that ran in another process, as bytes. */
#ifndef SCHED_LANE_BYTES_H
#define SCHED_LANE_BYTES_H

#include "sched/run.h"

/* In a process that is there for some lanes only, before they run: what was counted so far is counted elsewhere. */
void lane_bytes_begin(Run *run);
/* What is known of the lane now, and what came of it if it is through; with what its reading counted since the lane before
 * was saved. */
void lane_save(Run *run, const Lane *lane, Summary *out);
/* Into the same lane of the run that planned it.  An error: these are not such bytes. */
Error *lane_load(Run *run, Lane *lane, Summary *from);

#endif
