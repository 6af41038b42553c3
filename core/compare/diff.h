/* The differences between the rows of two sides, each with one frame a run. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "compare/frame.h"
#include "compare/match.h"
#include "compare/meter.h"

#define DIFF_NONE UINT32_MAX

typedef struct DiffColumn {
  const MillColumn *column;
  uint32_t *at; /* its index in each frame; DIFF_NONE: not there */
} DiffColumn;

typedef struct DiffCell {
  uint32_t column; /* of the values; DIFF_NONE: a row that has none */
  Measure measure;
  MillValue base, changed; /* texts and truth values; else none */
} DiffCell;

typedef struct DiffRow {
  uint32_t group; /* of the match */
  CompareVerdict verdict;
  double weight; /* the largest come first */
  uint32_t first, n_cells;
} DiffRow;

typedef struct Diff {
  const Frame *const *frames; /* those of the base first */
  uint32_t n_frames, n_base;
  bool of_metrics;
  DiffColumn *keys, *values;
  uint32_t n_keys, n_more_keys, n_values; /* keys: the first n_keys always count */
  uint32_t main_value;                    /* the first ordered column; DIFF_NONE: no numbers */
  Match *match;
  GArray *rows;     /* DiffRow, in order; of all groups */
  GArray *cells;    /* DiffCell: those that are not the same, or all */
  GPtrArray *apart; /* char *: columns that only one side has, or in another unit */
  uint64_t counts[COMPARE_N_VERDICTS]; /* of rows */
  bool has_texts;
} Diff;

/* frames live on. */
Diff *diff_new(const Frame *const *frames, uint32_t n_frames, uint32_t n_base, bool of_metrics);
void diff_free(Diff *d);
/* Fills rows and cells, with all of them or those that are not the same. */
void diff_measure(Diff *d, Meter *meter, bool all);
/* The cell of the first run that has it; NULL: none. */
const MillValue *diff_cell(const Diff *d, uint32_t group, const DiffColumn *column, bool is_base);
/* The same of the base, else of the other side. */
const MillValue *diff_either(const Diff *d, uint32_t group, const DiffColumn *column);
/* Of a metric: "rank 3, mode=a", or "".  To be freed. */
char *diff_place(const Diff *d, uint32_t group);
bool diff_is_headline(const Diff *d, uint32_t group);
/* Hands the numbers of a group to the meter. */
void diff_gather(const Diff *d, uint32_t group, const DiffColumn *column, Meter *meter);
uint32_t diff_better(const Diff *d, uint32_t group, const DiffColumn *column);
bool diff_has(const Diff *d, uint32_t group, bool is_base); /* that side has such a row */

#endif
