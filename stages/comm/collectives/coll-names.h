/* What slices of collectives are called. */
/* SPDX-License-Identifier: MIT */
#ifndef COLL_NAMES_H
#define COLL_NAMES_H

#include <stagemill/types.h>

typedef struct CollName {
  MillSym shown;  /* "gloo:all_reduce", by which viewers of torch traces know it; else as own */
  MillSym own;    /* "AR_1" stays, "AR" becomes "AR_0": the number tells which round it is */
  int64_t number; /* the first after an underscore in its own name */
} CollName;

CollName coll_name(const MillHost *common, MillSym group);

#endif
