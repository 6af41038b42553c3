/* Who reads an input: its file, and an instance of its source.  Between the first look and the reading an
 * input has neither, so that there may be very many. */
#ifndef INPUT_ATTACH_H
#define INPUT_ATTACH_H

#include "input/state.h"

/* Opens the file, if there is one and it is not open. */
Error *attach_reader(Input *in);
/* With an instance that describes the lane. */
Error *attach_first(Input *in);
/* The same later, in a fresh instance that knows what the first one knew. */
Error *attach_again(Input *in);
/* Lets both go until attach_again; what cannot be opened a second time, as a pipe, stays open. */
Error *attach_rest(Input *in);
/* Lets both go for good; an error when closing broke a rule. */
Error *attach_end(Input *in);

#endif
