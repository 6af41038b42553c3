/* Events held at a barrier: in memory up to the budget, then in a temporary file; sorted on request. */
/* SPDX-License-Identifier: MIT */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "model/budget.h"
#include "model/error.h"
#include "model/pool.h"
#include "store/spill-runs.h"

#define HELD_BLOCK (2u << 20) /* of the bytes of one batch */

typedef struct StoreEnv {
  Budget *budget;
  BatchPool *pool;
  BlockPool *blocks; /* for bytes that are read again */
  Spill *spill;      /* shared by all stores of a run */
  bool with_raw;     /* some sink will want the bytes as read */
} StoreEnv;

typedef struct Store Store;

Store *store_new(const StoreEnv *env, bool sort);
void store_free(Store *s);
Error *store_add(Store *s, Batch *b); /* takes b */
/* Adds a copy of one event of the batch; e may itself be a changed copy. */
Error *store_append(Store *s, const Batch *from, const MillEvent *e);
Error *store_close(Store *s); /* nothing more comes; sorts */
/* The next batch, NULL at the end; the caller gives it to the pool.  With keep the store can be read again
 * after store_rewind.  with_bytes: see gather.h. */
Error *store_next(Store *s, bool keep, bool with_bytes, Batch **out);
/* The same one by one: the event at hand, which then goes by. */
Error *store_peek(Store *s, bool keep, Held *out);
Error *store_pass(Store *s, bool keep);
void store_rewind(Store *s);
uint64_t store_spilled_bytes(const Store *s);

#endif
