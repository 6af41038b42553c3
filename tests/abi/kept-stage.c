/* A stage that was built with the headers of 1.0: names, attributes, notices, state, tables, metrics. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t limit_ns;
  const MillPattern *only;
} Options;

typedef struct Row {
  MillSym name;
  int64_t n, total_ns;
} Row;

typedef struct Kept {
  const MillStageHost *host;
  const MillHost *common;
  const Options *options;
  MillSym key;
  int64_t n, total_ns;
} Kept;

enum { ROWS, ALL };

static int kept_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  Kept *k = mill_new(host->common, sizeof *k);
  (void)self, (void)level;
  if (!k) return -MILL_LIMIT;
  *k = (Kept){ .host = host, .common = host->common, .options = options };
  k->key = host->common->intern(host->common, "kept", 4);
  *out_instance = k;
  return 0;
}

static int kept_process(void *instance, MillBatch *b)
{
  Kept *k = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    int64_t x = 0;
    if (e->kind != MILL_SLICE) continue;
    if (k->options->only && !k->common->match_sym(k->common, k->options->only, e->name)) continue;
    mill_attr_int(b, e, k->common->intern(k->common, "x", 1), &x);
    int status = k->host->set(k->host, b, i, k->key, mill_int(x + 1));
    if (status) return status;
    k->n++;
    k->total_ns += e->dur_ns;
    MillNamed named = { "name", mill_sym(e->name) };
    if (e->dur_ns > k->options->limit_ns) k->common->note(k->common, 1, b, i, &named, 1);
  }
  return 0;
}

static int kept_flush(void *instance, MillBatch *b)
{
  const Kept *k = instance;
  MillEvent e = { .kind = MILL_INSTANT, .dur_ns = -1, .ts_ns = k->total_ns };
  e.name = k->key;
  e.track = k->host->track(k->host, mill_int(1), mill_none());
  if (e.track == MILL_FAILED) return -MILL_STAGE_FAILED;
  return k->host->emit(k->host, b, MILL_AT_END, &e) == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

static int kept_report(void *instance)
{
  const Kept *k = instance;
  const Row row = { k->key, k->n, k->total_ns };
  int status = mill_row(k->host, ROWS, &row);
  return status ? status : k->host->metric(k->host, 0, NULL, mill_int(k->total_ns), (uint64_t)k->n);
}

static int kept_save(void *instance)
{
  const Kept *k = instance;
  k->host->put_int(k->host, k->n);
  k->host->put_int(k->host, k->total_ns);
  k->host->put_text(k->host, "1.0", 3);
  return 0;
}

static int kept_merge(void *run_instance)
{
  Kept *k = run_instance;
  k->n += k->host->get_int(k->host);
  k->total_ns += k->host->get_int(k->host);
  k->host->get_text(k->host, NULL);
  return 0;
}

static int kept_report_run(void *run_instance)
{
  const Kept *k = run_instance;
  const MillValue cells[] = { mill_int(k->n), mill_int(k->total_ns) };
  return k->host->cells(k->host, ALL, cells, 2);
}

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, limit_ns, "limit", "1us", "0:", "Longest slice that is usual"),
  MILL_REGEX_OPTION(Options, only, "only", "", "Names that count"),
};
static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} slice[|s] [is|are] long (first: {name})", NULL, NULL, "They are long."),
};
static const MillColumn columns[] = {
  MILL_KEY(Row, name, "name", NULL, "A name"),
  MILL_BRIEF(Row, n, "slices", "count", "How many"),
  MILL_COLUMN(Row, total_ns, "total", "ns", 0, "How long"),
};
static const MillColumn all_columns[] = {
  MILL_CELL_COLUMN("slices", "count", MILL_INT, 0, "How many"),
  MILL_CELL_COLUMN("total", "ns", MILL_INT, 0, "How long"),
};
static const MillTable tables[] = {
  [ROWS] = { .per = MILL_PER_LANE, .name = "slices", .help = "Slices", .columns = MILL_ROWS(columns) },
  [ALL] = { .per = MILL_PER_RUN, .name = "all", .help = "All", .columns = MILL_ROWS(all_columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE, .better = MILL_LOWER, .kind = MILL_INT, .name = "total", .unit = "ns", .help = "All slices" },
};
static const MillRead reads[] = { { "x", MILL_AS_INT, MILL_KIND(MILL_SLICE) } };
static const char *const needs[] = { "order.lane", NULL };
static const char *const spoils[] = { "order.lane", NULL };
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = kept_open,
  .process = kept_process,
  .flush = kept_flush,
  .report = kept_report,
  .save_result = kept_save,
  .merge_result = kept_merge,
  .report_run = kept_report_run,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "kept.stage",
  .family = "test",
  .version = "1.0.0",
  .tag = "KEPT",
  .title = "Count slices",
  .help = "Counts slices.",
  .needs = needs,
  .spoils = spoils,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "kept", "MIT");
