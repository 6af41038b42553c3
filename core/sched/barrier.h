/* What happens where all lanes meet: merging into a run-level instance, merging into one stream, splitting again. */
#ifndef SCHED_BARRIER_H
#define SCHED_BARRIER_H

#include "sched/run.h"

/* Crosses the first barrier that lanes wait at; *out_crossed is false when none waits. */
Error *barrier_cross(Run *run, bool *out_crossed);
/* Lets lanes report that joined a merge which nothing split again. */
Error *barrier_end(Run *run);

#endif
