/* Calls of the operating system by name; the library of both such stages does it. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "torch/lib/call-sums.h"

static const char *const categories[] = { "osrt", NULL };

static const MillColumn columns[] = { CALL_SUMS_COLUMNS };
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 10,
    .name = "osrt-sum",
    .help = "Calls of the operating system by name, for each rank",
    .order = "-total,name",
    .columns = MILL_ROWS(columns) },
};
static const MillOption options[] = { CALL_SUMS_OPTIONS };

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.osrt-sum", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(CallSumsOptions),
  .name = "osrt-sum",
  .family = "torch",
  .version = "1.0.0",
  .tag = "OSRT",
  .title = "Calls of the operating system by name",
  .help = "Sums the durations of calls of the runtime libraries of the operating system by name, "
          "as nsys records them.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .tables = MILL_ROWS(tables),
  .ops = &call_sums_ops,
  .user = categories,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
