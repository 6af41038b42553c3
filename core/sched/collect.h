/* Collecting what instances reported and counted into results. */
#ifndef SCHED_COLLECT_H
#define SCHED_COLLECT_H

#include "sched/run.h"

/* After the last report. */
Results *collect_results(const Run *run);
/* After the sinks have written: adds what they counted meanwhile.  Summaries that they wrote do not have it. */
void collect_late_notices(Run *run);

/* const Descriptor *: the sources of the run, each once, in the order in which they looked through folders, then read. */
GPtrArray *collect_sources_of(const Run *run);

#endif
