/* Inputs that gave no event: read to their end, and nothing to report of. */
#ifndef SCHED_EMPTY_H
#define SCHED_EMPTY_H

#include "sched/run.h"

/* A batch that the lane's input gave. */
void empty_see(Lane *lane, const MillBatch *batch);
/* After the last lane, of a profile that needs events: an error where no input gave any, a notice where others did. */
Error *empty_check(Run *run);
/* When all is reported: an error where the profile is made for other inputs, and found nothing in any of these. */
Error *empty_check_results(const Run *run);

#endif
