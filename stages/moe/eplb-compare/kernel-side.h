/* All kernel tables of one side of the comparison. */
/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_SIDE_H
#define KERNEL_SIDE_H

#include "kernel-table.h"

enum { SIDE_OFF, SIDE_ON, N_SIDES };

typedef struct KernelSide { /* { .common = common } is empty */
  const MillHost *common;
  KernelTable *tables; /* in the order of their lanes */
  uint32_t n_tables;
  size_t capacity;
  KernelSums sums[N_SUMS]; /* over the tables, see kernel_side_sum */
} KernelSide;
extern const StateType kernel_side_state;

KernelTable *kernel_side_add(KernelSide *side, uint32_t top); /* NULL: memory was refused */
void kernel_side_sum(KernelSide *side);
const KernelRow *kernel_side_first_fused(const KernelSide *side); /* or NULL */
/* Up to n kernels, most time first; how many there are, or -MILL_LIMIT. */
int kernel_side_top(const KernelSide *side, uint32_t n, const TopKernel **out);

#endif
