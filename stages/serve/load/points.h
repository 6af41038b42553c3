/* What is kept of each run for results over several of them: its load and what came of it. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LOAD_POINTS_H
#define SERVE_LOAD_POINTS_H

#include "kit/state/state.h"

enum { OFFERED_RATE, OFFERED_LIMIT, N_OFFERED }; /* tags request_rate and max_concurrency */

typedef struct Point {
  double offered[N_OFFERED]; /* NaN: no such tag; infinite: without limit */
  double output_per_s, requests_per_s, e2e_ms, ttft_ms; /* NaN: not known */
  double tpot_ms, ttft_p99_ms, tpot_p99_ms;
  double running_mean, running_max, peak_per_s;
} Point;

typedef struct Points { /* in lane order; { .common = common } is empty */
  const MillHost *common;
  Point *items;
  size_t n, capacity;
} Points;
extern const StateType points_state;

Point *points_new(Points *points); /* NULL: memory was refused */
/* From the tags of the own lane. */
void point_take_offered(Point *point, const MillHost *common);

#endif
