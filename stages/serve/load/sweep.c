/* Runs at several offered loads; see sweep.h. */
/* SPDX-License-Identifier: MIT */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>

/* ---- levels */

/* The level of this load, made if need be: there is space for one per run. */
static Level *level_of(Sweep *s, double offered)
{
  for (size_t i = 0; i < s->n; i++)
    if (s->levels[i].offered == offered) return &s->levels[i];
  s->levels[s->n] = (Level){ .offered = offered };
  return &s->levels[s->n++];
}

static int by_offered(const void *a, const void *b)
{
  double x = ((const Level *)a)->offered, y = ((const Level *)b)->offered;
  return (x > y) - (x < y);
}

typedef double (*ValueOf)(const Point *point);
static double output_of(const Point *p) { return p->output_per_s; }
static double requests_of(const Point *p) { return p->requests_per_s; }
static double e2e_of(const Point *p) { return p->e2e_ms; }
static double ttft_of(const Point *p) { return p->ttft_ms; }
static double tpot_of(const Point *p) { return p->tpot_ms; }
static double ttft_p99_of(const Point *p) { return p->ttft_p99_ms; }
static double tpot_p99_of(const Point *p) { return p->tpot_p99_ms; }

static double mean_at(const Sweep *s, const Points *points, double offered, ValueOf value_of)
{
  double sum = 0;
  uint64_t n = 0;
  for (size_t i = 0; i < points->n; i++) {
    const Point *p = &points->items[i];
    if (p->offered[s->axis] != offered || !isfinite(value_of(p))) continue;
    sum += value_of(p);
    n++;
  }
  return n ? sum / (double)n : (double)NAN;
}

static void find_levels(Sweep *s, const Points *points, uint32_t axis)
{
  s->axis = axis;
  s->n = s->n_left_out = 0;
  for (size_t i = 0; i < points->n; i++) {
    double offered = points->items[i].offered[axis];
    if (isnan(offered))
      s->n_left_out++;
    else
      level_of(s, offered)->runs++;
  }
  if (s->n) qsort(s->levels, s->n, sizeof *s->levels, by_offered);
}

static void fill_levels(Sweep *s, const Points *points)
{
  for (size_t i = 0; i < s->n; i++) {
    Level *l = &s->levels[i];
    l->output_per_s = mean_at(s, points, l->offered, output_of);
    l->requests_per_s = mean_at(s, points, l->offered, requests_of);
    l->e2e_ms = mean_at(s, points, l->offered, e2e_of);
    l->ttft_ms = mean_at(s, points, l->offered, ttft_of);
    l->tpot_ms = mean_at(s, points, l->offered, tpot_of);
    l->ttft_p99_ms = mean_at(s, points, l->offered, ttft_p99_of);
    l->tpot_p99_ms = mean_at(s, points, l->offered, tpot_p99_of);
  }
}

/* ---- steps between levels */

static double change_percent(double before, double after)
{
  return before > 0 ? (after / before - 1) * 100 : (double)NAN;
}

/* The one that grows most counts; means count where no two levels have a 99th percentile. */
static void find_growth(const Level *before, Level *l)
{
  const struct {
    const char *name;
    double growth;
    bool is_mean;
  } all[] = { { "p99 TTFT", change_percent(before->ttft_p99_ms, l->ttft_p99_ms), false },
              { "p99 TPOT", change_percent(before->tpot_p99_ms, l->tpot_p99_ms), false },
              { "mean e2e", change_percent(before->e2e_ms, l->e2e_ms), true },
              { "mean TTFT", change_percent(before->ttft_ms, l->ttft_ms), true } };
  for (size_t i = 0; i < MILL_COUNT(all); i++) {
    if (isnan(all[i].growth) || (all[i].is_mean && l->latency)) continue;
    if (l->latency && all[i].growth <= l->latency_percent) continue;
    l->latency = all[i].name;
    l->latency_percent = all[i].growth;
  }
}

/* A run that lists no requests may lack the end-to-end latency. */
static double request_ms(const Level *l)
{
  if (isfinite(l->e2e_ms)) return l->e2e_ms;
  return l->ttft_ms + l->tpot_ms * (l->output_per_s / l->requests_per_s - 1);
}

static double share_of(const Level *before, const Level *l)
{
  double share = 100 * (1 - request_ms(before) / request_ms(l));
  return isfinite(share) ? share : 100 * l->latency_percent / (100 + l->latency_percent);
}

static void fill_steps(Sweep *s)
{
  for (size_t i = 0; i < s->n; i++) {
    Level *l = &s->levels[i];
    l->gain_percent = l->latency_percent = l->share_percent = (double)NAN;
    if (i == 0) continue;
    l->gain_percent = change_percent(l[-1].requests_per_s, l->requests_per_s);
    find_growth(l - 1, l);
    l->share_percent = share_of(l - 1, l);
  }
}

#define LEAST_SHARE 5 /* percent: less is not worth a word */

/* More load than before costs more latency than it brings requests. */
static bool is_too_much(const Level *l, double times)
{
  return l->latency_percent > 0 && l->latency_percent > times * l->gain_percent &&
         l->share_percent >= LEAST_SHARE;
}

static void find_saturation(Sweep *s, double times)
{
  s->saturated = 0;
  while (s->saturated < s->n && !is_too_much(&s->levels[s->saturated], times)) s->saturated++;
  for (size_t i = s->saturated; i < s->n; i++) s->levels[i].saturated = true;
}

/* ---- the whole */

bool sweep_make(Sweep *s, const Points *points, int64_t axis, double times)
{
  const MillHost *common = points->common;
  *s = (Sweep){ .levels = common->scratch(common, (points->n + 1) * sizeof *s->levels) };
  if (!s->levels) return false;
  find_levels(s, points, axis == SWEEP_LIMIT ? OFFERED_LIMIT : OFFERED_RATE);
  if (axis == SWEEP_AUTO && s->n < 2) find_levels(s, points, OFFERED_LIMIT);
  fill_levels(s, points);
  fill_steps(s);
  find_saturation(s, times);
  return true;
}
