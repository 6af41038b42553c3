/* Numbers as users give them: 0-7,12. */
/* SPDX-License-Identifier: MIT */
#ifndef CLEAN_LIB_RANGES_H
#define CLEAN_LIB_RANGES_H

#include <stagemill/types.h>

typedef struct Range {
  int64_t first, last;
} Range;

typedef struct Ranges {
  Range *items; /* sorted, and apart */
  uint32_t n;
} Ranges;

/* 0, or what `open` returns. */
int ranges_read(const MillHost *common, const MillList *list, Ranges *out);
bool ranges_have(const Ranges *ranges, int64_t number);

#endif
