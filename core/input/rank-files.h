/* Files of one rank become one lane, if the profile or the command line asks for it. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_RANK_FILES_H
#define INPUT_RANK_FILES_H

#include "input/inputs.h"

/* Before planning: numbers lanes anew, and gives the slices of these files the name of their
 * job. */
void rank_files_join(Inputs *in);
/* Inputs of one rank that are separate lanes. */
void rank_files_note_duplicates(Inputs *in);
/* Before reading: the base of a file may come after its events. */
void rank_files_find_bases(Inputs *in);

#endif
