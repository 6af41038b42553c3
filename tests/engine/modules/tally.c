/* A stage of lane scope that counts: a table per lane, a table and a metric per group of lanes, a notice of events
 * that are named "odd".  It fails where it is told to. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  MillList by;
  int64_t most;
  bool no_run;
} Options;
typedef struct Tally {
  const MillStageHost *host;
  MillSym odd;
  int64_t n, total, most;
  char *names; /* the first letter of each lane that was merged, in order */
  uint32_t n_names;
} Tally;

static int tally_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  const Options *o = options;
  if (o->no_run && level == MILL_RUN)
    return mill_fail(host->common, MILL_STAGE_FAILED, "no run level", "none");
  Tally *t = mill_new(host->common, sizeof *t);
  if (!t) return -MILL_LIMIT;
  t->host = host;
  t->most = o->most;
  t->odd = host->common->intern(host->common, "odd", 3);
  *out_instance = t;
  return 0;
}

static int tally_process(void *instance, MillBatch *b)
{
  Tally *t = instance;
  const MillHost *common = t->host->common;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    MillNamed named = { "name", mill_sym(e->name) };
    t->n++;
    t->total += e->dur_ns;
    if (e->name == t->odd) common->note(common, 1, b, i, &named, 1);
  }
  return 0;
}

static int tally_save_result(void *instance)
{
  const Tally *t = instance;
  MillLane lane = { .size = sizeof lane };
  t->host->common->lane(t->host->common, MILL_NO_LANE, &lane);
  t->host->put_int(t->host, t->n);
  t->host->put_int(t->host, t->total);
  t->host->put_text(t->host, *lane.label ? lane.label : "?", 1);
  return 0;
}

static int tally_merge_result(void *run_instance)
{
  Tally *t = run_instance;
  size_t len;
  t->n += t->host->get_int(t->host);
  t->total += t->host->get_int(t->host);
  const char *name = t->host->get_text(t->host, &len);
  t->names = t->host->common->resize(t->host->common, t->names, t->n_names + 1);
  if (!t->names) return -MILL_LIMIT;
  t->names[t->n_names++] = *name;
  return 0;
}

static int tally_report(void *instance)
{
  const Tally *t = instance;
  const MillValue cells[] = { mill_int(t->n), mill_int(t->total) };
  if (t->n > t->most) return mill_fail(t->host->common, MILL_STAGE_FAILED, "too many", "none");
  return t->host->cells(t->host, 0, cells, 2);
}

static int tally_report_run(void *run_instance)
{
  const Tally *t = run_instance;
  const MillValue cells[] = { mill_int(t->n), mill_text(t->names ? t->names : "", t->n_names) };
  int status = t->host->cells(t->host, 1, cells, 2);
  if (status) return status;
  if (!t->n) return t->host->no_metric(t->host, 0, NULL, "there are no events");
  return t->host->metric(t->host, 0, NULL, mill_int(t->total), (uint64_t)t->n);
}

static const MillOption options[] = {
  MILL_BY_OPTION(Options, by),
  MILL_INT_OPTION(Options, most, "most", "1000000", "0:", "count",
                  "Report no more events of a lane"),
  MILL_BOOL_OPTION(Options, no_run, "no-run", "false", "Fail on the run level"),
};
static const MillNotice notices[] = {
  MILL_LEFT_OUT(1, "{count} event[|s] in {lane} [is|are] {name}", NULL, NULL, "It is named so."),
};
static const MillColumn lane_columns[] = {
  MILL_CELL_COLUMN("n", "count", MILL_INT, 0, "Events"),
  MILL_CELL_COLUMN("total", "ns", MILL_INT, 0, "Time"),
};
static const MillColumn run_columns[] = {
  MILL_CELL_COLUMN("n", "count", MILL_INT, 0, "Events"),
  MILL_CELL_COLUMN("lanes", NULL, MILL_TEXT, 0, "First letters of labels, in the order of merging"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "lanes", .help = "Lanes", .columns = MILL_ROWS(lane_columns) },
  { .per = MILL_PER_RUN, .name = "groups", .help = "Groups", .columns = MILL_ROWS(run_columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN, .kind = MILL_INT, .name = "total", .unit = "ns", .help = "Time" },
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = tally_open,
  .process = tally_process,
  .report = tally_report,
  .save_result = tally_save_result,
  .merge_result = tally_merge_result,
  .report_run = tally_report_run,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "tally",
  .family = "test",
  .version = "1.0.0",
  .tag = "TALLY",
  .title = "Count",
  .help = "Counts events.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
