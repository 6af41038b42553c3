/* What the lanes add up to: run-level instances, counters and notices. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_TOTALS_H
#define SCHED_TOTALS_H

#include "sched/run.h"

/* Once the plan is made. */
void totals_init(Run *run);
void totals_clear(Run *run); /* does nothing without a plan */

#endif
