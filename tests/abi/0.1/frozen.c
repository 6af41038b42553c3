/* A stage as it was written for ABI 0.1: an option, a table over all lanes, a notice, save and
 * merge, attributes.  It is never changed. */
#include <stagemill/stage.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
  int64_t limit_ns;
} Options;

typedef struct Frozen {
  const MillHost *host;
  int64_t limit_ns;
  MillSym long_mark;
  bool is_run;
  int64_t n_events, n_long;
} Frozen;

static void frozen_close(void *instance) { free(instance); }

static int frozen_open(const MillStage *self, const MillHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  MillLane lane = { .size = sizeof lane };
  Frozen *f = calloc(1, sizeof *f);
  if (!f) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  host->lane(host, MILL_NO_LANE, &lane);
  f->host = host;
  f->limit_ns = ((const Options *)options)->limit_ns;
  f->long_mark = host->intern(host, "long", strlen("long"));
  f->is_run = lane.index == MILL_NO_LANE;
  *out_instance = f;
  return 0;
}

static int frozen_process(void *instance, MillBatch *b)
{
  Frozen *f = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    f->n_events++;
    if (e->kind != MILL_SLICE || e->dur_ns <= f->limit_ns) continue;
    if (f->n_long++ == 0) f->host->note(f->host, 1, b, i, NULL, 0);
    int status = f->host->set(f->host, b, i, f->long_mark, mill_bool(true));
    if (status < 0) return status;
  }
  return 0;
}

static int frozen_save(void *instance, uint32_t what)
{
  const Frozen *f = instance;
  if (what != MILL_RESULT) return 0;
  f->host->put_int(f->host, f->n_events);
  f->host->put_int(f->host, f->n_long);
  return 0;
}

static int frozen_merge(void *instance, uint32_t what)
{
  Frozen *f = instance;
  if (what != MILL_RESULT) return 0;
  f->n_events += f->host->get_int(f->host);
  f->n_long += f->host->get_int(f->host);
  return 0;
}

static int frozen_report(void *instance)
{
  const Frozen *f = instance;
  const MillValue cells[] = { mill_int(f->n_events), mill_int(f->n_long) };
  return f->is_run ? f->host->row(f->host, 0, cells, MILL_COUNT(cells)) : 0;
}

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, limit_ns, "limit", "1ms", "0:", "Longest slice that is not long"),
};
static const MillNotice notices[] = {
  { sizeof(MillNotice), 1, MILL_LEVEL_INFO, "{lane} has long slices", NULL, NULL,
    "A slice lasted longer than the option `limit`." },
};
static const MillColumn columns[] = {
  { "events", "count", MILL_INT, 0, "Events of all lanes" },
  { "long", "count", MILL_INT, 0, "Slices that lasted longer than the limit" },
};
static const MillTable tables[] = {
  { .size = sizeof(MillTable),
    .per = MILL_PER_RUN,
    .name = "frozen",
    .help = "Events and long slices",
    .columns = columns,
    .n_columns = MILL_COUNT(columns) },
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = frozen_open,
  .process = frozen_process,
  .save = frozen_save,
  .merge = frozen_merge,
  .report = frozen_report,
  .close = frozen_close,
};
static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES,
  .name = "test.frozen",
  .family = "test",
  .version = "1.0.0",
  .tag = "FROZEN",
  .title = "Count long slices",
  .help = "Counts events and long slices.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .ops = &ops,
};
MILL_MODULE(stage, "test", "MIT");
