/* A stage of lane scope with two phases that can be replayed: every event gets the number of all events of its lane
 * as the attribute "x".  It counts a notice when it decides, and the same while it loads what was decided. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Count {
  const MillStageHost *host;
  MillSym x;
  int64_t n;
  bool loaded;
} Count;

static int count_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  (void)options;
  Count *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  c->host = host;
  c->x = host->common->intern(host->common, "x", 1);
  *out_instance = c;
  return 0;
}

static int count_observe(void *instance, const MillBatch *b)
{
  ((Count *)instance)->n += b->n_events;
  return 0;
}

static void note(const Count *c, uint32_t number)
{
  c->host->common->note(c->host->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static int count_decide(void *instance)
{
  note(instance, 1);
  return 0;
}

static int count_save_decision(void *instance)
{
  const Count *c = instance;
  c->host->put_int(c->host, c->n);
  return 0;
}

static int count_load_decision(void *instance)
{
  Count *c = instance;
  note(c, 1);
  c->n = c->host->get_int(c->host);
  c->loaded = true;
  return 0;
}

static int count_process(void *instance, MillBatch *b)
{
  const Count *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    int status = c->host->set(c->host, b, i, c->x, mill_int(c->n));
    if (status) return status;
  }
  return 0;
}

static int count_report(void *instance)
{
  const Count *c = instance;
  MillValue cells[] = { mill_int(c->n), mill_bool(c->loaded) };
  return c->host->cells(c->host, 0, cells, 2);
}

static const MillNotice notices[] = { MILL_INFO(1, "{count} decided", NULL, NULL, "It decided.") };
static const MillColumn columns[] = {
  MILL_CELL_COLUMN("n", "count", MILL_INT, 0, "Events"),
  MILL_CELL_COLUMN("loaded", NULL, MILL_BOOL, 0, "Another instance decided"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "counts", .help = "Counts", .columns = MILL_ROWS(columns) },
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = count_open,
  .observe = count_observe,
  .decide = count_decide,
  .process = count_process,
  .report = count_report,
  .save_decision = count_save_decision,
  .load_decision = count_load_decision,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .name = "count",
  .family = "test",
  .version = "1.0.0",
  .tag = "COUNT",
  .title = "Count first",
  .help = "Counts, then reports.",
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
