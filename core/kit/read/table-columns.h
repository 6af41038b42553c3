/* Columns of tables as declarations: titles, types, ranges and defaults.  table-source.h and table-rows.h read by them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TABLE_COLUMNS_H
#define KIT_TABLE_COLUMNS_H

#include <stagemill/source.h>

#include "kit/read/csv-input.h"
#include "kit/read/record.h"

#define TABLE_NO_CELL UINT32_MAX

enum { /* TableColumn.type */
       TABLE_NAME = 1,
       TABLE_INT = 2,
       TABLE_REAL = 3
};
enum { /* TableColumn.flags */
       TABLE_NEEDED = 1 << 0,
       TABLE_TYPICAL = 1 << 1, /* a table without it is not one of these */
       TABLE_ONE_OF = 1 << 2,  /* of all columns with it, one is needed */
       TABLE_LENIENT = 1 << 3, /* what is no number is left out, or `otherwise`; fractions of integers are cut off */
       TABLE_ABOVE_0 = 1 << 4, /* of a number */
       TABLE_FROM_0 = 1 << 5,
       TABLE_HOLES = 1 << 6,    /* cells may be empty though the column is needed */
       TABLE_HINT = 1 << 7,     /* a table without any column of these is not one of these */
       TABLE_FILLED = 1 << 8,   /* a name that may not be empty */
       TABLE_AS_REAL = 1 << 9   /* an integer: 128.0 is 128, as in columns that once had a hole; 0x10 is none */
};

typedef struct TableValue {
  bool is_known;
  union {
    MillSym name;
    int64_t i;
    double r;
  } u;
} TableValue;

typedef struct TableRow TableRow;
typedef struct TableColumn {
  const char *title; /* in any case of letters; "a|b": either of them, and a if both are there */
  const char *key;   /* of the attribute that it becomes; names that are empty become none */
  uint32_t type, flags;
  int64_t least, most; /* of an integer; most 0: any from the least on */
  int64_t otherwise;   /* an integer that is empty, or whose column is missing; not of one that is needed */
  const char *instead; /* the title of a column that may stand in its place */
  /* Reads what no type says; false: the text is not what `is_not` says. */
  bool (*read)(TableRow *row, uint32_t column, const char *text, size_t len);
  const char *is_not; /* NULL: by its type */
} TableColumn;

typedef struct TableFound { /* by column */
  uint32_t n;
  uint32_t at[RECORD_MAX_KEYS];    /* a cell of the row, or TABLE_NO_CELL */
  uint32_t which[RECORD_MAX_KEYS]; /* of its titles, from 0 */
  uint32_t twice, twice_at;        /* a column that has two, or TABLE_NO_CELL; CsvCell.at of the second */
} TableFound;

struct TableRow { /* for functions of a source */
  const MillHost *common;
  const TableFound *found;
  TableValue *values; /* by column */
};

/* n columns, each `stride` bytes behind the one before. */
typedef struct TableColumns {
  const TableColumn *first;
  size_t stride;
  uint32_t n;
} TableColumns;

/* Where the header has each of them. */
void table_find(const TableColumns *columns, const CsvCell *cells, uint32_t n_cells, TableFound *out);
/* g_free; the title of one that is needed and not there, or NULL. */
char *table_missing(const TableColumns *columns, const TableFound *found);
bool table_is_typical(const TableColumns *columns, const TableFound *found);
char *table_title(const TableColumn *column); /* g_free; the first of them */

CsvCell table_trimmed(const CsvCell *cell); /* without blanks around it */
/* A number, of a trimmed text; NULL, or what the text is not. */
const char *table_number(const TableColumn *column, const char *text, size_t len, TableValue *out);

#endif
