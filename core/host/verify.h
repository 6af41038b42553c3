/* --verify: a module's claims are checked around every call.  A broken claim is a bug in the module and
 * ends the run. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_VERIFY_H
#define HOST_VERIFY_H

#include "host/state.h"

/* Before and after a call that gets a batch.  What comes after gives an error of status 70 with an id when the
 * instance broke a claim, and puts right what a batch says of itself: the program goes on with it. */
void verify_before(Instance *i, Batch *b);
Error *verify_after(Instance *i, Batch *b);
Error *verify_after_observe(Instance *i, Batch *b);
/* Dropped events are gone, emitted ones in place. */
Error *verify_compacted(Instance *i, const Batch *b);
/* What a source read, numbered, and the facts that it claims of the lane. */
Error *verify_read(Instance *i, const Batch *b);
/* What a host call is given: false when it is not the batch of this call, or not as the program left it. */
bool verify_batch(Instance *i, const MillBatch *b);
/* Around what the program itself does in it, for this event or (NULL) any: it adds attributes to it, or looks at them;
 * what was not asked for is hidden again; its header has changed. */
void verify_open(Instance *i, const MillEvent *e);
void verify_look(Instance *i, const MillEvent *e);
void verify_hide(Instance *i, const MillEvent *e);
void verify_moved(Instance *i);
void verify_left_out(Instance *i, uint32_t index); /* it marked this event */
void verify_claims(Instance *i, const MillBatch *b);
void verify_order_in(Instance *i, const MillEvent *events, uint32_t n); /* what a call was given */
/* What an instance hands over. */
void verify_value(Instance *i, const MillValue *v, const MillEvent *e);
void verify_set(Instance *i, MillSym key, const MillValue *v, const MillEvent *e);
/* What is wrong with a text or a JSON value; NULL: nothing. */
const char *verify_text(const MillValue *v);
/* The same of its type and number. */
const char *verify_number(const MillValue *v);
/* Rows with equal keys, values of one metric. */
Error *verify_reported(Instance *i);
/* Becomes the error of the call that the instance is in; later ones of the same instance are not reported. */
void verify_broken(Instance *i, const char *id, const char *what, const MillEvent *e);

#endif
