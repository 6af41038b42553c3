/* Runs at several offered loads; see sweep.h. */
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

/* Tokens and end-to-end latency if every level has them, else requests and time to first token. */
static bool all_have(const Sweep *s, size_t offset)
{
  for (size_t i = 0; i < s->n; i++)
    if (isnan(*(const double *)(const void *)((const char *)&s->levels[i] + offset))) return false;
  return true;
}

static double change_percent(double before, double after)
{
  return before > 0 ? (after / before - 1) * 100 : (double)NAN;
}

static void fill_steps(Sweep *s)
{
  bool by_tokens = all_have(s, offsetof(Level, output_per_s));
  bool by_e2e = all_have(s, offsetof(Level, e2e_ms));
  for (size_t i = 0; i < s->n; i++) {
    Level *l = &s->levels[i];
    const Level *before = i ? l - 1 : NULL;
    l->gain_percent = l->latency_percent = (double)NAN;
    if (!before) continue;
    l->gain_percent = by_tokens ? change_percent(before->output_per_s, l->output_per_s)
                                : change_percent(before->requests_per_s, l->requests_per_s);
    l->latency_percent = by_e2e ? change_percent(before->e2e_ms, l->e2e_ms)
                                : change_percent(before->ttft_ms, l->ttft_ms);
  }
}

/* From the last step back, as long as each gains too little and costs latency. */
static void find_saturation(Sweep *s, double least_gain_percent)
{
  size_t at = s->n ? s->n - 1 : 0;
  while (at > 0 && s->levels[at].gain_percent < least_gain_percent &&
         s->levels[at].latency_percent > 0)
    at--;
  s->saturated = at + 1 < s->n ? at : s->n;
  for (size_t i = s->saturated; i < s->n; i++) s->levels[i].saturated = true;
}

/* ---- the whole */

bool sweep_make(Sweep *s, const Points *points, int64_t axis, double least_gain_percent)
{
  const MillHost *common = points->common;
  *s = (Sweep){ .levels = common->scratch(common, (points->n + 1) * sizeof *s->levels) };
  if (!s->levels) return false;
  find_levels(s, points, axis == SWEEP_LIMIT ? OFFERED_LIMIT : OFFERED_RATE);
  if (axis == SWEEP_AUTO && s->n < 2) find_levels(s, points, OFFERED_LIMIT);
  fill_levels(s, points);
  fill_steps(s);
  find_saturation(s, least_gain_percent);
  return true;
}
