/* What operators of one name, or with the same arguments, add up to. */
/* SPDX-License-Identifier: MIT */
#ifndef OP_SUMMARY_SUMS_H
#define OP_SUMMARY_SUMS_H

#include "kit/numbers/dist.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"

enum { MAX_CATEGORIES = 20 }; /* a name has one, or those of its kernels */

typedef struct OpSum {
  int64_t calls, total_ns, subtree_ns, kernels;
  MillSym categories[MAX_CATEGORIES];
  uint32_t n_categories;
} OpSum;

void op_sum_add(OpSum *, int64_t total_ns, int64_t subtree_ns, int64_t kernels);
/* A device event that is not all of a call; the first of it counts the call. */
void op_sum_add_part(OpSum *, int64_t part_ns, bool is_first);
void op_sum_add_category(OpSum *, MillSym category);
/* "a, b" in the order of their bytes; in scratch memory. */
MillText op_sum_categories(const MillHost *, const OpSum *);
int64_t op_sum_total(const void *op_sum);
extern const StateType op_sum_state;

typedef struct ArgsSum {
  Dist time;
  int64_t kernels, first_ns;
  int64_t kernel_ns; /* of the kernel with the largest time, and its name: for the report */
  const char *kernel;
  size_t kernel_len;
} ArgsSum;

bool args_sum_add(ArgsSum *, Hists *, int64_t time_ns, int64_t kernels, int64_t first_ns);
int64_t args_sum_total(const void *args_sum);
extern const StateType args_sum_state;

#endif
