/* Opening the inputs of a run. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_OPEN_H
#define INPUT_OPEN_H

#include "input/inputs.h"

/* Opens all inputs and finds their formats, ranks, dialects and facts. Takes the specs
 * (InputSpec *) out of the array, also on failure. */
Error *inputs_open(Inputs *in, Modules *modules, GPtrArray *specs);

/* Opens more of them, all of which are optional: what cannot be read is left out. */
Error *inputs_open_more(Inputs *in, GPtrArray *specs);

#endif
