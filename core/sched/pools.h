/* What holds the events of a run: texts, batches, blocks, and a limit for their memory. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_POOLS_H
#define SCHED_POOLS_H

#include "base/file-memory.h"
#include "model/symbol.h"
#include "store/store.h"

typedef struct Pools {
  Symbols *symbols;
  Budget budget;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks, *held_blocks; /* bytes as read, and reread */
  Spill *spill;          /* NULL until there is an output to put it beside */
  FileMemory *rows_file; /* the same */
} Pools;

/* 0: the defaults. */
void pools_init(Pools *p, uint64_t max_memory_bytes, uint32_t batch_events);
void pools_clear(Pools *p); /* everything has been given back */

#endif
