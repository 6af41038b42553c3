/* The columns of the tables and the metrics, for the descriptor alone. */
/* SPDX-License-Identifier: MIT */
#ifndef GPU_TIMELINE_TABLES_H
#define GPU_TIMELINE_TABLES_H

#include "timeline.h"

static const MillColumn lane_columns[] = {
  MILL_COLUMN(LaneRow, row, "row", "count", 0, "Position in the table"),
  MILL_KEY_BRIEF(LaneRow, type, "type", NULL, "Kind of time"),
  MILL_COLUMN(LaneRow, time_ns, "time", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Length of the union of its intervals"),
  MILL_BRIEF(LaneRow, share, "share", "percent", "Of total_time"),
};
static const MillColumn mean_columns[] = {
  MILL_COLUMN(MeanRow, row, "row", "count", 0, "Position in the table"),
  MILL_KEY_BRIEF(MeanRow, type, "type", NULL, "Kind of time"),
  MILL_COLUMN(MeanRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean over ranks"),
  MILL_BRIEF(MeanRow, share, "share", "percent", "Share of the mean of total_time"),
  MILL_COLUMN(MeanRow, min_ns, "min", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Smallest over ranks"),
  MILL_COLUMN(MeanRow, max_ns, "max", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Largest over ranks"),
  MILL_COLUMN(MeanRow, ranks, "ranks", "count", 0, "Ranks with device events"),
};
static const MillTable tables[] = {
  [TABLE_LANE] = { .per = MILL_PER_LANE,
                   .name = "gpu-timeline",
                   .help = "Where the time of each rank's device went",
                   .order = "row",
                   .columns = MILL_ROWS(lane_columns) },
  [TABLE_MEAN] = { .per = MILL_PER_RUN,
                   .brief_rows = N_TYPES,
                   .name = "gpu-timeline-mean",
                   .help = "Where the time of the devices went, over ranks",
                   .order = "row",
                   .columns = MILL_ROWS(mean_columns) },
};

#define SHARE_METRIC(name_, better_, headline_, help_)                                           \
  {                                                                                              \
    .per = MILL_PER_RUN, .better = better_, .kind = MILL_REAL, .name = name_, .unit = "percent", \
    .headline = headline_, .help = help_                                                         \
  }
static const MillMetric metrics[] = {
  SHARE_METRIC("gpu_busy", MILL_HIGHER, MILL_HEADLINE_VALUE,
               "Share of the time from first to last device event in which any device event was "
               "running"),
  SHARE_METRIC("gpu_idle", MILL_LOWER, NULL,
               "Share of that time in which no device event was "
               "running"),
  SHARE_METRIC("gpu_computation", MILL_HIGHER, NULL,
               "Share of that time in which computation was running"),
  SHARE_METRIC("exposed_comm", MILL_LOWER, NULL,
               "Share of that time in which communication but no computation was running"),
  SHARE_METRIC("exposed_memcpy", MILL_LOWER, NULL,
               "Share of that time in which only copies and fills were running"),
  SHARE_METRIC("comm_not_hidden", MILL_LOWER, NULL,
               "Share of the communication time that computation did not hide"),
  { .per = MILL_PER_RUN,
    .better = MILL_NEITHER,
    .kind = MILL_INT,
    .name = "gpu_unlinked",
    .unit = "count",
    .help = "Device events that no event of the host launched" },
  { .per = MILL_PER_RUN,
    .better = MILL_NEITHER,
    .kind = MILL_INT,
    .name = "gpu_unlinked_time",
    .unit = "ns",
    .help = "Sum of the durations of device events that no event of the host launched" },
};
_Static_assert(MILL_COUNT(metrics) == N_SHARES + 2, "one metric for each share");

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_STACKED_BAR,
    .name = "torch-timeline",
    .title = "Where the device time went",
    .table = "gpu-timeline",
    .x = "rank",
    .y = "time",
    .series = "type",
    .where = "type=computation_time|exposed_comm_time|exposed_memcpy_time|idle_time" },
};

#endif
