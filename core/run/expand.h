/* Folders among the inputs: laid out in a way that a source knows, or else read flat. */
#ifndef RUN_EXPAND_H
#define RUN_EXPAND_H

#include "run/run.h"

/* Replaces the folders among the specs (InputSpec *, which the array does not own) by what is in
 * them. */
Error *expand_folders(Run *run, GPtrArray *specs);

#endif
