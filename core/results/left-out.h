/* Stages that were left out for all inputs, or for some, as sinks see them. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_LEFT_OUT_H
#define RESULTS_LEFT_OUT_H

#include "results/ended-run.h"

/* The text of "left-out" for `info` of results. Each line has the stages for which the same
 * number of inputs lacks the same fact, "FACT INPUTS OF STAGE,STAGE", in the order of the plan.
 * Facts of side inputs that are found by themselves do not count.  The caller frees it. */
char *left_out_text(const EndedRun *run);

#endif
