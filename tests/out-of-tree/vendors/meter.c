/* Counts events, each as WEIGHT.  NAME, VENDOR and TAG make it a module of several makers, whose tables, metrics and
 * figures have the same names. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

enum { TABLE_METER };
enum { METRIC_KERNEL_CALLS };

typedef struct Meter {
  const MillStageHost *host;
  int64_t n;
} Meter;

static int meter_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Meter *m = mill_new(host->common, sizeof *m);
  if (!m) return -MILL_LIMIT;
  m->host = host;
  *out_instance = m;
  return 0;
}

static int meter_process(void *instance, MillBatch *b)
{
  Meter *m = instance;
  m->n += (int64_t)WEIGHT * b->n_events;
  return 0;
}

static int meter_save_result(void *instance)
{
  const Meter *m = instance;
  m->host->put_int(m->host, m->n);
  return 0;
}

static int meter_merge_result(void *instance)
{
  Meter *m = instance;
  m->n += m->host->get_int(m->host);
  return 0;
}

static int meter_report_run(void *instance)
{
  const Meter *m = instance;
  const MillValue cell = mill_int(m->n);
  mill_note(m->host->common, 1);
  int status = m->host->cells(m->host, TABLE_METER, &cell, 1);
  return status < 0 ? status
                    : m->host->metric(m->host, METRIC_KERNEL_CALLS, NULL, cell, (uint64_t)m->n);
}

static const MillNotice notices[] = {
  MILL_INFO(1, "it was counted", NULL, NULL, "Said once, so that the codes of two vendors meet."),
};
static const MillColumn columns[] = { MILL_CELL_COLUMN("events", "count", MILL_INT,
                                                       MILL_COLUMN_BRIEF, "As they weigh") };
static const MillTable tables[] = {
  { .per = MILL_PER_RUN, .name = "kernel-time", .help = "Events", .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .kind = MILL_INT,
    .name = "kernel_calls",
    .unit = "count",
    .aliases = "TTFT,kernel_names",
    .help = "Events, as they weigh" },
};
static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "meter",
    .title = "Events",
    .table = "kernel-time",
    .x = "events",
    .y = "events" },
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = meter_open,
  .process = meter_process,
  .save_result = meter_save_result,
  .merge_result = meter_merge_result,
  .report_run = meter_report_run,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .name = NAME,
  .family = "meters",
  .version = "1.0.0",
  .tag = TAG,
  .title = "Count events",
  .help = "Its table and metric have names that others have, too.",
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, VENDOR, "MIT");
