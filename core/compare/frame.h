/* What is compared of one run: a table, or its metrics as a table. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_FRAME_H
#define COMPARE_FRAME_H

#include "results/results.h"

typedef struct Frame {
  uint32_t n_columns, n_rows;
  uint32_t n_lead; /* the first columns: those that say which input a row is of */
  const MillColumn *const *columns;
  const MillValue *const *rows;
  const char *order; /* of the table, or NULL */
} Frame;

/* Columns of the metrics' frame; those from the unit on are not all numbers to compare. */
enum {
  FRAME_METRIC,
  FRAME_STAT,
  FRAME_RANK,
  FRAME_LABEL,
  FRAME_GROUP,
  FRAME_UNIT,
  FRAME_INPUT,
  FRAME_VALUE,
  FRAME_OBJECT, /* a metric that is no number, as JSON */
  FRAME_BETTER,
  FRAME_REASON,
  FRAME_HEADLINE, /* 1: runs are judged by it */
  FRAME_N_COLUMNS
};

/* The index of the table of that name; UINT32_MAX: there is none. */
uint32_t frame_find_table(const MillResults *results, const char *name);
/* Lives as long as the results that it is of. */
Frame *frame_of_table(const MillResults *results, uint32_t table);
/* keep: results that live as long as the frame. */
Frame *frame_of_metrics(const Results *results, const MillResults *view, Results *keep);
/* The same columns without a row: of a run that does not have the table. */
Frame *frame_empty(const Frame *like);
void frame_free(Frame *f);
/* Its index; UINT32_MAX: there is none. */
uint32_t frame_column(const Frame *f, const char *name);

/* "tag=value" lines as one line for people. */
char *frame_group_text(const char *group);

#endif
