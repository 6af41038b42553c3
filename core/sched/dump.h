/* --dump-after: the stream after a stage as JSON lines. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_DUMP_H
#define SCHED_DUMP_H

#include "sched/run.h"

/* Writes the batch when the user asked for this stage; else does nothing. */
Error *dump_after(Run *run, const Instance *i, const Batch *b);

#endif
