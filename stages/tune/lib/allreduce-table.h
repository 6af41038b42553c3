/* Lookup tables of all-reduce strategies: cells by tp, fusion, hidden size and tokens, and how their consumer reads
 * them. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_TABLE_H
#define TUNE_LIB_ALLREDUCE_TABLE_H

#include "kit/state/state.h"

typedef struct ArAxis { /* ascending, each once */
  int64_t *at;
  size_t n, capacity;
} ArAxis;

bool ar_axis_add(const MillHost *common, ArAxis *axis,
                 int64_t value); /* false: memory was refused */
bool ar_axis_has(const ArAxis *axis, int64_t value);
/* The value of the axis by which v is looked up, or 0: outside.  The consumer takes log2 of v and cuts towards zero:
 * what lies between two values is of the lower, and the first reaches down to half of it. */
int64_t ar_axis_floor(const ArAxis *axis, int64_t v);

typedef struct ArCell {
  int64_t tp, hidden, tokens, number; /* number: of the strategy, or INT64_MIN */
  MillSym fusion, strategy, source;
  double time, margin; /* NaN: not known */
  size_t place;        /* among the cells as they were added */
} ArCell;

typedef struct ArTable { /* { .common = common } is empty */
  const MillHost *common;
  ArCell *at;
  size_t n, capacity;
  ArAxis tp, hidden, tokens;
} ArTable;
extern const StateType ar_table_state; /* what is loaded can be joined to others, no more */

/* Here and below false means that memory was refused. */
bool ar_table_add(ArTable *t, const ArCell *cell);
bool ar_table_join(ArTable *t, const ArTable *more);

/* After the last cell was added: by key; of cells with one key the first stays.  A cell of which another one says
 * something else, or NULL. */
const ArCell *ar_table_sort(ArTable *t);
/* The same strategy: by number, as that is what a table in C++ has; a name may be one that its reader does not know. */
bool ar_cells_agree(const ArCell *a, const ArCell *b);
const ArCell *ar_table_cell(const ArTable *t, int64_t tp, MillSym fusion, int64_t hidden,
                            int64_t tokens); /* NULL: none; sorted */
/* As the consumer reads it; NULL: it falls back. */
const ArCell *ar_table_lookup(const ArTable *t, int64_t tp, MillSym fusion, int64_t hidden,
                              int64_t tokens);
int ar_cells_compare(const MillHost *common, const ArCell *a, const ArCell *b);
/* The fusion whose cells the consumer reads for this one. */
MillSym ar_fusion_of_table(const MillHost *common, MillSym fusion);

#endif
