/* Running the segments of a lane: batches from the input or a store, through stages, to a store or the sinks. */
#ifndef RUN_LANE_H
#define RUN_LANE_H

#include "run/run.h"

/* Runs segments until one ends at a run-wide barrier (lane->at_barrier) or the lane is done. */
Error *lane_run(Run *run, Lane *lane);
const Segment *lane_segment(const Lane *lane); /* the one to run, or that waits at its barrier */
/* Opens an instance of stage `index` for the lane, or the run-level one (lane NULL). */
Error *lane_open_stage(Run *run, Lane *lane, uint32_t index, Instance **out);
/* Calls save(what) into out, or merge(what) from `from`. */
Error *instance_save(Instance *i, uint32_t what, Summary *out);
Error *instance_merge(Instance *i, uint32_t what, Summary *from);
Error *instance_settle(Instance *i);
Error *instance_adopt(Instance *i, Summary *settled);
Error *instance_report(Instance *i);
/* The value of a tag, or of what every lane has: rank, label, input and file.  *out_made is for
 * the caller to free, and is what is returned when the value had to be made. */
const char *lane_tag(const Lane *lane, const char *name, char **out_made);
const char *lane_path(const Lane *lane); /* NULL: standard input, or the merged stream */
void lane_free(Lane *lane);

#endif
