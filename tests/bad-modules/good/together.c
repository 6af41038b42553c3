/* A stage on the merged stream with a table of each kind, and an option to fold by tags. */
#include <stagemill/stage.h>

typedef struct Options {
  MillList by;
} Options;
typedef struct Together {
  const MillHost *host;
  int64_t events;
} Together;

static int enter(const MillStage *self, const MillHost *host, const void *given, void **out)
{
  static Together only; /* there is one merged stream */
  (void)self, (void)given;
  only = (Together){ .host = host };
  *out = &only;
  return 0;
}
static int work(void *instance, MillBatch *batch)
{
  ((Together *)instance)->events += batch->n_events;
  return 0;
}
static int tell(void *instance)
{
  const Together *t = instance;
  MillValue events = mill_int(t->events);
  for (uint32_t table = 0; table < 2; table++) {
    int status = t->host->row(t->host, table, &events, 1);
    if (status) return status;
  }
  return 0;
}
static void leave(void *instance) { (void)instance; }

static const MillOption options[] = { MILL_BY_OPTION(Options, by) };
static const MillColumn columns[] = { { "events", "count", MILL_INT, 0, "Events of the stream" } };
static const MillTable tables[] = {
  { sizeof(MillTable), MILL_PER_LANE, "stream", "The merged stream", columns, 1, 0, NULL },
  { sizeof(MillTable), MILL_PER_RUN, "whole", "The run", columns, 1, 0, NULL },
};
static const MillStageOps ops = {
  .size = sizeof ops, .open = enter, .process = work, .report = tell, .close = leave
};
static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_READ_ONLY,
  .name = "together",
  .family = "test",
  .version = "1.0.0",
  .tag = "TOG",
  .title = "Counts all events",
  .help = "For tests only.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .ops = &ops,
};
MILL_MODULE(stage, "tests", "MIT");
