/* The worst requests of a run: when there is no space for more, the smallest bad of those kept goes. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_REQUESTS_WORST_H
#define SERVE_REQUESTS_WORST_H

#include "serve/lib/bench.h"

#define WORST_NO_BOUND UINT64_MAX

typedef struct Row {
  int64_t index; /* of the request in its run */
  int64_t start_ns, ttft_ns, e2e_ns, itl_max_ns, input_tokens, output_tokens; /* or BENCH_NONE */
  double tpot_ns, itl_mean_ns;                                                /* NaN: none */
  double rank_by; /* NaN: nothing to rank by */
  bool ok;
  char *error; /* ends in NUL; NULL: none */
} Row;

typedef struct Worst { /* { .common = common, .bound = bound } is empty */
  const MillHost *common;
  Row *rows;
  uint64_t n;
  size_t capacity;
  uint64_t bound;
} Worst;

/* Keeps a copy of the row if it is bad enough; the error is copied.  False: memory was
 * refused. */
bool worst_offer(Worst *worst, const Row *row, const char *error, size_t error_len);
/* Ends the heap: rows from the worst on; of equal ones the earlier request first. */
void worst_sort(Worst *worst);

/* At most `max` bytes of a text, no UTF-8 sequence cut in two. */
size_t text_cut(const char *text, size_t len, size_t max);

#endif
