/* The extra rows of a track, and on which of them a slice fits: a tree, so that neither the number of rows nor that of
 * open slices makes this slow. */
/* SPDX-License-Identifier: MIT */
#ifndef OVERLAP_ROWS_H
#define OVERLAP_ROWS_H

#include "kit/trace/ends.h"

typedef struct Row { /* a track itself, or one of its extra rows */
  Ends ends;
  uint32_t track;
} Row;

typedef struct RowRange { /* over some rows: when the next open slice of a row ends */
  int64_t first_ns, last_ns;
} RowRange;

typedef struct Rows {
  Row *rows;
  uint32_t n;
  size_t capacity;
  RowRange
      *tree; /* of rows i and up: tree[n_leaves + i] has one row, tree[k] what 2k and 2k + 1 have */
  uint32_t n_leaves;
} Rows;

/* Slices that ended at ts_ns or before are open no more, on all rows. */
void rows_forget(Rows *, int64_t ts_ns);
/* After rows_forget: the first row on which no open slice ends inside of one that ends at end_ns, or NULL. */
Row *rows_fitting(const Rows *, int64_t end_ns);
/* One more; NULL: memory was refused. */
Row *rows_add(const MillHost *, Rows *, uint32_t track);
/* A slice on one of them; false: memory was refused. */
bool rows_push(const MillHost *, Rows *, Row *, int64_t end_ns);

#endif
