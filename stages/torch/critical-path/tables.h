/* The columns of the tables, for the descriptor alone. */
/* SPDX-License-Identifier: MIT */
#ifndef CRITICAL_PATH_TABLES_H
#define CRITICAL_PATH_TABLES_H

#include "path.h"

static const MillColumn path_columns[] = {
  MILL_KEY_BRIEF(PathRow, bound, "bound", NULL,
                 "cpu, gpu_compute, gpu_communication, kernel_launch, kernel_kernel (gap between "
                 "neighbours of a stream), sync, data_loading"),
  MILL_BRIEF(PathRow, events, "events", "count", "Number of steps of the path"),
  MILL_BRIEF(PathRow, time_ns, "time", "ns", "Total time of these steps"),
  MILL_BRIEF(PathRow, share, "share", "percent", "Share of the path of the rank"),
};
static const MillColumn event_columns[] = {
  MILL_KEY_BRIEF(EventRow, order, "order", "count", "Number of the step in the path, from 1"),
  MILL_BRIEF(EventRow, name, "name", NULL, "Name of the slice"),
  MILL_BRIEF(EventRow, side, "side", NULL, "host or device"),
  MILL_BRIEF(EventRow, bound, "bound", NULL, "Kind of time"),
  MILL_BRIEF(EventRow, time_ns, "time", "ns", "Duration of the step"),
};
static const MillTable tables[] = {
  [TABLE_PATH] = { .per = MILL_PER_LANE,
                   .brief_rows = 7,
                   .name = "critical-path",
                   .help = "Kinds of time in the longest chain of work",
                   .order = "-time,bound",
                   .columns = MILL_ROWS(path_columns) },
  [TABLE_EVENTS] = { .per = MILL_PER_LANE,
                     .brief_rows = 10,
                     .name = "critical-events",
                     .help = "Steps of the longest chain of work",
                     .columns = MILL_ROWS(event_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_CPU] = { .per = MILL_PER_RUN,
                   .better = MILL_LOWER,
                   .kind = MILL_REAL,
                   .name = "critical_cpu",
                   .unit = "percent",
                   .help =
                       "Share of host work and data loading in the critical paths of all ranks" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "critical-path",
    .title = "Composition of the critical path",
    .table = "critical-path",
    .x = "bound",
    .y = "time" },
};

#endif
