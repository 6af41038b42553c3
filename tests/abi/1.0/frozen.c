/* A stage as it was written for ABI 1.0: an option, tables per lane and over all lanes, a notice, a metric, kept
 * events, attributes, memory and merging.  It is never changed. */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t limit_ns;
} Options;

typedef struct Frozen {
  const MillStageHost *host;
  const MillHost *common;
  int64_t limit_ns;
  MillSym long_mark;
  int64_t n_events, n_long;
  int64_t *durations;
  uint64_t last;
} Frozen;

static int frozen_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Frozen *f = mill_new(host->common, sizeof *f);
  if (!f) return -MILL_LIMIT;
  f->host = host;
  f->common = host->common;
  f->limit_ns = ((const Options *)options)->limit_ns;
  f->long_mark = f->common->intern(f->common, "long", 4);
  *out_instance = f;
  return 0;
}

static int keep_duration(Frozen *f, int64_t dur_ns)
{
  size_t bytes = (size_t)(f->n_long + 1) * sizeof *f->durations;
  int64_t *larger = f->common->resize(f->common, f->durations, bytes);
  if (!larger) return -MILL_LIMIT;
  f->durations = larger;
  f->durations[f->n_long++] = dur_ns;
  return 0;
}

static int mark(Frozen *f, MillBatch *b, uint32_t i)
{
  MillNamed named = { "duration", mill_int(b->events[i].dur_ns) };
  f->common->note(f->common, 1, b, i, &named, 1);
  if (f->last) f->host->drop_kept(f->host, f->last);
  f->last = f->host->keep(f->host, b, i);
  int status = keep_duration(f, b->events[i].dur_ns);
  return status ? status : f->host->set(f->host, b, i, f->long_mark, mill_bool(true));
}

static int frozen_process(void *instance, MillBatch *b)
{
  Frozen *f = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    f->n_events++;
    if (e->kind != MILL_SLICE || e->dur_ns <= f->limit_ns) continue;
    int status = mark(f, b, i);
    if (status < 0) return status;
  }
  return 0;
}

/* The last long slice once more. */
static int frozen_flush(void *instance, MillBatch *b)
{
  const Frozen *f = instance;
  if (!f->last) return 0;
  uint32_t index = f->host->emit_kept(f->host, b, MILL_AT_END, f->last);
  return index == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

static int frozen_save_result(void *instance)
{
  const Frozen *f = instance;
  f->host->put_int(f->host, f->n_events);
  f->host->put_int(f->host, f->n_long);
  for (int64_t i = 0; i < f->n_long; i++) f->host->put_int(f->host, f->durations[i]);
  return 0;
}

static int frozen_merge_result(void *run_instance)
{
  Frozen *f = run_instance;
  f->n_events += f->host->get_int(f->host);
  for (uint64_t n = f->host->get_count(f->host, 2); n > 0; n--) {
    int status = keep_duration(f, f->host->get_int(f->host));
    if (status < 0) return status;
  }
  return 0;
}

static int frozen_report(void *instance)
{
  const Frozen *f = instance;
  const MillValue cells[] = { mill_int(f->n_long) };
  return f->host->row(f->host, 0, cells, MILL_COUNT(cells));
}

static int frozen_report_run(void *run_instance)
{
  const Frozen *f = run_instance;
  int64_t sum = 0;
  for (int64_t i = 0; i < f->n_long; i++) sum += f->durations[i];
  const MillValue cells[] = { mill_int(f->n_events), mill_int(f->n_long) };
  int status = f->host->row(f->host, 1, cells, MILL_COUNT(cells));
  if (status < 0) return status;
  if (f->n_long == 0) return f->host->no_metric(f->host, 0, NULL, "no slice is long");
  return f->host->metric(f->host, 0, NULL, mill_int(sum), (uint64_t)f->n_long);
}

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, limit_ns, "limit", "1ms", "0:", "Longest slice that is not long"),
};
static const MillNotice notices[] = {
  MILL_INFO(1, "{lane} has {count} long slice[|s] (first: {duration} ns)", NULL, NULL,
            "A slice lasted longer than the option `limit`."),
};
static const MillColumn lane_columns[] = {
  MILL_COLUMN("long", "count", MILL_INT, "Slices that lasted longer than the limit"),
};
static const MillColumn run_columns[] = {
  MILL_BRIEF("events", "count", MILL_INT, "Events of all lanes"),
  MILL_COLUMN("long", "count", MILL_INT, "Slices that lasted longer than the limit"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "frozen-lanes",
    .help = "Long slices of each lane",
    .columns = MILL_ROWS(lane_columns) },
  { .per = MILL_PER_RUN,
    .brief_rows = 1,
    .name = "frozen",
    .help = "Events and long slices",
    .columns = MILL_ROWS(run_columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_INT,
    .name = "long_time",
    .unit = "ns",
    .help = "Time in long slices" },
};
static const char *const spoils[] = { "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = frozen_open,
  .process = frozen_process,
  .flush = frozen_flush,
  .report = frozen_report,
  .save_result = frozen_save_result,
  .merge_result = frozen_merge_result,
  .report_run = frozen_report_run,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "test.frozen",
  .family = "test",
  .version = "1.0.0",
  .tag = "FROZEN",
  .title = "Count long slices",
  .help = "Counts events and long slices.",
  .spoils = spoils,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "test", "MIT");
