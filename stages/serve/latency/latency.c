/* Latencies of served requests: time to first token, time per output token, gaps between tokens,
 * and end to end.  A lane is one run of a benchmark.  What is measured for each request stays an
 * integer of nanoseconds, so that results over all requests are exact however the work was
 * divided; what a file has averaged already is kept a run at a time, in lane order. */
/* SPDX-License-Identifier: MIT */
#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "latency.h"

#include <stdio.h>
#include <string.h>

#include "serve/lib/card.h"

/* ---- opening */

static int bad_percentile(const MillHost *common, const char *text)
{
  char what[128];
  snprintf(what, sizeof what, "percentiles: \"%.60s\" is not a percentile", text);
  return mill_fail(common, MILL_STAGE_FAILED, what,
                   "write 99.9 or p99.9: from 0 to 100, with up to six decimals");
}

static int read_percentiles(Latency *l, const MillList *list)
{
  if (list->n == 0) return 0;
  l->extras = mill_new(l->common, list->n * sizeof *l->extras);
  if (!l->extras) return -MILL_LIMIT;
  for (uint32_t i = 0; i < list->n; i++) {
    const char *text = list->items[i];
    size_t len = strlen(text), p = *text != 'p';
    Extra extra = { NULL, 0 };
    if (!percentile_read(text, len, &extra.percentile)) return bad_percentile(l->common, text);
    bool known = false;
    for (uint32_t k = 0; k < l->n_extras; k++) known |= l->extras[k].percentile == extra.percentile;
    if (known) continue;
    extra.stat = mill_new(l->common, len + p + 1);
    if (!extra.stat) return -MILL_LIMIT;
    extra.stat[0] = 'p';
    memcpy(extra.stat + p, text, len);
    l->extras[l->n_extras++] = extra;
  }
  return 0;
}

static int latency_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self;
  const Options *o = options;
  Latency *l = instance_new(Latency, host, out_instance);
  if (!l) return -MILL_LIMIT;
  l->runs.common = host->common;
  hists_init(&l->distributions, l->common, (uint64_t)o->exact_up_to);
  bench_keys(&l->keys, l->common);
  for (uint32_t i = 0; i < N_LATENCIES; i++) hist_init(&l->hists[i], &l->distributions);
  if (level == MILL_LANE && !(l->run = runs_add(&l->runs))) return -MILL_LIMIT;
  return read_percentiles(l, &o->percentiles);
}

/* ---- requests */

static bool add(Latency *l, uint32_t latency, int64_t ns)
{
  if (ns < 0) return true; /* unknown, or not a time */
  moments_add(&l->run->moments[latency], ns);
  return hist_add(&l->hists[latency], ns);
}

/* Thousands per record: the sums stay in registers. */
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
  int64_t tpot_ns;
  bool more = goes_on(r), has_tpot = more && bench_whole_tpot_ns(r, &tpot_ns);
  l->successful++;
  l->run->expected[TTFT]++;
  l->run->expected[E2E]++;
  l->run->expected[TPOT] += more;
  l->run->expected[ITL] += more;
  return add(l, TTFT, r->ttft_ns) && add(l, E2E, r->e2e_ns) && (!has_tpot || add(l, TPOT, tpot_ns));
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
    if (!take(l, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* ---- the end of a run */

static bool set_from_tag(const Latency *l, const char **to, const char *name)
{
  const char *text = l->common->tag(l->common, MILL_NO_LANE, name);
  return !text || run_set_text(to, l->common, text, strlen(text));
}

/* How much of the input's name is before the folder RUN, of a card RUN/FILE. */
static size_t len_before_run(const char *input, const char *card)
{
  const char *slash = strchr(card, '/');
  size_t len = slash ? (size_t)(slash + 1 - card) : 0;
  for (const char *at = input, *next; len > 0; at = next + 1) {
    if (!strncmp(at, card, len)) return (size_t)(at - input);
    if (!(next = strchr(at, '/'))) break;
  }
  return 0;
}

/* Folders of runs may have one name: their cards are told apart by those above. */
static bool set_card(Latency *l, const char *input)
{
  const char *card = l->common->tag(l->common, MILL_NO_LANE, "card");
  if (!card) return true;
  size_t before = len_before_run(input, card), len = strlen(card);
  char *whole = mill_new(l->common, before + len + 1);
  if (!whole) return false;
  memcpy(whole, input, before);
  memcpy(whole + before, card, len);
  l->run->card = whole;
  return true;
}

static bool set_texts(Latency *l)
{
  MillLane lane = { .size = sizeof lane };
  l->common->lane(l->common, MILL_NO_LANE, &lane);
  const char *input = l->common->tag(l->common, MILL_NO_LANE, "input");
  if (!input) input = lane.name;
  return run_set_text(&l->run->name, l->common, input, strlen(input)) && set_card(l, input) &&
         set_from_tag(l, &l->run->card_error, "card_error") &&
         set_from_tag(l, &l->run->phase, "phase");
}

static void forget_requests(Latency *l)
{
  hists_clear(&l->distributions);
  for (uint32_t i = 0; i < N_LATENCIES; i++) l->run->moments[i] = (Moments){ 0 };
}

/* Tags are complete only now. */
static int latency_flush(void *instance, MillBatch *b)
{
  Latency *l = instance;
  (void)b;
  if (!set_texts(l)) return -MILL_LIMIT;
  bool serves = card_serves(l->run->phase);
  if (!l->has_record || !l->run->detailed || !serves) forget_requests(l);
  if (!l->has_record)
    l->runs.n = 0;
  else if (!serves)
    l->common->note(l->common, NOTICE_REFUSED, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- saved state */

static const StateField hist_fields[] = { { .kind = STATE_OWN, .ops = &state_of_hist } };
static const StateType hist_state = STATE_TYPE(Hist, hist_fields);

static const StateField latency_fields[] = {
  STATE_PART(Latency, runs, runs_state),
  STATE_HISTS(Latency, distributions),
  STATE_PART(Latency, hists, hist_state),
};
static const StateType latency_state = STATE_TYPE(Latency, latency_fields);
STATE_RESULT(Latency, latency_state)

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BY_OPTION(Options, by),
  MILL_OPTION(Options, percentiles, MillList, MILL_OPT_LIST, MILL_OPTION_STATS, "percentiles", "",
              NULL, NULL, "Further percentiles: \"p99.9,p25\"; rows of latency-percentiles"),
  MILL_INT_OPTION(
      Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
      "Most values for exact percentiles, 8 bytes each; with more they are within 0.1 %"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_MIXED,
      "{count} run[|s] [has|have] no records of [its|their] requests, while others have",
      "latencies are combined from the averages of the runs; their percentiles are unknown",
      "save the requests of every run (--save-detailed, --output-details, or the like)",
      "Percentiles of several runs cannot be combined. If every run has its requests, percentiles "
      "are computed over all requests. Otherwise means and deviations are combined, weighted by "
      "completed requests, and percentiles are left out."),
  MILL_WARNING(NOTICE_MISSING, "{count} run[|s] [lacks|lack] a latency that others have",
               "results of that latency leave [this run|these runs] out",
               "choose all percentile metrics when the benchmark is run, or save its requests",
               "Benchmarks write only the statistics of chosen latencies. The result of a latency "
               "covers the runs that have it."),
  MILL_WARNING(NOTICE_REFUSED,
               "{count} run[|s] [has|have] a phase that serves no requests (first: {lane})",
               "tables leave them out, and metrics do not apply",
               "give only runs of the phases inference and serving",
               "The workload card, or the tag phase, gives the phase of a run. Only the phases "
               "inference and serving have latencies of requests; case does not matter."),
  MILL_WARNING(NOTICE_NO_COUNT,
               "{count} run[|s] [does|do] not say how many requests [it|they] completed",
               "mean and deviation of a latency over these and other runs are left out", NULL,
               "Averages of several runs are weighted by completed requests."),
  MILL_INFO(
      NOTICE_PERCENTILE_OF_ONE,
      "{count} percentile[|s] [covers|cover] only one run, because the others do not report "
      "[it|them]",
      "they do not describe all runs", "save the requests of every run",
      "Percentiles of several runs cannot be combined. If only one run reports a percentile, it is "
      "shown unchanged."),
};

#define ANY MILL_KIND(MILL_RECORD)
static const MillRead reads[] = {
  { "ok", MILL_AS_INT, ANY },         { "ttft_ns", MILL_AS_INT, ANY },
  { "e2e_ns", MILL_AS_INT, ANY },     { "tpot_ns", MILL_AS_INT, ANY },
  { "gap_ns", MILL_AS_INT, ANY },     { "output_tokens", MILL_AS_INT, ANY },
  { "completed", MILL_AS_INT, ANY },  { "detailed", MILL_AS_INT, ANY },
  { "stat_name", MILL_AS_TEXT, ANY }, { "stat_value", MILL_AS_REAL, ANY },
};

#define KEY (MILL_COLUMN_KEY | MILL_COLUMN_BRIEF)
static const MillColumn latency_columns[] = {
  MILL_COLUMN(LatencyRow, metric, "metric", NULL, KEY, "ttft, tpot, itl or e2e"),
  MILL_BRIEF(LatencyRow, n, "n", "count",
             "Number of values; if basis is not exact, of completed requests"),
  MILL_COLUMN(LatencyRow, mean_ms, "mean", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean latency"),
  MILL_COLUMN(LatencyRow, std_ms, "std", "ms", 0, "Standard deviation of the population"),
  MILL_COLUMN(LatencyRow, min_ms, "min", "ms", MILL_COLUMN_LOWER, "Smallest latency"),
  MILL_COLUMN(LatencyRow, p50_ms, "p50", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Median latency"),
  MILL_COLUMN(LatencyRow, p90_ms, "p90", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "90th percentile"),
  MILL_COLUMN(LatencyRow, p95_ms, "p95", "ms", MILL_COLUMN_LOWER, "95th percentile"),
  MILL_COLUMN(LatencyRow, p99_ms, "p99", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "99th percentile"),
  MILL_COLUMN(LatencyRow, max_ms, "max", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Largest latency"),
  MILL_BRIEF(
      LatencyRow, basis, "basis", NULL,
      "exact: over all requests; combined: from the reports of several runs; reported: by one run"),
  MILL_COLUMN(LatencyRow, method, "method", NULL, 0,
              "Method of percentiles over all requests: exact, or histogram (within 0.1 %)"),
};
static const MillColumn percentile_columns[] = {
  MILL_COLUMN(PercentileRow, metric, "metric", NULL, KEY, "ttft, tpot, itl or e2e"),
  MILL_COLUMN(PercentileRow, percentile, "percentile", "percent", KEY,
              "The percentile, for example 99.9"),
  MILL_COLUMN(PercentileRow, value_ms, "value", "ms", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Latency at the percentile"),
  MILL_COLUMN(PercentileRow, method, "method", NULL, 0,
              "Method, as in the table latency; empty: as a file reports it"),
};
static const MillColumn hist_columns[] = {
  MILL_COLUMN(HistRow, metric, "metric", NULL, KEY, "ttft, tpot, itl or e2e"),
  MILL_COLUMN(HistRow, upper_ms, "upper", "ms", KEY,
              "End of the bin; an equal value is in the next bin"),
  MILL_COLUMN(HistRow, lower_ms, "lower", "ms", 0, "Begin of the bin"),
  MILL_COLUMN(HistRow, values, "values", "count", 0, "Number of values in the bin"),
  MILL_COLUMN(HistRow, share, "share", "percent", 0, "Share of all values of the metric"),
};

static const MillTable tables[] = {
  [TABLE_LATENCY] = { .per = MILL_PER_RUN,
                      .brief_rows = 16,
                      .name = "latency",
                      .help = "Latencies of requests, over all runs",
                      .columns = MILL_ROWS(latency_columns) },
  [TABLE_PERCENTILES] = { .per = MILL_PER_RUN,
                          .brief_rows = 16,
                          .name = "latency-percentiles",
                          .help = "Percentiles of the option percentiles",
                          .columns = MILL_ROWS(percentile_columns) },
  [TABLE_HIST] = { .per = MILL_PER_RUN,
                   .name = "latency-hist",
                   .help = "Distribution of latencies: at most 64 bins for each metric, with a "
                           "constant ratio",
                   .columns = MILL_ROWS(hist_columns) },
};

/* Of requests, over all runs. */
#define LATENCY(name_, help_)                                                                  \
  {                                                                                            \
    .per = MILL_PER_RUN, .better = MILL_LOWER, .kind = MILL_REAL, .name = name_, .unit = "ms", \
    .stats = "mean,std,min,p50,p90,p95,p99,max,n,p*", .headline = "p50,p99", .help = help_     \
  }
/* Of what the one file of a run says of itself. */
#define RUN_MEAN(name_, alias_, member_)                                                         \
  {                                                                                              \
    .per = MILL_PER_RUN, .better = MILL_LOWER, .kind = MILL_REAL, .inputs = MILL_INPUTS_ONE,     \
    .name = name_, .unit = "ms", .aliases = alias_,                                              \
    .help = "Plain mean of " member_ " in the result files, each with the same weight; needs a " \
            "workload card of phase inference"                                                   \
  }
static const MillMetric metrics[] = {
  [TTFT] =
      LATENCY("ttft", "Time to first token: from sending a request to its first token; successful "
                      "requests of all runs"),
  [TPOT] = LATENCY("tpot",
                   "Time per output token: (e2e - ttft) / (output tokens - 1) of each successful "
                   "request of more than one output token"),
  [ITL] =
      LATENCY("itl", "Inter-token latency: every gap between tokens of every successful request"),
  [E2E] = LATENCY("e2e", "End-to-end latency: from sending a request to its last token; successful "
                         "requests"),
  [METRIC_RUN_TTFT] = RUN_MEAN("run_mean_ttft", "TTFT", "mean_ttft_ms"),
  [METRIC_RUN_TPOT] = RUN_MEAN("run_mean_tpot", "TPOT", "mean_tpot_ms"),
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_HISTOGRAM,
    .name = "latency",
    .title = "Distribution of latencies",
    .table = "latency-hist",
    .x = "lower",
    .x_end = "upper",
    .y = "share",
    .facet = "metric",
    .flags = MILL_FIGURE_OWN_AXES,
    .x_scale = "log",
    .x_label = "$facet",
    .over = "latency-marks" },
  { .kind = MILL_FIGURE_RULE,
    .name = "latency-marks",
    .title = "Median and 99th percentile",
    .table = "latency",
    .x = "p50,p99",
    .facet = "metric",
    .x_scale = "log" },
};

static const char *const needs[] = { "input.bench", NULL };
static const char *const provides[] = { "table.latency", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = latency_open,
  .process = latency_process,
  .flush = latency_flush,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = latency_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "latency",
  .family = "serve",
  .version = "1.0.0",
  .tag = "LAT",
  .title = "Latencies of served requests",
  .help = "Shows mean, spread and percentiles of time to first token, time per output token, gaps "
          "between tokens and end-to-end latency. They cover all requests if files have them; "
          "otherwise they are combined from the reports of the files.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
