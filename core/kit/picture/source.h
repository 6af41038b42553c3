/* The table of a figure: its columns by name, and the rows that are drawn. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_SOURCE_H
#define KIT_PICTURE_SOURCE_H

#include <stagemill/sink.h>

#include "base/num.h"
#include "kit/picture/names.h"

typedef const MillValue *Row; /* its cells */

typedef struct Source {
  const MillHost *common;
  const MillResults *results;
  const MillSeed *seed;
  MillTableResult table;
  uint32_t index;
  uint32_t n_lead; /* columns before the declared ones: rank, input, label, tags */
} Source;

typedef enum Cells { CELLS_NUMBERS, CELLS_TEXTS } Cells;

bool source_open(Source *s, const MillHost *common, const MillResults *results, uint32_t index);
/* -1: there is none, or a leading one in which all cells are empty. */
int source_column(const Source *s, const char *name);
int source_column_len(const Source *s, const char *name, size_t len);
static inline const MillColumn *source_column_at(const Source *s, int column)
{
  return MILL_AT(MillColumn, s->table.columns, (uint32_t)column);
}
/* Texts that are all numbers count as numbers. */
Cells source_cells(const Source *s, int column);
/* Those that fit "type=a|b;rank=0;layer!=all"; NULL: all.  Row *, to be unreferenced. */
/* "type is a or b, layer is not all"; NULL: all rows.  g_free. */
char *source_where_text(const Source *s, const char *where);
GPtrArray *source_rows(const Source *s, const char *where);

/* Its text, which may be in buf. */
const char *source_text(const Source *s, const MillValue *v, char buf[NUM_BUF], size_t *out_len);
double cell_number(const Source *s, const MillValue *v); /* NaN: none */

#endif
