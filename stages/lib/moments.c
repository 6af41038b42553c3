/* Exact sums in summaries; see moments.h. */
#include "lib/moments.h"
#include "lib/state.h"

static void put_wide(const MillStageHost *host, unsigned __int128 v)
{
  host->put_int(host, (int64_t)(uint64_t)(v >> 64));
  host->put_int(host, (int64_t)(uint64_t)v);
}

static unsigned __int128 get_wide(const MillStageHost *host)
{
  uint64_t high = (uint64_t)host->get_int(host);
  return (unsigned __int128)high << 64 | (uint64_t)host->get_int(host);
}

void moments_save(const Moments *m, const MillStageHost *host)
{
  host->put_int(host, (int64_t)m->n);
  host->put_int(host, m->min);
  host->put_int(host, m->max);
  put_wide(host, (unsigned __int128)m->sum);
  put_wide(host, m->overflow ? 0 : m->squares);
  host->put_int(host, m->overflow);
}

void moments_load(Moments *m, const MillStageHost *host)
{
  m->n = (uint64_t)host->get_int(host);
  m->min = host->get_int(host);
  m->max = host->get_int(host);
  m->sum = (__int128)get_wide(host);
  m->squares = get_wide(host);
  m->overflow = host->get_int(host) != 0;
}

static void save_state(StateIo *io, const StateField *f, void *owner, void *at)
{
  (void)f, (void)owner;
  moments_save(at, io->host);
}

static bool load_state(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  Moments more;
  (void)f, (void)owner, (void)is_new;
  moments_load(&more, io->host);
  moments_merge(at, &more);
  return true;
}

const StateOps state_of_moments = { save_state, load_state, 16 };
const StateType moments_state = {
  sizeof(Moments), 1, &(const StateField){ .kind = STATE_OWN, .ops = &state_of_moments }
};

double moments_mean_or_none(const Moments *m)
{
  double mean = 0;
  return moments_mean(m, &mean) ? mean : (double)NAN;
}

double moments_std_or_none(const Moments *m)
{
  double std = 0;
  return moments_std_sample(m, &std) ? std : (double)NAN;
}
