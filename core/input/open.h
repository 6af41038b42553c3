/* Opening the inputs of a run. */
#ifndef INPUT_OPEN_H
#define INPUT_OPEN_H

#include "input/inputs.h"

/* Opens them all and looks at each: format, rank, dialect, facts.  Takes the specs (InputSpec *) out of the array, also
 * when it fails. */
Error *inputs_open(Inputs *in, Modules *modules, GPtrArray *specs);

#endif
