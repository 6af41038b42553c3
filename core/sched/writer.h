/* A thread that writes the batches of a lane to the sinks, in order, while the lane makes the next ones. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_WRITER_H
#define SCHED_WRITER_H

#include "sched/run.h"

typedef struct Writer Writer;

/* NULL: no thread is free for it. */
Writer *writer_new(Run *run, Lane *lane);
/* Takes b. The error may be that of an earlier batch. */
Error *writer_add(Writer *w, Batch *b);
/* Waits until all are written; frees it. */
Error *writer_end(Writer *w);

#endif
