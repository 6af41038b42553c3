/* Making a run: what its instances reach, and its inputs. */
#ifndef SCHED_OPEN_H
#define SCHED_OPEN_H

#include "sched/run.h"

/* The lane that the input reads now. */
Lane *open_lane(Run *run, Input *in);

#endif
