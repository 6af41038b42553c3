/* Benchmark runs that are looked at together, in lane order. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_THROUGHPUT_GROUP_H
#define SERVE_THROUGHPUT_GROUP_H

#include "serve/lib/bench-run.h"
#include "serve/lib/series.h"

typedef struct Group { /* { .common = common } is empty */
  const MillHost *common;
  BenchFigures *items;
  size_t n, capacity;
} Group;
extern const StateType group_state;

BenchFigures *group_new_run(Group *g); /* NULL: memory was refused */

/* A rate of each run.  Request and output rates are those that the files report; only when none of
 * them does, those that were computed.  Input and total rates are not keys of every producer's
 * files, so there each run counts. */
Series group_rates(const Group *g, uint32_t rate);
Series group_rates_per_gpu(const Group *g, uint32_t rate); /* of the same runs */
Series group_user_rates(const Group *g);

/* Amounts over durations, of the runs that know both; NaN: none does. */
double group_pooled(const Group *g, uint32_t rate, uint64_t *out_n);

/* The sum over runs that know this int64_t of their figures. */
int64_t group_sum(const Group *g, size_t offset);

#endif
