/* Further rows beside one of a process. */
#ifndef STAGES_THREADS_H
#define STAGES_THREADS_H

#include <stagemill/types.h>

/* The thread that is `tries` beyond this one: a number that much higher, or the name with a number after it.  False
 * after a failure: no number is that high, or memory was refused. */
bool threads_next(const MillHost *, const MillValue *thread, uint64_t tries, MillValue *out);

#endif
