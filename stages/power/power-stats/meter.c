/* Energy of kernels; see meter.h. */
/* SPDX-License-Identifier: MIT */
#include "meter.h"

#include "base/heap.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/search.h"

static bool ends_before(const MeterKernel *a, const MeterKernel *b)
{
  return a->end_ns < b->end_ns;
}

HEAP(running, MeterKernel, ends_before)

void meter_begin(Meter *m, const MillHost *common, MeterEnded ended, void *user)
{
  *m = (Meter){
    .common = common, .ended = ended, .user = user, .now_ns = INT64_MIN, .until_ns = INT64_MIN
  };
}

/* ------------------------------------------------------------------ peaks */

/* Smaller ones before a larger one are nobody's largest any more. */
static bool push_peak(Meter *m, int64_t end_ns)
{
  while (m->n_peaks > 0 && m->peaks[m->n_peaks - 1].nw <= m->nw) m->n_peaks--;
  if (!array_reserve(m->common, &m->peaks, &m->max_peaks, m->n_peaks + 1, sizeof *m->peaks))
    return false;
  m->peaks[m->n_peaks++] = (MeterPeak){ end_ns, m->nw };
  return true;
}

/* The largest power since then: that of the first peak that ends later. */
static int64_t peak_since(const Meter *m, int64_t start_ns)
{
  size_t at = FIRST_NOT(m->n_peaks, i, m->peaks[i].end_ns <= start_ns);
  return at < m->n_peaks ? m->peaks[at].nw : 0;
}

/* ------------------------------------------------------------------- time */

static int64_t span_ns(int64_t from_ns, int64_t to_ns)
{
  int64_t dur_ns;
  return __builtin_sub_overflow(to_ns, from_ns, &dur_ns) ? INT64_MAX : dur_ns;
}

static void add_share(MeterShare *share, int64_t dur_ns, int64_t nw)
{
  share->energy += (Attojoules)nw * dur_ns;
  share->dur_ns = add_clipped(share->dur_ns, dur_ns);
  if (nw > share->max_nw) share->max_nw = nw;
}

static void add_load_bounds(MeterLoad *load, int64_t min_nw, int64_t max_nw)
{
  if (min_nw > 0 && (load->min_nw == 0 || min_nw < load->min_nw)) load->min_nw = min_nw;
  if (max_nw > load->max_nw) load->max_nw = max_nw;
}

static bool add_load(const MillHost *common, MeterLoad *load, int64_t dur_ns, int64_t nw)
{
  load->energy += (Attojoules)nw * dur_ns;
  load->dur_ns = add_clipped(load->dur_ns, dur_ns);
  add_load_bounds(load, nw, nw);
  if (nw == 0) return true;
  load->nonzero_ns = add_clipped(load->nonzero_ns, dur_ns);
  return power_values_add(common, &load->values, nw, dur_ns);
}

bool meter_load_merge(const MillHost *common, MeterLoad *to, const MeterLoad *from)
{
  to->energy += from->energy;
  to->dur_ns = add_clipped(to->dur_ns, from->dur_ns);
  to->nonzero_ns = add_clipped(to->nonzero_ns, from->nonzero_ns);
  add_load_bounds(to, from->min_nw, from->max_nw);
  return power_values_merge(common, &to->values, &from->values);
}

/* All the time up to then has the same power and the same kernels. */
static bool spend(Meter *m, int64_t to_ns)
{
  int64_t from_ns = m->now_ns;
  m->now_ns = to_ns;
  if (from_ns >= to_ns || from_ns >= m->until_ns) return true;
  int64_t dur_ns = span_ns(from_ns, to_ns);
  add_share(&m->all, dur_ns, m->nw);
  if (!power_bins_add(m->common, m->bins, from_ns, to_ns, m->nw)) return false;
  if (!add_load(m->common, m->n_running ? m->load_busy : m->load_idle, dur_ns, m->nw)) return false;
  if (m->n_running == 0) {
    add_share(&m->idle, dur_ns, m->nw);
    return true;
  }
  m->each += (Attojoules)m->nw * dur_ns / (int64_t)m->n_running;
  m->known_ns = add_clipped(m->known_ns, dur_ns);
  return push_peak(m, to_ns);
}

static bool end_kernel(Meter *m)
{
  MeterKernel k = m->running[0];
  m->running[0] = m->running[--m->n_running];
  running_sink(m->running, m->n_running, 0);
  const MeterShare share = { .energy = m->each - k.energy_at_start,
                             .dur_ns = m->known_ns - k.known_at_start_ns,
                             .max_nw = peak_since(m, k.start_ns),
                             .calls = 1 };
  return m->ended(m->user, k.name, &share);
}

/* Stops wherever the power or the kernels change. */
static bool go_to(Meter *m, int64_t to_ns)
{
  bool fits = true;
  while (fits && m->now_ns < to_ns) {
    int64_t next_ns = to_ns;
    if (m->n_running > 0 && m->running[0].end_ns < next_ns) next_ns = m->running[0].end_ns;
    if (m->now_ns < m->until_ns && m->until_ns < next_ns) next_ns = m->until_ns;
    fits = spend(m, next_ns);
    while (fits && m->n_running > 0 && m->running[0].end_ns <= next_ns) fits = end_kernel(m);
  }
  return fits;
}

bool meter_power(Meter *m, int64_t ts_ns, int64_t until_ns, int64_t nw)
{
  if (!go_to(m, ts_ns)) return false;
  m->until_ns = until_ns;
  m->nw = nw;
  return true;
}

bool meter_kernel(Meter *m, int64_t ts_ns, int64_t dur_ns, MillSym name, uint32_t track)
{
  if (!go_to(m, ts_ns)) return false;
  if (m->n_running == 0) m->n_peaks = 0;
  if (!array_reserve(m->common, &m->running, &m->max_running, m->n_running + 1, sizeof *m->running))
    return false;
  m->running[m->n_running] = (MeterKernel){ .start_ns = ts_ns,
                                            .end_ns = interval_end(ts_ns, dur_ns),
                                            .track = track,
                                            .name = name,
                                            .energy_at_start = m->each,
                                            .known_at_start_ns = m->known_ns };
  running_rise(m->running, m->n_running++);
  return true;
}

bool meter_split(Meter *m, MeterOf meter_of)
{
  bool fits = true;
  for (size_t i = 0; i < m->n_running && fits; i++) {
    const MeterKernel *k = &m->running[i];
    Meter *to = meter_of(m->user, k->track);
    fits = to && meter_kernel(to, k->start_ns, k->end_ns - k->start_ns, k->name, k->track);
  }
  m->n_running = 0;
  return fits;
}

bool meter_end(Meter *m)
{
  bool fits = true;
  if (m->until_ns == METER_OPEN) m->until_ns = m->now_ns;
  while (fits && (m->n_running > 0 || m->now_ns < m->until_ns)) {
    int64_t next_ns = m->n_running > 0 ? m->running[0].end_ns : m->until_ns;
    fits = m->now_ns < next_ns ? go_to(m, next_ns) : end_kernel(m);
  }
  return fits;
}
