/* One kernel table as the comparison remembers it: sums by class, the first fused MoE kernel, the
 * names of MoE and NCCL kernels, and the kernels that took most time. */
/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include "kernel-names.h"
#include "kernel-sums.h"

enum { /* KernelTable.sums */
       CLASS_ALL,
       CLASS_MOE,
       CLASS_FUSED,
       CLASS_NCCL,
       CLASS_ALLTOALL,
       CLASS_ALLREDUCE,
       CLASS_ATTENTION,
       CLASS_CACHE,
       CLASS_OTHER,
       N_CLASSES,
       /* As the object of communicationOverhead counts them: never sendrecv, always the cache. */
       CLASS_NAMED_ALLTOALL = N_CLASSES,
       CLASS_ANY_ATTENTION,
       N_SUMS
};

enum { TOP_MAX = 100, TOP_OF_OBJECT = 5 };

/* Columns that a table may lack, and that the object needs: bits. */
enum { COLUMN_MIN = 1, COLUMN_MAX = 2, COLUMN_STD = 4, COLUMN_PCT = 8, COLUMNS = 15 };

typedef struct TopKernel {
  int64_t total_ns, count;
  double pct; /* NaN: not known */
  char *name; /* ends in NUL */
  size_t len, capacity;
} TopKernel;

typedef struct NameList {
  MillText names; /* one behind the other, each ends in NUL */
  size_t capacity;
  int64_t n;
} NameList;

typedef struct KernelTable {
  const MillHost *common;
  KernelSums sums[N_SUMS];
  int64_t columns;       /* those that some row has */
  KernelRow first_fused; /* in file order; without its name */
  bool has_fused;
  NameList moe, nccl; /* in file order */
  TopKernel *top;     /* most time first, then in file order */
  uint32_t n_top, max_top;
} KernelTable;
extern const StateType kernel_table_state;

/* Here and below false means that memory was refused. */
bool kernel_table_init(KernelTable *table, const MillHost *common, uint32_t top);
/* *out_full: a list of names had no space for this one. */
bool kernel_table_add(KernelTable *table, const KernelRow *row, bool sendrecv, bool *out_full);

/* Bits of columns that no row has; of a table without rows none. */
int64_t kernel_table_lacks(const KernelTable *table);

#endif
