/* A stage of whole scope: every event gets its place in the merged stream as the attribute "x". */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Number {
  const MillStageHost *host;
  MillSym x;
  int64_t n;
} Number;

static int number_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self;
  (void)options;
  Number *n = mill_new(host->common, sizeof *n);
  if (!n) return -MILL_LIMIT;
  n->host = host;
  n->x = host->common->intern(host->common, "x", 1);
  *out_instance = n;
  return level == MILL_MERGED ? 0 : -MILL_STAGE_FAILED;
}

static int number_process(void *instance, MillBatch *b)
{
  Number *n = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    int status = n->host->set(n->host, b, i, n->x, mill_int(n->n++));
    if (status) return status;
  }
  return 0;
}

/* Of both levels at once. */
static int number_report(void *instance)
{
  const Number *n = instance;
  MillValue cell = mill_int(n->n);
  int status = n->host->cells(n->host, 0, &cell, 1);
  return status ? status : n->host->metric(n->host, 0, NULL, cell, 1);
}

static const MillColumn columns[] = { MILL_CELL_COLUMN("n", "count", MILL_INT, 0, "Events") };
static const MillTable tables[] = {
  { .per = MILL_PER_RUN, .name = "numbered", .help = "Events", .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN, .kind = MILL_INT, .name = "numbered", .help = "Events" },
};
static const MillStageOps ops = {
  .size = sizeof ops, .open = number_open, .process = number_process, .report = number_report
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_WHOLE,
  .name = "number",
  .family = "test",
  .version = "1.0.0",
  .tag = "NUMBER",
  .title = "Number events",
  .help = "Numbers the merged stream.",
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
