/* What was measured with one number of GPUs and one fusion. */
/* SPDX-License-Identifier: MIT */
#ifndef ALLREDUCE_GRID_SECTIONS_H
#define ALLREDUCE_GRID_SECTIONS_H

#include "tune/lib/allreduce.h"

typedef struct SectionStrategy {
  MillSym strategy;
  uint64_t first; /* place of its first row in the input */
  uint64_t points, rows, wins;
  double gap_sum, gap_max; /* percent, over rows */
} SectionStrategy;

typedef struct Section {
  int64_t tp;
  MillSym fusion;
  ArSpan points;
  SectionStrategy *strategies; /* in the order of their first rows */
  uint32_t n_strategies;
  size_t capacity;
  ArAxis tokens, hidden;
  uint64_t rows, positions; /* positions: shapes at which something but `except` was measured */
  double time_min, time_max, gap_min, gap_max;
} Section;

/* False: memory was refused. */
bool section_read(const MillHost *common, const ArSpan *points, MillSym except, Section *out);
void section_clear(const MillHost *common, Section *s);
int64_t section_position(const Section *s, MillSym strategy); /* from 1 */

#endif
