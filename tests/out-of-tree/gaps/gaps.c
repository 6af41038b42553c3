/* Finds times of a lane in which nothing ran: between the end of all slices so far and the start of the next. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

enum { TABLE_GAPS };
enum { METRIC_GAP_TIME };

typedef struct Options {
  int64_t min_ns;
} Options;

typedef struct Gap {
  int64_t start_ns, length_ns;
  MillSym next;
} Gap;

typedef struct Gaps {
  const MillStageHost *host;
  int64_t min_ns;
  Gap *gaps;
  uint32_t n_gaps, max_gaps;
  int64_t busy_until_ns, total_ns;
  bool any;
} Gaps;

static int gaps_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Gaps *g = mill_new(host->common, sizeof *g);
  if (!g) return -MILL_LIMIT;
  g->host = host;
  g->min_ns = ((const Options *)options)->min_ns;
  *out_instance = g;
  return 0;
}

static int add_gap(Gaps *g, int64_t start_ns, const MillEvent *next)
{
  if (g->n_gaps == g->max_gaps) {
    uint32_t capacity = g->max_gaps ? 2 * g->max_gaps : 16;
    Gap *gaps = g->host->common->resize(g->host->common, g->gaps, capacity * sizeof *gaps);
    if (!gaps) return -MILL_LIMIT;
    g->gaps = gaps;
    g->max_gaps = capacity;
  }
  int64_t length_ns = next->ts_ns - start_ns;
  g->gaps[g->n_gaps++] = (Gap){ start_ns, length_ns, next->name };
  g->total_ns += length_ns;
  return 0;
}

static int gaps_process(void *instance, MillBatch *b)
{
  Gaps *g = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0) continue;
    bool gap = g->any && e->ts_ns - g->busy_until_ns >= g->min_ns && e->ts_ns > g->busy_until_ns;
    if (gap && add_gap(g, g->busy_until_ns, e) < 0) return -MILL_LIMIT;
    int64_t end_ns = e->ts_ns + e->dur_ns;
    if (!g->any || end_ns > g->busy_until_ns) g->busy_until_ns = end_ns;
    g->any = true;
  }
  return 0;
}

static int gaps_report(void *instance)
{
  const Gaps *g = instance;
  for (uint32_t i = 0; i < g->n_gaps; i++) {
    const Gap *gap = &g->gaps[i];
    int status = mill_row(g->host, TABLE_GAPS, gap);
    if (status < 0) return status;
  }
  return g->host->metric(g->host, METRIC_GAP_TIME, NULL, mill_int(g->total_ns), g->n_gaps);
}

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, min_ns, "min", "1us", "0:", "Shortest gap to report"),
};
static const MillColumn columns[] = {
  MILL_KEY(Gap, start_ns, "start", "ns", "When the last slice before it ended"),
  MILL_BRIEF(Gap, length_ns, "length", "ns", "Until the next slice began"),
  MILL_BRIEF(Gap, next, "next", NULL, "Name of the slice that ends it"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 3,
    .name = "gaps",
    .help = "Times in which nothing ran",
    .order = "-length",
    .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE,
    .better = MILL_LOWER,
    .kind = MILL_INT,
    .name = "gap_time",
    .unit = "ns",
    .help = "Length of all reported gaps of the lane" },
};
static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "gaps",
    .title = "Gaps",
    .table = "gaps",
    .x = "start",
    .y = "length" },
};
static const char *const needs[] = { "slices", "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = gaps_open,
  .process = gaps_process,
  .report = gaps_report,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "acme.gaps",
  .family = "acme",
  .version = "1.0.0",
  .tag = "GAPS",
  .title = "Find times in which nothing ran",
  .help = "A gap is the time from the end of all slices so far to the start of the next one of the "
          "lane.",
  .needs = needs,
  .options = MILL_ROWS(options),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "acme", "MIT");
