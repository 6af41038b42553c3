/* A distribution as tables show it; see dist.h. */
#include "lib/dist.h"

#include "lib/state.h"

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

void dist_save(Dist *d, const MillStageHost *host)
{
  moments_save(&d->moments, host);
  hist_save(&d->hist, host);
}

bool dist_load(Dist *d, Hists *of, const MillStageHost *host)
{
  Moments more;
  reach(d, of);
  moments_load(&more, host);
  moments_merge(&d->moments, &more);
  return hist_load(&d->hist, host);
}

static void save_state(StateIo *io, const StateField *f, void *owner, void *at)
{
  (void)f, (void)owner;
  dist_save(at, io->host);
}

static bool load_state(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  (void)f, (void)owner, (void)is_new;
  return dist_load(at, io->hists, io->host);
}

const StateOps state_of_dist = { save_state, load_state, 20 };
const StateType dist_state = { sizeof(Dist), 1,
                               &(const StateField){ .kind = STATE_OWN, .ops = &state_of_dist } };

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
