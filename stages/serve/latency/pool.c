/* Pooling; see pool.h. */
/* SPDX-License-Identifier: MIT */
#include "pool.h"

#include "kit/numbers/clip.h"

#define NS_PER_MS 1e6

static void count_parts(Pool *p)
{
  for (uint32_t i = 0; i < p->runs->n; i++) {
    Part part = run_part(&p->runs->items[i], p->latency);
    p->n_exact += part == PART_EXACT;
    p->n_reported += part == PART_REPORTED;
    p->n_missing += part == PART_MISSING;
  }
}

static Basis basis_of(const Pool *p)
{
  if (p->n_exact + p->n_reported == 0) return BASIS_NONE;
  if (p->n_reported == 0) return BASIS_EXACT;
  return p->n_exact + p->n_reported == 1 ? BASIS_REPORTED : BASIS_COMBINED;
}

/* ---- exact: population std */

static void make_exact(Pool *p)
{
  Moments m = { 0 };
  double mean = (double)NAN, std = (double)NAN;
  for (uint32_t i = 0; i < p->runs->n; i++)
    if (run_part(&p->runs->items[i], p->latency) == PART_EXACT)
      moments_merge(&m, &p->runs->items[i].moments[p->latency]);
  moments_mean(&m, &mean);
  moments_std_population(&m, &std);
  p->n = (int64_t)m.n;
  p->mean_ms = mean / NS_PER_MS;
  p->std_ms = std / NS_PER_MS;
  p->min_ms = (double)m.min / NS_PER_MS;
  p->max_ms = (double)m.max / NS_PER_MS;
}

/* ---- combined */

/* Of one run: made from its requests, else what it reports. */
static double stat_of(const Pool *p, const LatencyRun *run, uint32_t kind)
{
  const Moments *m = &run->moments[p->latency];
  double v = (double)NAN;
  if (m->n == 0) return run_reported(run, p->latency, kind, 0);
  switch (kind) {
  case STAT_MEAN: moments_mean(m, &v); break;
  case STAT_STD: moments_std_population(m, &v); break;
  case STAT_MIN: v = (double)m->min; break;
  default: v = (double)m->max; break;
  }
  return v / NS_PER_MS;
}

static bool takes_part(const Pool *p, const LatencyRun *run)
{
  Part part = run_part(run, p->latency);
  return part == PART_EXACT || part == PART_REPORTED;
}

/* Completed requests of the runs; BENCH_NONE when one does not say. */
static int64_t sum_completed(const Pool *p)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < p->runs->n; i++) {
    const LatencyRun *run = &p->runs->items[i];
    if (!takes_part(p, run)) continue;
    if (run->completed == BENCH_NONE) return BENCH_NONE;
    sum = add_clipped(sum, run->completed);
  }
  return sum;
}

/* mean = sum(n_i mean_i) / sum(n_i); NaN when a run has none. */
static double combined_mean(const Pool *p)
{
  double sum = 0;
  if (p->n == BENCH_NONE) return (double)NAN;
  for (uint32_t i = 0; i < p->runs->n; i++) {
    const LatencyRun *run = &p->runs->items[i];
    if (takes_part(p, run)) sum += (double)run->completed * stat_of(p, run, STAT_MEAN);
  }
  return sum / (double)p->n;
}

/* sum(n_i (std_i^2 + mean_i^2)) / n - mean^2, written so that it loses no digits. */
static double combined_std(const Pool *p)
{
  double sum = 0;
  if (p->n == BENCH_NONE) return (double)NAN;
  for (uint32_t i = 0; i < p->runs->n; i++) {
    const LatencyRun *run = &p->runs->items[i];
    if (!takes_part(p, run)) continue;
    double std = stat_of(p, run, STAT_STD), off = stat_of(p, run, STAT_MEAN) - p->mean_ms;
    sum += (double)run->completed * (std * std + off * off);
  }
  return sqrt(sum / (double)p->n);
}

/* The smallest or largest over all runs; NaN when a run has none. */
static double combined_end(const Pool *p, uint32_t kind)
{
  double end = (double)NAN;
  bool first = true;
  for (uint32_t i = 0; i < p->runs->n; i++) {
    const LatencyRun *run = &p->runs->items[i];
    if (!takes_part(p, run)) continue;
    double v = stat_of(p, run, kind);
    if (isnan(v)) return v;
    if (first || (kind == STAT_MIN ? v < end : v > end)) end = v;
    first = false;
  }
  return end;
}

static void make_combined(Pool *p)
{
  p->n = sum_completed(p);
  p->mean_ms = combined_mean(p);
  p->std_ms = combined_std(p);
  p->min_ms = combined_end(p, STAT_MIN);
  p->max_ms = combined_end(p, STAT_MAX);
}

/* ---- as reported by the only run */

static void make_reported(Pool *p)
{
  for (uint32_t i = 0; i < p->runs->n; i++) {
    const LatencyRun *run = &p->runs->items[i];
    if (!takes_part(p, run)) continue;
    p->n = run->completed;
    p->mean_ms = run_reported(run, p->latency, STAT_MEAN, 0);
    p->std_ms = run_reported(run, p->latency, STAT_STD, 0);
    p->min_ms = run_reported(run, p->latency, STAT_MIN, 0);
    p->max_ms = run_reported(run, p->latency, STAT_MAX, 0);
  }
}

void pool_make(Pool *out, const Runs *runs, Hist *hist, uint32_t latency)
{
  *out = (Pool){ .runs = runs, .hist = hist, .latency = latency, .n = BENCH_NONE };
  out->mean_ms = out->std_ms = out->min_ms = out->max_ms = (double)NAN;
  count_parts(out);
  out->basis = basis_of(out);
  if (out->basis == BASIS_EXACT) make_exact(out);
  if (out->basis == BASIS_COMBINED) make_combined(out);
  if (out->basis == BASIS_REPORTED) make_reported(out);
}

/* ---- percentiles */

/* Of the runs that report it: how many, and the last one's value. */
static uint32_t reporters(const Pool *p, int64_t percentile, double *out_ms)
{
  uint32_t n = 0;
  *out_ms = (double)NAN;
  for (uint32_t i = 0; i < p->runs->n; i++) {
    const LatencyRun *run = &p->runs->items[i];
    if (!takes_part(p, run)) continue;
    double ms = run_reported(run, p->latency, STAT_PERCENTILE, percentile);
    if (isnan(ms)) continue;
    *out_ms = ms;
    n++;
  }
  return n;
}

double pool_percentile(const Pool *pool, int64_t percentile, const char **out_why)
{
  double v = (double)NAN;
  *out_why = "there is no value";
  if (pool->basis == BASIS_NONE) return v;
  if (pool->basis == BASIS_EXACT) {
    hist_percentile(pool->hist, (double)percentile / 1e6, &v);
    return v / NS_PER_MS;
  }
  uint32_t n = reporters(pool, percentile, &v);
  if (n == 1) return v;
  *out_why = n == 0 ? "no result file reports it, and some lack their requests"
                    : "several runs report it, and percentiles of runs cannot be combined";
  return (double)NAN;
}

bool pool_percentile_is_of_one(const Pool *pool, int64_t percentile)
{
  double v;
  return pool->basis == BASIS_COMBINED && reporters(pool, percentile, &v) == 1;
}
