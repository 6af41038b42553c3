/* Requests and tokens per second of benchmark runs: of each run, and over a group of runs.  The
 * mean gives every run the same weight and is added in lane order; pooled is amount over time, so
 * that long runs weigh more. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "base/num-digits.h"
#include "group.h"
#include "tokens.h"

enum { NOTICE_NOT_MEASURED = 1, NOTICE_NO_RATE, NOTICE_BAD_GPUS, NOTICE_CONTRADICTION };
enum { TABLE_GROUP, TABLE_RUNS, TABLE_TOKENS };
enum { METRIC_REQUEST, METRIC_OUTPUT, METRIC_TOTAL, N_METRICS };

typedef struct Options {
  MillList by;
} Options;

typedef struct Throughput {
  const MillStageHost *host;
  const MillHost *common;
  BenchKeys keys;
  BenchTotals requests; /* of the lane */
  Group runs;           /* a lane has at most one */
  Tokens tokens;
} Throughput;

static int throughput_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  (void)options;
  Throughput *t = instance_new(Throughput, host, out_instance);
  if (!t) return -MILL_LIMIT;
  t->runs.common = host->common;
  bench_keys(&t->keys, t->common);
  tokens_open(&t->tokens, t->common);
  return 0;
}

/* ---- one run */

/* A tag that is a number above 0; 0: it is there and is none.  Without it: absent. */
static int64_t count_tag(const Throughput *t, const char *name, int64_t absent)
{
  int64_t n;
  const char *tag = t->common->tag(t->common, MILL_NO_LANE, name);
  if (!tag) return absent;
  return digits_read(tag, strlen(tag), &n) && n > 0 && n < INT32_MAX ? n : 0;
}

/* Ranks of a server are GPUs.  With several data-parallel ones a server has as many times more, or just these, if only
 * its attention is so: then nobody knows. */
static int64_t gpus_of_server(const Throughput *t)
{
  if (count_tag(t, "dp", 1) != 1) return 0;
  return count_tag(t, "tp", 0) * count_tag(t, "pp", 1);
}

/* The tag wins: it may come from the command line or the card. */
static void take_gpus(Throughput *t, BenchFigures *f, const MillBatch *b, uint32_t i)
{
  int64_t gpus;
  const char *tag = t->common->tag(t->common, MILL_NO_LANE, "gpus");
  int64_t ranks = tag || f->gpus > 0 ? 0 : gpus_of_server(t);
  if (ranks > 0) f->gpus = ranks;
  if (!tag) return;
  if (digits_read(tag, strlen(tag), &gpus) && gpus > 0) {
    f->gpus = gpus;
    return;
  }
  const MillNamed values[] = { { "gpus", mill_text(tag, strlen(tag)) } };
  t->common->note(t->common, NOTICE_BAD_GPUS, b, i, values, 1);
}

static void check_run(const Throughput *t, const BenchFigures *f, const MillBatch *b, uint32_t i,
                      const BenchRun *run)
{
  BenchOdd odd;
  if (!bench_contradicts_itself(&odd, f, &t->keys, b, &b->events[i], run)) return;
  const MillNamed values[] = { { "name", mill_text(odd.name, strlen(odd.name)) },
                               { "reported", mill_real(odd.reported) },
                               { "computed", mill_real(odd.computed) } };
  t->common->note(t->common, NOTICE_CONTRADICTION, b, i, values, 3);
}

static int end_run(Throughput *t, const MillBatch *b, uint32_t i, const BenchRun *run)
{
  BenchFigures *f = group_new_run(&t->runs);
  if (!f) return -MILL_LIMIT;
  bench_figures(f, &t->keys, b, &b->events[i], run, &t->requests);
  t->requests = (BenchTotals){ 0 };
  check_run(t, f, b, i, run);
  take_gpus(t, f, b, i);
  tokens_end_run(&t->tokens, f, run);
  if (!f->measured)
    t->common->note(t->common, NOTICE_NOT_MEASURED, b, i, NULL, 0);
  else if (!f->rates[BENCH_REQUESTS_PER_S].reported || !f->rates[BENCH_OUTPUT_PER_S].reported)
    t->common->note(t->common, NOTICE_NO_RATE, b, i, NULL, 0);
  return 0;
}

static int throughput_process(void *instance, MillBatch *b)
{
  Throughput *t = instance;
  BenchRequest request;
  BenchRun run;
  for (uint32_t i = 0; i < b->n_events; i++) {
    BenchKind kind = bench_read(&t->keys, b, &b->events[i], &request, &run);
    if (kind == BENCH_REQUEST) bench_totals_add(&t->requests, &request);
    if (kind == BENCH_REQUEST && !tokens_add_request(&t->tokens, &request)) return -MILL_LIMIT;
    int status = kind == BENCH_RUN ? end_run(t, b, i, &run) : 0;
    if (status < 0) return status;
  }
  return 0;
}

/* ---- saved state */

static const StateField throughput_fields[] = {
  STATE_PART(Throughput, runs, group_state),
  STATE_PART(Throughput, tokens, tokens_state),
};
static const StateType throughput_state = STATE_TYPE(Throughput, throughput_fields);
STATE_RESULT(Throughput, throughput_state)

/* ---- a group of runs */

static double mean_or_none(Series s) { return s.n ? s.mean : (double)NAN; }

typedef struct GroupRow {
  int64_t runs;
  double request_throughput, input_throughput, output_throughput, total_throughput, output_per_gpu,
      total_per_gpu, output_per_user, request_pooled, output_pooled, total_pooled;
  int64_t duration_ns, completed, failed;
} GroupRow;

static int write_group(const Throughput *t)
{
  uint64_t n;
  const GroupRow row = {
    .runs = (int64_t)t->runs.n,
    .request_throughput = mean_or_none(group_rates(&t->runs, BENCH_REQUESTS_PER_S)),
    .input_throughput = mean_or_none(group_rates(&t->runs, BENCH_INPUT_PER_S)),
    .output_throughput = mean_or_none(group_rates(&t->runs, BENCH_OUTPUT_PER_S)),
    .total_throughput = mean_or_none(group_rates(&t->runs, BENCH_TOTAL_PER_S)),
    .output_per_gpu = mean_or_none(group_rates_per_gpu(&t->runs, BENCH_OUTPUT_PER_S)),
    .total_per_gpu = mean_or_none(group_rates_per_gpu(&t->runs, BENCH_TOTAL_PER_S)),
    .output_per_user = mean_or_none(group_user_rates(&t->runs)),
    .request_pooled = group_pooled(&t->runs, BENCH_REQUESTS_PER_S, &n),
    .output_pooled = group_pooled(&t->runs, BENCH_OUTPUT_PER_S, &n),
    .total_pooled = group_pooled(&t->runs, BENCH_TOTAL_PER_S, &n),
    .duration_ns = group_sum(&t->runs, offsetof(BenchFigures, duration_ns)),
    .completed = group_sum(&t->runs, offsetof(BenchFigures, completed)),
    .failed = group_sum(&t->runs, offsetof(BenchFigures, failed)),
  };
  return mill_row(t->host, TABLE_GROUP, &row);
}

static const char *why_none(const Throughput *t)
{
  if (t->runs.n == 0) return "there is no benchmark result";
  for (size_t i = 0; i < t->runs.n; i++)
    if (t->runs.items[i].measured)
      return "no result reports it, and none has the totals and the duration to compute it";
  return "no request completed in any run";
}

static int write_means(const Throughput *t, uint32_t metric, Series s)
{
  static const char *const stats[] = { "mean", "sum", "min", "max", "std", "n" };
  const MillValue values[] = { mill_real(s.mean), mill_real(s.sum), mill_real(s.min),
                               mill_real(s.max),  mill_real(s.std), mill_int((int64_t)s.n) };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(stats) && status == 0; i++) {
    bool is_number = values[i].type == MILL_INT || isfinite(values[i].u.r);
    if (s.n && is_number)
      status = t->host->metric(t->host, metric, stats[i], values[i], s.n);
    else
      status = t->host->no_metric(t->host, metric, stats[i],
                                  s.n ? "the rates are too large to be added" : why_none(t));
  }
  return status;
}

static int write_metric(const Throughput *t, uint32_t metric)
{
  static const uint32_t rates[N_METRICS] = { BENCH_REQUESTS_PER_S, BENCH_OUTPUT_PER_S,
                                             BENCH_TOTAL_PER_S };
  uint64_t n;
  int status = write_means(t, metric, group_rates(&t->runs, rates[metric]));
  double over_all = group_pooled(&t->runs, rates[metric], &n);
  if (status < 0) return status;
  if (isfinite(over_all)) return t->host->metric(t->host, metric, "pooled", mill_real(over_all), n);
  return t->host->no_metric(t->host, metric, "pooled",
                            t->runs.n ? "no result has both the totals and the duration"
                                      : why_none(t));
}

/* ---- a run */

static const char *basis_of(const BenchFigures *f)
{
  if (f->rates[BENCH_REQUESTS_PER_S].reported || f->rates[BENCH_OUTPUT_PER_S].reported)
    return "reported";
  bool has_rate = isfinite(f->rates[BENCH_REQUESTS_PER_S].per_s) ||
                  isfinite(f->rates[BENCH_OUTPUT_PER_S].per_s);
  return has_rate ? "computed" : "none";
}

static int64_t all_requests(const BenchFigures *f)
{
  int64_t failed = f->failed == BENCH_NONE ? 0 : f->failed, all;
  if (f->completed == BENCH_NONE || __builtin_add_overflow(f->completed, failed, &all))
    return MILL_NO_INT;
  return all;
}

typedef struct RunRow {
  int64_t requests, completed, failed, duration_ns;
  double request_throughput, input_throughput, output_throughput, total_throughput;
  int64_t gpus;
  double output_per_gpu, total_per_gpu, concurrency, output_per_user, ttft_mean_ms, tpot_mean_ms,
      e2e_mean_ms;
  const char *basis;
} RunRow;

static int write_run(const Throughput *t, const BenchFigures *f)
{
  const char *basis = basis_of(f);
  const RunRow row = {
    .requests = all_requests(f),
    .completed = f->completed,
    .failed = f->failed,
    .duration_ns = f->duration_ns,
    .request_throughput = f->rates[BENCH_REQUESTS_PER_S].per_s,
    .input_throughput = f->rates[BENCH_INPUT_PER_S].per_s,
    .output_throughput = f->rates[BENCH_OUTPUT_PER_S].per_s,
    .total_throughput = f->rates[BENCH_TOTAL_PER_S].per_s,
    .gpus = f->gpus,
    .output_per_gpu = bench_per_gpu(f, BENCH_OUTPUT_PER_S),
    .total_per_gpu = bench_per_gpu(f, BENCH_TOTAL_PER_S),
    .concurrency = f->concurrency,
    .output_per_user = f->user_per_s,
    .ttft_mean_ms = f->ttft_ms,
    .tpot_mean_ms = f->tpot_ms,
    .e2e_mean_ms = f->e2e_ms,
    .basis = basis,
  };
  return mill_row(t->host, TABLE_RUNS, &row);
}

static int throughput_report(void *instance)
{
  const Throughput *t = instance;
  int status = 0;
  for (size_t i = 0; i < t->runs.n && status == 0; i++) status = write_run(t, &t->runs.items[i]);
  return status;
}

static int throughput_report_run(void *instance)
{
  Throughput *t = instance;
  int status = t->runs.n > 0 ? write_group(t) : 0;
  if (status == 0) status = tokens_report(&t->tokens, t->host, TABLE_TOKENS);
  for (uint32_t metric = 0; metric < N_METRICS && status == 0; metric++)
    status = write_metric(t, metric);
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = { MILL_BY_OPTION(Options, by) };

static const MillRead reads[] = {
  RECORD_INT("ok"),
  RECORD_INT("start_ns"),
  RECORD_INT("ttft_ns"),
  RECORD_INT("tpot_ns"),
  RECORD_INT("e2e_ns"),
  RECORD_INT("input_tokens"),
  RECORD_INT("output_tokens"),
  RECORD_INT("completed"),
  RECORD_INT("failed"),
  RECORD_INT("duration_ns"),
  RECORD_INT("gpus"),
  RECORD_INT("detailed"),
  RECORD_REAL("request_throughput"),
  RECORD_REAL("input_throughput"),
  RECORD_REAL("output_throughput"),
  RECORD_REAL("total_throughput"),
  RECORD_REAL("user_throughput"),
  RECORD_REAL("concurrency"),
  RECORD_REAL("accept_length"),
  { "stat_name", MILL_AS_ANY, MILL_KIND(MILL_RECORD) },
  RECORD_REAL("stat_value"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOT_MEASURED,
            "{count} benchmark run[|s] completed no request, the first of them {lane}",
            "[its|their] rates are left out of every mean", NULL,
            "A producer writes rates of 0 if no request completed. This is not a measurement, and "
            "means would be too low. The table `runs` lists these runs without rates."),
  MILL_INFO(NOTICE_NO_RATE,
            "{count} benchmark run[|s] [does|do] not report request or output throughput, the "
            "first of them {lane}",
            "means leave [it|them] out if other runs report it; else it is computed", NULL,
            "request_throughput and output_throughput are means of the values in the files. Only "
            "if no file of a group has the value, it is computed from totals and duration."),
  MILL_WARNING(
      NOTICE_BAD_GPUS,
      "{count} run[|s] [has|have] a tag gpus that is not a number above 0, the first \"{gpus}\"",
      "the number in the result is used, if there is one", "give the number of GPUs: gpus=8:PATH",
      "Rates per GPU need the number of GPUs, from the command line, a workload card or the "
      "result."),
  MILL_WARNING(
      NOTICE_CONTRADICTION,
      "{count} benchmark run[|s] report[s|] a value that [its|their] own data contradicts: "
      "{reported} {name} is {computed} by the data (first: {lane})",
      "rates are those reported, latencies those of the requests",
      "check the file: units, and whether it was edited or put together from several runs",
      "Rates are compared with completed requests and tokens over the duration, and the means of "
      "ttft, tpot and e2e with those of the requests. A difference of up to 5 % counts as "
      "rounding."),
};

static const MillColumn group_columns[] = {
  MILL_BRIEF(GroupRow, runs, "runs", "count", "Number of benchmark runs"),
  MILL_COLUMN(GroupRow, request_throughput, "request_throughput", "req/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Completed requests per second, mean over runs"),
  MILL_COLUMN(GroupRow, input_throughput, "input_throughput", "tok/s", MILL_COLUMN_HIGHER,
              "Input tokens per second, mean over runs"),
  MILL_COLUMN(GroupRow, output_throughput, "output_throughput", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Output tokens per second, mean over runs"),
  MILL_COLUMN(GroupRow, total_throughput, "total_throughput", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Input and output tokens per second, mean over runs"),
  MILL_COLUMN(GroupRow, output_per_gpu, "output_per_gpu", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Output tokens per second and GPU, mean over runs that know their GPUs"),
  MILL_COLUMN(GroupRow, total_per_gpu, "total_per_gpu", "tok/s", MILL_COLUMN_HIGHER,
              "Input and output tokens per second and GPU, mean over runs that know their GPUs"),
  MILL_COLUMN(GroupRow, output_per_user, "output_per_user", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Output tokens per second of one user, mean over runs"),
  MILL_COLUMN(GroupRow, request_pooled, "request_pooled", "req/s", MILL_COLUMN_HIGHER,
              "All requests over the sum of durations"),
  MILL_COLUMN(GroupRow, output_pooled, "output_pooled", "tok/s", MILL_COLUMN_HIGHER,
              "All output tokens over the sum of durations"),
  MILL_COLUMN(GroupRow, total_pooled, "total_pooled", "tok/s", MILL_COLUMN_HIGHER,
              "All tokens over the sum of durations"),
  MILL_COLUMN(GroupRow, duration_ns, "duration", "ns", 0, "Sum of the durations"),
  MILL_COLUMN(GroupRow, completed, "completed", "count", 0, "Completed requests of all runs"),
  MILL_COLUMN(GroupRow, failed, "failed", "count", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Failed requests of all runs"),
};
static const MillColumn run_columns[] = {
  MILL_COLUMN(RunRow, requests, "requests", "count", 0, "Requests, completed or failed"),
  MILL_BRIEF(RunRow, completed, "completed", "count", "Completed requests"),
  MILL_COLUMN(RunRow, failed, "failed", "count", MILL_COLUMN_LOWER, "Failed requests"),
  MILL_COLUMN(RunRow, duration_ns, "duration", "ns", 0, "Duration of the run"),
  MILL_COLUMN(RunRow, request_throughput, "request_throughput", "req/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Completed requests per second"),
  MILL_COLUMN(RunRow, input_throughput, "input_throughput", "tok/s", MILL_COLUMN_HIGHER,
              "Input tokens per second"),
  MILL_COLUMN(RunRow, output_throughput, "output_throughput", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Output tokens per second"),
  MILL_COLUMN(RunRow, total_throughput, "total_throughput", "tok/s", MILL_COLUMN_HIGHER,
              "Input and output tokens per second"),
  MILL_COLUMN(RunRow, gpus, "gpus", "count", 0, "GPUs that served"),
  MILL_COLUMN(RunRow, output_per_gpu, "output_per_gpu", "tok/s", MILL_COLUMN_HIGHER,
              "Output tokens per second and GPU"),
  MILL_COLUMN(RunRow, total_per_gpu, "total_per_gpu", "tok/s", MILL_COLUMN_HIGHER,
              "Input and output tokens per second and GPU"),
  MILL_COLUMN(RunRow, concurrency, "concurrency", "count", 0, "Requests in flight, on average"),
  MILL_COLUMN(
      RunRow, output_per_user, "output_per_user", "tok/s", MILL_COLUMN_HIGHER,
      "Output tokens per second of one user: as reported, else output_throughput over concurrency"),
  MILL_COLUMN(RunRow, ttft_mean_ms, "ttft_mean", "ms", MILL_COLUMN_LOWER,
              "Mean time to first token"),
  MILL_COLUMN(RunRow, tpot_mean_ms, "tpot_mean", "ms", MILL_COLUMN_LOWER,
              "Mean time per output token after the first"),
  MILL_COLUMN(RunRow, e2e_mean_ms, "e2e_mean", "ms", MILL_COLUMN_LOWER, "Mean end-to-end latency"),
  MILL_COLUMN(
      RunRow, basis, "basis", NULL, 0,
      "Origin of request and output throughput: reported, computed (from totals and duration) or "
      "none"),
};
static const MillColumn token_columns[] = {
  MILL_KEY_BRIEF(TokenRow, tokens, "tokens", NULL,
                 "input: tokens of a prompt; output: tokens of an answer; accept_length: tokens of "
                 "a step of speculative decoding, as runs report it"),
  MILL_BRIEF(TokenRow, n, "n", "count", "Number of completed requests; for accept_length, of runs"),
  MILL_BRIEF(TokenRow, mean, "mean", "count", "Mean number of tokens"),
  MILL_BRIEF(TokenRow, p50, "p50", "count", "Median, if all runs list their requests"),
  MILL_BRIEF(TokenRow, p99, "p99", "count", "99th percentile"),
  MILL_BRIEF(TokenRow, total, "total", "count", "Sum of the tokens"),
  MILL_COLUMN(TokenRow, method, "method", NULL, 0,
              "Method of percentiles: exact, or histogram (within 0.1 %)"),
};
static const MillTable tables[] = {
  [TABLE_GROUP] = { .per = MILL_PER_RUN,
                    .brief_rows = 20,
                    .name = "throughput",
                    .help = "Requests and tokens per second over all runs",
                    .columns = MILL_ROWS(group_columns) },
  [TABLE_RUNS] = { .per = MILL_PER_LANE,
                   .brief_rows = 10,
                   .name = "runs",
                   .help = "Requests and tokens per second of each run",
                   .columns = MILL_ROWS(run_columns) },
  [TABLE_TOKENS] = { .per = MILL_PER_RUN,
                     .name = "tokens",
                     .help = "Lengths of prompts and answers in tokens, and their totals",
                     .columns = MILL_ROWS(token_columns) },
};

#define THROUGHPUT(name_, unit_, help_)                                                          \
  {                                                                                              \
    .per = MILL_PER_RUN, .better = MILL_HIGHER, .kind = MILL_REAL, .name = name_, .unit = unit_, \
    .stats = "mean,pooled,sum,min,max,std,n", .headline = "mean", .help = help_                  \
  }
static const MillMetric metrics[] = {
  [METRIC_REQUEST] =
      THROUGHPUT("request_throughput", "req/s",
                 "Completed requests per second: mean of what the runs report, each with the same "
                 "weight; pooled is all requests over the sum of durations"),
  [METRIC_OUTPUT] =
      THROUGHPUT("output_throughput", "tok/s",
                 "Output tokens per second: mean of what the runs report, each with the same "
                 "weight; pooled is all output tokens over the sum of durations"),
  [METRIC_TOTAL] =
      THROUGHPUT("total_throughput", "tok/s",
                 "Input and output tokens per second, as reported or else computed: mean over "
                 "runs, each with the same weight; pooled is all tokens over the sum of durations"),
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_PARETO,
    .name = "throughput-per-gpu-and-user",
    .title = "Output throughput per GPU against that of one user",
    .table = "runs",
    .x = "output_per_user",
    .y = "output_per_gpu",
    .series = "label",
    .annotation = "concurrency",
    .x_better = MILL_HIGHER,
    .y_better = MILL_HIGHER },
  { .kind = MILL_FIGURE_PARETO,
    .name = "throughput-and-latency",
    .title = "Output throughput against end-to-end latency",
    .table = "runs",
    .x = "e2e_mean",
    .y = "output_throughput",
    .series = "label",
    .annotation = "concurrency",
    .x_better = MILL_LOWER,
    .y_better = MILL_HIGHER },
  { .kind = MILL_FIGURE_BAR,
    .name = "throughput",
    .title = "Output throughput of each run",
    .table = "runs",
    .x = "rank",
    .y = "output_throughput",
    .series = "label" },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.throughput", "table.runs", "table.tokens", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = throughput_open,
  .process = throughput_process,
  .report = throughput_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = throughput_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "throughput",
  .family = "serve",
  .version = "1.0.0",
  .tag = "TPUT",
  .title = "Requests and tokens per second of serving benchmarks",
  .help = "Request, input, output and total throughput of each run and over runs, per GPU and per "
          "user.  Uses the values that a result reports, and computes the others from its totals "
          "and its duration.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
