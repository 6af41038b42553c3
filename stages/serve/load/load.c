/* How loaded a server was in a benchmark: requests in flight and tokens per second over time, the
 * concurrency that was reached, and where more load stopped to help.
 *
 * First all requests are looked at, for the time from the first start to the last end; then each
 * is put into buckets of that time and its tokens into windows of a second from the first start.
 * Memory: 16 bytes per request, and the gaps of one request. */
/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <math.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"

#define EXACT_VALUES 2000000 /* above that percentiles come from a histogram */
#define NS_PER_MS 1e6

static int load_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Load *l = instance_new(Load, host, out_instance);
  if (!l) return -MILL_LIMIT;
  l->points.common = host->common;
  l->options = *(const Options *)options;
  hists_init(&l->latencies, l->common, EXACT_VALUES);
  hist_init(&l->ttft, &l->latencies);
  hist_init(&l->tpot, &l->latencies);
  bench_keys(&l->keys, l->common);
  return 0;
}

/* ---- the first look */

static bool is_timed(const BenchRequest *r)
{
  return r->ok && r->start_ns >= 0 && r->e2e_ns >= 0 && r->start_ns <= TIMELINE_LAST_NS &&
         r->e2e_ns <= TIMELINE_LAST_NS - r->start_ns;
}

static bool add_latencies(Load *l, const BenchRequest *r)
{
  int64_t tpot_ns;
  if (!r->ok) return true;
  if (r->ttft_ns != BENCH_NONE && !hist_add(&l->ttft, r->ttft_ns)) return false;
  return !bench_whole_tpot_ns(r, &tpot_ns) || hist_add(&l->tpot, tpot_ns);
}

static void look_at(Load *l, const BenchRequest *r)
{
  bench_totals_add(&l->totals, r);
  if (!is_timed(r)) return;
  int64_t end_ns = r->start_ns + r->e2e_ns;
  if (l->n_timed == 0 || r->start_ns < l->first_ns) l->first_ns = r->start_ns;
  if (l->n_timed == 0 || end_ns > l->last_ns) l->last_ns = end_ns;
  l->busy_ns += r->e2e_ns;
  l->n_timed++;
}

/* Of the requests where each has a record, else as reported. */
static double p99_ms(const Load *l, Hist *of, double reported_ms)
{
  double ns;
  if (l->run.detailed && hist_percentile(of, 99, &ns)) return ns / NS_PER_MS;
  return l->figures.measured ? reported_ms : (double)NAN;
}

static int load_observe(void *instance, const MillBatch *b)
{
  Load *l = instance;
  BenchRequest request;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    BenchKind kind = bench_read(&l->keys, b, e, &request, &l->run);
    if (kind == BENCH_REQUEST) look_at(l, &request);
    if (kind == BENCH_REQUEST && !add_latencies(l, &request)) return -MILL_LIMIT;
    if (kind != BENCH_RUN) continue;
    l->has_run = true;
    bench_figures(&l->figures, &l->keys, b, e, &l->run, &l->totals);
    l->point.ttft_p99_ms = p99_ms(l, &l->ttft, bench_stat_ms(&l->keys, b, e, "ttft.p99"));
    l->point.tpot_p99_ms = p99_ms(l, &l->tpot, bench_stat_ms(&l->keys, b, e, "tpot.p99"));
  }
  return 0;
}

static int load_decide(void *instance)
{
  Load *l = instance;
  if (!l->has_run || !l->run.detailed || l->n_timed == 0) return 0;
  l->has_timeline = timeline_open(&l->timeline, l->common, l->first_ns, l->last_ns, l->n_timed,
                                  l->options.buckets);
  return l->has_timeline ? 0 : -MILL_LIMIT;
}

/* ---- the second */

static bool add_gaps(Load *l, const MillBatch *b, const MillEvent *e)
{
  Gaps *g = &l->gaps;
  uint32_t at = 0;
  int64_t gap_ns;
  while (bench_next_int(b, e, l->keys.gap_ns, &at, &gap_ns)) {
    if (!array_reserve(l->common, &g->items, &g->capacity, g->n + 1, sizeof *g->items))
      return false;
    g->items[g->n++] = gap_ns;
  }
  return true;
}

static int64_t later(int64_t at_ns, int64_t by_ns)
{
  int64_t sum;
  return __builtin_add_overflow(at_ns, by_ns, &sum) || sum > TIMELINE_LAST_NS ? TIMELINE_LAST_NS
                                                                              : sum;
}

/* Without a time to first token, the gaps end when the request does. */
static int64_t first_token_ns(const Load *l)
{
  const BenchRequest *r = &l->current;
  int64_t end_ns = r->start_ns + r->e2e_ns, gaps_ns = 0;
  if (r->ttft_ns != BENCH_NONE) return later(r->start_ns, r->ttft_ns);
  for (size_t i = 0; i < l->gaps.n; i++) gaps_ns = later(gaps_ns, l->gaps.items[i]);
  return gaps_ns < r->e2e_ns ? end_ns - gaps_ns : r->start_ns;
}

/* Chunk k of n brings floor((k + 1) * tokens / n) - floor(k * tokens / n): one token each where
 * their numbers agree, and never more or fewer than the request has. */
static void add_chunks(Load *l, int64_t tokens)
{
  int64_t n = (int64_t)l->gaps.n + 1, at_ns = first_token_ns(l), done = 0;
  for (int64_t k = 0; k < n; k++) {
    int64_t until = (int64_t)((__int128)(k + 1) * tokens / n);
    if (k > 0) at_ns = later(at_ns, l->gaps.items[k - 1]);
    timeline_tokens(&l->timeline, at_ns, until - done);
    done = until;
  }
}

static void end_request(Load *l)
{
  const BenchRequest *r = &l->current;
  if (!l->has_current) return;
  int64_t end_ns = r->start_ns + r->e2e_ns, tokens = r->output_tokens;
  l->has_current = false;
  timeline_add(&l->timeline, r->start_ns, end_ns);
  if (tokens == BENCH_NONE && l->gaps.n == 0) return;
  l->knows_tokens = true;
  if (l->gaps.n > 0)
    add_chunks(l, tokens == BENCH_NONE ? (int64_t)l->gaps.n + 1 : tokens);
  else if (r->ttft_ns != BENCH_NONE && tokens > 0)
    timeline_spread(&l->timeline, first_token_ns(l), end_ns, tokens);
  else if (tokens > 0)
    timeline_tokens(&l->timeline, end_ns, tokens);
}

static int load_process(void *instance, MillBatch *b)
{
  Load *l = instance;
  BenchRequest request;
  BenchRun run;
  for (uint32_t i = 0; l->has_timeline && i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    BenchKind kind = bench_read(&l->keys, b, e, &request, &run);
    if (kind == BENCH_REQUEST) {
      end_request(l);
      l->current = request;
      l->has_current = is_timed(&request);
      l->gaps.n = 0;
    }
    if (!l->has_current || (kind != BENCH_REQUEST && kind != BENCH_MORE_GAPS)) continue;
    if (!add_gaps(l, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- what came of a run */

static double real_of(int64_t v) { return v == BENCH_NONE ? (double)NAN : (double)v; }

static void fill_point(Load *l)
{
  const BenchFigures *f = &l->figures;
  Point *p = &l->point;
  point_take_offered(p, l->common);
  p->output_per_s = f->rates[BENCH_OUTPUT_PER_S].per_s;
  p->requests_per_s = f->rates[BENCH_REQUESTS_PER_S].per_s;
  p->e2e_ms = f->e2e_ms;
  p->ttft_ms = f->ttft_ms;
  p->tpot_ms = f->tpot_ms;
  p->running_mean = f->concurrency;
  p->running_max = real_of(l->run.max_concurrent);
  p->peak_per_s = l->run.max_output_rate;
  if (!l->has_timeline) return;
  int64_t length_ns = l->last_ns - l->first_ns;
  if (length_ns > 0) p->running_mean = (double)l->busy_ns / (double)length_ns;
  p->running_max = (double)timeline_most_running(&l->timeline);
  if (l->knows_tokens && l->timeline.windows.n > 0)
    p->peak_per_s = (double)timeline_peak_tokens(&l->timeline);
}

static int load_flush(void *instance, MillBatch *b)
{
  Load *l = instance;
  (void)b;
  if (!l->has_run) return 0;
  end_request(l);
  fill_point(l);
  Point *kept = points_new(&l->points);
  if (!kept) return -MILL_LIMIT;
  *kept = l->point;
  if (l->run.detailed && l->n_timed < l->totals.ok) {
    const MillNamed values[] = { { "untimed", mill_int((int64_t)(l->totals.ok - l->n_timed)) },
                                 { "requests", mill_int((int64_t)l->totals.ok) } };
    l->common->note(l->common, NOTICE_NO_TIMES, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
  }
  if (l->has_timeline && l->timeline.windows.n == 0)
    l->common->note(l->common, NOTICE_TOO_LONG, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- saved state */

static const StateField load_fields[] = { STATE_PART(Load, points, points_state) };
static const StateType load_state = STATE_TYPE(Load, load_fields);
STATE_RESULT(Load, load_state)

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, buckets, "buckets", "60", "1:100000", "count",
                  "Number of intervals of a run"),
  MILL_CHOICE_OPTION(Options, sweep_by, "sweep-by", "auto", "auto|request_rate|max_concurrency",
                     "Tag with the offered load; auto: request_rate, unless all runs have the same "
                     "value"),
  MILL_REAL_OPTION(
      Options, saturation_times, "saturation-times", "2", "0:1000", NULL,
      "How many times faster than requests per second, in percent of the load before, a "
      "latency grows at a load that is too much"),
  MILL_BY_OPTION(Options, by),
  MILL_OPTION(Options, sweep_tags, MillList, MILL_OPT_LIST, MILL_OPTION_GROUP_BY, "sweep-tags",
              "-request_rate,-max_concurrency", NULL, NULL,
              "Tags, each behind a minus, that make no groups: a sweep goes over their values"),
};

static const MillRead reads[] = {
  RECORD_INT("ok"),
  RECORD_INT("start_ns"),
  RECORD_INT("ttft_ns"),
  RECORD_INT("tpot_ns"),
  RECORD_INT("e2e_ns"),
  RECORD_INT("gap_ns"),
  RECORD_INT("input_tokens"),
  RECORD_INT("output_tokens"),
  RECORD_INT("completed"),
  RECORD_INT("duration_ns"),
  RECORD_INT("detailed"),
  RECORD_INT("max_concurrent"),
  RECORD_REAL("concurrency"),
  RECORD_REAL("max_output_rate"),
  RECORD_REAL("request_throughput"),
  RECORD_REAL("output_throughput"),
  { "stat_name", MILL_AS_ANY, MILL_KIND(MILL_RECORD) },
  RECORD_REAL("stat_value"),
};

static const MillNotice notices[] = {
  MILL_INFO(
      NOTICE_NO_TIMES,
      "{count} run[|s] [has|have] requests without start or end, the first of them {lane}: "
      "{untimed} of {requests}",
      "the table load leaves [it|them] out; concurrency comes from the others, or from latencies",
      NULL,
      "The start and the end-to-end latency of a request show when it ran. Some producers save no "
      "start times; then concurrency is the sum of the latencies divided by the duration."),
  MILL_WARNING(
      NOTICE_TOO_LONG, "{count} run[|s] [is|are] longer than twelve days, the first of them {lane}",
      "[its|their] peak is the reported one, if any", "check the start times of that result",
      "If start times in one result come from different clocks, a run looks that long."),
  MILL_INFO(
      NOTICE_NO_OFFER, "{runs} run[|s] [has|have] no offered load",
      "missing in the table saturation", "give the tag: request_rate=4:PATH",
      "A sweep needs the offered load of each run, from the tag request_rate or max_concurrency."),
};

static const MillColumn load_columns[] = {
  MILL_KEY(LoadRow, time_ns, "time", "ns", "Start of the bucket, from the run's first request"),
  MILL_COLUMN(LoadRow, running, "running", "count", 0,
              "Requests in flight, mean over the bucket's time"),
  MILL_COLUMN(LoadRow, started, "started", "count", 0, "Requests that began in it"),
  MILL_COLUMN(LoadRow, finished, "finished", "count", 0, "Requests that ended in it"),
  MILL_COLUMN(LoadRow, output_throughput, "output_throughput", "tok/s", 0,
              "Output tokens per second"),
};
static const MillColumn summary_columns[] = {
  MILL_COLUMN(SummaryRow, requests, "requests", "count", 0, "Requests with start and end"),
  MILL_COLUMN(SummaryRow, length_ns, "length", "ns", 0,
              "Time from the first start to the last end"),
  MILL_BRIEF(SummaryRow, concurrency, "concurrency", "count", "Requests in flight, mean over time"),
  MILL_BRIEF(SummaryRow, concurrency_max, "concurrency_max", "count",
             "Largest number of requests in flight"),
  MILL_COLUMN(SummaryRow, peak_output_throughput, "peak_output_throughput", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Output tokens of the best second"),
  MILL_BRIEF(SummaryRow, basis, "basis", NULL,
             "times (of each request), latencies (their sum divided by the duration), reported or "
             "none"),
};
static const MillColumn saturation_columns[] = {
  MILL_KEY(SaturationRow, level, "level", NULL, "Position among the loads, from 1"),
  MILL_BRIEF(SaturationRow, axis, "axis", NULL, "Tag with the offered load"),
  MILL_BRIEF(SaturationRow, offered, "offered", NULL, "Value of the tag; empty: no limit"),
  MILL_COLUMN(SaturationRow, runs, "runs", "count", 0, "Runs at this load"),
  MILL_COLUMN(SaturationRow, request_throughput, "request_throughput", "req/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Completed requests per second, mean over these runs"),
  MILL_COLUMN(SaturationRow, output_throughput, "output_throughput", "tok/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Output tokens per second, mean over these runs"),
  MILL_COLUMN(SaturationRow, ttft_mean_ms, "ttft_mean", "ms", MILL_COLUMN_LOWER,
              "Mean time to first token, mean over these runs"),
  MILL_COLUMN(SaturationRow, e2e_mean_ms, "e2e_mean", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean end-to-end latency, mean over these runs"),
  MILL_COLUMN(SaturationRow, tpot_mean_ms, "tpot_mean", "ms", MILL_COLUMN_LOWER,
              "Mean time per output token, mean over these runs"),
  MILL_COLUMN(SaturationRow, ttft_p99_ms, "ttft_p99", "ms", MILL_COLUMN_LOWER,
              "99th percentile of the time to first token, mean over these runs"),
  MILL_COLUMN(SaturationRow, tpot_p99_ms, "tpot_p99", "ms", MILL_COLUMN_LOWER,
              "99th percentile of the time per output token, mean over these runs"),
  MILL_BRIEF(SaturationRow, gain, "gain", "percent",
             "Growth of requests per second from the level before"),
  MILL_BRIEF(
      SaturationRow, latency, "latency", NULL,
      "The latency that grows most: p99 TTFT or p99 TPOT; mean e2e or mean TTFT if no p99 is "
      "known"),
  MILL_BRIEF(SaturationRow, latency_growth, "latency_growth", "percent",
             "Its growth from the level before"),
  MILL_COLUMN(SaturationRow, share, "share", "percent", 0,
              "Share of a request's time that it takes longer than at the level before"),
  MILL_BRIEF(SaturationRow, saturated, "saturated", NULL,
             "Whether this load, or a smaller one, is too much: the latency grows more than "
             "saturation-times as fast as requests per second, and the share is 5 % or more"),
};
static const MillTable tables[] = {
  [TABLE_LOAD] = { .per = MILL_PER_LANE,
                   .name = "load",
                   .help = "Requests in flight and tokens per second over the time of each run",
                   .columns = MILL_ROWS(load_columns) },
  [TABLE_SUMMARY] = { .per = MILL_PER_LANE,
                      .brief_rows = 10,
                      .name = "load-summary",
                      .help = "Concurrency and peak of each run",
                      .columns = MILL_ROWS(summary_columns) },
  [TABLE_SATURATION] = { .per = MILL_PER_RUN,
                         .brief_rows = 20,
                         .name = "saturation",
                         .help =
                             "Throughput and latency by offered load, and the load of saturation",
                         .columns = MILL_ROWS(saturation_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_CONCURRENCY] = { .per = MILL_PER_RUN,
                           .better = MILL_NEITHER,
                           .kind = MILL_REAL,
                           .name = "concurrency",
                           .unit = "count",
                           .stats = "mean,max",
                           .help = "Requests in flight: mean over time, then over runs; max is the "
                                   "most at once in any run" },
  [METRIC_PEAK] = { .per = MILL_PER_RUN,
                    .better = MILL_HIGHER,
                    .kind = MILL_REAL,
                    .name = "peak_output_throughput",
                    .unit = "tok/s",
                    .stats = "max,mean",
                    .help = "Output tokens in the best second of a run, in seconds counted from "
                            "its first start: the largest over runs, or the mean" },
  [METRIC_SATURATION] = { .per = MILL_PER_RUN,
                          .better = MILL_HIGHER,
                          .kind = MILL_REAL,
                          .name = "saturation_load",
                          .help =
                              "Smallest offered load that is too much: a latency grows more than "
                              "saturation-times as fast as requests per second" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_LINE,
    .name = "load-running",
    .title = "Requests in flight",
    .table = "load",
    .x = "time",
    .y = "running",
    .series = "rank",
    .flags = MILL_FIGURE_STEP },
  { .kind = MILL_FIGURE_LINE,
    .name = "load-tokens",
    .title = "Output tokens per second",
    .table = "load",
    .x = "time",
    .y = "output_throughput",
    .series = "rank",
    .flags = MILL_FIGURE_STEP },
  { .kind = MILL_FIGURE_LINE,
    .name = "saturation",
    .title = "Latency against throughput, by offered load",
    .table = "saturation",
    .x = "output_throughput",
    .y = "e2e_mean",
    .annotation = "offered" },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.load", "table.load-summary", "table.saturation",
                                        NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = load_open,
  .observe = load_observe,
  .decide = load_decide,
  .process = load_process,
  .flush = load_flush,
  .report = load_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = load_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "load",
  .family = "serve",
  .version = "1.0.0",
  .tag = "LOAD",
  .title = "Load of a server over time, and its saturation",
  .help = "Shows requests in flight and output tokens per second over the time of each run, the "
          "concurrency, and the best second. With several offered loads, shows the load from which "
          "more load only raises latency.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
