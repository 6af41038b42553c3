/* Side inputs that lie beside the traces, where a profile needs what they say. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_BESIDE_H
#define INPUT_BESIDE_H

#include "input/inputs.h"
#include "plan/profile.h"

/* Opens those that are there, for facts that a stage of the profile needs and no input has; before the plan. */
Error *inputs_take_beside(Inputs *in, const Profile *profile);

#endif
