/* Batches waiting to be used again. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_POOL_H
#define MODEL_POOL_H

#include "model/batch.h"

typedef struct BatchPool BatchPool;

BatchPool *batch_pool_new(uint32_t max_events);
void batch_pool_free(BatchPool *p);
uint32_t batch_pool_events(const BatchPool *p); /* events in a full batch */
Batch *batch_take(BatchPool *p, uint32_t lane);
void batch_give(BatchPool *p, Batch *b); /* NULL is fine */

#endif
