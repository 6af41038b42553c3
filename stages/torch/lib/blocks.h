/* Longest common blocks of two sequences of numbers: what both begin and end with, then of what is between the longest run that
 * both have, and the same of what is before it in both, and behind it.  Of equally long ones that whose places in both are most
 * alike, as layers repeat: those counted from where the rest begins.  Then that which is first in `a`, then in `b`. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_BLOCKS_H
#define TORCH_LIB_BLOCKS_H

#include <stagemill/types.h>

typedef struct BlockSide {
  const uint32_t *items;
  uint32_t n;
} BlockSide;

/* out[j]: which one of `a` is that of b's j, plus 1; 0: none is.  Time is bounded: of two sequences with hardly any order
 * in common the shortest blocks may be left out.  False: memory was refused. */
bool blocks_match(const MillHost *common, BlockSide a, BlockSide b, uint32_t *out,
                  uint32_t *out_matched);

#endif
