/* Collecting what instances reported and counted into results. */
#ifndef SCHED_COLLECT_H
#define SCHED_COLLECT_H

#include "sched/run.h"

/* After the last report. */
Results *collect_results(const Run *run);

#endif
