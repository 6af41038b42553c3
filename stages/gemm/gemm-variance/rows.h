/* Rows of the variance table: of a lane those it reports, on the run level those of all lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_VARIANCE_ROWS_H
#define GEMM_VARIANCE_ROWS_H

#include <stagemill/stage.h>

#include "kit/state/keyed.h"
#include "kit/state/state.h"

typedef struct Overlap { /* a collective that ran beside the longest call */
  MillSym name;
  int64_t ns; /* how much of it */
} Overlap;

typedef struct VarianceRow {
  int64_t threads, channels, rank; /* -1: none */
  int64_t position;                /* in its lane, the largest difference first */
  int64_t lane;
  MillSym input;    /* its name */
  bool shares_rank; /* with another lane of the configuration, once rows_sort was called */
  MillSym key;      /* fields of gemm-rows.h */
  MillSym kernel;
  int64_t calls, min_ns, max_ns;
  bool is_found; /* when the two ran is known */
  int64_t min_at_ns, max_at_ns, min_found_ns, max_found_ns;
  int64_t busy_ns, overlap_ns; /* of the longest call; of it beside collectives */
  Overlap *overlaps;
  size_t n_overlaps, overlap_capacity;
} VarianceRow;

typedef struct VarianceRows { /* { .common = common } is empty */
  const MillHost *common;
  VarianceRow *items;
  size_t n, capacity;
} VarianceRows;

/* Here and below false means that memory was refused. */
VarianceRow *rows_add(VarianceRows *);
bool row_add_overlap(const MillHost *, VarianceRow *, MillSym name, int64_t ns);
extern const StateType rows_state;
/* By difference, the largest first; of equal ones by configuration, rank, lane and position. */
bool rows_sort(VarianceRows *);

static inline int64_t row_diff(const VarianceRow *r) { return r->max_ns - r->min_ns; }
/* Of the longest call, in percent beside one collective; false: it has no length. */
bool row_share(const VarianceRow *, int64_t ns, double *out);
/* The collective beside most of it; NULL: there is none. */
const Overlap *row_largest(const VarianceRow *);

#endif
