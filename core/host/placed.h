/* Events that a stage emitted in their place: they wait until the stream has come there. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_PLACED_H
#define HOST_PLACED_H

#include "host/state.h"

/* Whether MILL_IN_PLACE means something to the stage: it asks for events in order. */
bool placed_allowed(const Instance *i);
GArray *placed_new(void);
/* After a call and before the batch is compacted: what belongs between two events of the batch goes there, what comes
 * later waits.  ends: nothing follows. */
Error *placed_settle(Instance *i, Batch *b, bool ends);
static inline bool placed_waits(const Instance *i) { return i->waiting && i->waiting->len; }

#endif
