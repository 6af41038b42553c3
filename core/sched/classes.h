/* Which lanes get the same plan. */
#ifndef SCHED_CLASSES_H
#define SCHED_CLASSES_H

#include "plan/planner.h"
#include "sched/run.h"

/* What the lanes are, PlanInputClass, side inputs last; and which of them each lane is. */
GArray *classes_of_inputs(const Run *run, guint *out_of_lane);

#endif
