/* --verify: a stage's claims are checked around every call; and the counters that --timings shows. */
#ifndef RUN_GUARD_H
#define RUN_GUARD_H

#include "run/run.h"

typedef struct Guard Guard;

Guard *guard_before(Run *run, const Instance *i, const Batch *b);
/* Ends the program with status 70 and an id when the stage broke a claim.  Frees g. */
void guard_after(Guard *g, const Instance *i, const Batch *b);
void guard_add_counters(Run *run, uint32_t stage, const Counters *c);

#endif
