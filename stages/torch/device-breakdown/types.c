/* A walk over the ends of three sets of intervals; see types.h. */
/* SPDX-License-Identifier: MIT */
#include "types.h"

#include "kit/numbers/clip.h"
#include "torch/lib/order.h"

/* Where each set begins (1) and ceases (-1) to run, as keys {time, type, step}. */
static size_t collect(const IntervalSet *set, int type, OrderKey *out)
{
  for (size_t i = 0; i < set->n; i++) {
    out[2 * i] = (OrderKey){ set->items[i].start_ns, type, 1, 0 };
    out[2 * i + 1] = (OrderKey){ set->items[i].end_ns, type, -1, 0 };
  }
  return 2 * set->n;
}

bool types_measure(const MillHost *common, IntervalSet sets[N_WORKS], int64_t out_ns[N_MASKS])
{
  size_t n = 0, max = 1;
  unsigned running = 0;
  for (int i = 1; i < N_WORKS; i++) {
    interval_normalise(&sets[i]);
    max += 2 * sets[i].n;
  }
  for (int i = 0; i < N_MASKS; i++) out_ns[i] = 0;
  OrderKey *ends = common->resize(common, NULL, max * sizeof *ends);
  if (!ends) return false;
  for (int i = 1; i < N_WORKS; i++) n += collect(&sets[i], i, ends + n);
  order_sort(ends, n);
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && running) out_ns[running] = add_clipped(out_ns[running], ends[i].a - ends[i - 1].a);
    running ^= 1u << ends[i].b;
  }
  common->resize(common, ends, 0);
  return true;
}
