/* A distribution as tables show it; see dist.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/dist.h"

#include "kit/state/state.h"

static void reach(Dist *d, Hists *of)
{
  if (!d->hist.of) hist_init(&d->hist, of);
}

bool dist_add(Dist *d, Hists *of, int64_t value)
{
  reach(d, of);
  moments_add(&d->moments, value);
  return hist_add(&d->hist, value);
}

static const StateField fields[] = { STATE_MOMENTS(Dist, moments), STATE_HIST(Dist, hist) };
const StateType dist_state = STATE_TYPE(Dist, fields);

static double cell(bool exists, double v) { return exists ? v : (double)NAN; }

double dist_mean(const Dist *d) { return moments_mean_or_none(&d->moments); }
double dist_std(const Dist *d) { return moments_std_or_none(&d->moments); }

double dist_percentile(Dist *d, double p)
{
  double v = 0;
  bool exists = d->hist.of && hist_percentile(&d->hist, p, &v);
  return cell(exists, v);
}

DistStats dist_stats(Dist *d, double unit)
{
  const Moments *m = &d->moments;
  return (DistStats){ .mean = dist_mean(d) / unit,
                      .median = dist_percentile(d, 50) / unit,
                      .std = dist_std(d) / unit,
                      .min = cell(m->n > 0, (double)m->min / unit),
                      .max = cell(m->n > 0, (double)m->max / unit) };
}
