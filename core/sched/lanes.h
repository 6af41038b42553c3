/* The lanes of a run: one after the other, all at once, and what ends them early. */
#ifndef SCHED_LANES_H
#define SCHED_LANES_H

#include "sched/run.h"

void lanes_init(Lanes *l);
void lanes_clear(Lanes *l); /* not the lanes */
/* Of the inputs' lane with this index, after those that are there. */
Lane *run_add_lane(Run *run, guint index);
/* The lanes in their order, and after them the merged stream, if there is one; then NULL. */
Lane *run_lane(const Run *run, guint index);
/* Work on all of them, in as many threads as there are jobs. */
void run_each_lane(Run *run, const GPtrArray *lanes, void (*work)(Run *run, Lane *lane));
bool run_cancelled(const Run *run);
Error *run_stopped(const Run *run); /* the error of a cancelled run */
/* The segments of a lane of this class, and space for its instances. */
void run_prepare_lane(Run *run, Lane *lane, PlanClass *class);
/* Opens an instance of stage `index` for the lane, or the run-level one (lane NULL).  mute: it does not count. */
Error *lane_open_stage(Run *run, Lane *lane, uint32_t index, bool mute, Instance **out);
StoreEnv run_store_env(const Run *run);

#endif
