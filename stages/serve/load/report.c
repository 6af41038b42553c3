/* Results of serve/load. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "serve/lib/series.h"
#include "load.h"
#include "sweep.h"

/* ---- of a run */

static int write_buckets(Load *l)
{
  int64_t full = 0;
  int status = 0;
  for (int64_t i = 0; i < l->timeline.buckets.n && status == 0; i++) {
    BucketRow row = timeline_bucket(&l->timeline, i, &full);
    bool has_rate = row.len_ns > 0 && l->knows_tokens;
    const LoadRow cells = {
      .time_ns = row.start_ns,
      .running = row.len_ns > 0 ? row.running : (double)NAN,
      .started = row.started,
      .finished = row.finished,
      .output_throughput = has_rate ? (double)row.tokens / ((double)row.len_ns / 1e9) : (double)NAN,
    };
    status = mill_row(l->host, TABLE_LOAD, &cells);
  }
  return status;
}

static const char *basis_of(const Load *l)
{
  const Point *p = &l->point;
  bool has_latencies = l->run.detailed && l->totals.n_e2e > 0 && l->figures.duration_ns > 0;
  if (l->has_timeline) return "times";
  if (isfinite(p->running_mean) && (has_latencies || !isfinite(l->run.concurrency)))
    return "latencies";
  bool has_any = isfinite(p->running_mean) || isfinite(p->running_max) || isfinite(p->peak_per_s);
  return has_any ? "reported" : "none";
}

static int write_summary(const Load *l)
{
  const Point *p = &l->point;
  const char *basis = basis_of(l);
  const SummaryRow row = {
    .requests = l->has_timeline ? (int64_t)l->n_timed : MILL_NO_INT,
    .length_ns = l->has_timeline ? l->last_ns - l->first_ns : MILL_NO_INT,
    .concurrency = p->running_mean,
    .concurrency_max = isfinite(p->running_max) ? (int64_t)p->running_max : MILL_NO_INT,
    .peak_output_throughput = p->peak_per_s,
    .basis = basis,
  };
  return mill_row(l->host, TABLE_SUMMARY, &row);
}

int load_report(void *instance)
{
  Load *l = instance;
  if (!l->has_run) return 0;
  int status = l->has_timeline ? write_buckets(l) : 0;
  return status == 0 ? write_summary(l) : status;
}

/* ---- over runs */

/* Of one value of all points that know it. */
static Series series(const Points *points, double *capacity, size_t offset)
{
  size_t n = 0;
  for (size_t i = 0; i < points->n; i++) {
    double v = *(const double *)(const void *)((const char *)&points->items[i] + offset);
    if (isfinite(v)) capacity[n++] = v;
  }
  return series_of(capacity, n);
}

static int write_metric(const Load *l, uint32_t metric, const char *stat, bool is_known, double v,
                        uint64_t n)
{
  if (is_known) return l->host->metric(l->host, metric, stat, mill_real(v), n);
  return l->host->no_metric(l->host, metric, stat,
                            l->points.n ? "no result has the times of its requests, or reports it"
                                        : "there is no benchmark result");
}

static int write_metrics(const Load *l)
{
  double *capacity = l->common->scratch(l->common, (l->points.n + 1) * sizeof *capacity);
  if (!capacity) return -MILL_LIMIT;
  Series mean = series(&l->points, capacity, offsetof(Point, running_mean));
  Series most = series(&l->points, capacity, offsetof(Point, running_max));
  Series peak = series(&l->points, capacity, offsetof(Point, peak_per_s));
  int status = write_metric(l, METRIC_CONCURRENCY, "mean", mean.n > 0, mean.mean, mean.n);
  if (status == 0)
    status = write_metric(l, METRIC_CONCURRENCY, "max", most.n > 0, most.max, most.n);
  if (status == 0) status = write_metric(l, METRIC_PEAK, "max", peak.n > 0, peak.max, peak.n);
  if (status == 0) status = write_metric(l, METRIC_PEAK, "mean", peak.n > 0, peak.mean, peak.n);
  return status;
}

/* ---- the sweep */

static const char *const axes[N_OFFERED] = { "request_rate", "max_concurrency" };

/* The load without a limit is an empty cell. */
static double load_or_none(double offered) { return isfinite(offered) ? offered : (double)NAN; }

static int write_levels(const Load *l, const Sweep *s)
{
  int status = 0;
  for (size_t i = 0; i < s->n && status == 0; i++) {
    const Level *level = &s->levels[i];
    const SaturationRow row = {
      .level = (int64_t)i + 1,
      .axis = axes[s->axis],
      .offered = load_or_none(level->offered),
      .runs = (int64_t)level->runs,
      .request_throughput = level->requests_per_s,
      .output_throughput = level->output_per_s,
      .ttft_mean_ms = level->ttft_ms,
      .e2e_mean_ms = level->e2e_ms,
      .tpot_mean_ms = level->tpot_ms,
      .ttft_p99_ms = level->ttft_p99_ms,
      .tpot_p99_ms = level->tpot_p99_ms,
      .gain = level->gain_percent,
      .latency = level->latency,
      .latency_growth = level->latency_percent,
      .share = level->share_percent,
      .saturated = level->saturated,
    };
    status = mill_row(l->host, TABLE_SATURATION, &row);
  }
  return status;
}

static int write_saturation(const Load *l, const Sweep *s)
{
  const MillStageHost *host = l->host;
  if (s->n < 2)
    return host->no_metric(host, METRIC_SATURATION, NULL,
                           "it needs runs at two offered loads or more (tag request_rate or "
                           "max_concurrency)");
  if (s->n_left_out > 0) {
    const MillNamed values[] = { { "runs", mill_int((int64_t)s->n_left_out) } };
    l->common->note(l->common, NOTICE_NO_OFFER, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
  }
  int status = write_levels(l, s);
  if (status < 0) return status;
  const bool any = s->saturated < s->n;
  if (any && !isfinite(s->levels[s->saturated].offered))
    return host->no_metric(host, METRIC_SATURATION, NULL,
                           "only the load without a limit is too much");
  if (any)
    return host->metric(host, METRIC_SATURATION, NULL, mill_real(s->levels[s->saturated].offered),
                        l->points.n - s->n_left_out);
  return host->no_metric(
      host, METRIC_SATURATION, NULL,
      "up to the highest load, no latency grows much faster than requests per second");
}

int load_report_run(void *instance)
{
  const Load *l = instance;
  Sweep sweep;
  int status = write_metrics(l);
  if (status < 0) return status;
  if (!sweep_make(&sweep, &l->points, l->options.sweep_by, l->options.saturation_times))
    return -MILL_LIMIT;
  return write_saturation(l, &sweep);
}
