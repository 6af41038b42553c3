/* What the source of an input counts while its lanes are read: the sources have the sum, and the input has its own for
 * who takes the outcome of a lane to another process. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_FOUND_H
#define INPUT_FOUND_H

#include "input/state.h"

void found_take(Input *in, const Notices *counted);
void found_forget(Input *in); /* also of the files that it joins */

#endif
