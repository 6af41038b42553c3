/* Marks slices that lasted longer than a limit, counts them per lane, and gives their share over
 * the whole run.  Method: one comparison a slice; a slice without a duration is not counted. */
#include <stagemill/stage.h>
#include <stdlib.h>
#include <string.h>

enum { NOTICE_MANY = 1 };
enum { TABLE_SLOW_CALLS };
enum { METRIC_SLOW_SHARE };

typedef struct Options {
  int64_t limit_ns;
  double many_percent;
} Options;

typedef struct SlowCalls {
  const MillHost *host;
  Options options;
  MillSym slow_by;
  bool is_run; /* the instance that sums up all lanes */
  int64_t slices, slow, excess_ns;
} SlowCalls;

static void slow_calls_close(void *instance) { free(instance); }

static int slow_calls_open(const MillStage *self, const MillHost *host, const void *options,
                           void **out_instance)
{
  (void)self;
  MillLane lane = { .size = sizeof lane };
  SlowCalls *s = calloc(1, sizeof *s);
  if (!s) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  host->lane(host, MILL_NO_LANE, &lane);
  s->host = host;
  s->options = *(const Options *)options;
  s->slow_by = host->intern(host, "slow_by", strlen("slow_by"));
  s->is_run = lane.index == MILL_NO_LANE;
  *out_instance = s;
  return 0;
}

static int mark(SlowCalls *s, MillBatch *b, uint32_t i)
{
  int64_t excess_ns = b->events[i].dur_ns - s->options.limit_ns;
  s->slices++;
  if (excess_ns <= 0) return 0;
  s->slow++;
  s->excess_ns += excess_ns;
  return s->host->set(s->host, b, i, s->slow_by, mill_int(excess_ns));
}

static int slow_calls_process(void *instance, MillBatch *b)
{
  SlowCalls *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    int status = e->kind == MILL_SLICE && e->dur_ns >= 0 ? mark(s, b, i) : 0;
    if (status < 0) return status;
  }
  return 0;
}

static double share_percent(const SlowCalls *s)
{
  return 100.0 * (double)s->slow / (double)s->slices;
}

/* The lane has ended: now its share is known. */
static int slow_calls_flush(void *instance, MillBatch *b)
{
  SlowCalls *s = instance;
  (void)b;
  if (s->slices == 0 || share_percent(s) <= s->options.many_percent) return 0;
  const MillNamed values[] = { { "slow", mill_int(s->slow) }, { "slices", mill_int(s->slices) } };
  s->host->note(s->host, NOTICE_MANY, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
  return 0;
}

/* The same three numbers serve lane to run and anything in between; integers, so that the sum does
 * not depend on how lanes were grouped. */
static int slow_calls_save(void *instance, uint32_t what)
{
  const SlowCalls *s = instance;
  if (what != MILL_RESULT) return 0;
  s->host->put_int(s->host, s->slices);
  s->host->put_int(s->host, s->slow);
  s->host->put_int(s->host, s->excess_ns);
  return 0;
}

static int slow_calls_merge(void *instance, uint32_t what)
{
  SlowCalls *s = instance;
  if (what != MILL_RESULT) return 0;
  s->slices += s->host->get_int(s->host);
  s->slow += s->host->get_int(s->host);
  s->excess_ns += s->host->get_int(s->host);
  return 0;
}

static int slow_calls_report(void *instance)
{
  const SlowCalls *s = instance;
  const MillHost *host = s->host;
  const MillValue cells[] = { mill_int(s->slices), mill_int(s->slow), mill_int(s->excess_ns) };
  if (!s->is_run) return host->row(host, TABLE_SLOW_CALLS, cells, MILL_COUNT(cells));
  if (s->slices == 0) return host->no_metric(host, METRIC_SLOW_SHARE, NULL, "there are no slices");
  return host->metric(host, METRIC_SLOW_SHARE, NULL, mill_real(share_percent(s)),
                      (uint64_t)s->slices);
}

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, limit_ns, "limit", "1ms",
                       "0:", "Longest call that counts as normal"),
  MILL_REAL_OPTION(Options, many_percent, "many", "50", "0:100", "percent",
                   "Warn when a larger share of a lane's calls is slow"),
};

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTICE_MANY, MILL_LEVEL_WARNING,
    "{slow} of the {slices} calls of {lane} are slow",
    "what is marked is the rule there, not the exception", "raise the option `limit`",
    "The limit suits short calls.  A lane of long ones, such as whole training steps, exceeds it "
    "nearly always; then the mark says nothing.  Choose a limit above the lane's usual duration." },
};

static const MillColumn columns[] = {
  { "slices", "count", MILL_INT, MILL_COLUMN_BRIEF, "Slices that have a duration" },
  { "slow", "count", MILL_INT, MILL_COLUMN_BRIEF, "Those that lasted longer than the limit" },
  { "excess", "ns", MILL_INT, MILL_COLUMN_BRIEF, "Their time beyond the limit, summed" },
};

static const MillTable tables[] = {
  { .size = sizeof(MillTable),
    .per = MILL_PER_LANE,
    .name = "slow-calls",
    .help = "How many calls of each lane were slow",
    .columns = columns,
    .n_columns = MILL_COUNT(columns),
    .brief_rows = 8 },
};

static const MillMetric metrics[] = {
  { .size = sizeof(MillMetric),
    .per = MILL_PER_RUN,
    .name = "slow_share",
    .unit = "percent",
    .better = MILL_LOWER,
    .kind = MILL_REAL,
    .help = "Slices longer than the limit, of all slices that have a duration, over all lanes" },
};

static const char *const needs[] = { "slices", NULL };
static const char *const provides[] = { "attr.slow_by", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = slow_calls_open,
  .process = slow_calls_process,
  .flush = slow_calls_flush,
  .save = slow_calls_save,
  .merge = slow_calls_merge,
  .report = slow_calls_report,
  .close = slow_calls_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .name = "acme.slow-calls",
  .family = "acme",
  .version = "1.0.0",
  .tag = "SLOW",
  .title = "Mark slow slices",
  .help = "A slice that lasts longer than the limit gets the attribute slow_by: nanoseconds beyond "
          "the limit.  Slow slices are counted per lane, and their share is given over the run.",
  .needs = needs,
  .provides = provides,
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .metrics = metrics,
  .n_metrics = MILL_COUNT(metrics),
  .ops = &ops,
};
MILL_MODULE(stage, "acme", "MIT");
