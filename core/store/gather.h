/* Filling batches with events of packs: raw bytes that are not held are read again from their inputs, those
 * that lie together at once. */
/* SPDX-License-Identifier: MIT */
#ifndef STORE_GATHER_H
#define STORE_GATHER_H

#include "model/error.h"
#include "model/pool.h"
#include "store/pack.h"

typedef struct Gather Gather;

Gather *gather_new(BatchPool *batches, BlockPool *blocks);
void gather_free(Gather *g);
/* The event is the caller's to change until gather_end, all but where its bytes are.  The lane counts when the
 * batch is empty. */
MillEvent *gather_add(Gather *g, const Pack *p, uint32_t index);
bool gather_is_full(const Gather *g);
/* with_bytes: raw bytes are there; else those of inputs are read only for attributes that lie in them.
 * *out NULL: nothing was added. */
Error *gather_end(Gather *g, bool with_bytes, Batch **out);

#endif
