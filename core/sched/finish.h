/* The end of a run: from the reports of stages to files that are in place. */
#ifndef SCHED_FINISH_H
#define SCHED_FINISH_H

#include "sched/run.h"

/* After the last lane: reports, collects results, has sinks write them, and commits. */
Error *finish_run(Run *run);
/* What its lanes have left until now, for those who make results of it. */
EndedRun *finish_end(const Run *run);

#endif
