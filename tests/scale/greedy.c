/* A stage that takes ever more of one thing: what --max-memory must end. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

enum { NAMES, TRACKS, ROWS, METRICS, SUMMARY, SCRATCH, MEMORY, KEEP, EMIT, TEXTS };

typedef struct Options {
  int64_t what, n;
} Options;

typedef struct Greedy {
  const MillStageHost *host;
  Options options;
  bool done;
} Greedy;

static int greedy_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Greedy *g = mill_new(host->common, sizeof *g);
  if (!g) return -MILL_LIMIT;
  g->host = host;
  memcpy(&g->options, options, sizeof g->options);
  *out_instance = g;
  return 0;
}

/* Twelve bytes that differ for each number. */
static void put_name(char *to, int64_t number)
{
  for (int i = 0; i < 12; i++, number /= 26) to[i] = (char)('a' + number % 26);
}

static int take_one(const Greedy *g, MillBatch *b, int64_t number)
{
  const MillHost *common = g->host->common;
  static const char text[4096];
  char name[12];
  switch (g->options.what) {
  case NAMES: put_name(name, number); return common->intern(common, name, sizeof name) ? 0 : -1;
  case TRACKS:
    return g->host->track(g->host, mill_int(1), mill_int(number)) == MILL_FAILED ? -1 : 0;
  case SCRATCH: return common->scratch(common, 64) ? 0 : -1;
  case MEMORY: return common->resize(common, NULL, 64) ? 0 : -1;
  case KEEP: return g->host->keep(g->host, b, 0) ? 0 : -1;
  case EMIT: return g->host->emit(g->host, b, MILL_AT_END, &b->events[0]) == MILL_FAILED ? -1 : 0;
  case TEXTS:
    return g->host->set(g->host, b, 0, common->intern(common, "text", 4),
                        mill_text(text, sizeof text));
  default: return 0;
  }
}

static int greedy_process(void *instance, MillBatch *batch)
{
  Greedy *g = instance;
  if (g->done || !batch->n_events) return 0;
  g->done = true;
  for (int64_t i = 0; i < g->options.n; i++)
    if (take_one(g, batch, i)) return -1;
  return 0;
}

static int greedy_report(void *instance)
{
  const Greedy *g = instance;
  for (int64_t i = 0; i < g->options.n; i++) {
    MillValue cell = mill_int(i);
    if (g->options.what == ROWS && g->host->cells(g->host, 0, &cell, 1)) return -1;
    if (g->options.what == METRICS && g->host->metric(g->host, 0, NULL, cell, 1)) return -1;
  }
  return 0;
}

static int greedy_save(void *instance)
{
  const Greedy *g = instance;
  g->host->put_int(g->host, g->options.n);
  for (int64_t i = 0; i < g->options.n && g->options.what == SUMMARY; i++)
    g->host->put_int(g->host, INT64_MAX);
  return 0;
}

static int greedy_merge(void *instance)
{
  (void)instance;
  return 0;
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, what, "what", "names",
                     "names|tracks|rows|metrics|summary|scratch|memory|keep|emit|texts",
                     "What to take"),
  MILL_INT_OPTION(Options, n, "n", "1000000000", NULL, NULL, "How many"),
};
static const MillColumn columns[] = { MILL_CELL_COLUMN(
    "k", "count", MILL_INT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "Number") };
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "taken", .help = "Rows.", .columns = MILL_ROWS(columns) }
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE, .kind = MILL_INT, .name = "taken", .unit = "count", .help = "Values." }
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = greedy_open,
  .process = greedy_process,
  .report = greedy_report,
  .save_result = greedy_save,
  .merge_result = greedy_merge,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "test.greedy",
  .family = "test",
  .version = "1.0.0",
  .tag = "GREEDY",
  .title = "Take ever more",
  .help = "Takes very much of one thing.",
  .options = MILL_ROWS(options),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "test", "MIT");
