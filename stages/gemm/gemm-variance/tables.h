/* Columns and figures, for the descriptor alone. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_VARIANCE_TABLES_H
#define GEMM_VARIANCE_TABLES_H

#include "variance.h"

#define THREADS_COLUMN(S, help) MILL_KEY_BRIEF(S, threads, "threads", "count", help)
#define CHANNELS_COLUMN(S, help) MILL_KEY_BRIEF(S, channels, "channels", "count", help)

typedef struct SweepRow {
  const char *trace;
  int64_t device_events, gemm_calls, rows;
  const char *state;
} SweepRow;

static const MillColumn sweep_columns[] = {
  MILL_COLUMN(SweepRow, trace, "trace", NULL, 0, "Path of the trace"),
  MILL_BRIEF(SweepRow, device_events, "device_events", "count",
             "Slices of device work in the trace"),
  MILL_BRIEF(SweepRow, gemm_calls, "gemm_calls", "count",
             "Calls of GEMM operators with device work"),
  MILL_BRIEF(SweepRow, rows, "rows", "count", "Rows of gemm-variance from this trace"),
  MILL_BRIEF(SweepRow, state, "state", NULL, "used, or no-gemm"),
};
typedef struct VarianceCells {
  int64_t threads, channels, rank;
  GemmKey key;
  MillSym kernel;
  int64_t calls, min_ns, max_ns, diff_ns, min_ts_ns, max_ts_ns, between_ns, min_found_ns,
      max_found_ns, overlap_count;
  MillText overlap_names;
  double overlap_max;
  MillSym overlap_max_name;
  int64_t overlap_ns;
  MillSym input;
} VarianceCells;

static const MillColumn variance_columns[] = {
  THREADS_COLUMN(VarianceCells, "Tag of the trace"),
  CHANNELS_COLUMN(VarianceCells, "Tag of the trace"),
  MILL_KEY_BRIEF(VarianceCells, rank, "rank", "count", "Rank of the trace"),
  GEMM_KEY_COLUMNS(VarianceCells, key),
  MILL_COLUMN(VarianceCells, kernel, "kernel", NULL, 0, "Kernel that takes most time in the row"),
  MILL_COLUMN(VarianceCells, calls, "calls", "count", 0, "Calls of the row"),
  MILL_COLUMN(VarianceCells, min_ns, "min", "ns", 0, "Device time of the shortest call"),
  MILL_COLUMN(VarianceCells, max_ns, "max", "ns", 0, "Device time of the longest call"),
  MILL_COLUMN(VarianceCells, diff_ns, "diff", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "max - min"),
  MILL_COLUMN(VarianceCells, min_ts_ns, "min_ts", "ns", 0,
              "Start of the shortest call, in the trace's time"),
  MILL_COLUMN(VarianceCells, max_ts_ns, "max_ts", "ns", 0,
              "Start of the longest call, in the trace's time"),
  MILL_COLUMN(VarianceCells, between_ns, "between", "ns", 0,
              "Time between the two starts, in either order"),
  MILL_COLUMN(VarianceCells, min_found_ns, "min_found", "ns", 0,
              "Duration of the call or kernel that was found as the shortest"),
  MILL_COLUMN(VarianceCells, max_found_ns, "max_found", "ns", 0,
              "Duration of the call or kernel that was found as the longest"),
  MILL_BRIEF(VarianceCells, overlap_count, "overlap_count", "count",
             "Collectives that ran at the same time as the longest call"),
  MILL_COLUMN(VarianceCells, overlap_names, "overlap_names", NULL, 0,
              "Names of these collectives by start, joined by ;"),
  MILL_BRIEF(VarianceCells, overlap_max, "overlap_max", "percent",
             "Largest share of the longest call that overlaps one collective"),
  MILL_COLUMN(VarianceCells, overlap_max_name, "overlap_max_name", NULL, 0,
              "Name of this collective"),
  MILL_COLUMN(VarianceCells, overlap_ns, "overlap", "ns", 0,
              "Time of the longest call that overlaps any collective"),
  MILL_KEY(VarianceCells, input, "input", NULL,
           "Name of the trace, if another one has the same tags and rank"),
};
typedef struct SummaryRow {
  int64_t rows, overlapping, above_half;
  double mean;
  int64_t timestamps_found;
} SummaryRow;

static const MillColumn summary_columns[] = {
  MILL_BRIEF(SummaryRow, rows, "rows", "count", "Rows of gemm-variance"),
  MILL_BRIEF(SummaryRow, overlapping, "overlapping", "count",
             "Rows whose longest call overlaps a collective"),
  MILL_BRIEF(SummaryRow, above_half, "above_half", "count", "Rows with an overlap_max above 50 %"),
  MILL_BRIEF(SummaryRow, mean, "mean", "percent", "Mean of overlap_max over overlapping rows"),
  MILL_BRIEF(SummaryRow, timestamps_found, "timestamps_found", "count",
             "Rows whose times are known"),
};
typedef struct NameRow {
  MillText name;
  int64_t rows, overlap_ns;
} NameRow;

static const MillColumn name_columns[] = {
  MILL_KEY_BRIEF(NameRow, name, "name", NULL, "Name of the collective"),
  MILL_BRIEF(NameRow, rows, "rows", "count",
             "Rows whose longest call overlaps collectives of that name"),
  MILL_BRIEF(NameRow, overlap_ns, "overlap", "ns", "Sum of these overlaps"),
};
static const MillColumn point_columns[] = {
  MILL_COLUMN(PointRow, by, "by", NULL, 0, "threads, channels or rank"),
  MILL_COLUMN(PointRow, group, "group", "count", 0, "Value of threads, channels or rank"),
  MILL_COLUMN(PointRow, diff_ns, "diff", "ns", MILL_COLUMN_LOWER,
              "Difference between the longest and the shortest call of a row"),
};
static const MillColumn group_columns[] = {
  MILL_KEY_BRIEF(GroupRow, by, "by", NULL, "threads, channels or rank"),
  MILL_KEY_BRIEF(GroupRow, group, "group", "count", "Value of threads, channels or rank"),
  MILL_BRIEF(GroupRow, n, "n", "count", "Number of rows"),
  MILL_COLUMN(GroupRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean difference"),
  MILL_COLUMN(GroupRow, median_ns, "median", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Median difference"),
  MILL_COLUMN(GroupRow, min_ns, "min", "ns", 0, "Smallest difference"),
  MILL_COLUMN(GroupRow, max_ns, "max", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Largest difference"),
  MILL_COLUMN(GroupRow, q1_ns, "q1", "ns", 0, "First quartile"),
  MILL_COLUMN(GroupRow, q3_ns, "q3", "ns", 0, "Third quartile"),
  MILL_COLUMN(GroupRow, whisker_low_ns, "whisker_low", "ns", 0,
              "Smallest difference within 1.5 (q3 - q1) of q1"),
  MILL_COLUMN(GroupRow, whisker_high_ns, "whisker_high", "ns", 0,
              "Largest difference within 1.5 (q3 - q1) of q3"),
  MILL_COLUMN(GroupRow, outliers, "outliers", "count", 0, "Number of rows beyond the whiskers"),
};
static const MillColumn interaction_columns[] = {
  THREADS_COLUMN(InteractionRow, "Tag of the traces"),
  CHANNELS_COLUMN(InteractionRow, "Tag of the traces"),
  MILL_BRIEF(InteractionRow, n, "n", "count", "Number of rows"),
  MILL_COLUMN(InteractionRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean difference"),
};

static const MillTable tables[] = {
  [TABLE_SWEEP] = { .per = MILL_PER_LANE,
                    .brief_rows = 16,
                    .name = "sweep",
                    .help = "Contents of each trace that was read",
                    .columns = MILL_ROWS(sweep_columns) },
  [TABLE_VARIANCE] = { .per = MILL_PER_RUN,
                       .brief_rows = 10,
                       .name = "gemm-variance",
                       .help = "GEMMs whose calls differ most in time",
                       .order = "-diff,threads,channels,rank",
                       .columns = MILL_ROWS(variance_columns) },
  [TABLE_SUMMARY] = { .per = MILL_PER_RUN,
                      .brief_rows = 1,
                      .name = "overlap-summary",
                      .help = "Number of these GEMMs that ran beside collectives",
                      .columns = MILL_ROWS(summary_columns) },
  [TABLE_NAMES] = { .per = MILL_PER_RUN,
                    .brief_rows = 5,
                    .name = "overlap-names",
                    .help = "Collectives beside these GEMMs",
                    .order = "-rows,-overlap,name",
                    .columns = MILL_ROWS(name_columns) },
  [TABLE_POINTS] = { .per = MILL_PER_RUN,
                     .name = "variance-points",
                     .help = "Differences of rows by threads, channels and rank",
                     .order = "by,group,diff",
                     .columns = MILL_ROWS(point_columns) },
  [TABLE_GROUPS] = { .per = MILL_PER_RUN,
                     .brief_rows = 16,
                     .name = "variance-groups",
                     .help = "Distribution of the differences in each group",
                     .columns = MILL_ROWS(group_columns) },
  [TABLE_INTERACTION] = { .per = MILL_PER_RUN,
                          .name = "variance-interaction",
                          .help = "Mean difference of each configuration",
                          .columns = MILL_ROWS(interaction_columns) },
};

#define BOX_FIGURE(by, name_, title_, label)                                                     \
  {                                                                                              \
    .kind = MILL_FIGURE_BOX, .name = name_, .title = title_, .table = "variance-points",         \
    .x = "group", .y = "diff", .where = "by=" by, .x_label = label, .y_label = "Time difference" \
  }
static const MillFigure figures[] = {
  BOX_FIGURE("threads", "variance-by-threads", "GEMM kernel time variance by thread count",
             "Threads"),
  BOX_FIGURE("channels", "variance-by-channels", "GEMM kernel time variance by channel count",
             "Channels"),
  BOX_FIGURE("rank", "variance-by-ranks", "GEMM kernel time variance by rank", "Rank"),
  { .kind = MILL_FIGURE_VIOLIN,
    .name = "variance-violin",
    .title = "GEMM kernel time variance distribution",
    .table = "variance-points",
    .x = "group",
    .y = "diff",
    .facet = "by",
    .flags = MILL_FIGURE_OWN_AXES,
    .x_label = "$facet",
    .y_label = "Time difference" },
  { .kind = MILL_FIGURE_LINE,
    .name = "variance-interaction",
    .title = "Thread-channel interaction: mean variance",
    .table = "variance-interaction",
    .x = "channels",
    .y = "mean",
    .series = "threads",
    .x_label = "Channels",
    .y_label = "Mean time difference" },
};

#endif
