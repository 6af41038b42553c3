/* Goodput: requests per second that keep all limits on their latencies.  Limits are inclusive.  They
 * are checked in integers, without division, so that a value at its limit is never off by a
 * rounding. Without limits it is what the result files report themselves. */
/* SPDX-License-Identifier: MIT */
#include "serve/lib/card.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"
#include "limits.h"

enum { NOTICE_UNKNOWN = 1, NOTICE_NO_REQUESTS, NOTICE_NO_GOODPUT, NOTICE_REFUSED, NOTICE_TINY };
enum { TABLE_GOODPUT };
enum { METRIC_GOODPUT, METRIC_SHARE };
enum { TINY_NS = 1000 }; /* no latency of serving is shorter */

typedef struct Options {
  MillList by;
  int64_t limits[N_LIMITS]; /* ns; 0: none */
} Options;

typedef struct Run {
  bool refused;  /* of a phase that serves no requests */
  bool detailed; /* good and requests are known */
  int64_t good, requests;
  int64_t duration_ns; /* or BENCH_NONE */
  double goodput;      /* requests per second that the file reports; NaN: none */
} Run;

typedef struct Goodput {
  const MillStageHost *host;
  const MillHost *common;
  BenchKeys keys;
  int64_t limits[N_LIMITS]; /* ns; 0: none */
  bool has_limits, has_open;
  OpenRequest open; /* the latest request: its gaps may go on */
  int64_t unknown;  /* requests that lack a time that a limit needs */
  Run *runs;        /* in lane order; a lane has its own, once its record came */
  uint32_t n_runs;
  size_t max_runs;
  Run counted; /* of a lane */
} Goodput;

static int goodput_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  const Options *o = options;
  Goodput *g = instance_new(Goodput, host, out_instance);
  if (!g) return -MILL_LIMIT;
  bench_keys(&g->keys, g->common);
  for (uint32_t i = 0; i < N_LIMITS; i++) {
    g->limits[i] = o->limits[i];
    g->has_limits |= o->limits[i] > 0;
  }
  return 0;
}

/* ---- requests */

/* All that is known of the latest request is here: judge it. */
static void end_request(Goodput *g)
{
  if (!g->has_open) return;
  g->has_open = false;
  g->counted.requests++;
  if (!g->open.request.ok) return;
  Kept kept = limits_kept(&g->open, g->limits);
  g->counted.good += kept == KEPT;
  g->unknown += kept == NOT_KNOWN;
}

static bool add_run(Goodput *g, const Run *run)
{
  if (!array_reserve(g->common, &g->runs, &g->max_runs, g->n_runs + 1, sizeof *g->runs))
    return false;
  g->runs[g->n_runs++] = *run;
  return true;
}

static bool take_run(Goodput *g, const BenchRun *record)
{
  Run run = { .detailed = record->detailed,
              .duration_ns = record->duration_ns,
              .goodput = record->request_goodput };
  end_request(g);
  if (run.detailed) {
    run.good = g->counted.good;
    run.requests = g->counted.requests;
  }
  g->n_runs = 0;
  return add_run(g, &run);
}

static int goodput_process(void *instance, MillBatch *b)
{
  Goodput *g = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    BenchRequest request;
    BenchRun run;
    switch (bench_read(&g->keys, b, e, &request, &run)) {
    case BENCH_REQUEST:
      end_request(g);
      request.error = NULL; /* dies with the batch */
      g->open = (OpenRequest){ .request = request };
      g->has_open = true;
      open_add_gaps(&g->open, g->limits, g->keys.gap_ns, b, e);
      break;
    case BENCH_MORE_GAPS: open_add_gaps(&g->open, g->limits, g->keys.gap_ns, b, e); break;
    case BENCH_RUN:
      if (!take_run(g, &run)) return -MILL_LIMIT;
      break;
    default: break;
    }
  }
  return 0;
}

static void note(const Goodput *g, uint32_t number)
{
  g->common->note(g->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static void note_tiny_limits(const Goodput *g)
{
  char text[LIMITS_TEXT];
  bool any = false;
  for (uint32_t i = 0; i < N_LIMITS; i++) any |= g->limits[i] > 0 && g->limits[i] < TINY_NS;
  if (!any) return;
  const MillNamed limits = { "limits", mill_text(text, limits_write(g->limits, text)) };
  g->common->note(g->common, NOTICE_TINY, NULL, MILL_NO_EVENT, &limits, 1);
}

static int goodput_flush(void *instance, MillBatch *b)
{
  Goodput *g = instance;
  (void)b;
  if (g->n_runs == 0) return 0;
  g->runs->refused = !card_serves(g->common->tag(g->common, MILL_NO_LANE, "phase"));
  if (g->runs->refused) note(g, NOTICE_REFUSED);
  if (g->runs->detailed) note_tiny_limits(g);
  for (int64_t i = 0; i < g->unknown && g->runs->detailed && !g->runs->refused; i++)
    note(g, NOTICE_UNKNOWN);
  return 0;
}

/* ---- saved state */

static const StateField run_fields[] = {
  STATE_FIRST(Run, refused),  STATE_FIRST(Run, detailed),    STATE_FIRST(Run, good),
  STATE_FIRST(Run, requests), STATE_FIRST(Run, duration_ns), STATE_FIRST(Run, goodput),
};
static const StateType run_state = STATE_TYPE(Run, run_fields);

static const StateField goodput_fields[] = {
  STATE_LIST(Goodput, runs, n_runs, max_runs, run_state),
};
static const StateType goodput_state = STATE_TYPE(Goodput, goodput_fields);
STATE_RESULT(Goodput, goodput_state)

/* ---- results */

static bool is_used(const Goodput *g, const Run *run)
{
  if (run->refused) return false;
  return g->has_limits ? run->detailed : isfinite(run->goodput);
}

/* Runs that have what is needed. */
static uint32_t count_used(const Goodput *g)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_runs; i++) n += is_used(g, &g->runs[i]);
  return n;
}

static void note_unused(const Goodput *g)
{
  for (uint32_t i = 0; i < g->n_runs; i++)
    if (!g->runs[i].refused && !is_used(g, &g->runs[i]))
      note(g, g->has_limits ? NOTICE_NO_REQUESTS : NOTICE_NO_GOODPUT);
}

static double seconds(const Run *run)
{
  return run->duration_ns == BENCH_NONE ? (double)NAN : (double)run->duration_ns / 1e9;
}

/* Good requests over the sum of durations; NaN: a duration is not known, or all are 0. */
static double rate_of_requests(const Goodput *g, int64_t good)
{
  double sum_s = 0;
  for (uint32_t i = 0; i < g->n_runs; i++)
    if (is_used(g, &g->runs[i])) sum_s += seconds(&g->runs[i]);
  return sum_s > 0 ? (double)good / sum_s : (double)NAN;
}

/* Weighted by duration; of one run as it is. */
static double rate_of_reports(const Goodput *g, uint32_t n_used)
{
  double sum = 0, sum_s = 0;
  for (uint32_t i = 0; i < g->n_runs; i++) {
    if (!is_used(g, &g->runs[i])) continue;
    if (n_used == 1) return g->runs[i].goodput;
    sum += g->runs[i].goodput * seconds(&g->runs[i]);
    sum_s += seconds(&g->runs[i]);
  }
  return sum_s > 0 ? sum / sum_s : (double)NAN;
}

static bool any_refused(const Goodput *g)
{
  for (uint32_t i = 0; i < g->n_runs; i++)
    if (g->runs[i].refused) return true;
  return false;
}

static const char refused[] =
    "it is measured in the phases inference and serving, but a run has another phase";

/* One number cannot show that runs were left out, as a table beside a warning can. */
static int report_metric(const Goodput *g, uint32_t metric, double value, int64_t n,
                         const char *why)
{
  if (any_refused(g)) return g->host->no_metric(g->host, metric, NULL, refused);
  if (!isfinite(value)) return g->host->no_metric(g->host, metric, NULL, why);
  return g->host->metric(g->host, metric, NULL, mill_real(value), (uint64_t)n);
}

static const char no_duration[] = "a run has no duration";

typedef struct GoodputRow {
  int64_t good, requests;
  double share, rate;
  MillText basis, limits;
} GoodputRow;

static int report_requests(const Goodput *g)
{
  char limits[LIMITS_TEXT];
  int64_t good = 0, requests = 0;
  for (uint32_t i = 0; i < g->n_runs; i++) {
    if (!is_used(g, &g->runs[i])) continue;
    good += g->runs[i].good;
    requests += g->runs[i].requests;
  }
  double rate = rate_of_requests(g, good);
  double share = requests > 0 ? (double)good * 100 / (double)requests : (double)NAN;
  const GoodputRow row = {
    .good = good,
    .requests = requests,
    .share = share,
    .rate = rate,
    .basis = { "exact", 5 },
    .limits = { limits, limits_write(g->limits, limits) },
  };
  int status = mill_row(g->host, TABLE_GOODPUT, &row);
  if (status == 0) status = report_metric(g, METRIC_GOODPUT, rate, requests, no_duration);
  if (status == 0) status = report_metric(g, METRIC_SHARE, share, requests, "there was no request");
  return status;
}

static int report_reports(const Goodput *g, uint32_t n_used)
{
  double rate = rate_of_reports(g, n_used);
  const GoodputRow row = {
    .good = MILL_NO_INT,
    .requests = MILL_NO_INT,
    .share = (double)NAN,
    .rate = rate,
    .basis = { "reported", 8 },
    .limits = { NULL, 0 },
  };
  int status = mill_row(g->host, TABLE_GOODPUT, &row);
  if (status == 0) status = report_metric(g, METRIC_GOODPUT, rate, n_used, no_duration);
  if (status == 0)
    status = g->host->no_metric(g->host, METRIC_SHARE, NULL,
                                "it needs limits: set one of the options ttft, tpot, itl, e2e");
  return status;
}

static const char *why_none(const Goodput *g)
{
  if (g->n_runs == 0) return "no result of a benchmark was read";
  if (any_refused(g)) return refused;
  if (g->has_limits) return "limits were given, but no run has records of its requests";
  return "no result file reports a goodput, and no limits were given: set one of the options ttft, "
         "tpot, itl, e2e, as in --goodput ttft:200ms";
}

static int goodput_report_run(void *instance)
{
  const Goodput *g = instance;
  uint32_t n_used = count_used(g);
  if (n_used > 0) {
    note_unused(g);
    return g->has_limits ? report_requests(g) : report_reports(g, n_used);
  }
  int status = g->host->no_metric(g->host, METRIC_GOODPUT, NULL, why_none(g));
  return status ? status : g->host->no_metric(g->host, METRIC_SHARE, NULL, why_none(g));
}

/* ---- the descriptor */

#define LIMIT(index, name, what)                                                              \
  MILL_OPTION(Options, limits[index], int64_t, MILL_OPT_DURATION, 0, name, "0", "0:", "ms|s", \
              "Limit of " what ", for example 200ms; 0: none")
static const MillOption options[] = {
  MILL_BY_OPTION(Options, by),
  LIMIT(TTFT, "ttft", "the time to first token"),
  LIMIT(TPOT, "tpot", "the time per output token"),
  LIMIT(ITL, "itl", "the mean gap between the tokens of a request"),
  LIMIT(E2E, "e2e", "the end-to-end latency"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_UNKNOWN,
      "{count} successful request[|s] [lacks|lack] a time that a limit needs (first in {lane})",
      "they do not count as good", "remove the limit on a latency that the benchmark did not save",
      "A request is good only if it is known to keep every limit. The benchmark did not save the "
      "time to first token, the gaps or the end-to-end latency of these requests."),
  MILL_WARNING(NOTICE_NO_REQUESTS, "{count} run[|s] [has|have] no records of [its|their] requests",
               "goodput leaves [it|them] out",
               "save the requests of every run (--save-detailed, --output-details, or the like)",
               "Only records of each request show whether requests keep the limits."),
  MILL_WARNING(NOTICE_NO_GOODPUT, "{count} run[|s] [reports|report] no goodput, while others do",
               "goodput leaves [it|them] out", "give limits: --goodput ttft:200ms and the like",
               "Without limits, goodput comes from the result files. They report it only if the "
               "benchmark had limits."),
  MILL_WARNING(NOTICE_REFUSED,
               "{count} run[|s] [is|are] of a phase that serves no requests (first: {lane})",
               "the table leaves them out, and metrics do not apply",
               "give only runs of the phases inference and serving",
               "The workload card, or the tag phase, gives the phase of a run."),
  MILL_WARNING(NOTICE_TINY, "{count} run[|s] [has|have] a limit of less than 1 us: {limits}",
               "no request of a real server keeps it", "check its unit: 150ms, 0.15s",
               "Latencies of serving are milliseconds and more."),
};

#define ANY MILL_KIND(MILL_RECORD)
static const MillRead reads[] = {
  { "ok", MILL_AS_INT, ANY },
  { "ttft_ns", MILL_AS_INT, ANY },
  { "e2e_ns", MILL_AS_INT, ANY },
  { "tpot_ns", MILL_AS_INT, ANY },
  { "gap_ns", MILL_AS_INT, ANY },
  { "output_tokens", MILL_AS_INT, ANY },
  { "detailed", MILL_AS_INT, ANY },
  { "duration_ns", MILL_AS_INT, ANY },
  { "request_goodput", MILL_AS_REAL, ANY },
};

static const MillColumn columns[] = {
  MILL_COLUMN(GoodputRow, good, "good", "count", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Requests that keep every limit"),
  MILL_BRIEF(GoodputRow, requests, "requests", "count", "All requests, failed ones too"),
  MILL_COLUMN(GoodputRow, share, "share", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Share of good requests"),
  MILL_COLUMN(GoodputRow, rate, "rate", "req/s", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Good requests over the sum of durations"),
  MILL_BRIEF(GoodputRow, basis, "basis", NULL,
             "exact: from requests; reported: by the result files"),
  MILL_BRIEF(GoodputRow, limits, "limits", NULL, "Limits that were given"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_RUN,
    .brief_rows = 8,
    .name = "goodput",
    .help = "Requests that keep the limits, over all runs",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  [METRIC_GOODPUT] = { .per = MILL_PER_RUN,
                       .better = MILL_HIGHER,
                       .kind = MILL_REAL,
                       .name = "goodput",
                       .unit = "req/s",
                       .help = "Number of requests that keep every limit, divided by the sum of "
                               "durations; without limits the goodput that result files report, "
                               "weighted by duration",
                       .headline = MILL_HEADLINE_VALUE },
  [METRIC_SHARE] = { .per = MILL_PER_RUN,
                     .better = MILL_HIGHER,
                     .kind = MILL_REAL,
                     .name = "goodput_share",
                     .unit = "percent",
                     .help = "Share of requests that keep every limit in all requests, failed ones "
                             "included" },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.goodput", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = goodput_open,
  .process = goodput_process,
  .flush = goodput_flush,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = goodput_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "goodput",
  .family = "serve",
  .version = "1.0.0",
  .tag = "GOOD",
  .title = "Requests per second that keep their limits",
  .help = "Counts the requests that keep every given limit on their latencies, as a rate and as a "
          "share of all requests. Without limits, it uses the goodput that result files report.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
