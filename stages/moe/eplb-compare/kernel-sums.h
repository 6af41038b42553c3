/* What the rows of a kernel table come to when they are taken together. */
/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_SUMS_H
#define KERNEL_SUMS_H

#include "kit/state/state.h"

typedef struct KernelRow { /* of a kernel table */
  const char *name;
  size_t name_len;
  int64_t total_ns, count;
  int64_t min_ns, max_ns; /* -1: not known */
  double avg_ns, med_ns, std_ns, pct;
  bool has_med, has_std, has_pct;
} KernelRow;
extern const StateType kernel_row_state; /* without the name */

typedef struct KernelSums { /* zero-initialised is empty */
  int64_t rows, count, total_ns;
  int64_t min_ns, max_ns; /* 0 where nothing is known */
  double scatter_ns2;     /* sum of squared distances of the calls from their mean */
  double med_ns, std_ns;  /* of the last row */
  double pct, avg_ns;     /* sums over rows */
  bool has_min, has_max, has_med, no_std, no_pct;
} KernelSums;
extern const StateType kernel_sums_state;

/* To those of an array whose bits are set. */
void kernel_sums_add(KernelSums *sums, uint32_t which, const KernelRow *row);
void kernel_sums_merge(KernelSums *into, const KernelSums *from);

/* Each is false when there is no such number. */
bool kernel_sums_mean(const KernelSums *sums, double *out_ns);
bool kernel_sums_std(const KernelSums *sums, double *out_ns);

#endif
