/* A thread that writes the batches of a lane to the sinks, in order, while the lane makes the next ones. */
#ifndef SCHED_WRITER_H
#define SCHED_WRITER_H

#include "sched/run.h"

typedef struct Writer Writer;

/* NULL: there is no thread for it. */
Writer *writer_new(Run *run, Lane *lane);
/* Takes b.  An error of one that came before it. */
Error *writer_add(Writer *w, Batch *b);
/* All have been written; frees it. */
Error *writer_end(Writer *w);

#endif
