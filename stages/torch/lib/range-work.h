/* Device work by the ranges of the host in which it was launched: a call belongs to the ranges of its thread that have
 * begun and not ended when it begins.  Slices come in order of time. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_RANGE_WORK_H
#define TORCH_LIB_RANGE_WORK_H

#include "kit/state/pairmap.h"

typedef struct RangeNode { /* one range */
  uint32_t name;           /* a number of the caller's */
  uint32_t outer;          /* index + 1 of the one around it; 0: none */
  int64_t end_ns;
  int64_t device_ns, exclusive_ns; /* of its work; of that in no range within it */
  int64_t first_ns, last_ns;       /* its work began and ended; last < first: it has none */
} RangeNode;

typedef struct RangeCall {
  uint32_t inner; /* index + 1 of the innermost range */
  int64_t start_ns;
} RangeCall;

typedef struct RangeWork {
  const MillHost *common;
  RangeNode *nodes;
  size_t n_nodes, nodes_capacity;
  RangeCall *calls;
  size_t n_calls, calls_capacity;
  uint32_t *tops; /* by track: index + 1 of the range that began last */
  size_t tops_capacity;
  PairMap by_correlation; /* index of a call + 1 */
} RangeWork;

/* Here and below false means that memory was refused. */
void range_work_open(RangeWork *, const MillHost *common);
bool range_work_range(RangeWork *, const MillEvent *, uint32_t name);
bool range_work_call(RangeWork *, const MillEvent *, int64_t correlation);
void range_work_device(RangeWork *, const MillEvent *, int64_t correlation);

#endif
