/* Rereading an input instead of holding its events.
 * Reading k ends at the barrier of segment k. The passes of all segments up to it run over the
 * input, but only the stage that observes at this barrier needs them. Stages before it run on
 * instances that are thrown away; only the last reading counts. A stage that has decided waits
 * until then, and other instances load its decision. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_REREAD_H
#define SCHED_REREAD_H

#include "sched/run.h"

/* Chooses how each lane crosses the first barriers; an error if --hold asks for the impossible. */
Error *reread_plan(Run *run);
/* Whether the lane's next segment ends a reading; passes: what the reading runs. */
bool reread_is_reading(const Lane *lane);
bool reread_is_last(const Lane *lane);
Error *reread_begin(Run *run, Lane *lane, const GArray **out_passes);
Error *reread_end(Lane *lane);
/* The stage has decided. */
Error *reread_decided(Lane *lane, uint32_t stage);
/* Around each pass: events that it emits at the end are numbered as if those of the segments
 * before were held. */
void reread_enter(Lane *lane, const Pass *pass);
void reread_leave(Lane *lane, const Pass *pass);
void reread_free(struct Reread *reread);

#endif
