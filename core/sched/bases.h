/* Bases of lanes that become known only after the events. */
#ifndef SCHED_BASES_H
#define SCHED_BASES_H

#include "sched/run.h"

/* Before lanes are read.  Where events of several lanes go into one file as they are read, bases are
 * searched for at the ends of compressed inputs, and stay as they are then known until the end. */
void bases_find(Run *run);
/* A stage moved it, at a barrier of all lanes.  False: lanes that do not wait there were written by it. */
bool bases_move(const Run *run, LaneInfo *lane, int64_t base_ns);
/* Lanes of known and of unknown base are on one time line: a warning for each of unknown base that has times. */
void bases_note_unknown(Run *run, const GPtrArray *lanes);
/* After all lanes were read: an error when what was written is on wrong bases. */
Error *bases_check(Run *run);

#endif
