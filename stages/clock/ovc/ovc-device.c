/* Lines of a counter, and what is handed from one phase to the next; see ovc-device.h. */
#include "ovc-device.h"

#include "lib/grow.h"

uint32_t ovc_device_line(OvcDevice *d, const MillHost *common, int64_t hz, const MillBatch *batch,
                         const MillEvent *e, int64_t stamp)
{
  if (!d->lines) {
    d->lines = mill_new(common, sizeof *d->lines);
    if (!d->lines || !jobs_open(&d->jobs, common, sizeof(ClockJob))) return UINT32_MAX;
    d->lines->common = common;
    d->lines->hz = hz;
    d->lines->found_hz = d->found_hz;
  }
  ClockJob *job = jobs_of(&d->jobs, batch, e);
  return job ? clock_lines_see(d->lines, job, e->ts_ns, stamp) : UINT32_MAX;
}

static bool reserve_epochs(OvcDevice *d, const MillHost *common, size_t n)
{
  return array_reserve(common, &d->epochs, &d->max_epochs, n, sizeof *d->epochs);
}

bool ovc_device_settle(OvcDevice *d, const MillHost *common)
{
  if (!reserve_epochs(d, common, d->lines->n)) return false;
  clock_lines_epochs(d->lines, d->epochs);
  d->n_epochs = d->lines->n;
  d->n_parts = clock_lines_parts(d->lines);
  d->found_hz = d->lines->is_anew ? d->lines->found_hz : 0;
  return true;
}

static void save_wide(const MillStageHost *host, RateWide value)
{
  host->put_int(host, (int64_t)(value >> 64));
  host->put_int(host, (int64_t)(uint64_t)value);
}

static RateWide load_wide(const MillStageHost *host)
{
  RateWide high = host->get_int(host);
  return high * ((RateWide)1 << 64) + (uint64_t)host->get_int(host);
}

void ovc_device_save(void *state, const MillStageHost *host)
{
  const OvcDevice *d = state;
  host->put_int(host, d->n_epochs);
  for (uint32_t i = 0; i < d->n_epochs; i++) save_wide(host, d->epochs[i]);
  host->put_int(host, d->n_parts);
  host->put_int(host, d->found_hz);
  host->put_int(host, d->estimate.hz);
  host->put_int(host, d->estimate.pairs);
  host->put_int(host, d->estimate.span_ns);
  host->put_int(host, d->frequency_off);
}

bool ovc_device_load(void *state, const MillStageHost *host, void *user)
{
  OvcDevice *d = state;
  (void)user;
  uint64_t n = host->get_count(host, 4);
  if (!reserve_epochs(d, host->common, n < CLOCK_LINES_MAX ? n : CLOCK_LINES_MAX)) return false;
  for (uint64_t i = 0; i < n; i++) {
    RateWide epoch = load_wide(host);
    if (i < CLOCK_LINES_MAX) d->epochs[d->n_epochs++] = epoch;
  }
  d->n_parts = (uint32_t)host->get_int(host);
  d->found_hz = host->get_int(host);
  d->estimate.hz = host->get_int(host);
  d->estimate.pairs = (uint32_t)host->get_int(host);
  d->estimate.span_ns = host->get_int(host);
  d->frequency_off = host->get_int(host) != 0;
  return true;
}
