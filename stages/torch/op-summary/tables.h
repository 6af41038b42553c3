/* The columns of the tables, for the descriptor alone. */
/* SPDX-License-Identifier: MIT */
#ifndef OP_SUMMARY_TABLES_H
#define OP_SUMMARY_TABLES_H

#include "summary.h"

#define SHARE(S) MILL_BRIEF(S, share, "share", "percent", "Share of the total of the table")
#define CUMULATIVE(S) \
  MILL_COLUMN(S, cumulative, "cumulative", "percent", 0, "Cumulative share up to this row")
#define TOTAL(S) MILL_BRIEF(S, total_ns, "total", "ns", "Device time that they launched themselves")
#define CALLS(S) MILL_BRIEF(S, calls, "calls", "count", "Number of calls that launched device work")

static const MillColumn op_columns[] = {
  MILL_KEY_BRIEF(OpRow, name, "name", NULL, "Name of the operator, or of a call without one"),
  MILL_BRIEF(OpRow, category, "category", NULL, "Category; several if its kernels differ"),
  CALLS(OpRow),
  TOTAL(OpRow),
  MILL_COLUMN(OpRow, subtree_ns, "subtree", "ns", 0,
              "Device time of them and all operators inside"),
  MILL_COLUMN(OpRow, kernels, "kernels", "count", 0, "Device events that they launched themselves"),
  SHARE(OpRow),
  CUMULATIVE(OpRow),
};
static const MillColumn category_columns[] = {
  MILL_KEY_BRIEF(SumRow, key, "category", NULL, "Category of operators"),
  CALLS(SumRow),
  TOTAL(SumRow),
  SHARE(SumRow),
  CUMULATIVE(SumRow),
};
static const MillColumn module_columns[] = {
  MILL_KEY_BRIEF(SumRow, key, "module", NULL, "Path of modules, outermost first"),
  CALLS(SumRow),
  TOTAL(SumRow),
  SHARE(SumRow),
};
static const MillColumn args_columns[] = {
  MILL_KEY_BRIEF(ArgsRow, name, "name", NULL, "Name of the operator, or of a call without one"),
  MILL_KEY(ArgsRow, category, "category", NULL, "Category"),
  MILL_KEY(ArgsRow, pass, "pass", NULL, "forward or backward"),
  MILL_KEY_BRIEF(ArgsRow, dims, "dims", NULL, "Input Dims"),
  MILL_KEY(ArgsRow, types, "types", NULL, "Input type"),
  MILL_KEY(ArgsRow, strides, "strides", NULL, "Input Strides"),
  MILL_KEY(ArgsRow, concrete, "concrete", NULL, "Concrete Inputs"),
  CALLS(ArgsRow),
  TOTAL(ArgsRow),
  MILL_BRIEF(ArgsRow, mean_ns, "time_mean", "ns", "Mean of the device time of a call"),
  MILL_COLUMN(ArgsRow, median_ns, "time_median", "ns", 0, "Median of it"),
  MILL_COLUMN(ArgsRow, std_ns, "time_std", "ns", 0,
              "Standard deviation (n - 1); empty for one call"),
  MILL_COLUMN(ArgsRow, min_ns, "time_min", "ns", 0, "Shortest"),
  MILL_COLUMN(ArgsRow, max_ns, "time_max", "ns", 0, "Longest"),
  MILL_COLUMN(ArgsRow, kernels, "kernels", "count", 0,
              "Device events that they launched themselves"),
  MILL_COLUMN(ArgsRow, kernel, "kernel", NULL, 0, "Kernel with the largest time"),
  SHARE(ArgsRow),
  MILL_COLUMN(ArgsRow, first_ns, "first", "ns", 0, "Start of the first call, in the trace's time"),
};

static const MillTable tables[] = {
  [TABLE_OPS] = { .per = MILL_PER_RUN,
                  .brief_rows = 10,
                  .name = "ops",
                  .help = "Device time by operator, over all ranks",
                  .order = "-total,name",
                  .columns = MILL_ROWS(op_columns) },
  [TABLE_OPS_RANK] = { .per = MILL_PER_LANE,
                       .name = "ops-rank",
                       .help = "Device time by operator, for each rank",
                       .order = "-total,name",
                       .columns = MILL_ROWS(op_columns) },
  [TABLE_CATEGORY] = { .per = MILL_PER_RUN,
                       .brief_rows = 10,
                       .name = "ops-category",
                       .help = "Device time by category of operators, over all ranks",
                       .order = "-total,category",
                       .columns = MILL_ROWS(category_columns) },
  [TABLE_CATEGORY_RANK] = { .per = MILL_PER_LANE,
                            .name = "ops-category-rank",
                            .help = "Device time by category of operators, for each rank",
                            .order = "-total,category",
                            .columns = MILL_ROWS(category_columns) },
  [TABLE_ARGS] = { .per = MILL_PER_RUN,
                   .name = "ops-args",
                   .help = "Device time by operator and its arguments, over all ranks",
                   .order = "-total,name",
                   .columns = MILL_ROWS(args_columns) },
  [TABLE_MODULES] = { .per = MILL_PER_RUN,
                      .brief_rows = 10,
                      .name = "modules",
                      .help = "Device time by module, over all ranks",
                      .order = "-total,module",
                      .columns = MILL_ROWS(module_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_TIME] = { .per = MILL_PER_RUN,
                    .better = MILL_LOWER,
                    .kind = MILL_INT,
                    .name = "op_time",
                    .unit = "ns",
                    .help = "Sum over operators of the device time that they launched themselves, "
                            "without communication",
                    .headline = MILL_HEADLINE_VALUE },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "ops-category",
    .title = "Device time by category of operators",
    .table = "ops-category",
    .x = "category",
    .y = "total" },
};

#endif
