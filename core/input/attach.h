/* The file of an input, and an instance of its source. Between the first look and the reading an
 * input has neither, so that there may be very many inputs. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_ATTACH_H
#define INPUT_ATTACH_H

#include "input/state.h"

/* Opens the file, if there is one and it is not open. */
Error *attach_reader(Input *in);
/* With an instance that describes the lane. */
Error *attach_first(Input *in);
/* The same later, in a fresh instance that knows all that the first one described. */
Error *attach_again(Input *in);
/* Closes both until attach_again; an input that cannot be opened twice, such as a pipe, stays
 * open. */
Error *attach_rest(Input *in);
/* Closes both for good; an error if closing broke a rule. */
Error *attach_end(Input *in);

#endif
