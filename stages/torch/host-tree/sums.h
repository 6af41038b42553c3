/* What the device did for each operator and call: a record for each that has device work below it. */
#ifndef HOST_TREE_SUMS_H
#define HOST_TREE_SUMS_H

#include "args.h"
#include "lib/interval.h"
#include "lib/symclass.h"
#include "lib/symmap.h"
#include "works.h"

typedef struct Record {
  int64_t direct_ns, subtree_ns; /* unions, without communication */
  uint32_t kernels;              /* that it launched itself, without communication */
  bool launches;                 /* it launched device work */
  bool below;                    /* there is some below it, communication aside */
  bool is_model;                 /* see TREE_MODEL */
  uint32_t gemm;                 /* node of the GEMM around it, or itself, plus 1; 0: none */
  MillSym row, category, list, module;
} Record;

typedef struct Sums { /* { .common = common } is empty */
  const MillHost *common;
  const TreeArgs *args;
  HostTree *tree;
  const Works *works;
  Record *records;
  size_t n, capacity;
  OrderKey *by_launcher;                   /* works */
  SymClass families;                       /* of operators */
  SymMap op_categories, kernel_categories; /* 0: the name says none */
  struct SumsLevel *stack;
  size_t depth, n_levels;
  IntervalSet own; /* of the node that is looked at */
  Buffer text;
  MillSym forward, backward, other;
} Sums;

/* False: memory was refused.  Fills the records, and the nodes' `record` (TREE_NONE: none). */
bool sums_make(Sums *);

#endif
