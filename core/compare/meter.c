/* What became of one value; see meter.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/meter.h"

#include <glib.h>
#include <math.h>

#include "base/noise.h"
#include "base/spread.h"

struct Meter {
  double min_change, confidence;
  double *base, *changed;
  uint32_t n_base, n_changed;
  uint32_t known_base, known_changed; /* runs that `outside` is for */
  uint64_t outside;
};

const char *compare_verdict_name(CompareVerdict verdict)
{
  static const char *const names[COMPARE_N_VERDICTS] = { [COMPARE_SAME] = "same",
                                                         [COMPARE_NEUTRAL] = "neutral",
                                                         [COMPARE_CHANGED] = "changed",
                                                         [COMPARE_IMPROVED] = "improved",
                                                         [COMPARE_REGRESSION] = "regression",
                                                         [COMPARE_APPEARED] = "appeared",
                                                         [COMPARE_VANISHED] = "vanished" };
  return names[verdict];
}

Meter *meter_new(double min_change, double confidence, uint32_t most_runs)
{
  Meter *m = g_new0(Meter, 1);
  m->min_change = min_change;
  m->confidence = confidence;
  m->base = g_new(double, most_runs);
  m->changed = g_new(double, most_runs);
  return m;
}

void meter_free(Meter *m)
{
  g_free(m->base);
  g_free(m->changed);
  g_free(m);
}

void meter_add(Meter *m, bool is_base, double value)
{
  if (!isfinite(value)) return;
  if (is_base)
    m->base[m->n_base++] = value;
  else
    m->changed[m->n_changed++] = value;
}

static uint64_t outside(Meter *m)
{
  if (m->known_base != m->n_base || m->known_changed != m->n_changed) {
    m->known_base = m->n_base;
    m->known_changed = m->n_changed;
    m->outside = noise_outside(m->n_base, m->n_changed, m->confidence);
  }
  return m->outside;
}

/* To nine decimals: what is behind them is the rounding of ratios. */
static double percent_of(double part)
{
  double percent = part * 100;
  if (!isfinite(percent)) return NAN;
  return fabs(percent) < 1e6 ? rint(percent * 1e9) / 1e9 + 0.0 : percent;
}

/* A difference as a part of the base. */
static double part_of(double difference, double base)
{
  if (difference == 0) return 0;
  return base == 0 ? copysign(INFINITY, difference) : difference / fabs(base);
}

static CompareVerdict judge(const Meter *m, bool beyond_noise, double part, uint32_t better)
{
  if (!(fabs(part) > m->min_change)) return COMPARE_SAME;
  if (m->n_base < COMPARE_REPEATED || m->n_changed < COMPARE_REPEATED) return COMPARE_CHANGED;
  if (!beyond_noise) return COMPARE_NEUTRAL;
  if (better == MILL_NEITHER) return COMPARE_CHANGED;
  return (part > 0) == (better == MILL_HIGHER) ? COMPARE_IMPROVED : COMPARE_REGRESSION;
}

static void compare_sides(Meter *m, uint32_t better, Measure *out)
{
  NoiseChange c = noise_change(m->base, m->n_base, m->changed, m->n_changed, outside(m));
  double scale = c.relative ? 1 : fabs(out->base);
  out->change = out->changed - out->base;
  out->part = c.relative ? c.change : part_of(c.change, out->base);
  out->percent = percent_of(out->part);
  if (c.bounded && scale > 0) {
    out->low_percent = percent_of(c.low / scale);
    out->high_percent = percent_of(c.high / scale);
  }
  out->beyond_noise = c.bounded && (c.low > 0 || c.high < 0);
  if (!isfinite(out->change)) out->change = NAN;
  out->verdict = judge(m, out->beyond_noise, out->part, better);
}

void meter_test(Meter *m, MannWhitney *out_lower, MannWhitney *out_higher)
{
  spread_sort(m->base, m->n_base);
  spread_sort(m->changed, m->n_changed);
  mann_whitney(m->base, m->n_base, m->changed, m->n_changed, out_lower, out_higher);
}

Measure meter_take(Meter *m, uint32_t better)
{
  Measure out = { .n_base = m->n_base, .n_changed = m->n_changed };
  out.base = out.changed = out.change = out.part = NAN;
  out.percent = out.low_percent = out.high_percent = NAN;
  spread_sort(m->base, m->n_base);
  spread_sort(m->changed, m->n_changed);
  if (m->n_base) out.base = spread_quantile(m->base, m->n_base, 0.5);
  if (m->n_changed) out.changed = spread_quantile(m->changed, m->n_changed, 0.5);
  if (m->n_base && m->n_changed)
    compare_sides(m, better, &out);
  else if (m->n_base || m->n_changed)
    out.verdict = m->n_base ? COMPARE_VANISHED : COMPARE_APPEARED;
  m->n_base = m->n_changed = 0;
  return out;
}
