/* What the runtime scheduled, by correlation: the span in which kernels of that correlation must run. */
/* SPDX-License-Identifier: MIT */
#ifndef VERIFY_LAUNCH_H
#define VERIFY_LAUNCH_H

#include "kit/state/keyed.h"
#include "verify-checks.h"

typedef struct Launch {
  int64_t begin_ns,
      end_ns; /* from the first ScheduleCompute or ScheduleWait to the end of the last */
  uint64_t n_schedules, n_kernels;
  Place first;
} Launch;

/* False when memory is refused. */
bool launch_see(Keyed *launches, int64_t correlation, const MillEvent *schedule);
/* NULL: nothing was scheduled with that correlation. */
Launch *launch_find(const Keyed *launches, int64_t correlation);
static inline bool launch_contains(const Launch *l, int64_t ts_ns, int64_t end_ns)
{
  return ts_ns >= l->begin_ns && end_ns <= l->end_ns;
}
/* What was scheduled and has no kernel; false when memory is refused. */
bool launch_lone(Keyed *launches, Found *out);

#endif
