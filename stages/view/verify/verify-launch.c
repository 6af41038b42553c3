/* Launches by correlation; see verify-launch.h. */
/* SPDX-License-Identifier: MIT */
#include "verify-launch.h"

#include "base/num-digits.h"
#include "kit/numbers/interval.h"

bool launch_see(Keyed *launches, int64_t correlation, const MillEvent *e)
{
  char key[DIGITS_MAX];
  Launch *l = keyed_get(launches, key, digits_write(key, correlation));
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  if (!l) return false;
  if (l->n_schedules++ == 0) *l = (Launch){ e->ts_ns, end_ns, 1, 0, place_of(e) };
  if (e->ts_ns < l->begin_ns) l->begin_ns = e->ts_ns;
  if (end_ns > l->end_ns) l->end_ns = end_ns;
  return true;
}

Launch *launch_find(const Keyed *launches, int64_t correlation)
{
  char key[DIGITS_MAX];
  return keyed_find(launches, key, digits_write(key, correlation));
}

bool launch_lone(Keyed *launches, Found *out)
{
  const KeyedEntry *const *all = keyed_sorted(launches);
  if (!all) return false;
  for (uint32_t i = 0; i < keyed_count(launches); i++) {
    const Launch *l = all[i]->state;
    if (l->n_kernels > 0) continue;
    if (out->count == 0 || l->first.seq < out->first.seq) out->first = l->first;
    out->count += l->n_schedules;
  }
  return true;
}
