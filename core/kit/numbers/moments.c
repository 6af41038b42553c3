/* Exact sums in summaries; see moments.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/moments.h"
#include "kit/state/state.h"

static const StateField sums_fields[] = {
  STATE_FIRST(Moments, n),   STATE_FIRST(Moments, min),     STATE_FIRST(Moments, max),
  STATE_FIRST(Moments, sum), STATE_FIRST(Moments, squares), STATE_FIRST(Moments, overflow),
};
static const StateType sums_state = STATE_TYPE(Moments, sums_fields);

/* Of squares beyond 128 bits what is left depends on the order in which they came. */
static void save_state(StateIo *io, const StateField *f, void *owner, void *at)
{
  Moments m = *(const Moments *)at;
  (void)f, (void)owner;
  if (m.overflow) m.squares = 0;
  state_put(io, &sums_state, &m);
}

static bool load_state(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  Moments more = { 0 };
  (void)f, (void)owner, (void)is_new;
  if (!state_get(io, &sums_state, &more, true)) return false;
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
