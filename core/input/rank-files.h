/* Files of one rank become one lane, where the profile or the command line asks for it. */
#ifndef INPUT_RANK_FILES_H
#define INPUT_RANK_FILES_H

#include "input/inputs.h"

/* An error when a file is named twice: all that is in it would count twice. */
Error *rank_files_refuse_twice(const Inputs *in);
/* Before planning: lanes are numbered anew, and slices of all of them say which job they are of. */
void rank_files_join(Inputs *in);
/* Inputs of one rank that are lanes of their own. */
void rank_files_note_duplicates(Inputs *in);
/* Before reading: a base may stand behind the events of a file. */
void rank_files_find_bases(Inputs *in);

#endif
