/* The end of a run: from the reports of stages to files in their place. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_FINISH_H
#define SCHED_FINISH_H

#include "sched/run.h"

/* After the last lane: reports, collects results, lets sinks write them, and commits. */
Error *finish_run(Run *run);
/* What its lanes have left so far, for the code that makes results. */
EndedRun *finish_end(const Run *run);

#endif
