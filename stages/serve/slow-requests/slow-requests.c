/* How much slower the slowest requests of a run are than usual ones, and what they have in common.  Memory: 80 bytes for
 * each request that succeeded. */
/* SPDX-License-Identifier: MIT */
#include "slow-requests.h"

#include <math.h>

#include "kit/declare/rows.h"
#include "kit/numbers/hist.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"

const char *const tail_latencies[N_LATENCIES] = { "ttft", "tpot" };

static const char *input_name(const MillHost *common)
{
  MillLane lane = { .size = sizeof lane };
  const char *input = common->tag(common, MILL_NO_LANE, "input");
  common->lane(common, MILL_NO_LANE, &lane);
  return input ? input : lane.name;
}

static int tail_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Tail *t = instance_new(Tail, host, out_instance);
  if (!t) return -MILL_LIMIT;
  t->options = *(const Options *)options;
  bench_keys(&t->keys, t->common);
  t->result = input_name(t->common);
  return 0;
}

/* ---- requests */

/* What the latency of a request adds to its time: that to the first token, or all the rest. */
static void take_times(Asked *a, const BenchRequest *r)
{
  int64_t tpot_ns;
  const bool has_all = r->e2e_ns != BENCH_NONE && r->ttft_ns != BENCH_NONE;
  a->latency_ns[TTFT] = a->time_ns[TTFT] = r->ttft_ns;
  a->latency_ns[TPOT] = a->time_ns[TPOT] = BENCH_NONE;
  if (!has_all || !bench_whole_tpot_ns(r, &tpot_ns)) return;
  a->latency_ns[TPOT] = tpot_ns;
  a->time_ns[TPOT] = interval_span(r->ttft_ns, r->e2e_ns);
}

static bool take_request(Tail *t, const BenchRequest *r)
{
  if (!r->ok) return true;
  if (!array_reserve(t->common, &t->items, &t->capacity, t->n + 1, sizeof *t->items)) return false;
  Asked *a = &t->items[t->n++];
  *a = (Asked){ .start_ns = r->start_ns,
                .e2e_ns = r->e2e_ns,
                .by = { r->input_tokens, BENCH_NONE, BENCH_NONE } };
  take_times(a, r);
  return true;
}

static int tail_process(void *instance, MillBatch *b)
{
  Tail *t = instance;
  BenchRequest request;
  BenchRun run;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const BenchKind kind = bench_read(&t->keys, b, &b->events[i], &request, &run);
    if (kind == BENCH_REQUEST && !take_request(t, &request)) return -MILL_LIMIT;
    if (kind == BENCH_RUN) t->has_run = run.detailed;
  }
  return 0;
}

/* ---- results */

typedef struct TailRow {
  const char *result, *metric;
  int64_t n;
  double p50_ns, p99_ns;
  int64_t slow;
  double lost_ns, time_ns, share;
} TailRow;

/* False: memory was refused. */
static bool collect(const Tail *t, uint32_t latency, Hist *out)
{
  for (size_t i = 0; i < t->n; i++) {
    const int64_t ns = t->items[i].latency_ns[latency];
    if (ns != BENCH_NONE && !hist_add(out, ns)) return false;
  }
  return true;
}

/* Slow requests would take less by the share of their latency that is above the median. */
static void add_slow(const Tail *t, uint32_t latency, TailRow *row)
{
  for (size_t i = 0; i < t->n; i++) {
    const Asked *a = &t->items[i];
    const double ns = (double)a->latency_ns[latency];
    if (a->e2e_ns != BENCH_NONE) row->time_ns += (double)a->e2e_ns;
    if (a->latency_ns[latency] == BENCH_NONE || ns <= t->options.times * row->p50_ns) continue;
    row->slow++;
    row->lost_ns += (double)a->time_ns[latency] * (1 - row->p50_ns / ns);
  }
}

static int report_row(const Tail *t, uint32_t latency, TailRow *row)
{
  const double limit_ns = t->options.times * row->p50_ns;
  add_slow(t, latency, row);
  row->share = row->time_ns > 0 ? 100 * row->lost_ns / row->time_ns : (double)NAN;
  int status = mill_row(t->host, TABLE_TAILS, row);
  for (uint32_t by = 0; by < N_BY && status == 0 && row->p99_ns > limit_ns; by++)
    status = tail_report_spread(t, latency, by, limit_ns);
  return status;
}

static int report_latency(const Tail *t, uint32_t latency)
{
  Hists all;
  Hist values;
  hists_init(&all, t->common, HIST_NO_BOUND);
  hist_init(&values, &all);
  bool fits = collect(t, latency, &values);
  TailRow row = { .result = t->result, .metric = tail_latencies[latency], .n = (int64_t)values.n };
  const bool any =
      hist_percentile(&values, 50, &row.p50_ns) && hist_percentile(&values, 99, &row.p99_ns);
  hists_clear(&all);
  if (!fits) return -MILL_LIMIT;
  return any ? report_row(t, latency, &row) : 0;
}

static int tail_report(void *instance)
{
  Tail *t = instance;
  int status = 0;
  if (!t->has_run) return 0;
  if (!tail_relate(t)) return -MILL_LIMIT;
  for (uint32_t latency = 0; latency < N_LATENCIES && status == 0; latency++)
    status = report_latency(t, latency);
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_REAL_OPTION(Options, times, "times", "3", "1:", "ratio",
                   "A request is slow if its latency is more than so many times the median"),
};

static const MillRead reads[] = {
  RECORD_INT("ok"),
  RECORD_INT("start_ns"),
  RECORD_INT("ttft_ns"),
  RECORD_INT("tpot_ns"),
  RECORD_INT("e2e_ns"),
  RECORD_INT("input_tokens"),
  RECORD_INT("output_tokens"),
  RECORD_INT("detailed"),
};

#define METRIC(S)                                                                     \
  MILL_KEY(S, result, "result", NULL, "Name of the input: also where it has a rank"), \
      MILL_KEY_BRIEF(S, metric, "metric", NULL,                                       \
                     "ttft (to the first token) or tpot (for each later one)")
static const MillColumn tail_columns[] = {
  METRIC(TailRow),
  MILL_COLUMN(TailRow, n, "n", "count", 0, "Requests that have it"),
  MILL_COLUMN(TailRow, p50_ns, "p50", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Median"),
  MILL_COLUMN(TailRow, p99_ns, "p99", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "99th percentile"),
  MILL_COLUMN(TailRow, slow, "slow", "count", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Slow requests"),
  MILL_COLUMN(TailRow, lost_ns, "lost", "ns", MILL_COLUMN_LOWER,
              "What slow requests would take less if this latency of theirs were the median"),
  MILL_COLUMN(TailRow, time_ns, "request_time", "ns", 0, "End-to-end latencies, added up"),
  MILL_COLUMN(TailRow, share, "share", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Share of what is lost of the time of all requests"),
};
static const MillColumn bin_columns[] = {
  METRIC(BinRow),
  MILL_KEY_BRIEF(BinRow, by, "by", NULL,
                 "input_tokens (of the prompt), start, or concurrency (requests in flight as it "
                 "began, itself among them)"),
  MILL_KEY_BRIEF(BinRow, bin, "bin", NULL, "Position of the bin, from 1"),
  MILL_BRIEF(BinRow, from, "from", NULL,
             "Smallest value in it: tokens, ns after the first start, or requests"),
  MILL_BRIEF(BinRow, to, "to", NULL, "Largest value in it"),
  MILL_BRIEF(BinRow, requests, "requests", "count", "Requests in it"),
  MILL_BRIEF(BinRow, slow, "slow", "count", "Slow ones among them"),
};
static const MillTable tables[] = {
  [TABLE_TAILS] = { .per = MILL_PER_LANE,
                    .name = "latency-tails",
                    .help = "How much slower the slowest requests of each run are",
                    .columns = MILL_ROWS(tail_columns) },
  [TABLE_BINS] = { .per = MILL_PER_LANE,
                   .name = "tail-bins",
                   .help = "Where slow requests are: at which lengths of prompts, when, and how "
                           "many were in flight",
                   .columns = MILL_ROWS(bin_columns) },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.latency-tails", "table.tail-bins", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = tail_open,
  .process = tail_process,
  .report = tail_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "slow-requests",
  .family = "serve",
  .version = "1.0.0",
  .tag = "SLOWRQ",
  .title = "Slow requests of serving benchmarks, and what they have in common",
  .help = "Compares the 99th percentile of the time to first token and of the time per output "
          "token of each run with the median, and counts slow requests by length of the prompt, by "
          "start, and by requests in flight.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
