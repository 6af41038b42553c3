/* --verify: a stage's claims are checked around every call; and the counters that --timings shows. */
#ifndef HOST_GUARD_H
#define HOST_GUARD_H

#include "sched/run.h"

typedef struct Guard Guard;

Guard *guard_before(const Batch *b);
/* Each gives an error of status 70 with an id when the stage broke a claim.  The first two free g. */
Error *guard_after(Guard *g, Instance *i, const Batch *b);
Error *guard_after_observe(Guard *g, Instance *i, const Batch *b);
Error *guard_settled(Instance *i,
                     const Batch *b); /* dropped events are gone, emitted ones in place */
/* Becomes the error of the call that the instance is in; later ones of the same instance are not told. */
void guard_broken(Instance *i, const char *id, const char *what, const MillEvent *e);

void guard_add_counters(Run *run, uint32_t stage, const Counters *c);

#endif
