/* Folders among the inputs: laid out in a way that a source knows, or else read flat. */
#ifndef INPUT_EXPAND_H
#define INPUT_EXPAND_H

#include "input/inputs.h"

/* Replaces the folders among the specs (InputSpec *, which the array does not own) by what is in
 * them. */
Error *expand_folders(Inputs *in, GPtrArray *specs);
/* A file in a folder that is no input: counted, and listed by `info`. */
void expand_leave_out(Inputs *in, const char *path);

#endif
