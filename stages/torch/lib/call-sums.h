/* Durations of calls by name, of the categories of one library: the stages that show them differ in those alone. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_CALL_SUMS_H
#define TORCH_LIB_CALL_SUMS_H

#include <stagemill/stage.h>

#include "kit/numbers/dist.h"
#include "kit/state/keyed.h"
#include "kit/state/symclass.h"

typedef struct CallSumsOptions {
  int64_t exact_up_to;
} CallSumsOptions;

typedef struct CallSums {
  const MillStageHost *host;
  const MillHost *common;
  const char *const *categories; /* ending in NULL */
  SymClass cats;
  Keyed *names; /* of Dist */
  Hists hists;
} CallSums;

/* Calls of a stage whose `user` is its list of categories. */
int call_sums_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                   const void *options, void **out_instance);
int call_sums_process(void *instance, MillBatch *batch);
int call_sums_report(void *instance); /* its first table, of these rows */

typedef struct CallSumRow {
  MillText name;
  int64_t calls, total_ns;
  double mean_ns, median_ns;
  int64_t min_ns, max_ns;
  double std_ns;
} CallSumRow;

#define CALL_SUMS_COLUMNS                                                                    \
  MILL_KEY_BRIEF(CallSumRow, name, "name", NULL, "Name of the call"),                        \
      MILL_BRIEF(CallSumRow, calls, "calls", "count", "Number of calls"),                    \
      MILL_BRIEF(CallSumRow, total_ns, "total", "ns", "Sum of their durations"),             \
      MILL_BRIEF(CallSumRow, mean_ns, "mean", "ns", "Mean duration"),                        \
      MILL_BRIEF(CallSumRow, median_ns, "median", "ns", "Half of the calls take no longer"), \
      MILL_COLUMN(CallSumRow, min_ns, "min", "ns", 0, "Shortest duration"),                  \
      MILL_COLUMN(CallSumRow, max_ns, "max", "ns", 0, "Longest duration"),                   \
      MILL_COLUMN(CallSumRow, std_ns, "std", "ns", 0, "Standard deviation (n - 1); empty for one")

#define CALL_SUMS_OPTIONS                                                               \
  MILL_INT_OPTION(                                                                      \
      CallSumsOptions, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",   \
      "Medians are exact up to this many calls, 8 bytes each; beyond, they are within " \
      "0.1 %")

static const MillStageOps call_sums_ops = {
  .size = sizeof call_sums_ops,
  .open = call_sums_open,
  .process = call_sums_process,
  .report = call_sums_report,
};

#endif
