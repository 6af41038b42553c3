/* The sinks of a run: chosen by format, opened, written to, finished. */
#ifndef OUTPUT_SINKS_H
#define OUTPUT_SINKS_H

#include "sched/run.h"

/* The formats asked for, else the profile's, else the default; their options from "word.option=value". */
Error *sinks_choose(Run *run);
Error *sinks_open(Run *run); /* the run-level instances */
Error *sinks_open_lane(Run *run, Lane *lane);
Error *sinks_write(Run *run, Lane *lane, Batch *b);
Error *sinks_finish_lane(Run *run, Lane *lane);
Error *sinks_end(Run *run, const MillResults *results); /* results and tails */
void sinks_free(Run *run);

#endif
