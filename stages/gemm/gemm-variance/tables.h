/* Columns and figures, for the descriptor alone. */
#ifndef GEMM_VARIANCE_TABLES_H
#define GEMM_VARIANCE_TABLES_H

#include "variance.h"

#define THREADS_COLUMN(help) MILL_KEY_BRIEF("threads", "count", MILL_INT, help)
#define CHANNELS_COLUMN(help) MILL_KEY_BRIEF("channels", "count", MILL_INT, help)

static const MillColumn sweep_columns[] = {
  MILL_COLUMN("trace", NULL, MILL_TEXT, "Path of the trace"),
  MILL_BRIEF("device_events", "count", MILL_INT, "Slices of device work in it"),
  MILL_BRIEF("gemm_calls", "count", MILL_INT, "Calls of GEMM operators with device work"),
  MILL_BRIEF("rows", "count", MILL_INT, "Rows of gemm-variance that are from it"),
  MILL_BRIEF("state", NULL, MILL_TEXT, "used, or no-gemm"),
};
static const MillColumn variance_columns[] = {
  THREADS_COLUMN("Tag of the trace"),
  CHANNELS_COLUMN("Tag of the trace"),
  MILL_KEY_BRIEF("rank", "count", MILL_INT, "Rank of the trace"),
  GEMM_KEY_COLUMNS,
  MILL_COLUMN("kernel", NULL, MILL_TEXT, "Kernel with the largest time of the row"),
  MILL_COLUMN("calls", "count", MILL_INT, "Calls of the row"),
  MILL_COLUMN("min", "ns", MILL_INT, "Device time of the shortest call"),
  MILL_COLUMN("max", "ns", MILL_INT, "Device time of the longest call"),
  { "diff", "ns", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Difference of the two" },
  MILL_COLUMN("min_ts", "ns", MILL_INT, "When the shortest began, in the trace's own time"),
  MILL_COLUMN("max_ts", "ns", MILL_INT, "When the longest began"),
  MILL_COLUMN("between", "ns", MILL_INT, "Time between the two, whichever came first"),
  MILL_COLUMN("min_found", "ns", MILL_INT, "Duration of what was found for the shortest"),
  MILL_COLUMN("max_found", "ns", MILL_INT, "Duration of what was found for the longest"),
  MILL_BRIEF("overlap_count", "count", MILL_INT, "Collectives beside the longest"),
  MILL_COLUMN("overlap_names", NULL, MILL_TEXT, "Their names, by start, joined by ;"),
  MILL_BRIEF("overlap_max", "percent", MILL_REAL, "Of the longest, beside one of them at most"),
  MILL_COLUMN("overlap_max_name", NULL, MILL_TEXT, "Name of that one"),
  MILL_COLUMN("overlap", "ns", MILL_INT, "Of the longest, beside any of them"),
  MILL_KEY("input", NULL, MILL_TEXT, "The trace, where another one has the same tags and rank"),
};
static const MillColumn summary_columns[] = {
  MILL_BRIEF("rows", "count", MILL_INT, "Rows of gemm-variance"),
  MILL_BRIEF("overlapping", "count", MILL_INT, "Of which ran beside a collective"),
  MILL_BRIEF("above_half", "count", MILL_INT, "Of which with more than half of them beside one"),
  MILL_BRIEF("mean", "percent", MILL_REAL, "Mean of overlap_max, of those that overlap"),
  MILL_BRIEF("timestamps_found", "count", MILL_INT, "Rows of which it is known when they ran"),
};
static const MillColumn name_columns[] = {
  MILL_KEY_BRIEF("name", NULL, MILL_TEXT, "Name of the collective"),
  MILL_BRIEF("rows", "count", MILL_INT, "Rows beside one or more of that name"),
  MILL_BRIEF("overlap", "ns", MILL_INT, "Sum of the times beside each of them"),
};
static const MillColumn point_columns[] = {
  MILL_COLUMN("by", NULL, MILL_TEXT, "threads, channels or rank"),
  MILL_COLUMN("group", "count", MILL_INT, "Its value"),
  { "diff", "ns", MILL_INT, MILL_COLUMN_LOWER, "Difference of a row" },
};
static const MillColumn group_columns[] = {
  MILL_KEY_BRIEF("by", NULL, MILL_TEXT, "threads, channels or rank"),
  MILL_KEY_BRIEF("group", "count", MILL_INT, "Its value"),
  MILL_BRIEF("n", "count", MILL_INT, "Rows"),
  { "mean", "ns", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Mean difference" },
  { "median", "ns", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Median difference" },
  MILL_COLUMN("min", "ns", MILL_INT, "Smallest"),
  { "max", "ns", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Largest" },
  MILL_COLUMN("q1", "ns", MILL_REAL, "First quartile"),
  MILL_COLUMN("q3", "ns", MILL_REAL, "Third quartile"),
  MILL_COLUMN("whisker_low", "ns", MILL_INT, "Smallest within 1.5 (q3 - q1) of q1"),
  MILL_COLUMN("whisker_high", "ns", MILL_INT, "Largest within 1.5 (q3 - q1) of q3"),
  MILL_COLUMN("outliers", "count", MILL_INT, "Rows beyond these"),
};
static const MillColumn interaction_columns[] = {
  THREADS_COLUMN("Tag of the traces"),
  CHANNELS_COLUMN("Tag of the traces"),
  MILL_BRIEF("n", "count", MILL_INT, "Rows"),
  { "mean", "ns", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Mean difference" },
};

static const MillTable tables[] = {
  [TABLE_SWEEP] = { .per = MILL_PER_LANE,
                    .brief_rows = 16,
                    .name = "sweep",
                    .help = "What was read",
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
                      .help = "How many of these ran beside collectives",
                      .columns = MILL_ROWS(summary_columns) },
  [TABLE_NAMES] = { .per = MILL_PER_RUN,
                    .brief_rows = 5,
                    .name = "overlap-names",
                    .help = "Which collectives these were",
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
                     .help = "Their distribution in each group",
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
