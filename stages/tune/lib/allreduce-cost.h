/* What a choice of strategies costs over some shapes: the geometric mean of ratios of times, and the worst. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_COST_H
#define TUNE_LIB_ALLREDUCE_COST_H

#include <math.h>

#include "tune/lib/allreduce-points.h"

typedef struct ArCost {
  uint64_t cells;
  double log_sum, worst;
  int64_t tokens, hidden; /* of the worst */
} ArCost;

static inline void ar_cost_add(ArCost *c, double ratio, const ArPoint *at)
{
  if (c->cells == 0 || ratio > c->worst) {
    c->worst = ratio;
    c->tokens = at->tokens;
    c->hidden = at->hidden;
  }
  c->log_sum += log(ratio);
  c->cells++;
}

static inline double ar_cost_mean(const ArCost *c) { return exp(c->log_sum / (double)c->cells); }

#endif
