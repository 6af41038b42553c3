/* Which job an event is of: where files of one rank were joined, their events say it in `jobname`. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_JOBS_H
#define KIT_JOBS_H

#include "kit/state/keyed.h"

typedef struct Jobs {
  const MillHost *common;
  MillSym key;
  Keyed *states; /* by name of the job; "" of events that name none */
  const KeyedEntry *last;
} Jobs;

/* A state of this size for each job, zeroed when made.  Here and below false, or NULL, means that
 * memory was refused (see MillHost.resize). */
bool jobs_open(Jobs *, const MillHost *common, size_t state_size);
void *jobs_of(Jobs *, const MillBatch *, const MillEvent *);

/* For a stage's `reads`. */
#define JOBS_READS(kinds)            \
  {                                  \
    "jobname", MILL_AS_TEXT, (kinds) \
  }

#endif
