/* Running the segments of a lane: batches from the input or a store, through stages, to a store or the sinks. */
#ifndef SCHED_LANE_H
#define SCHED_LANE_H

#include "sched/run.h"

/* Runs segments until one ends at a run-wide barrier (lane->at_barrier) or the last has: then lane->outcome is there. */
Error *lane_run(Run *run, Lane *lane);
/* Of a lane that is through: what the stage reported; NULL: nothing. */
const Reported *lane_reported(const Lane *lane, uint32_t stage);
/* After that: its part of what sinks write is complete. */
Error *lane_end_output(Run *run, Lane *lane);
void lane_free_instances(Run *run, Lane *lane);
/* Whether what the stage reports of lanes is merged on the run level. */
bool lane_results_merge(const PlanStage *p);
/* All that the two-phase stage had to see was seen. */
Error *lane_decide(Run *run, Lane *lane, uint32_t stage);
const Segment *lane_segment(const Lane *lane); /* the one to run, or that waits at its barrier */
/* The names of all tags that lanes have; they own the texts, the caller the list. */
char **lanes_tag_names(const GPtrArray *lanes);
/* Gives those that have none their name in results. */
void lanes_name(const GPtrArray *lanes);
/* The same, and what each lane has without them that groups can be made of. */
char **lanes_group_names(const GPtrArray *lanes);
void lane_free(Lane *lane);

#endif
