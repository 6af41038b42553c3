/* The table of a figure: its columns by name, and the rows that are drawn. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_SOURCE_H
#define KIT_PICTURE_SOURCE_H

#include <stagemill/sink.h>

#include "base/num.h"
#include "kit/picture/names.h"

typedef const MillValue *Row; /* its cells */
typedef GArray Rows;          /* uint64_t: numbers of rows of a table */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rows, g_array_unref)

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
/* "type is a or b, layer is not all"; NULL: all rows.  g_free. */
char *source_where_text(const Source *s, const char *where);
/* Those that fit "type=a|b;rank=0;layer!=all"; NULL: all.  To be unreferenced. */
Rows *source_rows(const Source *s, const char *where);
/* Its cells stay, but not always in memory: who goes through rows asks for each in turn. */
static inline Row source_row(const Source *s, const Rows *rows, guint i)
{
  return s->results->row(s->results, s->index, g_array_index(rows, uint64_t, i));
}

/* Its text, which may be in buf. */
const char *source_text(const Source *s, const MillValue *v, char buf[NUM_BUF], size_t *out_len);
double cell_number(const Source *s, const MillValue *v); /* NaN: none */

#endif
