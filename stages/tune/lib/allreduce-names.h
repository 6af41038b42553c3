/* Names and numbers of all-reduce strategies, and options of the stages of family tune as users write them. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_NAMES_H
#define TUNE_LIB_ALLREDUCE_NAMES_H

#include "tune/lib/allreduce-table.h"

/* Of the enumeration that tables are made of; INT64_MIN: no such strategy. */
int64_t ar_number_of(const char *name, size_t len);
const char *ar_name_of(int64_t number); /* NULL: none */

/* Strategies that a table may hold. */
typedef struct ArKnown {
  const MillHost *common;
  MillSym *names;
  int64_t *numbers;
  uint32_t n;
} ArKnown;

/* Here and below 0, or what `open` returns.  NAME, or NAME=NUMBER for one that has none yet. */
int ar_known_read(const MillHost *common, const MillList *list, ArKnown *out);
bool ar_known_number(const ArKnown *known, MillSym strategy, int64_t *out);
int ar_axis_read(const MillHost *common, const char *option, const MillList *list, ArAxis *out);
/* "5%" or "5". */
int ar_percent_read(const MillHost *common, const char *option, const char *text, double *out);

typedef struct ArShape {
  int64_t tp, hidden, tokens;
  MillSym fusion;
  bool is_given;
} ArShape;
/* "TP,FUSION,HIDDEN,TOKENS", or nothing. */
int ar_shape_read(const MillHost *common, const char *text, ArShape *out);

#endif
