/* Marks slices that lasted longer than a limit, counts them per lane, and gives their share over
 * the whole run.  Method: one comparison per slice; a slice without a duration is not counted. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

enum { NOTICE_MANY = 1 };
enum { TABLE_SLOW_CALLS };
enum { METRIC_SLOW_SHARE };

typedef struct Options {
  int64_t limit_ns;
  double many_percent;
} Options;

typedef struct SlowCalls {
  const MillStageHost *host;
  Options options;
  MillSym slow_by;
  int64_t slices, slow, excess_ns; /* of a lane; on the run level: of all lanes */
} SlowCalls;

static int slow_calls_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level;
  SlowCalls *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->options = *(const Options *)options;
  s->slow_by = host->common->intern(host->common, "slow_by", strlen("slow_by"));
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
  const MillHost *common = s->host->common;
  const MillNamed values[] = { { "slow", mill_int(s->slow) }, { "slices", mill_int(s->slices) } };
  common->note(common, NOTICE_MANY, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
  return 0;
}

/* The same three numbers serve lane to run and anything in between; integers, so that the sum does
 * not depend on how lanes were grouped. */
static int slow_calls_save_result(void *instance)
{
  const SlowCalls *s = instance;
  s->host->put_int(s->host, s->slices);
  s->host->put_int(s->host, s->slow);
  s->host->put_int(s->host, s->excess_ns);
  return 0;
}

static int slow_calls_merge_result(void *instance)
{
  SlowCalls *s = instance;
  s->slices += s->host->get_int(s->host);
  s->slow += s->host->get_int(s->host);
  s->excess_ns += s->host->get_int(s->host);
  return 0;
}

typedef struct SlowRow {
  int64_t slices, slow, excess_ns;
} SlowRow;

static int slow_calls_report(void *instance)
{
  const SlowCalls *s = instance;
  const SlowRow row = { s->slices, s->slow, s->excess_ns };
  return mill_row(s->host, TABLE_SLOW_CALLS, &row);
}

static int slow_calls_report_run(void *instance)
{
  const SlowCalls *s = instance;
  const MillStageHost *host = s->host;
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
  MILL_WARNING(
      NOTICE_MANY, "{slow} of the {slices} calls of {lane} are slow",
      "what is marked is the rule there, not the exception", "raise the option `limit`",
      "The limit suits short calls.  A lane of long ones, such as whole training steps, exceeds it "
      "nearly always; then the mark says nothing.  Choose a limit above the lane's usual "
      "duration."),
};

static const MillColumn columns[] = {
  MILL_BRIEF(SlowRow, slices, "slices", "count", "Slices that have a duration"),
  MILL_BRIEF(SlowRow, slow, "slow", "count", "Those that lasted longer than the limit"),
  MILL_BRIEF(SlowRow, excess_ns, "excess", "ns", "Their time beyond the limit, summed"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 8,
    .name = "slow-calls",
    .help = "How many calls of each lane were slow",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_REAL,
    .name = "slow_share",
    .unit = "percent",
    .help = "Slices longer than the limit, of all slices that have a duration, over all lanes" },
};

static const char *const needs[] = { "slices", NULL };
static const char *const provides[] = { "attr.slow_by", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = slow_calls_open,
  .process = slow_calls_process,
  .flush = slow_calls_flush,
  .report = slow_calls_report,
  .save_result = slow_calls_save_result,
  .merge_result = slow_calls_merge_result,
  .report_run = slow_calls_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "acme.slow-calls",
  .family = "acme",
  .version = "1.0.0",
  .tag = "SLOW",
  .title = "Mark slow slices",
  .help = "A slice that lasts longer than the limit gets the attribute slow_by: nanoseconds beyond "
          "the limit.  Slow slices are counted per lane, and their share is given over the run.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "acme", "MIT");
