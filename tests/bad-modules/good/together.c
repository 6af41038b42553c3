/* A stage on the merged stream with a table of each kind, and an option to group by tags. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  MillList by;
} Options;
typedef struct Together {
  const MillStageHost *host;
  int64_t events;
} Together;

static int enter(const MillStage *self, const MillStageHost *host, uint32_t level,
                 const void *given, void **out)
{
  Together *t = mill_new(host->common, sizeof *t);
  (void)self, (void)given;
  if (!t) return -MILL_LIMIT;
  t->host = host;
  *out = t;
  return level == MILL_MERGED
             ? 0
             : mill_fail(host->common, MILL_STAGE_FAILED, "opened beside the merged stream", NULL);
}
static int work(void *instance, MillBatch *batch)
{
  ((Together *)instance)->events += batch->n_events;
  return 0;
}
static int work_report(void *instance)
{
  const Together *t = instance;
  MillValue events = mill_int(t->events);
  for (uint32_t table = 0; table < 2; table++) {
    int status = t->host->cells(t->host, table, &events, 1);
    if (status) return status;
  }
  return 0;
}

static const MillOption options[] = { MILL_BY_OPTION(Options, by) };
static const MillColumn columns[] = { MILL_CELL_COLUMN("events", "count", MILL_INT, 0,
                                                       "Events of the stream") };
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "stream",
    .help = "The merged stream",
    .columns = MILL_ROWS(columns) },
  { .per = MILL_PER_RUN, .name = "whole", .help = "The run", .columns = MILL_ROWS(columns) },
};
static const MillStageOps ops = {
  .size = sizeof ops, .open = enter, .process = work, .report = work_report
};
static const MillStage stage = {
  .size = sizeof(MillStage),
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "together",
  .family = "test",
  .version = "1.0.0",
  .tag = "TOG",
  .title = "Counts all events",
  .help = "For tests only.",
  .options = MILL_ROWS(options),
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
