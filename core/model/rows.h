/* Rows and metric values that an instance reported. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include <glib.h>

#include "base/file-memory.h"
#include "model/budget.h"
#include "model/descriptor.h"
#include "model/summary.h"

typedef struct RowSet { /* of one table; cells are MILL_NONE, INT, REAL, BOOL or TEXT */
  uint32_t n_columns;
  uint32_t
      n_lead; /* free cells before each row: a table that is written has more columns, and its rows stay here */
  uint64_t n_rows, max_rows;
  MillValue *cells;
  bool in_file; /* the cells lie in the file of the rows */
} RowSet;

typedef struct MetricValue {
  uint32_t metric; /* row of the descriptor */
  char *stat;      /* "" for none */
  MillValue value; /* MILL_NONE: not applicable, see reason */
  uint64_t n;
  char *reason;
} MetricValue;

typedef struct Reported {
  const Descriptor *descriptor;
  RowSet *tables;          /* one per declared table */
  GArray *metrics;         /* MetricValue */
  struct TextChunk *texts; /* of cells and metrics */
  Budget *budget;          /* or NULL */
  FileMemory *file;        /* where rows go once results take much of the memory; or NULL */
  uint64_t bytes, charged; /* it takes, nearly; of them the budget knows */
  uint64_t n_clipped;      /* integers at an end of their range: a sum went beyond it */
} Reported;

Reported *reported_new(const Descriptor *stage);
void reported_free(Reported *r);
/* Before any row: so many cells are free before each. */
void reported_leave_lead(Reported *r, uint32_t n_lead);
/* There will be no more rows, or few. */
void reported_trim(Reported *r);
/* Texts are copied.  NULL or a static text that says what is wrong. */
const char *reported_add_row(Reported *r, uint32_t table, const MillValue *cells, uint32_t n_cells);
const char *reported_add_metric(Reported *r, uint32_t metric, const char *stat, MillValue value,
                                uint64_t n, const char *reason);
/* The descriptor names it, or any percentile as "p*". */
bool metric_has_stat(const MillMetric *m, const char *stat);
/* A comparison judges runs by it; stat "": the metric is its own value. */
bool metric_is_headline(const MillMetric *m, const char *stat);
bool reported_is_empty(const Reported *r);
/* All of it as bytes, and back into an empty one; what does not fit the descriptor breaks the summary. */
void reported_save(const Reported *r, Summary *out);
void reported_load(Reported *r, Summary *from);
/* Its cells. */
static inline MillValue *row_set_at(const RowSet *s, uint64_t row)
{
  return s->cells + row * (s->n_lead + s->n_columns) + s->n_lead;
}

#endif
