/* Bases of lanes that become known only behind the events. */
#ifndef SCHED_LATE_H
#define SCHED_LATE_H

#include "sched/run.h"

/* Before lanes are read.  Where events of several lanes go into one file as they are read, bases are
 * searched for at the ends of compressed inputs, and stay as they are then known until the end. */
void late_find_bases(Run *run);
/* What a source tells about its lane's base, at any time. */
void late_set_base(Lane *lane, int64_t base_ns);
/* After all lanes were read: an error when what was written is on wrong bases. */
Error *late_check_bases(Run *run);

#endif
