/* How the time of a rank's device divides; see device-time.h. */
#include "lib/device-time.h"

const char *const device_time_names[N_DEVICE_TIMES] = {
  "computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time",
  "idle_time",        "micro_idle_time",   "macro_idle_time",     "total_time",
  "total_comm_time",  "total_memcpy_time",
};

void device_time_init(DeviceTime *t, const MillHost *common)
{
  *t = (DeviceTime){
    .common = common, .comp.common = common, .comm.common = common, .copy.common = common
  };
}

bool device_time_add(DeviceTime *t, DeviceClass class, int64_t start_ns, int64_t end_ns)
{
  IntervalSet *sets[] = { [COMPUTE] = &t->comp, [COMM] = &t->comm, [MEMCPY] = &t->copy };
  if (t->n_events == 0 || start_ns < t->first_ns) t->first_ns = start_ns;
  if (t->n_events == 0 || end_ns > t->last_ns) t->last_ns = end_ns;
  t->n_events++;
  return interval_add(sets[class], start_ns, end_ns);
}

bool device_time_measure(DeviceTime *t, int64_t micro_idle_ns, int64_t out_ns[N_DEVICE_TIMES])
{
  const IntervalSet empty = { .common = t->common };
  IntervalSet comp_comm = empty, all = empty, comm_alone = empty, copy_alone = empty;
  interval_normalise(&t->comp);
  interval_normalise(&t->comm);
  interval_normalise(&t->copy);
  bool fits = interval_union(&t->comp, &t->comm, &comp_comm) &&
              interval_union(&comp_comm, &t->copy, &all) &&
              interval_subtract(&t->comm, &t->comp, &comm_alone) &&
              interval_subtract(&t->copy, &comp_comm, &copy_alone);
  if (__builtin_sub_overflow(t->last_ns, t->first_ns, &out_ns[TOTAL])) out_ns[TOTAL] = INT64_MAX;
  out_ns[COMPUTATION] = interval_length(&t->comp);
  out_ns[EXPOSED_COMM] = interval_length(&comm_alone);
  out_ns[EXPOSED_MEMCPY] = interval_length(&copy_alone);
  out_ns[BUSY] = interval_length(&all);
  out_ns[IDLE] = out_ns[TOTAL] - out_ns[BUSY];
  out_ns[MICRO_IDLE] = interval_gaps(&all, micro_idle_ns).below_ns;
  out_ns[MACRO_IDLE] = out_ns[IDLE] - out_ns[MICRO_IDLE];
  out_ns[TOTAL_COMM] = interval_length(&t->comm);
  out_ns[TOTAL_MEMCPY] = interval_length(&t->copy);
  interval_clear(&comp_comm);
  interval_clear(&all);
  interval_clear(&comm_alone);
  interval_clear(&copy_alone);
  return fits;
}
