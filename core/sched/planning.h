/* The plan of a run, made from the open inputs and a profile. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_PLANNING_H
#define SCHED_PLANNING_H

#include "sched/run.h"

/* Takes the profile (resolved).  Makes the plan, the sinks, and the lanes. */
Error *run_plan(Run *run, Profile *profile);
/* Whether the (resolved) profile can be planned; takes it. */
Error *run_fits(const Run *run, Profile *profile);

#endif
