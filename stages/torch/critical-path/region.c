/* Which slices a path may be asked for, and what lies within one; see region.h. */
/* SPDX-License-Identifier: MIT */
#include "region.h"

#include <stdlib.h>

#include "kit/state/grow.h"

bool regions_add(Regions *regions, Region region)
{
  if (!array_reserve(regions->common, &regions->list, &regions->capacity, regions->n + 1,
                     sizeof *regions->list))
    return false;
  regions->list[regions->n++] = region;
  return true;
}

static int by_start(const void *a, const void *b)
{
  const Region *x = a, *y = b;
  if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
  return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static uint64_t length_ns(const Region *r) { return (uint64_t)r->end_ns - (uint64_t)r->start_ns; }

static const Region *longest(const Regions *regions)
{
  const Region *best = regions->list;
  for (size_t i = 1; i < regions->n; i++)
    if (length_ns(&regions->list[i]) > length_ns(best)) best = &regions->list[i];
  return best;
}

const Region *regions_pick(Regions *regions, int64_t instance)
{
  if (regions->n == 0 || instance >= (int64_t)regions->n) return NULL;
  qsort(regions->list, regions->n, sizeof *regions->list, by_start);
  return instance < 0 ? longest(regions) : &regions->list[instance];
}

bool region_has(const Region *region, const Item *item)
{
  int64_t at_ns = item->flags & ITEM_CALLED ? item->launch_ns : item->start_ns;
  return at_ns >= region->start_ns && at_ns < region->end_ns;
}
