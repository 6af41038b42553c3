/* Makes results from what instances reported and counted. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_COLLECT_H
#define RESULTS_COLLECT_H

#include "results/ended-run.h"

/* How many columns there are before those that stages declare, in tables of lanes, as far as is known of the lanes. */
uint32_t collect_n_lead(const Inputs *inputs);
/* After the last report: makes the results of the run. */
void collect_results(EndedRun *run);
/* Adds the notices of a sink, with the name of the input of the first example. */
void collect_notices_of(const EndedRun *run, const Notices *sum);

#endif
