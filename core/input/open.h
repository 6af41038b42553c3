/* Opening the inputs of a run. */
#ifndef INPUT_OPEN_H
#define INPUT_OPEN_H

#include "input/inputs.h"

/* Opens all inputs and finds their formats, ranks, dialects and facts. Takes the specs
 * (InputSpec *) out of the array, also on failure. */
Error *inputs_open(Inputs *in, Modules *modules, GPtrArray *specs);

#endif
