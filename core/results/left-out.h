/* Stages that run on no input, or not on all of them, as sinks are told. */
#ifndef RESULTS_LEFT_OUT_H
#define RESULTS_LEFT_OUT_H

#include "results/ended-run.h"

/* For `info` of results, "left-out": a line for stages that the same number of inputs lacks the same fact for,
 * "FACT INPUTS OF STAGE,STAGE", in the order of the plan.  The caller frees it. */
char *left_out_text(const EndedRun *run);

#endif
