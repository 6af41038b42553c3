/* What happens where all lanes meet: merging into a run-level instance, merging into one stream,
 * and splitting it. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_BARRIER_H
#define SCHED_BARRIER_H

#include "sched/run.h"

/* Crosses the first barrier at which lanes wait; *out_crossed is false if none waits. */
Error *barrier_cross(Run *run, bool *out_crossed);
/* Lets lanes report that are in a merged stream which was not split. */
Error *barrier_end(Run *run);

#endif
