/* The plan of a run, of the inputs that were opened and a profile. */
#ifndef SCHED_PLANNING_H
#define SCHED_PLANNING_H

#include "sched/run.h"

/* Takes the profile (resolved).  Makes the plan, the sinks, and the lanes. */
Error *run_plan(Run *run, Profile *profile);
/* Whether a plan can be made of the (resolved) profile, which it takes. */
Error *run_fits(const Run *run, Profile *profile);

#endif
