/* Reading an input again instead of holding its events.
 *
 * Reading k ends at the barrier of segment k: the passes of all segments up to it run over the input, but only
 * the stage that observes there is meant.  Those before it run on instances that are thrown away; what counts
 * is the last reading.  A stage that has decided waits until then, and its decision is loaded by the others. */
#ifndef SCHED_REREAD_H
#define SCHED_REREAD_H

#include "sched/run.h"

/* How each lane crosses the first barriers; an error where --hold asks for what cannot be. */
Error *reread_plan(Run *run);
/* Whether the lane's next segment is the end of a reading; passes: what then runs. */
bool reread_is_reading(const Lane *lane);
bool reread_is_last(const Lane *lane);
Error *reread_begin(Run *run, Lane *lane, const GArray **out_passes);
Error *reread_end(Lane *lane);
/* The stage has decided. */
Error *reread_decided(Lane *lane, uint32_t stage);
/* Around each pass: events that it emits at the end count as if those of the segments before were held. */
void reread_enter(Lane *lane, const Pass *pass);
void reread_leave(Lane *lane, const Pass *pass);
void reread_free(struct Reread *reread);

#endif
