/* Single requests of benchmark runs: the worst of each run, or all; how many failed, and why.
 * Memory: the rows that are shown, and at most some thousand kinds of errors. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kinds.h"
#include "worst.h"

enum { NOTICE_MANY_FAILED = 1, NOTICE_OTHER_KINDS, NOTICE_NO_DETAILS };
enum { TABLE_REQUESTS, TABLE_ERRORS };
enum { METRIC_FAILED, METRIC_SHARE };
enum { BY_TTFT, BY_TPOT, BY_E2E, BY_ITL };

#define MOST_KINDS 100u
#define MANY_FAILED_PERCENT 5
#define NO_OUTPUT "no output"
#define UNKNOWN "unknown"

typedef struct Options {
  int64_t worst, rank_by;
  bool all;
  MillList by;
} Options;

typedef struct Requests {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  BenchKeys keys;
  bool has_current; /* a request that may get more gaps */
  Row current;
  int64_t gaps;
  __int128 gaps_ns; /* their sum */
  char *error;      /* of the current request */
  size_t error_len;
  Worst worst;
  int64_t first_ns;     /* start of the first request; BENCH_NONE: none known */
  int64_t seen, broken; /* requests with a record, and those that failed */
  int64_t all, failed;  /* of runs that say how many failed */
  bool has_run, is_known;
  Kinds kinds;
} Requests;

static int requests_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Requests *r = instance_new(Requests, host, out_instance);
  if (!r) return -MILL_LIMIT;
  r->worst.common = r->kinds.common = host->common;
  r->options = *(const Options *)options;
  r->worst.bound = r->options.all ? WORST_NO_BOUND : (uint64_t)r->options.worst;
  r->first_ns = BENCH_NONE;
  bench_keys(&r->keys, r->common);
  return 0;
}

/* ---- one request */

static bool keep_error(Requests *r, const BenchRequest *q)
{
  r->error_len = q->error ? q->error_len : 0;
  if (r->error_len == 0) return true;
  char *copy = r->common->resize(r->common, r->error, r->error_len);
  if (!copy) return false;
  r->error = copy;
  memcpy(copy, q->error, r->error_len);
  return true;
}

static bool count_error(Requests *r, const BenchRequest *q)
{
  size_t len = 0;
  const char *kind = q->error ? kind_of_error(q->error, q->error_len, &len) : NULL;
  r->broken++;
  if (len == 0) return kinds_add(&r->kinds, NO_OUTPUT, strlen(NO_OUTPUT), 1);
  return kinds_add(&r->kinds, kind, len, 1);
}

static int begin_request(Requests *r, const BenchRequest *q, const MillEvent *e)
{
  r->current = (Row){ .index = (int64_t)e->id,
                      .start_ns = q->start_ns,
                      .ttft_ns = q->ttft_ns,
                      .e2e_ns = q->e2e_ns,
                      .itl_max_ns = BENCH_NONE,
                      .input_tokens = q->input_tokens,
                      .output_tokens = q->output_tokens,
                      .tpot_ns = (double)NAN,
                      .ok = q->ok };
  bench_tpot_ns(q, &r->current.tpot_ns);
  r->has_current = true;
  r->gaps = r->gaps_ns = 0;
  r->seen++;
  if (q->start_ns != BENCH_NONE && (r->first_ns == BENCH_NONE || q->start_ns < r->first_ns))
    r->first_ns = q->start_ns;
  if (!keep_error(r, q) || (!q->ok && !count_error(r, q))) return -MILL_LIMIT;
  return 0;
}

static void add_gaps(Requests *r, const MillBatch *b, const MillEvent *e)
{
  uint32_t at = 0;
  int64_t gap_ns;
  while (r->has_current && bench_next_int(b, e, r->keys.gap_ns, &at, &gap_ns)) {
    if (gap_ns > r->current.itl_max_ns) r->current.itl_max_ns = gap_ns;
    r->gaps_ns += gap_ns;
    r->gaps++;
  }
}

static double real_of(int64_t v) { return v == BENCH_NONE ? (double)NAN : (double)v; }

static double rank_value(const Requests *r)
{
  switch (r->options.rank_by) {
  case BY_TTFT: return real_of(r->current.ttft_ns);
  case BY_TPOT: return r->current.tpot_ns;
  case BY_E2E: return real_of(r->current.e2e_ns);
  default: return real_of(r->current.itl_max_ns);
  }
}

static int end_request(Requests *r)
{
  if (!r->has_current) return 0;
  r->has_current = false;
  r->current.itl_mean_ns = r->gaps ? (double)r->gaps_ns / (double)r->gaps : (double)NAN;
  r->current.rank_by = rank_value(r);
  return worst_offer(&r->worst, &r->current, r->error, r->error_len) ? 0 : -MILL_LIMIT;
}

/* ---- the run */

/* Errors that the producer summed up; what is left of `failed` has no name. */
static bool add_reported_errors(Requests *r, const MillBatch *b, const MillEvent *e,
                                const BenchRun *run, int64_t *out_sum)
{
  uint32_t at_kind = 0, at_count = 0;
  size_t len;
  int64_t count;
  const char *kind;
  *out_sum = 0;
  while ((kind = bench_next_text(&r->keys, b, e, r->keys.error_kind, &at_kind, &len)) &&
         bench_next_int(b, e, r->keys.error_count, &at_count, &count)) {
    kind = kind_of_error(kind, len, &len);
    if (!kinds_add(&r->kinds, len ? kind : UNKNOWN, len ? len : strlen(UNKNOWN), count))
      return false;
    *out_sum += count;
  }
  if (run->failed == BENCH_NONE || run->failed <= *out_sum) return true;
  return kinds_add(&r->kinds, UNKNOWN, strlen(UNKNOWN), run->failed - *out_sum);
}

static int take_totals(Requests *r, const MillBatch *b, const MillEvent *e, const BenchRun *run)
{
  int64_t reported = 0;
  if (!add_reported_errors(r, b, e, run, &reported)) return -MILL_LIMIT;
  r->is_known = run->completed != BENCH_NONE && (run->failed != BENCH_NONE || reported > 0);
  if (!r->is_known) return 0;
  r->failed = run->failed != BENCH_NONE ? run->failed : reported;
  if (__builtin_add_overflow(run->completed, r->failed, &r->all)) r->all = INT64_MAX;
  return 0;
}

static void warn_of_many(const Requests *r, const MillBatch *b, uint32_t i)
{
  if (!r->is_known || (__int128)r->failed * 100 <= (__int128)r->all * MANY_FAILED_PERCENT) return;
  double share = rint((double)r->failed / (double)r->all * 1000) / 10;
  const MillNamed values[] = { { "failed", mill_int(r->failed) },
                               { "total", mill_int(r->all) },
                               { "share", mill_real(share) } };
  r->common->note(r->common, NOTICE_MANY_FAILED, b, i, values, MILL_COUNT(values));
}

static int end_run(Requests *r, const MillBatch *b, uint32_t i, const BenchRun *run)
{
  int status = end_request(r);
  r->has_run = true;
  if (run->detailed) {
    r->all = r->seen;
    r->failed = r->broken;
    r->is_known = true;
  } else {
    r->common->note(r->common, NOTICE_NO_DETAILS, b, i, NULL, 0);
    kinds_clear(&r->kinds);
    if (status == 0) status = take_totals(r, b, &b->events[i], run);
  }
  warn_of_many(r, b, i);
  return status;
}

static int requests_process(void *instance, MillBatch *b)
{
  Requests *r = instance;
  BenchRequest request;
  BenchRun run;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    BenchKind kind = bench_read(&r->keys, b, e, &request, &run);
    if (kind == BENCH_REQUEST) status = end_request(r);
    if (kind == BENCH_REQUEST && status == 0) status = begin_request(r, &request, e);
    if (kind == BENCH_REQUEST || kind == BENCH_MORE_GAPS) add_gaps(r, b, e);
    if (kind == BENCH_RUN && status == 0) status = end_run(r, b, i, &run);
  }
  return status;
}

/* A lane without bench.run was cut short: what is there counts. */
static int requests_flush(void *instance, MillBatch *b)
{
  Requests *r = instance;
  (void)b;
  if (!r->has_run && r->seen > 0) {
    r->all = r->seen;
    r->failed = r->broken;
    r->is_known = true;
  }
  return end_request(r);
}

/* ---- saved state */

static const StateField requests_fields[] = {
  STATE_MOST(Requests, is_known),
  STATE_SUM(Requests, all),
  STATE_SUM(Requests, failed),
  STATE_PART(Requests, kinds, kinds_state),
};
static const StateType requests_state = STATE_TYPE(Requests, requests_fields);
STATE_RESULT(Requests, requests_state)

/* ---- results */

typedef struct RequestRow {
  int64_t place, request, start_ns, ttft_ns;
  double tpot_ns;
  int64_t e2e_ns;
  double itl_mean_ns;
  int64_t itl_max_ns, input_tokens, output_tokens;
  bool ok;
  const char *error;
} RequestRow;

static int write_request(const Requests *r, const Row *row, uint64_t place)
{
  bool has_start = row->start_ns != BENCH_NONE;
  const RequestRow cells = {
    .place = place ? (int64_t)place : MILL_NO_INT,
    .request = row->index,
    .start_ns = has_start ? row->start_ns - r->first_ns : MILL_NO_INT,
    .ttft_ns = row->ttft_ns,
    .tpot_ns = row->tpot_ns,
    .e2e_ns = row->e2e_ns,
    .itl_mean_ns = row->itl_mean_ns,
    .itl_max_ns = row->itl_max_ns,
    .input_tokens = row->input_tokens,
    .output_tokens = row->output_tokens,
    .ok = row->ok,
    .error = row->error ? row->error : NULL,
  };
  return mill_row(r->host, TABLE_REQUESTS, &cells);
}

static int requests_report(void *instance)
{
  Requests *r = instance;
  int status = 0;
  worst_sort(&r->worst);
  for (uint64_t i = 0; i < r->worst.n && status == 0; i++)
    status = write_request(r, &r->worst.rows[i], r->options.all ? 0 : i + 1);
  return status;
}

static double percent_of_all(const Requests *r, int64_t count)
{
  return r->is_known && r->all > 0 ? (double)count / (double)r->all * 100 : (double)NAN;
}

typedef struct ErrorRow {
  MillText error;
  int64_t requests;
  double share;
} ErrorRow;

static int write_kind(const Requests *r, MillText error, int64_t count)
{
  const ErrorRow row = {
    .error = error,
    .requests = count,
    .share = percent_of_all(r, count),
  };
  return mill_row(r->host, TABLE_ERRORS, &row);
}

static int write_errors(Requests *r)
{
  Kinds *k = &r->kinds;
  int status = 0;
  if (k->n > MOST_KINDS)
    r->common->note(r->common, NOTICE_OTHER_KINDS, NULL, MILL_NO_EVENT, NULL, 0);
  kinds_reduce(k, MOST_KINDS);
  for (uint32_t i = 0; i < k->n && status == 0; i++)
    status = write_kind(r, k->items[i].text, k->items[i].count);
  if (k->other > 0 && status == 0)
    status = write_kind(r, (MillText){ KINDS_OTHER, strlen(KINDS_OTHER) }, k->other);
  return status;
}

static int write_metrics(const Requests *r)
{
  const MillStageHost *host = r->host;
  static const char why[] = "no result lists its requests or says how many failed";
  double share = percent_of_all(r, r->failed);
  int status = r->is_known
                   ? host->metric(host, METRIC_FAILED, NULL, mill_int(r->failed), (uint64_t)r->all)
                   : host->no_metric(host, METRIC_FAILED, NULL, why);
  if (status < 0) return status;
  if (isfinite(share))
    return host->metric(host, METRIC_SHARE, NULL, mill_real(share), (uint64_t)r->all);
  return host->no_metric(host, METRIC_SHARE, NULL, r->is_known ? "there are no requests" : why);
}

static int requests_report_run(void *instance)
{
  Requests *r = instance;
  int status = write_errors(r);
  return status == 0 ? write_metrics(r) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, worst, "worst", "20", "0:1000000", "count",
                  "Number of the worst requests of each run to show"),
  MILL_CHOICE_OPTION(Options, rank_by, "rank-by", "ttft", "ttft|tpot|e2e|itl",
                     "Latency by which requests are ranked; itl is the longest gap between tokens"),
  MILL_BOOL_OPTION(Options, all, "all", "false",
                   "Show every request, in order; memory grows with their number"),
  MILL_BY_OPTION(Options, by),
};

static const MillRead reads[] = {
  RECORD_INT("ok"),
  RECORD_TEXT("error"),
  RECORD_INT("start_ns"),
  RECORD_INT("ttft_ns"),
  RECORD_INT("tpot_ns"),
  RECORD_INT("e2e_ns"),
  RECORD_INT("gap_ns"),
  RECORD_INT("input_tokens"),
  RECORD_INT("output_tokens"),
  RECORD_INT("completed"),
  RECORD_INT("failed"),
  RECORD_INT("detailed"),
  { "error_kind", MILL_AS_ANY, MILL_KIND(MILL_RECORD) },
  RECORD_INT("error_count"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_MANY_FAILED,
               "{count} run[|s] [has|have] more than 5 % failed requests, the first of them "
               "{lane}: {failed} of {total} ({share} %)",
               "latencies and rates cover only the successful requests",
               "see the table request-errors",
               "A server that drops some of its load looks faster than it is: failed requests have "
               "no latency, and the others share the server with fewer requests."),
  MILL_INFO(NOTICE_OTHER_KINDS, "there are more than 100 kinds of errors",
            "the rarer ones are counted as `other`", NULL,
            "A kind is the last line of a Python traceback, else the first line of the error. "
            "Errors with numbers or addresses make many kinds."),
  MILL_INFO(NOTICE_NO_DETAILS,
            "{count} run[|s] [does|do] not list [its|their] requests, the first of them {lane}",
            "the table requests leaves [it|them] out; failures are as reported",
            "let the benchmark save details, for example with --save-detailed or --output-details",
            "Single requests are known only if the producer wrote them."),
};

static const MillColumn request_columns[] = {
  MILL_COLUMN(RequestRow, place, "place", NULL, 0, "1 is the worst; empty with all=true"),
  MILL_KEY_BRIEF(RequestRow, request, "request", NULL, "Index of the request in its run, from 0"),
  MILL_COLUMN(RequestRow, start_ns, "start", "ns", 0,
              "Start, from that of the run's first request"),
  MILL_COLUMN(RequestRow, ttft_ns, "ttft", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Time to first token"),
  MILL_COLUMN(RequestRow, tpot_ns, "tpot", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Time per output token after the first"),
  MILL_COLUMN(RequestRow, e2e_ns, "e2e", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "End-to-end latency"),
  MILL_COLUMN(RequestRow, itl_mean_ns, "itl_mean", "ns", MILL_COLUMN_LOWER,
              "Mean gap between tokens"),
  MILL_COLUMN(RequestRow, itl_max_ns, "itl_max", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Longest gap between tokens"),
  MILL_BRIEF(RequestRow, input_tokens, "input_tokens", "count", "Tokens of the prompt"),
  MILL_BRIEF(RequestRow, output_tokens, "output_tokens", "count", "Tokens of the answer"),
  MILL_COLUMN(RequestRow, ok, "ok", NULL, 0, "Whether it has output and no error"),
  MILL_COLUMN(RequestRow, error, "error", NULL, 0, "The error, cut after 400 bytes"),
};
static const MillColumn error_columns[] = {
  MILL_KEY_BRIEF(
      ErrorRow, error, "error", NULL,
      "Last line of a Python traceback, else first line of the error; `other`: rarer kinds "
      "together"),
  MILL_COLUMN(ErrorRow, requests, "requests", "count", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Failed requests"),
  MILL_COLUMN(ErrorRow, share, "share", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Share of all requests, failed or not"),
};
static const MillTable tables[] = {
  [TABLE_REQUESTS] = { .per = MILL_PER_LANE,
                       .brief_rows = 5,
                       .name = "requests",
                       .help = "The worst requests of each run, or all",
                       .order = "place",
                       .columns = MILL_ROWS(request_columns) },
  [TABLE_ERRORS] = { .per = MILL_PER_RUN,
                     .brief_rows = 5,
                     .name = "request-errors",
                     .help = "Why requests failed, over all runs",
                     .order = "-requests,error",
                     .columns = MILL_ROWS(error_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_FAILED] = { .per = MILL_PER_RUN,
                      .better = MILL_LOWER,
                      .kind = MILL_INT,
                      .name = "failed_requests",
                      .unit = "count",
                      .help = "Requests that have an error or no output, over all runs" },
  [METRIC_SHARE] = { .per = MILL_PER_RUN,
                     .better = MILL_LOWER,
                     .kind = MILL_REAL,
                     .name = "failed_share",
                     .unit = "percent",
                     .help = "Failed requests of all requests" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_SCATTER,
    .name = "ttft-and-input",
    .title = "Time to first token against the length of the prompt",
    .table = "requests",
    .x = "input_tokens",
    .y = "ttft",
    .series = "rank" },
  { .kind = MILL_FIGURE_BAR,
    .name = "request-errors",
    .title = "Why requests failed",
    .table = "request-errors",
    .x = "error",
    .y = "requests" },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.requests", "table.request-errors", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = requests_open,
  .process = requests_process,
  .flush = requests_flush,
  .report = requests_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = requests_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "requests",
  .family = "serve",
  .version = "1.0.0",
  .tag = "REQ",
  .title = "Requests of serving benchmarks, and why some failed",
  .help = "Lists the worst requests of each run by a latency of your choice, or all of them, and "
          "counts failed requests by the kind of error.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
