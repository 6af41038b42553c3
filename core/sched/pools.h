/* What the events of a run are held in: texts, batches, blocks, and the memory that all of it may take. */
#ifndef SCHED_POOLS_H
#define SCHED_POOLS_H

#include "model/symbol.h"
#include "store/store.h"

typedef struct Pools {
  Symbols *symbols;
  Budget budget;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks, *held_blocks; /* bytes as read, and read again */
  Spill *spill;           /* NULL until there is an output beside which it may lie */
  _Atomic uint64_t spilled_bytes;
} Pools;

/* 0: the defaults. */
void pools_init(Pools *p, uint64_t max_memory_bytes, uint32_t batch_events);
void pools_clear(Pools *p); /* all that was taken has come back */

#endif
