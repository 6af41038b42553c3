/* What is added up about operators, and the rows that it becomes. */
/* SPDX-License-Identifier: MIT */
#ifndef OP_SUMMARY_SUMMARY_H
#define OP_SUMMARY_SUMMARY_H

#include <stagemill/stage.h>

#include "category-file.h"
#include "kit/devices/torch-words.h"
#include "kit/state/ranked.h"
#include "kit/trace/tree-attrs.h"
#include "sums.h"

enum { NOTICE_NOTHING = 1, BINNED };
enum { TABLE_OPS, TABLE_OPS_RANK, TABLE_CATEGORY, TABLE_CATEGORY_RANK, TABLE_ARGS, TABLE_MODULES };
enum { METRIC_TIME };

typedef struct Summary {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym direct, subtree, kernels, row, category, module;
  MillSym split, part, part_first, op, call;
  CategoryFile file;
  SymMap rows; /* with the category of the file */
  Hists hists;
  Keyed *ops, *categories, *modules; /* OpSum */
  Keyed *args;                       /* ArgsSum, by row */
  Keyed *arg_kernels;                /* int64_t, by row and name of the kernel */
  Buffer text;
} Summary;

typedef struct OpRow {
  MillText name, category;
  int64_t calls, total_ns, subtree_ns, kernels;
  double share, cumulative;
} OpRow;

typedef struct SumRow { /* by category, or by module */
  MillText key;
  int64_t calls, total_ns;
  double share, cumulative;
} SumRow;

typedef struct ArgsRow {
  MillText name, category, pass, dims, types, strides, concrete;
  int64_t calls, total_ns;
  double mean_ns, median_ns, std_ns;
  int64_t min_ns, max_ns, kernels;
  MillText kernel;
  double share;
  int64_t first_ns;
} ArgsRow;

/* Calls of the stage. */
int summary_report(void *instance);
int summary_report_run(void *instance);

#endif
