/* What the device did for each operator and call: a record for each that has device work below it. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_TREE_SUMS_H
#define HOST_TREE_SUMS_H

#include "kit/numbers/interval.h"
#include "kit/devices/op-category.h"
#include "kit/state/symclass.h"
#include "kit/state/symmap.h"
#include "torch/lib/tree-args.h"
#include "works.h"

typedef struct Record {
  int64_t direct_ns, subtree_ns; /* unions, without communication */
  uint32_t kernels;              /* that it launched itself, without communication */
  bool launches;                 /* it launched device work */
  bool below;                    /* there is some below it, communication aside */
  bool is_model;                 /* see TREE_MODEL */
  bool by_kernel, is_split;      /* its work has categories of its own, and several of them */
  uint32_t gemm;                 /* node of the GEMM around it, or itself, plus 1; 0: none */
  MillSym row, category, list, module, outer;
} Record;

typedef struct Sums { /* { .common = common } is empty */
  const MillHost *common;
  const TreeArgs *args;
  HostTree *tree;
  Works *works;
  Record *records;
  size_t n, capacity;
  size_t n_twice;                /* works that are there again */
  OrderKey *by_launcher;         /* works */
  SymClass families;             /* of operators */
  SymMap op_categories;          /* 0: the name says none */
  SymClass kernel_categories[2]; /* forward, backward: KernelCategory plus 1 */
  MillSym category_names[N_KERNEL_CATEGORIES];
  struct SumsLevel *stack;
  size_t depth, n_levels;
  IntervalSet own; /* of the node that is looked at */
  Buffer text;
  MillSym forward, backward;
} Sums;

/* False: memory was refused.  Fills the records, and the nodes' `record` (TREE_NONE: none). */
bool sums_make(Sums *);

#endif
