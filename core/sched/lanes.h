/* The lanes of a run: in order, in parallel, and how they end early. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_LANES_H
#define SCHED_LANES_H

#include "sched/run.h"

void lanes_init(Lanes *l);
void lanes_clear(Lanes *l); /* frees the lists, not the lanes */
/* Adds the lane of the inputs with this index, after the others. */
Lane *run_add_lane(Run *run, guint index);
/* The lanes in their order, then the merged stream if there is one, then NULL. */
Lane *run_lane(const Run *run, guint index);
/* Works on all of them, in as many threads as there are jobs. */
void run_each_lane(Run *run, const GPtrArray *lanes, void (*work)(Run *run, Lane *lane));
bool run_cancelled(const Run *run);
Error *run_stopped(const Run *run); /* the error of a cancelled run */
/* Gives a lane of this class its segments, and room for its instances. */
void run_prepare_lane(Run *run, Lane *lane, PlanClass *class);
/* Opens an instance of stage `index` for the lane, or the run-level one (lane NULL). mute: it
 * does not count notices. */
Error *lane_open_stage(Run *run, Lane *lane, uint32_t index, bool mute, Instance **out);
/* Whether a pattern of --isolate is for the stage: by its name, or its id in the profile. */
bool run_isolates(const char *pattern, const PlanStage *p);
StoreEnv run_store_env(const Run *run);

#endif
