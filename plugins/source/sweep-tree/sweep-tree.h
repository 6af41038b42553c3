/* Sweeps of training runs over threads, channels and ranks; see sweep-tree.md. */
/* SPDX-License-Identifier: MIT */
#ifndef SWEEP_TREE_H
#define SWEEP_TREE_H

#include <stagemill/source.h>

enum {
  TREE_NOTHING = 1,
  TREE_NO_PROFILER = 2,
  TREE_NO_TRACE = 3,
  TREE_NO_NUMBER = 4,
  TREE_SEVERAL = 5,
  TREE_A_FILE = 6,
  TREE_PASSES = 7,
  TREE_BOTH = 8
};
#define TREE_N_NOTICES 8u
extern const MillNotice tree_notices[TREE_N_NOTICES];

#endif
