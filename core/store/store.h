/* Events held at a barrier: in memory up to the budget, then in a temporary file; sorted on request. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "model/error.h"
#include "model/budget.h"
#include "model/pool.h"
#include "store/spill.h"

typedef struct StoreEnv {
  Budget *budget;
  BatchPool *pool;
  Spill *spill;  /* shared by all stores of a run */
  bool with_raw; /* some sink will want the bytes as read */
} StoreEnv;

typedef struct Store Store;

Store *store_new(const StoreEnv *env, bool sort);
void store_free(Store *s);
Error *store_add(Store *s, Batch *b); /* takes b */
/* Adds a copy of one event of the batch; e may itself be a changed copy. */
Error *store_append(Store *s, const MillBatch *from, const MillEvent *e);
Error *store_close(Store *s); /* nothing more comes; sorts */
/* The next batch, NULL at the end.  With keep the store can be read again after
 * store_rewind.  Give every batch back by store_give. */
Error *store_next(Store *s, bool keep, Batch **out);
void store_give(Store *s, Batch *b, bool keep);
void store_rewind(Store *s);
uint64_t store_spilled_bytes(const Store *s);

#endif
