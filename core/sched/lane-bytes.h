/* A lane that ran in another process, as bytes. */
#ifndef SCHED_LANE_BYTES_H
#define SCHED_LANE_BYTES_H

#include "sched/run.h"

/* In a process for some of the lanes, before they run: counts so far belong to the other
 * process. */
void lane_bytes_begin(Run *run);
/* What is known of the lane now, its outcome if it has ended, and what its reading counted since
 * the last saved lane. */
void lane_save(Run *run, const Lane *lane, Summary *out);
/* Into the same lane of the run that planned it. An error: these are not such bytes. */
Error *lane_load(Run *run, Lane *lane, Summary *from);

#endif
