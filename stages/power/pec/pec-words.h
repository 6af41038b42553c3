/* What the names of events say of readings of power. */
/* SPDX-License-Identifier: MIT */
#ifndef PEC_WORDS_H
#define PEC_WORDS_H

#include <stagemill/types.h>

#include "kit/state/symclass.h"

enum { PEC_KINDS = 6 }; /* sorts of events: others, DmaI, DmaO, AllGather, AllReduce, Cmpt Exec */

typedef struct PecWords { /* zeroed but for the first */
  const MillHost *common;
  SymClass measures, kinds, works;
} PecWords;

/* Preparations are not metered. */
bool pec_words_measures(PecWords *, MillSym name);
uint8_t pec_words_kind(PecWords *, MillSym name);
/* With the option skip: what such a pair spans is left to the next one. */
bool pec_words_skip(PecWords *, MillSym before, MillSym now);

#endif
