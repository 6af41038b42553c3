/* Latencies of served requests: time to first token, time per output token, gaps between tokens,
 * and end to end.  A lane is one run of a benchmark.  What is measured for each request stays an
 * integer of nanoseconds, so that results over all requests are exact however the work was
 * divided; what a file has averaged already is kept a run at a time, in lane order. */
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/card.h"

enum { SAVED_VERSION = 1 };

static int out_of_memory(const Latency *l)
{
  return mill_fail(l->host, MILL_LIMIT, "the latencies do not fit into memory",
                   "give fewer files, or set exact-up-to lower");
}

/* ---- life */

static void latency_close(void *instance)
{
  Latency *l = instance;
  for (uint32_t i = 0; i < l->n_extras; i++) free(l->extras[i].stat);
  free(l->extras);
  for (uint32_t i = 0; i < N_LATENCIES; i++) hist_clear(&l->hists[i]);
  runs_clear(&l->runs);
  free(l);
}

static int bad_percentile(const MillHost *host, const char *text)
{
  char what[128];
  snprintf(what, sizeof what, "percentiles: \"%.60s\" is no percentile", text);
  return mill_fail(host, MILL_BAD_INPUT, what,
                   "write 99.9 or p99.9: from 0 to 100, with up to six decimals");
}

static int read_percentiles(Latency *l, const MillList *list)
{
  if (list->n == 0) return 0;
  l->extras = calloc(list->n, sizeof *l->extras);
  if (!l->extras) return out_of_memory(l);
  for (uint32_t i = 0; i < list->n; i++) {
    const char *text = list->items[i];
    size_t len = strlen(text), p = *text != 'p';
    Extra extra = { NULL, 0 };
    if (!percentile_read(text, len, &extra.percentile)) return bad_percentile(l->host, text);
    bool known = false;
    for (uint32_t k = 0; k < l->n_extras; k++) known |= l->extras[k].percentile == extra.percentile;
    if (known) continue;
    extra.stat = malloc(len + p + 1);
    if (!extra.stat) return out_of_memory(l);
    extra.stat[0] = 'p';
    memcpy(extra.stat + p, text, len + 1);
    l->extras[l->n_extras++] = extra;
  }
  return 0;
}

static int latency_open(const MillStage *self, const MillHost *host, const void *options,
                        void **out_instance)
{
  (void)self;
  const Options *o = options;
  MillLane lane = { .size = sizeof lane };
  Latency *l = calloc(1, sizeof *l);
  if (!l) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  *out_instance = l;
  host->lane(host, MILL_NO_LANE, &lane);
  l->host = host;
  l->is_run = lane.index == MILL_NO_LANE;
  l->bound = (uint64_t)o->exact_up_to;
  bench_keys(&l->keys, host);
  for (uint32_t i = 0; i < N_LATENCIES; i++) hist_init(&l->hists[i], l->bound, HIST_FINE_BINS);
  if (!l->is_run && !(l->run = runs_add(&l->runs))) return out_of_memory(l);
  return read_percentiles(l, &o->percentiles);
}

/* ---- requests */

static bool add(Latency *l, uint32_t latency, int64_t ns)
{
  if (ns < 0) return true; /* unknown, or not a time */
  moments_add(&l->run->moments[latency], ns);
  return hist_add(&l->hists[latency], ns);
}

/* Thousands a record: the sums stay in registers. */
static bool add_gaps(Latency *l, const MillBatch *b, const MillEvent *e)
{
  const MillAttr *a = b->attrs + e->attrs, *end = a + e->n_attrs;
  Moments m = l->run->moments[ITL];
  bool fits = true;
  for (; a < end && fits; a++) {
    if (a->key != l->keys.gap_ns || (a->type & MILL_ATTR_TYPE) != MILL_INT) continue;
    moments_add(&m, a->u.i);
    fits = hist_add(&l->hists[ITL], a->u.i);
  }
  l->run->moments[ITL] = m;
  return fits;
}

/* Whether a request has a second token, as far as is known. */
static bool goes_on(const BenchRequest *r)
{
  return r->output_tokens == BENCH_NONE || r->output_tokens > 1;
}

static bool add_request(Latency *l, const BenchRequest *r)
{
  double tpot_ns;
  bool more = goes_on(r), has_tpot = more && bench_tpot_ns(r, &tpot_ns);
  l->successful++;
  l->run->expected[TTFT]++;
  l->run->expected[E2E]++;
  l->run->expected[TPOT] += more;
  l->run->expected[ITL] += more;
  return add(l, TTFT, r->ttft_ns) && add(l, E2E, r->e2e_ns) &&
         (!has_tpot || add(l, TPOT, llrint(tpot_ns)));
}

static bool take_run(Latency *l, const BenchRun *record, const MillBatch *b, const MillEvent *e)
{
  l->has_record = true;
  l->run->detailed = record->detailed;
  l->run->completed = record->completed;
  if (record->detailed && record->completed == BENCH_NONE) l->run->completed = l->successful;
  return run_read_stats(l->run, &l->keys, b, e);
}

static bool take(Latency *l, const MillBatch *b, const MillEvent *e)
{
  BenchRequest request;
  BenchRun run;
  switch (bench_read(&l->keys, b, e, &request, &run)) {
  case BENCH_REQUEST:
    l->counts = request.ok;
    return !l->counts || (add_request(l, &request) && add_gaps(l, b, e));
  case BENCH_MORE_GAPS: return !l->counts || add_gaps(l, b, e);
  case BENCH_RUN: return take_run(l, &run, b, e);
  default: return true;
  }
}

static int latency_process(void *instance, MillBatch *b)
{
  Latency *l = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!take(l, b, &b->events[i])) return out_of_memory(l);
  return 0;
}

/* ---- the end of a run */

static bool set_from_tag(const Latency *l, char **to, const char *name)
{
  const char *text = l->host->tag(l->host, MILL_NO_LANE, name);
  return run_set_text(to, text ? text : "", text ? strlen(text) : 0);
}

static bool set_texts(Latency *l)
{
  MillLane lane = { .size = sizeof lane };
  l->host->lane(l->host, MILL_NO_LANE, &lane);
  return run_set_text(&l->run->name, lane.name, strlen(lane.name)) &&
         set_from_tag(l, &l->run->card, "card") &&
         set_from_tag(l, &l->run->card_error, "card_error") &&
         set_from_tag(l, &l->run->phase, "phase");
}

static void forget_requests(Latency *l)
{
  for (uint32_t i = 0; i < N_LATENCIES; i++) {
    hist_clear(&l->hists[i]);
    l->run->moments[i] = (Moments){ 0 };
  }
}

/* Tags are complete only now. */
static int latency_flush(void *instance, MillBatch *b)
{
  Latency *l = instance;
  (void)b;
  if (!set_texts(l)) return out_of_memory(l);
  bool serves = card_serves(l->run->phase);
  if (!l->has_record || !l->run->detailed || !serves) forget_requests(l);
  if (!l->has_record)
    runs_clear(&l->runs);
  else if (!serves)
    l->host->note(l->host, NOTICE_REFUSED, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

static int latency_save(void *instance, uint32_t what)
{
  Latency *l = instance;
  if (what != MILL_RESULT) return 0;
  l->host->put_int(l->host, SAVED_VERSION);
  l->host->put_int(l->host, (int64_t)l->bound);
  runs_save(&l->runs, l->host);
  for (uint32_t i = 0; i < N_LATENCIES; i++) hist_save(&l->hists[i], l->host);
  return 0;
}

static int latency_merge(void *instance, uint32_t what)
{
  Latency *l = instance;
  if (what != MILL_RESULT) return 0;
  if (l->host->get_int(l->host) != SAVED_VERSION || l->host->get_int(l->host) != (int64_t)l->bound)
    return mill_fail(l->host, MILL_STAGE_FAILED,
                     "the summary was made by another version or with other options", NULL);
  bool fits = runs_load(&l->runs, l->host);
  for (uint32_t i = 0; i < N_LATENCIES && fits; i++) fits = hist_load(&l->hists[i], l->host);
  return fits ? 0 : out_of_memory(l);
}

static int report(void *instance)
{
  Latency *l = instance;
  return l->is_run ? latency_report(l) : 0;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BY_OPTION(Options, by),
  MILL_OPTION_ROW(MILL_OPT_LIST, MILL_FIELD(Options, percentiles, MillList), MILL_OPTION_STATS,
                  "percentiles", "", NULL, NULL,
                  "Further percentiles: \"p99.9,p25\"; rows of latency-percentiles"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", "1000000", "0:", "values",
                  "Up to so many values percentiles are exact, above that within 0.1 %; 8 bytes a "
                  "value"),
};

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTICE_MIXED, MILL_LEVEL_WARNING,
    "{count} run[|s] [has|have] no records of [its|their] requests, while others have",
    "latencies are combined from the averages of the runs: their percentiles are not known",
    "save the requests of every run (--save-detailed, --output-details, or the like)",
    "Percentiles of several runs cannot be made from those of each.  Where every run has its "
    "requests they are taken over all of them; else means and deviations are combined, weighted "
    "by completed requests, and percentiles are left out." },
  { sizeof(MillNotice), NOTICE_MISSING, MILL_LEVEL_WARNING,
    "{count} run[|s] [lacks|lack] a latency that others have",
    "results of that latency leave [this run|these runs] out",
    "choose all percentile metrics when the benchmark is run, or save its requests",
    "Benchmarks write statistics of the latencies they were asked for.  A latency is taken from "
    "those runs that have it." },
  { sizeof(MillNotice), NOTICE_REFUSED, MILL_LEVEL_WARNING,
    "{count} run[|s] [is|are] of a phase that serves no requests (first: {lane})",
    "tables leave them out, and metrics do not apply",
    "give only runs of the phases inference and serving",
    "The workload card, or a tag phase, says what the runs are of.  Latencies of requests are "
    "those of the phases inference and serving, in any case of letters." },
  { sizeof(MillNotice), NOTICE_NO_COUNT, MILL_LEVEL_WARNING,
    "{count} run[|s] [does|do] not say how many requests [it|they] completed",
    "mean and deviation of a latency over these and other runs are left out", NULL,
    "Averages of several runs are weighted by completed requests." },
  { sizeof(MillNotice), NOTICE_PERCENTILE_OF_ONE, MILL_LEVEL_INFO,
    "{count} percentile[|s] [is|are] of one run only, as the others do not report [it|them]",
    "they do not describe all runs", "save the requests of every run",
    "Percentiles of several runs cannot be combined.  One that a single run reports is given as "
    "it is." },
};

#define ANY MILL_KIND(MILL_RECORD)
static const MillRead reads[] = {
  { "ok", MILL_AS_INT, ANY },         { "ttft_ns", MILL_AS_INT, ANY },
  { "e2e_ns", MILL_AS_INT, ANY },     { "tpot_ns", MILL_AS_INT, ANY },
  { "gap_ns", MILL_AS_INT, ANY },     { "output_tokens", MILL_AS_INT, ANY },
  { "completed", MILL_AS_INT, ANY },  { "detailed", MILL_AS_INT, ANY },
  { "stat_name", MILL_AS_TEXT, ANY }, { "stat_value", MILL_AS_REAL, ANY },
};

#define BRIEF MILL_COLUMN_BRIEF
#define KEY (MILL_COLUMN_KEY | MILL_COLUMN_BRIEF)
static const MillColumn latency_columns[] = {
  { "metric", NULL, MILL_TEXT, KEY, "ttft, tpot, itl or e2e" },
  { "n", "count", MILL_INT, BRIEF, "Values it rests on; completed requests unless basis is exact" },
  { "mean", "ms", MILL_REAL, BRIEF, "Mean" },
  { "std", "ms", MILL_REAL, 0, "Standard deviation of the population" },
  { "min", "ms", MILL_REAL, 0, "Least" },
  { "p50", "ms", MILL_REAL, BRIEF, "Median" },
  { "p90", "ms", MILL_REAL, BRIEF, "90th percentile" },
  { "p95", "ms", MILL_REAL, 0, "95th percentile" },
  { "p99", "ms", MILL_REAL, BRIEF, "99th percentile" },
  { "max", "ms", MILL_REAL, BRIEF, "Greatest" },
  { "basis", NULL, MILL_TEXT, BRIEF,
    "exact: over all requests; combined: from what several runs report; reported: by one run" },
  { "method", NULL, MILL_TEXT, 0, "Of exact percentiles: exact, or histogram (within 0.1 %)" },
};
static const MillColumn percentile_columns[] = {
  { "metric", NULL, MILL_TEXT, KEY, "ttft, tpot, itl or e2e" },
  { "percentile", "percent", MILL_REAL, KEY, "Which one" },
  { "value", "ms", MILL_REAL, BRIEF, "The latency" },
};
static const MillColumn hist_columns[] = {
  { "metric", NULL, MILL_TEXT, KEY, "ttft, tpot, itl or e2e" },
  { "upper", "ms", MILL_REAL, KEY, "Where the bin ends; what is equal is in the next" },
  { "lower", "ms", MILL_REAL, 0, "Where it begins" },
  { "values", "count", MILL_INT, 0, "Values in it" },
  { "share", "percent", MILL_REAL, 0, "Of all values of the metric" },
};

static const MillTable tables[] = {
  [TABLE_LATENCY] = { sizeof(MillTable), MILL_PER_RUN, "latency",
                      "Latencies of requests, over all runs", latency_columns,
                      MILL_COUNT(latency_columns), 16, NULL },
  [TABLE_PERCENTILES] = { sizeof(MillTable), MILL_PER_RUN, "latency-percentiles",
                          "Percentiles that were asked for", percentile_columns,
                          MILL_COUNT(percentile_columns), 16, NULL },
  [TABLE_HIST] = { sizeof(MillTable), MILL_PER_RUN, "latency-hist",
                   "How latencies are distributed: bins of equal ratio, at most 64 a metric",
                   hist_columns, MILL_COUNT(hist_columns), 0, NULL },
};

#define STATS "mean,std,min,p50,p90,p95,p99,max,n,p*"
static const MillMetric metrics[] = {
  [TTFT] = { sizeof(MillMetric), MILL_PER_RUN, "ttft", "ms", MILL_LOWER, MILL_REAL, STATS, NULL,
             "Time to first token: from sending a request to its first token; successful requests "
             "of all runs",
             MILL_INPUTS_ANY },
  [TPOT] = { sizeof(MillMetric), MILL_PER_RUN, "tpot", "ms", MILL_LOWER, MILL_REAL, STATS, NULL,
             "Time per output token: (e2e - ttft) / (output tokens - 1) of each successful request "
             "of more than one output token",
             MILL_INPUTS_ANY },
  [ITL] = { sizeof(MillMetric), MILL_PER_RUN, "itl", "ms", MILL_LOWER, MILL_REAL, STATS, NULL,
            "Inter-token latency: every gap between tokens of every successful request",
            MILL_INPUTS_ANY },
  [E2E] = { sizeof(MillMetric), MILL_PER_RUN, "e2e", "ms", MILL_LOWER, MILL_REAL, STATS, NULL,
            "End-to-end latency: from sending a request to its last token; successful requests",
            MILL_INPUTS_ANY },
  [METRIC_RUN_TTFT] = { sizeof(MillMetric), MILL_PER_RUN, "run_mean_ttft", "ms", MILL_LOWER,
                        MILL_REAL, NULL, "TTFT",
                        "Plain mean of the mean_ttft_ms that the result files report, each file "
                        "weighing the same; needs a workload card of phase inference",
                        MILL_INPUTS_ONE },
  [METRIC_RUN_TPOT] = { sizeof(MillMetric), MILL_PER_RUN, "run_mean_tpot", "ms", MILL_LOWER,
                        MILL_REAL, NULL, "TPOT",
                        "Plain mean of the mean_tpot_ms that the result files report, each file "
                        "weighing the same; needs a workload card of phase inference",
                        MILL_INPUTS_ONE },
};

static const MillFigure figures[] = {
  { .size = sizeof(MillFigure),
    .kind = MILL_FIGURE_DENSITY,
    .name = "latency",
    .title = "Distribution of latencies",
    .table = "latency-hist",
    .x = "upper",
    .y = "share",
    .facet = "metric",
    .scale = "log" },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.latency", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = latency_open,
  .process = latency_process,
  .flush = latency_flush,
  .save = latency_save,
  .merge = latency_merge,
  .report = report,
  .close = latency_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .name = "latency",
  .family = "serve",
  .version = "1.0.0",
  .tag = "LAT",
  .title = "Latencies of served requests",
  .help = "Mean, spread and percentiles of time to first token, time per output token, gaps "
          "between tokens and end-to-end latency: over all requests where files have them, else "
          "combined from what files report.",
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
