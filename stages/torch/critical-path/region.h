/* Slices of the host within which a path may be asked for. */
/* SPDX-License-Identifier: MIT */
#ifndef CRITICAL_PATH_REGION_H
#define CRITICAL_PATH_REGION_H

#include "graph.h"

typedef struct Region {
  int64_t start_ns, end_ns;
} Region;

typedef struct Regions { /* { .common = common } is empty */
  const MillHost *common;
  Region *list;
  size_t n, capacity;
} Regions;

/* False when memory is refused. */
bool regions_add(Regions *regions, Region region);
/* That one, from 0 by their start; -1: the longest.  NULL: there is none. */
const Region *regions_pick(Regions *regions, int64_t instance);
/* Of the host what begins within; of the device what was launched within. */
bool region_has(const Region *region, const Item *item);

#endif
