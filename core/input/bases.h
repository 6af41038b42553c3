/* Bases of lanes that become known only after the events. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_BASES_H
#define INPUT_BASES_H

#include "input/inputs.h"

/* Before lanes are read: whether bases must be searched first, because events of several lanes
 * go into one file while they are read. */
bool bases_are_needed(const Inputs *in);
/* Searches at the end of a compressed input; what it finds stays until the end. Any thread. */
void bases_search(Input *reader);
/* A stage moved the base, at a barrier of all lanes. False: lanes that do not wait there were
 * written with it. */
bool bases_move(const Inputs *in, LaneInfo *lane, int64_t base_ns);
/* Lanes (LaneInfo *) with and without known bases are on one time line: a warning for each of
 * the latter that has times. */
void bases_note_unknown(SetAside *aside, const GPtrArray *lanes);
/* After all lanes were read: an error if the output was written with wrong bases. */
Error *bases_check(const Inputs *in);

#endif
