/* Sums of what inputs claim: one beyond 64 bits stays at their end, where the program counts it as clipped. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CLIP_H
#define KIT_CLIP_H

#include <stdint.h>

static inline int64_t add_clipped(int64_t a, int64_t b)
{
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

#endif
