/* Rows of the tables of step-change. */
/* SPDX-License-Identifier: MIT */
#ifndef WHY_ROWS_H
#define WHY_ROWS_H

#include <stagemill/stage.h>

typedef struct WhyRow {
  const char *level;
  MillText part, class, op, kernel;
  int64_t base_ns, new_ns, change_ns;
  const char *kind;
  double low_ns, high_ns, base_calls, new_calls;
} WhyRow;

typedef struct SummaryRow {
  int64_t base_ns, new_ns, change_ns;
  double change_percent;
  bool has_steps;
  int64_t base_runs, new_runs, base_ranks, new_ranks;
  double base_matched, new_matched, factor;
  int64_t waited_for;
} SummaryRow;

typedef struct WaterfallRow {
  MillText name;
  int64_t from_ns, to_ns;
  const char *kind;
} WaterfallRow;

#endif
