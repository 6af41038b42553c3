/* What a comparison is made of. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include "results/results.h"

typedef struct CompareSide {
  char *name;
  GPtrArray *runs; /* Results *, at least one: repetitions of one measurement */
} CompareSide;

typedef struct CompareOptions {
  double min_change; /* a part: what is not beyond it is the same */
  double confidence; /* of the intervals */
  bool all;          /* also what is the same */
  bool gates;        /* a headline metric that is worse fails: what is not judged is told */
} CompareOptions;

#endif
