/* Names without their numbers, so that calls of one kernel count together: "addmm_1_MatMul" is "addmm_[N]_MatMul". */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_FOLD_H
#define KIT_FOLD_H

#include "kit/state/symmap.h"

typedef struct FoldedNames { /* { .common = common } knows none */
  const MillHost *common;
  SymMap folded;
} FoldedNames;

/* Each run of digits after "_" or "-", with that, becomes "_[N]".  Remembered; the name itself where memory is
 * refused (see MillHost.resize). */
MillSym fold_name(FoldedNames *names, MillSym name);

#define FOLD_NUMBERS_OPTION(struct_, field)                                             \
  MILL_BOOL_OPTION(                                                                     \
      struct_, field, "fold-numbers", "false",                                          \
      "Count names together that differ in numbers: addmm_1_MatMul and addmm_2_MatMul " \
      "are addmm_[N]_MatMul")

#endif
