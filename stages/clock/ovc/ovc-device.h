/* What is known of the counter of a process. */
/* SPDX-License-Identifier: MIT */
#ifndef OVC_DEVICE_H
#define OVC_DEVICE_H

#include "clock/lib/clock-lines.h"
#include "kit/trace/jobs.h"
#include "kit/state/state.h"

typedef struct OvcDevice { /* of a process */
  ClockLines *lines;       /* NULL: none of its events was seen in this phase */
  Jobs jobs;               /* to their ClockJob */
  RateWide *epochs;
  size_t max_epochs;
  uint32_t n_epochs; /* lines of the first phase, which are those of the second */
  uint32_t n_parts;
  int64_t
      found_hz; /* by which the second phase puts events on lines from the begin; 0: as the first did */
  RateEstimate estimate;
  bool frequency_off;
  uint64_t events, straddling, unmatched;
  int64_t wraps_max, residual_max_cycles;
} OvcDevice;

/* The line of an event in this phase; UINT32_MAX: memory was refused. */
uint32_t ovc_device_line(OvcDevice *d, const MillHost *common, int64_t hz, const MillBatch *batch,
                         const MillEvent *e, int64_t stamp);

/* What the second phase must know of the lines of the first.  False: memory was refused. */
bool ovc_device_settle(OvcDevice *d, const MillHost *common);
static inline RateWide ovc_device_epoch(const OvcDevice *d, uint32_t line)
{
  return line < d->n_epochs ? d->epochs[line] : 0;
}

extern const StateType ovc_device_state; /* what was decided */

#endif
