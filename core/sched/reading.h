/* The events of a planned run for whoever wants to see them, one lane after the other: as its inputs have them, or as its
 * stages left them where they were kept (RunOptions.keep_events) and the run has ended. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_READING_H
#define SCHED_READING_H

#include "sched/run.h"

typedef struct Reading Reading;

/* passes: whether a lane is read; NULL: all of them.  Inputs are read once in a run, kept events as often as
 * asked. */
Reading *reading_new(Run *run, bool (*passes)(void *context, const LaneInfo *lane), void *context);
void reading_free(Reading *r); /* NULL is fine */
/* The next batch with events, which stays until the next call, and its lane; NULL after the last one. */
Error *reading_next(Reading *r, const MillBatch **out, const LaneInfo **out_lane);

#endif
