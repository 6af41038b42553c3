/* Folders among the inputs: a source knows their layout, or else the files in them are the
 * inputs. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_EXPAND_H
#define INPUT_EXPAND_H

#include "input/inputs.h"

/* Replaces the folders among the specs (InputSpec *, which the array does not own) by the inputs
 * in them. */
Error *expand_folders(Inputs *in, GPtrArray *specs);
/* A file in a folder that is no input: counted, and listed by `info`. */
void expand_leave_out(Inputs *in, const char *path);

#endif
