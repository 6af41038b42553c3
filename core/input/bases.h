/* Bases of lanes that become known only after the events. */
#ifndef INPUT_BASES_H
#define INPUT_BASES_H

#include "input/inputs.h"

/* Before lanes are read: whether bases must be searched for first, as events of several lanes go into one file as they
 * are read. */
bool bases_are_needed(const Inputs *in);
/* Searches at the end of a compressed input; what is known then stays until the end.  Any thread. */
void bases_search(Input *reader);
/* A stage moved it, at a barrier of all lanes.  False: lanes that do not wait there were written by it. */
bool bases_move(const Inputs *in, LaneInfo *lane, int64_t base_ns);
/* Lanes (LaneInfo *) of known and of unknown base are on one time line: a warning for each of unknown base that has
 * times. */
void bases_note_unknown(SetAside *aside, const GPtrArray *lanes);
/* After all lanes were read: an error when what was written is on wrong bases. */
Error *bases_check(const Inputs *in);

#endif
