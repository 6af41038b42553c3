/* Which lanes get the same plan. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_CLASSES_H
#define INPUT_CLASSES_H

#include "input/inputs.h"
#include "plan/planner.h"

/* The classes of the lanes, PlanInputClass, side inputs last; and the class of each lane. */
GArray *classes_of_inputs(const Inputs *in, guint *out_of_lane);

#endif
