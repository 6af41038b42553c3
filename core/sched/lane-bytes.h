/* A lane that ran in another process, as bytes. The same lane gives the same bytes, whatever ran beside it. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_LANE_BYTES_H
#define SCHED_LANE_BYTES_H

#include "sched/run.h"

/* What is known of the lane now: what was found in its input, its account, and its outcome if it has ended. No times
 * of stages. */
void lane_bytes_save(const Run *run, const Lane *lane, Summary *out);
/* Into the same lane of the run that planned it. An error: these are not such bytes. */
Error *lane_bytes_load(Run *run, Lane *lane, Summary *from);
/* The same for a lane at a barrier: its outcome is still to come, and what its source counted comes with that. */
Error *lane_bytes_load_waiting(Run *run, Lane *lane, Summary *from);
/* Of two bytes of one lane that are not the same: the id of the first stage in which they differ; NULL: what was found
 * in the input. */
const char *lane_bytes_difference(const Run *run, Summary *one, Summary *other);

#endif
