/* Sweeps over the work of a device; see device-sweep.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/device-sweep.h"

#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "torch/lib/order.h"

bool device_works_open(DeviceWorks *w, const MillHost *common)
{
  w->common = common;
  return by_process_open(&w->devices, common, sizeof(uint32_t));
}

bool device_works_add(DeviceWorks *w, const MillEvent *e, TorchWork does, uint32_t data,
                      bool *out_added)
{
  const int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  *out_added = false;
  if (end_ns <= e->ts_ns) return true;
  uint32_t *device = by_process_of(&w->devices, e->track);
  if (!device || !array_reserve(w->common, &w->items, &w->capacity, w->n + 1, sizeof *w->items))
    return false;
  if (*device == 0) *device = ++w->n_devices;
  w->items[w->n++] = (DeviceWork){ .start_ns = e->ts_ns,
                                   .end_ns = end_ns,
                                   .device = *device - 1,
                                   .data = data,
                                   .does = (uint8_t)does };
  *out_added = true;
  return true;
}

static bool is_before(const DeviceWork *a, const DeviceWork *b)
{
  if (a->device != b->device) return a->device < b->device;
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns;
  return a->end_ns < b->end_ns;
}

static bool is_sorted(const DeviceWorks *w)
{
  for (size_t i = 1; i < w->n; i++)
    if (is_before(&w->items[i], &w->items[i - 1])) return false;
  return true;
}

static bool sort_items(DeviceWorks *w)
{
  OrderKey *keys = mill_new(w->common, w->n * sizeof *keys);
  DeviceWork *sorted = keys ? mill_new(w->common, w->n * sizeof *sorted) : NULL;
  if (!sorted) return false;
  for (size_t i = 0; i < w->n; i++) {
    const DeviceWork *item = &w->items[i];
    keys[i] = (OrderKey){ item->device, item->start_ns, item->end_ns, (uint32_t)i };
  }
  order_sort(keys, w->n);
  for (size_t i = 0; i < w->n; i++) sorted[i] = w->items[keys[i].i];
  array_free(w->common, keys);
  array_free(w->common, w->items);
  w->items = sorted;
  w->capacity = w->n;
  return true;
}

bool device_works_sort(DeviceWorks *w)
{
  w->firsts = mill_new(w->common, ((size_t)w->n_devices + 2) * sizeof *w->firsts);
  if (!w->firsts || (!is_sorted(w) && !sort_items(w))) return false;
  for (size_t i = 0; i < w->n; i++) w->firsts[w->items[i].device + 1] = i + 1;
  return true;
}

DeviceSweep device_sweep(const DeviceWorks *w, uint32_t device, int64_t from_ns, int64_t to_ns)
{
  const size_t first = w->firsts[device];
  return (DeviceSweep){
    .items = w->items + first, .n = w->firsts[device + 1] - first, .now_ns = from_ns, .to_ns = to_ns
  };
}

/* The first of its kind that has not ended; works that began before it have.  NULL: none is left. */
static const DeviceWork *head_of(DeviceSweep *s, TorchWork does)
{
  size_t *at = &s->heads[does];
  while (*at < s->n && (s->items[*at].does != does || s->items[*at].end_ns <= s->now_ns)) ++*at;
  return *at < s->n ? &s->items[*at] : NULL;
}

bool device_sweep_next(DeviceSweep *s, SweepPiece *out)
{
  static const TorchWork order[] = { WORK_COMPUTATION, WORK_COMMUNICATION, WORK_MEMORY };
  if (s->now_ns >= s->to_ns) return false;
  *out = (SweepPiece){ .from_ns = s->now_ns, .to_ns = s->to_ns };
  for (uint32_t i = 0; i < MILL_COUNT(order); i++) {
    const DeviceWork *head = head_of(s, order[i]);
    if (!head) continue;
    if (head->start_ns <= s->now_ns) {
      out->owner = head;
      out->next = NULL;
      if (head->end_ns < out->to_ns) out->to_ns = head->end_ns;
      break;
    }
    if (head->start_ns >= out->to_ns) continue;
    out->to_ns = head->start_ns; /* what matters more begins */
    out->next = head;
  }
  s->now_ns = out->to_ns;
  return true;
}
