/* --verify: a stage's claims are checked around every call; and the counters that --timings shows. */
#ifndef RUN_GUARD_H
#define RUN_GUARD_H

#include "run/run.h"

typedef struct Guard Guard;

Guard *guard_before(Instance *i, const Batch *b);
/* These end the program with status 70 and an id when the stage broke a claim.  The first two free g. */
void guard_after(Guard *g, const Instance *i, const Batch *b);
void guard_after_observe(Guard *g, const Instance *i, const Batch *b);
void guard_settled(Instance *i,
                   const Batch *b); /* dropped events are gone, emitted ones are in place */
G_NORETURN void guard_broken(const Instance *i, const char *id, const char *what,
                             const MillEvent *e);

void guard_add_counters(Run *run, uint32_t stage, const Counters *c);

#endif
