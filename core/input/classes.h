/* Which lanes get the same plan. */
#ifndef INPUT_CLASSES_H
#define INPUT_CLASSES_H

#include "input/inputs.h"
#include "plan/planner.h"

/* What the lanes are, PlanInputClass, side inputs last; and which of them each lane is. */
GArray *classes_of_inputs(const Inputs *in, guint *out_of_lane);

#endif
