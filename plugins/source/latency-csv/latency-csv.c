/* The latency-csv source: what probes add to the time of a program, against another profiler. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-source.h"

enum { TIME = TABLE_NEEDED | TABLE_FROM_0, DIVISOR = TABLE_NEEDED | TABLE_ABOVE_0 };

static const TableColumn columns[] = {
  { "probe", "probe", TABLE_NAME, TABLE_NEEDED, 0, 0, 0 },
  { "original", "original", TABLE_REAL, DIVISOR, 0, 0, 0 },
  { "ncu", "ncu", TABLE_REAL, TIME, 0, 0, 0 },
  { "neutrino", "neutrino", TABLE_REAL, DIVISOR, 0, 0, 0 },
  { "prologue", "prologue", TABLE_REAL, TIME, 0, 0, 0 },
  { "kernel", "kernel", TABLE_REAL, TIME, 0, 0, 0 },
  { "epilogue", "epilogue", TABLE_REAL, TIME, 0, 0, 0 },
};
static const TableSource table = {
  .record = "probe.latency", TABLE_COLUMNS(columns), .few = 5, .likely = 60
};

static const MillNotice notices[] = {
  TABLE_NOTICES("probe, original, ncu, neutrino, prologue, kernel, epilogue",
                "Each row is a probe: the time of the program without it, with the other profiler, "
                "with the probe, and the three parts of the last, all in one unit.",
                "a cell does not hold a time", NULL,
                "All columns but probe hold numbers that are not negative. Times are divided by "
                "original, and shares by neutrino, so neither can be 0."),
};

static const char *const provides[] = { "input.probe", "probe.latency", NULL };

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "latency-csv",
  .version = "1.0.0",
  .tag = "LATCSV",
  .title = "Time that probes add to a program",
  .help = "Reads tables with the columns probe, original, ncu, neutrino, prologue, kernel and "
          "epilogue, in any order; other columns are ignored.",
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .ops = &table_source_ops,
  .user = &table,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
