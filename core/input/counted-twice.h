/* Inputs whose events would count twice: the same file, or a copy of it. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_COUNTED_TWICE_H
#define INPUT_COUNTED_TWICE_H

#include "input/inputs.h"

/* With other labels, ranks or tags on the command line, the same file is another experiment. */
Error *counted_twice_refuse(const Inputs *in); /* if a file or folder is named twice */
void counted_twice_note_copies(Inputs *in);    /* a warning for each */

#endif
