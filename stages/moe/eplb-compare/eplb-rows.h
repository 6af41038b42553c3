/* The comparison row by row, over merged rows of both sides. */
/* SPDX-License-Identifier: MIT */
#ifndef EPLB_ROWS_H
#define EPLB_ROWS_H

#include "kernel-side.h"

typedef enum EplbVerdict { EPLB_NEUTRAL, EPLB_BETTER, EPLB_WORSE, EPLB_SAME } EplbVerdict;

typedef struct EplbRow {
  const char *name, *unit;
  double off, on;
  double change_pct; /* NaN: from 0 to something */
  EplbVerdict verdict;
  bool counted; /* among what improved, or did not */
} EplbRow;

enum { EPLB_ROWS_MAX = 24 };

/* Those that both sides have, in order; how many. */
uint32_t eplb_rows(const KernelSide sides[N_SIDES], EplbRow out[EPLB_ROWS_MAX]);
double eplb_change(double off, double on);

/* A value of one side; false: it has no such kernel, or not this number. */
bool eplb_share(const KernelSums *all, const KernelSums *of, double *out_pct);
bool eplb_cv(const KernelSums *sums, double *out);
bool eplb_max_min(const KernelSums *sums, double *out);

#endif
