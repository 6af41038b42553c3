/* Running the segments of a lane: batches from the input or a store, through stages, to a store or the sinks. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_LANE_H
#define SCHED_LANE_H

#include "sched/run.h"

/* Runs segments up to a run-wide barrier (lane->at_barrier), or to the end; then lane->outcome
 * is there. */
Error *lane_run(Run *run, Lane *lane);
/* What the stage reported of an ended lane; NULL: nothing. */
const Reported *lane_reported(const Lane *lane, uint32_t stage);
/* After that: the lane's part of what sinks write is complete. */
Error *lane_end_output(Run *run, Lane *lane);
void lane_free_instances(Run *run, Lane *lane);
/* Whether results of the stage are merged on the run level. */
bool lane_results_merge(const PlanStage *p);
/* The two-phase stage has observed everything in the lane: it decides. */
Error *lane_decide(Run *run, Lane *lane, uint32_t stage);
const Segment *lane_segment(
    const Lane *lane); /* the next to run, or the one at whose barrier it waits */
void lane_free(Lane *lane);

#endif
