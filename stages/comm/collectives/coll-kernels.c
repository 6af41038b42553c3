/* Rings of kernels; see coll-kernels.h. */
/* SPDX-License-Identifier: MIT */
#include "coll-kernels.h"

typedef struct Ring {
  CollKernel *items;
  uint32_t first, n;
} Ring;

bool coll_kernels_open(CollKernels *k, const MillHost *common)
{
  *k = (CollKernels){ common, keyed_new(common, sizeof(Ring)) };
  return k->ranks != NULL;
}

bool coll_kernels_add(CollKernels *k, int64_t rank, const CollKernel *kernel)
{
  Ring *ring = keyed_get(k->ranks, (const char *)&rank, sizeof rank);
  if (ring && !ring->items)
    ring->items = mill_new(k->common, COLL_KERNELS_MAX * sizeof *ring->items);
  if (!ring || !ring->items) return false;
  if (ring->n == COLL_KERNELS_MAX) {
    ring->first++;
    ring->n--;
  }
  ring->items[(ring->first + ring->n++) % COLL_KERNELS_MAX] = *kernel;
  return true;
}

static bool fits(const CollKernel *kernel, int64_t ts_ns, int64_t end_ns, int64_t latest_ns)
{
  int64_t apart_ns;
  if (kernel->ts_ns <= ts_ns || kernel->end_ns > latest_ns) return false;
  return !__builtin_sub_overflow(kernel->end_ns, end_ns, &apart_ns) && apart_ns >= -COLL_REACH_NS &&
         apart_ns <= COLL_REACH_NS;
}

bool coll_kernels_take(CollKernels *k, int64_t rank, int64_t ts_ns, int64_t end_ns,
                       int64_t latest_ns, CollKernel *out)
{
  Ring *ring = keyed_find(k->ranks, (const char *)&rank, sizeof rank);
  for (uint32_t i = 0; ring && i < ring->n; i++) {
    *out = ring->items[(ring->first + i) % COLL_KERNELS_MAX];
    if (!fits(out, ts_ns, end_ns, latest_ns)) continue;
    ring->first += i + 1;
    ring->n -= i + 1;
    return true;
  }
  return false;
}
