/* Recent kernels of each rank, of which one ends where the rank's part in a collective begins. */
/* SPDX-License-Identifier: MIT */
#ifndef COLL_KERNELS_H
#define COLL_KERNELS_H

#include "kit/state/keyed.h"

#define COLL_KERNELS_MAX 512u           /* of a rank; then the oldest are forgotten */
#define COLL_REACH_NS INT64_C(10000000) /* from the end of a kernel to that of the first transfer */

typedef struct CollKernel {
  int64_t ts_ns, end_ns;
  MillSym name;
} CollKernel;

typedef struct CollKernels {
  const MillHost *common;
  Keyed *ranks;
} CollKernels;

/* False: memory was refused. */
bool coll_kernels_open(CollKernels *, const MillHost *common);
bool coll_kernels_add(CollKernels *, int64_t rank, const CollKernel *kernel);
/* The first kernel that begins after the transfer, ends within 10 ms of its end, and not after `latest_ns`; what
 * came before it is forgotten with it. */
bool coll_kernels_take(CollKernels *, int64_t rank, int64_t ts_ns, int64_t end_ns,
                       int64_t latest_ns, CollKernel *out);

#endif
