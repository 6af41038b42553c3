/* Files of one rank become one lane, where the profile or the command line asks for it. */
#ifndef SCHED_JOINS_H
#define SCHED_JOINS_H

#include "sched/run.h"

/* An error when a file is named twice: all that is in it would count twice. */
Error *joins_refuse_twice(const Run *run);
/* Before planning: lanes are numbered anew, and slices of all of them say which job they are of. */
void joins_make(Run *run);
/* Inputs of one rank that are lanes of their own. */
void joins_note_duplicates(Run *run);
/* Before reading: a base may stand behind the events of a file. */
void joins_find_bases(Run *run);

#endif
