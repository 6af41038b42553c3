/* How the time of a rank's device divides: computation, communication and copies that
 * computation does not hide, and idleness, by the lengths of unions of intervals (touching ones
 * join) in integer nanoseconds, all streams and devices of the rank together:
 *   computation = |comp|, exposed_comm = |comm - comp|, busy = |all|,
 *   exposed_memcpy = |memcpy - comp - comm|, total = last end - first start, idle = total - busy;
 * so the three and idle add up to total. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_DEVICE_TIME_H
#define KIT_DEVICE_TIME_H

#include "kit/numbers/interval.h"
#include "kit/devices/torch-words.h"

enum {
  COMPUTATION,
  EXPOSED_COMM,
  EXPOSED_MEMCPY,
  BUSY,
  IDLE,
  MICRO_IDLE,
  MACRO_IDLE,
  TOTAL,
  TOTAL_COMM,
  TOTAL_MEMCPY,
  N_DEVICE_TIMES
};

typedef struct DeviceTime {
  const MillHost *common;
  IntervalSet sets[N_WORKS]; /* by TorchWork; 0 is none */
  uint64_t n_events;
  int64_t first_ns, last_ns;
} DeviceTime;

/* "computation_time", ...: what tables call them. */
extern const char *const device_time_names[N_DEVICE_TIMES];

void device_time_init(DeviceTime *t, const MillHost *common);
/* False when memory is refused. */
bool device_time_add(DeviceTime *t, TorchWork does, int64_t start_ns, int64_t end_ns);
/* From the first start to the last end. */
int64_t device_time_span(const DeviceTime *);
/* Of all that was added, once; gaps below micro_idle_ns are micro idleness.  False when memory is refused. */
bool device_time_measure(DeviceTime *t, int64_t micro_idle_ns, int64_t out_ns[N_DEVICE_TIMES]);

#endif
