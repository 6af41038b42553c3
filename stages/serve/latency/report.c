/* What serve/latency reports: rows, statistics, bins, and the plain means of files. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "latency.h"
#include "serve/lib/card.h"
#include "pool.h"

#define NS_PER_MS 1e6
enum { MILLION = 1000000, REASON_MAX = 512 };

static double percentile(const Pool *p, unsigned percent)
{
  const char *why;
  return pool_percentile(p, (int64_t)percent * MILLION, &why);
}

/* ---- tables */

/* Of percentiles that are computed; what a file reports has none. */
static const char *method_name(const Pool *p)
{
  return p->basis == BASIS_EXACT ? hist_method(p->hist->of) : NULL;
}

static int write_row(Latency *l, const Pool *p)
{
  static const char *const bases[] = { NULL, "exact", "combined", "reported" };
  const LatencyRow row = {
    .metric = latency_names[p->latency],
    .n = p->n,
    .mean_ms = p->mean_ms,
    .std_ms = p->std_ms,
    .min_ms = p->min_ms,
    .p50_ms = percentile(p, 50),
    .p90_ms = percentile(p, 90),
    .p95_ms = percentile(p, 95),
    .p99_ms = percentile(p, 99),
    .max_ms = p->max_ms,
    .basis = bases[p->basis],
    .method = method_name(p),
  };
  return mill_row(l->host, TABLE_LATENCY, &row);
}

static int write_extras(Latency *l, const Pool *p)
{
  int status = 0;
  for (uint32_t i = 0; i < l->n_extras && status == 0; i++) {
    const char *why;
    double v = pool_percentile(p, l->extras[i].percentile, &why);
    const PercentileRow row = {
      .metric = latency_names[p->latency],
      .percentile = (double)l->extras[i].percentile / MILLION,
      .value_ms = v,
      .method = method_name(p),
    };
    if (isfinite(v)) status = mill_row(l->host, TABLE_PERCENTILES, &row);
  }
  return status;
}

static uint64_t values_below(Hist *h, uint64_t limit)
{
  return limit > INT64_MAX ? h->n : hist_count_below(h, (int64_t)limit);
}

/* Steps of so many octaves: those of all groups begin at the same places. */
static double bin_place(uint64_t ns, double step) { return floor(log2((double)ns) / step); }

static uint64_t bin_edge(double place, double step)
{
  double ns = exp2(place * step);
  return ns < 0x1p63 ? (uint64_t)llround(ns) : (uint64_t)1 << 63;
}

/* As many as the values fill. */
static double bin_step(uint64_t n, uint64_t min, uint64_t max)
{
  enum { MOST = 64 };
  const double finest = 1.0 / 256;
  double most = fmin(MOST, ceil(3 * cbrt((double)n))), step = finest;
  while (bin_place(max, step) - bin_place(min, step) >= most) step *= 2;
  return step;
}

static int write_bin(Latency *l, const Pool *p, uint64_t from, uint64_t to, uint64_t n)
{
  const HistRow row = {
    .metric = latency_names[p->latency],
    .upper_ms = (double)to / NS_PER_MS,
    .lower_ms = (double)from / NS_PER_MS,
    .values = (int64_t)n,
    .share = (double)n / (double)p->hist->n * 100,
  };
  return mill_row(l->host, TABLE_HIST, &row);
}

/* The least that is not one of so many zeros. */
static uint64_t least_above(Hist *h, uint64_t zeros)
{
  double v = 0;
  if (zeros == h->n || !hist_percentile(h, 100 * (double)zeros / (double)(h->n - 1), &v)) return 1;
  return v < 1 ? 1 : (uint64_t)llround(v);
}

/* Zeros have a bin of their own: no ratio leads to them. */
static int write_bins(Latency *l, const Pool *p, uint64_t min, uint64_t max)
{
  uint64_t below = min > 0 ? 0 : values_below(p->hist, 1);
  uint64_t first = below ? least_above(p->hist, below) : min;
  int status = below ? write_bin(l, p, 0, 1, below) : 0;
  double step = bin_step(p->hist->n, first, max > 0 ? max : 1), place = bin_place(first, step);
  uint64_t from = bin_edge(place, step), to;
  for (; status == 0 && below < p->hist->n; from = to) {
    while ((to = bin_edge(++place, step)) <= from) continue; /* of a few nanoseconds */
    uint64_t to_end = values_below(p->hist, to);
    status = write_bin(l, p, from, to, to_end - below);
    below = to_end;
  }
  return status;
}

static int write_distribution(Latency *l, const Pool *p)
{
  double min = 0, max = 0;
  if (!hist_percentile(p->hist, 0, &min) || !hist_percentile(p->hist, 100, &max)) return 0;
  return min < 0 ? 0 : write_bins(l, p, (uint64_t)min, (uint64_t)max);
}

/* ---- statistics of a latency */

typedef struct Statistic {
  const char *name;
  double value; /* NaN: none */
  const char *why;
} Statistic;

static int report_statistic(Latency *l, const Pool *p, const Statistic *s)
{
  uint64_t n = p->n == BENCH_NONE ? 0 : (uint64_t)p->n;
  return l->host->metric(l->host, p->latency, s->name, mill_real(s->value), n);
}

/* Those that exist, then those that do not. */
static int report_statistics(Latency *l, const Pool *p, const Statistic *stats, uint32_t n)
{
  int status = 0;
  for (uint32_t i = 0; i < n && status == 0; i++)
    if (isfinite(stats[i].value)) status = report_statistic(l, p, &stats[i]);
  for (uint32_t i = 0; i < n && status == 0; i++)
    if (!isfinite(stats[i].value))
      status = l->host->no_metric(l->host, p->latency, stats[i].name, stats[i].why);
  return status;
}

static Statistic percentile_statistic(const Pool *p, const char *name, int64_t which)
{
  Statistic s = { name, 0, NULL };
  s.value = pool_percentile(p, which, &s.why);
  return s;
}

static bool is_declared(int64_t which)
{
  return which == 50 * (int64_t)MILLION || which == 90 * (int64_t)MILLION ||
         which == 95 * (int64_t)MILLION || which == 99 * (int64_t)MILLION;
}

static int tell_extras(Latency *l, const Pool *p)
{
  int status = 0;
  for (uint32_t i = 0; i < l->n_extras && status == 0; i++) {
    if (is_declared(l->extras[i].percentile)) continue;
    Statistic s = percentile_statistic(p, l->extras[i].stat, l->extras[i].percentile);
    status = report_statistics(l, p, &s, 1);
  }
  return status;
}

static int tell_statistics(Latency *l, const Pool *p)
{
  static const char no_mean[] = "not every run reports it with its number of completed requests";
  static const char no_end[] = "not every run reports it";
  const Statistic stats[] = {
    { "mean", p->mean_ms, no_mean },
    { "std", p->std_ms, no_mean },
    { "min", p->min_ms, no_end },
    percentile_statistic(p, "p50", 50 * (int64_t)MILLION),
    percentile_statistic(p, "p90", 90 * (int64_t)MILLION),
    percentile_statistic(p, "p95", 95 * (int64_t)MILLION),
    percentile_statistic(p, "p99", 99 * (int64_t)MILLION),
    { "max", p->max_ms, no_end },
  };
  int status = report_statistics(l, p, stats, MILL_COUNT(stats));
  if (status == 0 && p->n != BENCH_NONE)
    status = l->host->metric(l->host, p->latency, "n", mill_int(p->n), (uint64_t)p->n);
  if (status == 0 && p->n == BENCH_NONE)
    status = l->host->no_metric(l->host, p->latency, "n",
                                "a run does not say how many requests it completed");
  return status == 0 ? tell_extras(l, p) : status;
}

/* ---- none */

static const LatencyRun *first_refused(const Runs *runs)
{
  for (uint32_t i = 0; i < runs->n; i++)
    if (!card_serves(runs->items[i].phase)) return &runs->items[i];
  return NULL;
}

static int tell_refused(Latency *l, uint32_t latency, const LatencyRun *run)
{
  char why[REASON_MAX];
  snprintf(why, sizeof why,
           "it is measured in the phases inference and serving; %.100s is of the phase \"%.60s\"",
           run->name, run->phase);
  return l->host->no_metric(l->host, latency, NULL, why);
}

static int tell_none(Latency *l, uint32_t latency)
{
  const char *why = l->runs.n == 0
                        ? "no result of a benchmark was read"
                        : "no run has successful requests with it or reports its statistics";
  return l->host->no_metric(l->host, latency, NULL, why);
}

/* ---- the plain mean of files */

/* Why the metric does not apply to this run; false: it does. */
static bool is_unfit(const LatencyRun *run, const char *metric, char *out_why)
{
  const char *head = "metric requires the phase inference";
  if (*run->card_error)
    snprintf(out_why, REASON_MAX, "the workload card cannot be read: %.400s", run->card_error);
  else if (!*run->card)
    snprintf(out_why, REASON_MAX, "no workload card (*.yaml) was found with %.200s", run->name);
  else if (!*run->phase)
    snprintf(out_why, REASON_MAX, "%s %s; %.200s names no phase", metric, head, run->card);
  else if (strcmp(run->phase, "inference") != 0)
    snprintf(out_why, REASON_MAX, "%s %s; %.200s says \"%.60s\"", metric, head, run->card,
             run->phase);
  else
    return false;
  return true;
}

/* The metric is of one run folder: the files of several do not make one mean. */
static bool is_another(const LatencyRun *first, const LatencyRun *run, const char *metric,
                       char *out_why)
{
  if (!strcmp(first->card, run->card)) return false;
  snprintf(out_why, REASON_MAX, "%s metric takes one run folder, but there are %.200s and %.200s",
           metric, first->card, run->card);
  return true;
}

/* In lane order, each file weighing the same. */
static int tell_plain_mean(Latency *l, uint32_t metric, const char *name, uint32_t latency)
{
  char why[REASON_MAX];
  double sum = 0;
  uint64_t n = 0;
  for (uint32_t i = 0; i < l->runs.n; i++) {
    const LatencyRun *run = &l->runs.items[i];
    if (is_unfit(run, name, why) || is_another(&l->runs.items[0], run, name, why))
      return l->host->no_metric(l->host, metric, NULL, why);
    double mean = run_reported(run, latency, STAT_MEAN, 0);
    if (isnan(mean)) continue;
    sum += mean;
    n++;
  }
  if (n > 0) return l->host->metric(l->host, metric, NULL, mill_real(sum / (double)n), n);
  if (l->runs.n == 0)
    snprintf(why, sizeof why, "no result of a benchmark was read");
  else
    snprintf(why, sizeof why, "no result file has mean_%s_ms", latency_names[latency]);
  return l->host->no_metric(l->host, metric, NULL, why);
}

/* ---- notices, once per run */

static void note(const Latency *l, uint32_t number)
{
  l->common->note(l->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static void note_run(const Latency *l, const Pool *pools, const LatencyRun *run)
{
  bool mixed = false, missing = false, no_count = false;
  for (uint32_t i = 0; i < N_LATENCIES; i++) {
    Part part = run_part(run, i);
    bool others = pools[i].basis != BASIS_NONE;
    mixed |= part == PART_REPORTED && pools[i].n_exact > 0;
    missing |= part == PART_MISSING && others;
    no_count |=
        part == PART_REPORTED && run->completed == BENCH_NONE && pools[i].basis == BASIS_COMBINED;
  }
  if (mixed) note(l, NOTICE_MIXED);
  if (missing) note(l, NOTICE_MISSING);
  if (no_count) note(l, NOTICE_NO_COUNT);
}

static void note_percentiles(const Latency *l, const Pool *p)
{
  static const unsigned declared[] = { 50, 90, 95, 99 };
  for (uint32_t i = 0; i < MILL_COUNT(declared); i++)
    if (pool_percentile_is_of_one(p, (int64_t)declared[i] * MILLION))
      note(l, NOTICE_PERCENTILE_OF_ONE);
  for (uint32_t i = 0; i < l->n_extras; i++)
    if (!is_declared(l->extras[i].percentile) &&
        pool_percentile_is_of_one(p, l->extras[i].percentile))
      note(l, NOTICE_PERCENTILE_OF_ONE);
}

/* ---- all of it */

static int write_tables(Latency *l, const Pool *p)
{
  if (p->basis == BASIS_NONE) return 0;
  note_percentiles(l, p);
  int status = write_row(l, p);
  if (status == 0) status = write_extras(l, p);
  return status == 0 && p->basis == BASIS_EXACT ? write_distribution(l, p) : status;
}

/* One number cannot show that runs were left out, as a table beside a warning can. */
static int write_metric(Latency *l, const Pool *p)
{
  const LatencyRun *refused = first_refused(&l->runs);
  if (refused) return tell_refused(l, p->latency, refused);
  return p->basis == BASIS_NONE ? tell_none(l, p->latency) : tell_statistics(l, p);
}

int latency_report_run(void *instance)
{
  Latency *l = instance;
  Pool pools[N_LATENCIES];
  int status = hists_settle(&l->distributions) ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; i < N_LATENCIES; i++) pool_make(&pools[i], &l->runs, &l->hists[i], i);
  for (uint32_t i = 0; i < l->runs.n; i++) note_run(l, pools, &l->runs.items[i]);
  for (uint32_t i = 0; i < N_LATENCIES && status == 0; i++) {
    status = write_tables(l, &pools[i]);
    if (status == 0) status = write_metric(l, &pools[i]);
  }
  if (status == 0) status = tell_plain_mean(l, METRIC_RUN_TTFT, "TTFT", TTFT);
  if (status == 0) status = tell_plain_mean(l, METRIC_RUN_TPOT, "TPOT", TPOT);
  return status;
}
