/* What holds the events of a run; see pools.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/pools.h"

#include "input/chunks.h"
#include "input/feed.h"

void pools_init(Pools *p, uint64_t max_memory_bytes, uint32_t batch_events)
{
  *p = (Pools){ .symbols = symbols_new() };
  p->budget.limit_bytes = max_memory_bytes ? max_memory_bytes : budget_default();
  symbols_charge_to(p->symbols, &p->budget);
  p->batches = batch_pool_new(batch_events ? batch_events : BATCH_EVENTS);
  p->blocks = block_pool_new(FEED_BLOCK + FEED_CARRY_MAX);
  p->chunk_blocks = block_pool_new(CHUNK_BYTES + CHUNK_OVERLAP);
  p->held_blocks = block_pool_new(HELD_BLOCK);
}

void pools_clear(Pools *p)
{
  spill_free(p->spill);
  batch_pool_free(p->batches);
  block_pool_free(p->blocks);
  block_pool_free(p->chunk_blocks);
  block_pool_free(p->held_blocks);
  symbols_free(p->symbols);
  file_memory_free(p->rows_file);
}
