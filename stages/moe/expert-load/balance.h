/* How evenly a load is spread: the measures of one list of totals. */
/* SPDX-License-Identifier: MIT */
#ifndef EXPERT_LOAD_BALANCE_H
#define EXPERT_LOAD_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Balance {
  uint32_t n;
  double total;
  /* The rest has a meaning only where total > 0. */
  double entropy_bits;       /* -sum p log2 p, zero terms left out */
  double normalized_entropy; /* entropy / log2 n; 0 for n = 1 */
  double cv;                 /* population standard deviation / mean */
  double max_min;            /* largest / smallest that is not zero */
  double max_mean, balancedness;
  uint32_t hot;  /* the first of the largest */
  uint32_t dead; /* how many are zero */
} Balance;

void balance_of(const double *loads, uint32_t n, Balance *out);
/* Standard deviation / (mean + 1e-10), as step by step scores are defined. */
double balance_step_cv(double mean, double variance);
double balance_damped_cv(const double *loads, uint32_t n);

#endif
