/* Stages that are gone, in a run that goes on without them: isolated ones, under --keep-going. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_LOST_H
#define SCHED_LOST_H

#include "sched/run.h"

void lost_init(Run *run);
void lost_clear(Run *run);
/* NULL: nobody misses the stage, and its instance is left alone from here on; it takes the error.  Else the error. */
Error *lost_set_aside(Run *run, uint32_t stage, Instance *i, Error *e);
bool lost_is(Run *run, uint32_t stage);
/* After the last lane: the errors are what the run sets aside. */
void lost_tell(Run *run);

#endif
