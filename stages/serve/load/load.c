/* How loaded a server was in a benchmark: requests in flight and tokens per second over time, the
 * concurrency that was reached, and where more load stopped to help.
 *
 * First all requests are looked at, for the time from the first start to the last end; then each
 * is put into buckets of that time and its tokens into windows of a second from the first start.
 * Memory: 16 bytes a request, and the gaps of one request. */
#include "load.h"

#include "lib/room.h"

enum { SAVED_VERSION = 1 };

int load_out_of_memory(const MillHost *host)
{
  return mill_fail(host, MILL_LIMIT, "the requests do not fit into memory", NULL);
}

static int load_open(const MillStage *self, const MillHost *host, const void *options,
                     void **out_instance)
{
  (void)self;
  MillLane lane = { .size = sizeof lane };
  Load *l = calloc(1, sizeof *l);
  if (!l) return load_out_of_memory(host);
  host->lane(host, MILL_NO_LANE, &lane);
  l->host = host;
  l->options = *(const Options *)options;
  l->is_lane = lane.index != MILL_NO_LANE;
  bench_keys(&l->keys, host);
  *out_instance = l;
  return 0;
}

static void load_close(void *instance)
{
  Load *l = instance;
  timeline_close(&l->timeline);
  points_clear(&l->points);
  free(l->gaps.items);
  free(l);
}

/* ---- the first look */

static bool is_timed(const BenchRequest *r)
{
  return r->ok && r->start_ns >= 0 && r->e2e_ns >= 0 && r->start_ns <= TIMELINE_LAST_NS &&
         r->e2e_ns <= TIMELINE_LAST_NS - r->start_ns;
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

static int load_observe(void *instance, const MillBatch *b)
{
  Load *l = instance;
  BenchRequest request;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    BenchKind kind = bench_read(&l->keys, b, e, &request, &l->run);
    if (kind == BENCH_REQUEST) look_at(l, &request);
    if (kind != BENCH_RUN) continue;
    l->has_run = true;
    bench_figures(&l->figures, &l->keys, b, e, &l->run, &l->totals);
  }
  return 0;
}

static int load_settle(void *instance)
{
  Load *l = instance;
  if (!l->has_run || !l->run.detailed || l->n_timed == 0) return 0;
  l->has_timeline = true;
  return timeline_open(&l->timeline, l->first_ns, l->last_ns, l->n_timed, l->options.buckets)
             ? 0
             : load_out_of_memory(l->host);
}

/* ---- the second */

static bool add_gaps(Gaps *g, const MillBatch *b, const MillEvent *e, MillSym key)
{
  uint32_t at = 0;
  int64_t gap_ns;
  while (bench_next_int(b, e, key, &at, &gap_ns)) {
    if (!room_for(&g->items, &g->room, g->n + 1, sizeof *g->items)) return false;
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
    if (!add_gaps(&l->gaps, b, e, l->keys.gap_ns)) return load_out_of_memory(l->host);
  }
  return 0;
}

/* ---- what came of a run */

static double real_of(int64_t v) { return v == BENCH_NONE ? (double)NAN : (double)v; }

static void fill_point(Load *l)
{
  const BenchFigures *f = &l->figures;
  Point *p = &l->point;
  point_take_offered(p, l->host);
  p->output_per_s = f->rates[BENCH_OUTPUT_PER_S].per_s;
  p->requests_per_s = f->rates[BENCH_REQUESTS_PER_S].per_s;
  p->e2e_ms = f->e2e_ms;
  p->ttft_ms = f->ttft_ms;
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
  if (!kept) return load_out_of_memory(l->host);
  *kept = l->point;
  if (l->run.detailed && l->n_timed < l->totals.ok) {
    const MillNamed values[] = { { "untimed", mill_int((int64_t)(l->totals.ok - l->n_timed)) },
                                 { "requests", mill_int((int64_t)l->totals.ok) } };
    l->host->note(l->host, NOTICE_NO_TIMES, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
  }
  if (l->has_timeline && l->timeline.windows.n == 0)
    l->host->note(l->host, NOTICE_TOO_LONG, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- summaries */

static int load_save(void *instance, uint32_t what)
{
  Load *l = instance;
  if (what != MILL_RESULT) return 0;
  l->host->put_int(l->host, SAVED_VERSION);
  points_save(&l->points, l->host);
  return 0;
}

static int load_merge(void *instance, uint32_t what)
{
  Load *l = instance;
  if (what != MILL_RESULT) return 0;
  if (l->host->get_int(l->host) != SAVED_VERSION)
    return mill_fail(l->host, MILL_STAGE_FAILED, "the summary was made by another version", NULL);
  return points_merge(&l->points, l->host) ? 0 : load_out_of_memory(l->host);
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, buckets, "buckets", "60", "1:100000", "count",
                  "Into how many parts the time of a run is divided"),
  MILL_CHOICE_OPTION(Options, sweep_by, "sweep-by", "auto", "auto|request_rate|max_concurrency",
                     "The tag that says what load was offered; auto: request_rate, unless all runs "
                     "have the same"),
  MILL_REAL_OPTION(Options, saturation_gain, "saturation-gain", "5", "0:", "percent",
                   "Throughput that grows by less from one load to the next has stopped to grow"),
  MILL_BY_OPTION(Options, by),
};

static const MillRead reads[] = {
  { "ok", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "start_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "ttft_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "e2e_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "gap_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "input_tokens", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "output_tokens", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "completed", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "duration_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "detailed", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "max_concurrent", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
  { "concurrency", MILL_AS_REAL, MILL_KIND(MILL_RECORD) },
  { "max_output_rate", MILL_AS_REAL, MILL_KIND(MILL_RECORD) },
  { "request_throughput", MILL_AS_REAL, MILL_KIND(MILL_RECORD) },
  { "output_throughput", MILL_AS_REAL, MILL_KIND(MILL_RECORD) },
  { "stat_name", MILL_AS_ANY, MILL_KIND(MILL_RECORD) },
  { "stat_value", MILL_AS_REAL, MILL_KIND(MILL_RECORD) },
};

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTICE_NO_TIMES, MILL_LEVEL_INFO,
    "{count} run[|s] [has|have] requests without start or end, the first of them {lane}: {untimed} "
    "of "
    "{requests}",
    "[it is|they are] not in the table load; concurrency is that of the others, or follows from "
    "latencies",
    NULL,
    "When a request ran is known from its start and its end-to-end latency.  Some producers save "
    "no start times; then concurrency is the sum of the latencies over the duration." },
  { sizeof(MillNotice), NOTICE_TOO_LONG, MILL_LEVEL_WARNING,
    "{count} run[|s] [is|are] longer than twelve days, the first of them {lane}",
    "[its|their] peak is the reported one, if any", "look at the start times of that result",
    "Start times of different clocks in one result make a run look that long." },
  { sizeof(MillNotice), NOTICE_NO_OFFER, MILL_LEVEL_INFO,
    "{runs} run[|s] [does|do] not say what load was offered", "not in the table saturation",
    "give the tag: request_rate=4:PATH",
    "A sweep needs the offered load of each run, from the tag request_rate or max_concurrency." },
};

static const MillColumn load_columns[] = {
  { "time", "ns", MILL_INT, MILL_COLUMN_KEY, "Start of the bucket, from the run's first request" },
  { "running", "count", MILL_REAL, 0, "Requests in flight, mean over the bucket's time" },
  { "started", "count", MILL_INT, 0, "Requests that began in it" },
  { "finished", "count", MILL_INT, 0, "Requests that ended in it" },
  { "output_throughput", "tok/s", MILL_REAL, 0, "Output tokens per second" },
};
static const MillColumn summary_columns[] = {
  { "requests", "count", MILL_INT, 0, "Requests with start and end" },
  { "length", "ns", MILL_INT, 0, "From the first start to the last end" },
  { "concurrency", "count", MILL_REAL, MILL_COLUMN_BRIEF, "Requests in flight, mean over time" },
  { "concurrency_max", "count", MILL_INT, MILL_COLUMN_BRIEF, "Most requests in flight at once" },
  { "peak_output_throughput", "tok/s", MILL_REAL, MILL_COLUMN_BRIEF,
    "Output tokens of the best second" },
  { "basis", NULL, MILL_TEXT, MILL_COLUMN_BRIEF,
    "times (of each request), latencies (their sum over the duration), reported or none" },
};
static const MillColumn saturation_columns[] = {
  { "level", NULL, MILL_INT, MILL_COLUMN_KEY, "Place among the loads, from 1" },
  { "axis", NULL, MILL_TEXT, MILL_COLUMN_BRIEF, "The tag that says what was offered" },
  { "offered", NULL, MILL_REAL, MILL_COLUMN_BRIEF, "Its value; empty: without limit" },
  { "runs", "count", MILL_INT, 0, "Runs at this load" },
  { "request_throughput", "req/s", MILL_REAL, MILL_COLUMN_BRIEF, "Mean over these runs" },
  { "output_throughput", "tok/s", MILL_REAL, MILL_COLUMN_BRIEF, "Mean over these runs" },
  { "ttft_mean", "ms", MILL_REAL, 0, "Mean over these runs of their mean" },
  { "e2e_mean", "ms", MILL_REAL, MILL_COLUMN_BRIEF, "Mean over these runs of their mean" },
  { "gain", "percent", MILL_REAL, MILL_COLUMN_BRIEF,
    "Growth of throughput from the level before: output tokens if every level has them, else "
    "requests" },
  { "latency_growth", "percent", MILL_REAL, MILL_COLUMN_BRIEF,
    "Growth of latency from the level before: end to end if every level has it, else to the first "
    "token" },
  { "saturated", NULL, MILL_BOOL, MILL_COLUMN_BRIEF,
    "From here on more load gains too little and costs latency" },
};
static const MillTable tables[] = {
  [TABLE_LOAD] = { sizeof(MillTable), MILL_PER_LANE, "load",
                   "Requests in flight and tokens per second over the time of each run",
                   load_columns, MILL_COUNT(load_columns), 0, NULL },
  [TABLE_SUMMARY] = { sizeof(MillTable), MILL_PER_LANE, "load-summary",
                      "Concurrency and peak of each run", summary_columns,
                      MILL_COUNT(summary_columns), 10, NULL },
  [TABLE_SATURATION] = { sizeof(MillTable), MILL_PER_RUN, "saturation",
                         "Throughput and latency by offered load, and where more load stops to "
                         "help",
                         saturation_columns, MILL_COUNT(saturation_columns), 20, NULL },
};

static const MillMetric metrics[] = {
  [METRIC_CONCURRENCY] = { .size = sizeof(MillMetric),
                           .per = MILL_PER_RUN,
                           .name = "concurrency",
                           .unit = "count",
                           .better = MILL_NEITHER,
                           .kind = MILL_REAL,
                           .stats = "mean,max",
                           .help = "Requests in flight: mean over time, then over runs; max is the "
                                   "most at once in any run" },
  [METRIC_PEAK] = { .size = sizeof(MillMetric),
                    .per = MILL_PER_RUN,
                    .name = "peak_output_throughput",
                    .unit = "tok/s",
                    .better = MILL_HIGHER,
                    .kind = MILL_REAL,
                    .stats = "max,mean",
                    .help = "Output tokens of a run's best second, counted from its first start: "
                            "the largest over runs, or the mean" },
  [METRIC_SATURATION] = { .size = sizeof(MillMetric),
                          .per = MILL_PER_RUN,
                          .name = "saturation_load",
                          .better = MILL_HIGHER,
                          .kind = MILL_REAL,
                          .help = "The smallest offered load from which on throughput grows by "
                                  "less than saturation-gain a step while latency grows" },
};

static const MillFigure figures[] = {
  { .size = sizeof(MillFigure),
    .kind = MILL_FIGURE_LINE,
    .name = "load-running",
    .title = "Requests in flight",
    .table = "load",
    .x = "time",
    .y = "running",
    .series = "rank" },
  { .size = sizeof(MillFigure),
    .kind = MILL_FIGURE_LINE,
    .name = "load-tokens",
    .title = "Output tokens per second",
    .table = "load",
    .x = "time",
    .y = "output_throughput",
    .series = "rank" },
  { .size = sizeof(MillFigure),
    .kind = MILL_FIGURE_LINE,
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
  .settle = load_settle,
  .process = load_process,
  .flush = load_flush,
  .save = load_save,
  .merge = load_merge,
  .report = load_report,
  .close = load_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .name = "load",
  .family = "serve",
  .version = "1.0.0",
  .tag = "LOAD",
  .title = "Load of a server over time, and where it saturates",
  .help = "Requests in flight and output tokens per second over the time of each run, the "
          "concurrency that was reached, the best second, and over runs at several offered loads "
          "the one from which on more load only costs latency.",
  .needs = needs,
  .provides = provides,
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
  .reads = reads,
  .n_reads = MILL_COUNT(reads),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .metrics = metrics,
  .n_metrics = MILL_COUNT(metrics),
  .figures = figures,
  .n_figures = MILL_COUNT(figures),
  .ops = &ops,
};
MILL_MODULE(stage, "stagemill", "MIT");
