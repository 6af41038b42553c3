/* Lines of a counter, and what is handed from one phase to the next; see ovc-device.h. */
/* SPDX-License-Identifier: MIT */
#include "ovc-device.h"

#include "kit/state/grow.h"

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

static const StateType epoch_state = {
  sizeof(RateWide), 1, &(const StateField){ .each = 1, .kind = STATE_WIDE, .rule = STATE_KEEP }
};
static const StateField device_fields[] = {
  STATE_LIST(OvcDevice, epochs, n_epochs, max_epochs, epoch_state),
  STATE_FIRST(OvcDevice, n_parts),
  STATE_FIRST(OvcDevice, found_hz),
  STATE_FIRST(OvcDevice, estimate.hz),
  STATE_FIRST(OvcDevice, estimate.pairs),
  STATE_FIRST(OvcDevice, estimate.span_ns),
  STATE_FIRST(OvcDevice, frequency_off),
};
const StateType ovc_device_state = STATE_TYPE(OvcDevice, device_fields);
