/* How the time of a rank's device divides; see device-time.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/device-time.h"

const char *const device_time_names[N_DEVICE_TIMES] = {
  "computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time",
  "idle_time",        "micro_idle_time",   "macro_idle_time",     "total_time",
  "total_comm_time",  "total_memcpy_time",
};

void device_time_init(DeviceTime *t, const MillHost *common)
{
  *t = (DeviceTime){ .common = common };
  for (int i = 0; i < N_WORKS; i++) t->sets[i].common = common;
}

bool device_time_add(DeviceTime *t, TorchWork does, int64_t start_ns, int64_t end_ns)
{
  if (t->n_events == 0 || start_ns < t->first_ns) t->first_ns = start_ns;
  if (t->n_events == 0 || end_ns > t->last_ns) t->last_ns = end_ns;
  t->n_events++;
  return interval_add(&t->sets[does], start_ns, end_ns);
}

int64_t device_time_span(const DeviceTime *t)
{
  int64_t ns;
  return __builtin_sub_overflow(t->last_ns, t->first_ns, &ns) ? INT64_MAX : ns;
}

bool device_time_measure(DeviceTime *t, int64_t micro_idle_ns, int64_t out_ns[N_DEVICE_TIMES])
{
  const IntervalSet empty = { .common = t->common };
  IntervalSet comp_comm = empty, all = empty, comm_alone = empty, copy_alone = empty;
  IntervalSet *comp = &t->sets[WORK_COMPUTATION], *comm = &t->sets[WORK_COMMUNICATION],
              *copy = &t->sets[WORK_MEMORY];
  interval_normalise(comp);
  interval_normalise(comm);
  interval_normalise(copy);
  bool fits = interval_union(comp, comm, &comp_comm) && interval_union(&comp_comm, copy, &all) &&
              interval_subtract(comm, comp, &comm_alone) &&
              interval_subtract(copy, &comp_comm, &copy_alone);
  out_ns[TOTAL] = device_time_span(t);
  out_ns[COMPUTATION] = interval_length(comp);
  out_ns[EXPOSED_COMM] = interval_length(&comm_alone);
  out_ns[EXPOSED_MEMCPY] = interval_length(&copy_alone);
  out_ns[BUSY] = interval_length(&all);
  out_ns[IDLE] = out_ns[TOTAL] - out_ns[BUSY];
  out_ns[MICRO_IDLE] = interval_gaps(&all, micro_idle_ns).below_ns;
  out_ns[MACRO_IDLE] = out_ns[IDLE] - out_ns[MICRO_IDLE];
  out_ns[TOTAL_COMM] = interval_length(comm);
  out_ns[TOTAL_MEMCPY] = interval_length(copy);
  interval_clear(&comp_comm);
  interval_clear(&all);
  interval_clear(&comm_alone);
  interval_clear(&copy_alone);
  return fits;
}
