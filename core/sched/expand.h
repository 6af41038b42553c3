/* Folders among the inputs: laid out in a way that a source knows, or else read flat. */
#ifndef SCHED_EXPAND_H
#define SCHED_EXPAND_H

#include "sched/run.h"

/* Replaces the folders among the specs (InputSpec *, which the array does not own) by what is in
 * them. */
Error *expand_folders(Run *run, GPtrArray *specs);
/* A file in a folder that is no input: counted, and listed by `info`. */
void expand_leave_out(Run *run, const char *path);

#endif
