/* Making the plan of a profile for the inputs at hand. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PLANNER_H
#define PLAN_PLANNER_H

#include "plan/plan.h"

typedef struct PlanInputClass { /* what the inputs turned out to be */
  const char *source, *dialect;
  GPtrArray *facts; /* char * */
  bool side;        /* side inputs; they come after the others */
} PlanInputClass;

/* Takes the profile (resolved).  inputs: PlanInputClass; none: every fact that some source may give. */
Error *plan_new(Profile *profile, Modules *modules, const PlanInputClass *inputs, uint32_t n_inputs,
                bool cascade, Plan **out);

#endif
