/* What the files of the strategy-table source share: tables in memory, the readers of both formats, the instance. */
/* SPDX-License-Identifier: MIT */
#ifndef STRATEGY_TABLE_H
#define STRATEGY_TABLE_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/record.h"

enum { /* MillNotice.number */
       ST_NO_TABLE = 1,
       ST_RAGGED = 2,
       ST_CUT = 3,
       ST_BAD_CELL = 4,
       ST_AXES = 5,
       ST_NO_COLUMN = 6,
       ST_TOO_LONG = 7
};
#define ST_N_NOTICES 7u
extern const MillNotice strategy_table_notices[ST_N_NOTICES];

typedef struct Cell {
  int64_t tp, hidden, tokens, number;
  const char *fusion, *strategy, *source; /* of Tables.names; NULL: not said */
} Cell;

typedef struct Table {
  int64_t sm;    /* -1: not said */
  GArray *cells; /* Cell */
} Table;

/* What an input holds.  A failure has its place, from 1; line 0: the whole input. */
typedef struct Tables {
  GPtrArray *tables; /* Table */
  GStringChunk *names;
  uint32_t failed; /* number of the notice, or 0 */
  uint64_t line, column;
  char *what; /* g_free */
} Tables;

void tables_init(Tables *t);
void tables_clear(Tables *t);
Table *tables_add(Tables *t, int64_t sm);
bool tables_fail(Tables *t, uint32_t number, uint64_t line, uint64_t column,
                 char *what); /* false; takes what */

bool cpp_is(const char *text, size_t len);
bool cpp_read(Tables *out, const char *text, size_t len); /* false: failed */
bool table_csv_is(const char *text, size_t len);
bool table_csv_read(Tables *out, const char *text, size_t len);

#endif
