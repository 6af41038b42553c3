/* Collecting what instances reported and counted into results. */
#ifndef RESULTS_COLLECT_H
#define RESULTS_COLLECT_H

#include "results/ended-run.h"

/* After the last report: makes its results. */
void collect_results(EndedRun *run);
/* Adds what a sink counted; with the name of the input of its first example. */
void collect_notices_of(const EndedRun *run, const Notices *sum);

#endif
