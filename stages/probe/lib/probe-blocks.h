/* Blocks of a launch, as their warps come, and the slots of the SMs that they ran in. */
/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIB_PROBE_BLOCKS_H
#define PROBE_LIB_PROBE_BLOCKS_H

#include "probe/lib/probe-sms.h"
#include "probe/lib/probe-span.h"
#include "kit/trace/probe.h"

typedef struct ProbeBlock {
  int64_t start;      /* the smallest of its warps; PROBE_NO_START: none left a record */
  uint32_t length;    /* to the largest end; UINT32_MAX: in `long_ones` */
  uint32_t sm;        /* of warp 0, or the first that left one */
  uint32_t warp0_lag; /* start of warp 0 after the smallest */
  uint32_t warp0_elapsed;
} ProbeBlock;

typedef struct ProbeBlocks {
  const MillHost *common;
  ProbeReader reader;
  int64_t max_held;
  int64_t section; /* the first one of them; -1: none yet */
  bool in_ns;
  ProbeSpan span; /* of all blocks */
  int64_t warps_per_block, warp_width;
  ProbeBlock *at; /* by number */
  size_t n, capacity;
  uint64_t n_long; /* blocks of 2^32 ticks and more: elapsed may have wrapped */
  struct ProbeLong {
    uint64_t block;
    int64_t length;
  } * long_ones;
  size_t long_capacity;
} ProbeBlocks;

void probe_blocks_open(ProbeBlocks *x, const MillHost *common, int64_t max_held);
int probe_blocks_take(ProbeBlocks *x, const MillBatch *b);
int64_t probe_long_block(const ProbeBlocks *x, uint64_t block);
static inline int64_t probe_block_length(const ProbeBlocks *x, uint64_t block)
{
  uint32_t length = x->at[block].length;
  return length < UINT32_MAX ? length : probe_long_block(x, block);
}

bool probe_blocks_by_sm(const ProbeBlocks *x, ProbeSms *out); /* false: memory was refused */

/* Exact slots: blocks of an SM by start, then number, each into the slot that is free the longest. */
typedef struct ProbePlaced {
  uint32_t block, slot;
  int64_t start, end, gap; /* since the slot's last block ended; -1: it is the first one */
} ProbePlaced;
typedef struct ProbeSlots {
  const MillHost *common;
  ProbePlaced *placed; /* of one SM, by start */
  size_t n, capacity;
  struct ProbeOpen {
    int64_t end;
    uint32_t slot;
  } * heap;
  size_t heap_capacity;
  int64_t *rows; /* start, block */
  size_t rows_capacity;
  uint32_t n_slots;
} ProbeSlots;
bool probe_place(ProbeSlots *s, const ProbeBlocks *x, const ProbeSm *m);

#endif
