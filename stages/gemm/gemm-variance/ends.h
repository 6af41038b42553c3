/* The shortest and longest slice of each kernel's name, for those who look for kernels by how their names begin. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_VARIANCE_ENDS_H
#define GEMM_VARIANCE_ENDS_H

#include "kit/state/symmap.h"

typedef struct KernelEnd {
  int64_t dur_ns, ts_ns;
  uint64_t seq;
} KernelEnd;

typedef struct KernelEnds { /* { .common = common } is empty */
  const MillHost *common;
  SymMap numbers;
  struct NameEnds *names; /* by number */
  size_t max_names;
} KernelEnds;

/* False: memory was refused. */
bool ends_add(KernelEnds *, const MillEvent *);
/* Over all names that begin with that of `kernel`: sorted by duration, and of equal ones as the file has them, the first and the
 * last.  False: there is none. */
bool ends_find(const KernelEnds *, MillSym kernel, KernelEnd *out_min, KernelEnd *out_max);

#endif
