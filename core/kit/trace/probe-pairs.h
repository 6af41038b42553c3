/* How often each page was referenced at each clock: exact up to so many pairs, then at coarser clocks, and then with
 * larger pages, as far as a map does not show it. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PROBE_PAIRS_H
#define KIT_PROBE_PAIRS_H

#include "kit/state/pairmap.h"

#define PROBE_CLOCK_BITS 39u /* later clocks count as the last one of these */
#define PROBE_PAGE_BITS 24u

typedef struct ProbePairs {
  const MillHost *common;
  const MillSeed *seed;
  uint64_t page_mask, max_pairs; /* UINT64_MAX: all of them are exact */
  uint32_t larger;               /* how often pages were doubled */
  uint64_t *keys;                /* page << 39 | clock >> shift */
  uint32_t *counts;              /* 0: free */
  size_t n, n_slots;
  uint32_t shift;
  PairMap more;  /* of pairs whose count is beyond 32 bits: what else there is */
  PairMap pages; /* address: number + 1 */
  uint64_t *addresses;
  size_t n_pages, pages_capacity;
  uint64_t last_page, last_number;
  uint64_t references, max_clock;
  bool cut; /* a clock did not fit */
} ProbePairs;

void probe_pairs_open(ProbePairs *p, const MillHost *common, uint64_t page_bytes,
                      uint64_t max_pairs);
/* 0, or a negative status. */
int probe_pairs_add(ProbePairs *p, uint64_t clock, uint64_t address, uint64_t count);

typedef struct ProbePairRow {
  uint64_t
      key; /* by page: page's rank << 39 | clock; by clock: clock << 24 | rank; clocks in units of 1 << shift */
  uint64_t count;
} ProbePairRow;
typedef struct ProbePairRows {
  ProbePairRow *at; /* in the order of the keys */
  size_t n;
  uint64_t *pages; /* addresses in order */
  size_t n_pages;
} ProbePairRows;
/* All of them; the pairs are empty then.  False: memory was refused. */
bool probe_pairs_rows(ProbePairs *p, bool by_clock, ProbePairRows *out);

static inline uint64_t probe_row_page(const ProbePairRow *r) { return r->key >> PROBE_CLOCK_BITS; }
static inline uint64_t probe_row_clock(const ProbePairRow *r)
{
  return r->key & (((uint64_t)1 << PROBE_CLOCK_BITS) - 1);
}

#endif
