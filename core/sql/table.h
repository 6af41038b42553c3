/* A table as SQL sees it: columns, and rows that are read one after the other.  Whoever has rows declares one; it lives
 * longer than the connection that it was added to. */
/* SPDX-License-Identifier: MIT */
#ifndef SQL_TABLE_H
#define SQL_TABLE_H

#include <stagemill/types.h>

enum { /* SqlColumn.flags */
  SQL_FILTERS = 1 << 0, /* `begin` may be told what its values have to be */
  SQL_KEY = 1 << 1,     /* where rows of another table ask for equal values, the rows are kept with an index over it */
  SQL_LASTS = 1 << 2,   /* its texts live as long as the table */
  SQL_HIDDEN = 1 << 3,  /* not of SELECT * */
  SQL_SYMBOL = 1 << 4   /* equal texts of one reading are one text, at one place */
};

typedef struct SqlColumn {
  const char *name;
  uint32_t type; /* MILL_INT, MILL_REAL, MILL_TEXT or MILL_BOOL; MILL_NONE: any */
  uint32_t flags;
} SqlColumn;

typedef enum SqlOp { SQL_EQUAL, SQL_LESS, SQL_LESS_EQUAL, SQL_GREATER, SQL_GREATER_EQUAL } SqlOp;

typedef struct SqlFilter { /* a column OP any of the values */
  uint32_t column;
  SqlOp op;
  const MillValue *values; /* MILL_INT, MILL_REAL or MILL_TEXT */
  uint32_t n_values;
} SqlFilter;

typedef struct SqlScan { /* what is asked for; it lives until `end` */
  uint64_t columns;      /* a bit for each that is looked at; the last one is of all from 63 on */
  const SqlFilter *filters;
  uint32_t n_filters;
} SqlScan;

static inline bool sql_wants(const SqlScan *s, uint32_t column)
{
  return s->columns >> (column < 63 ? column : 63) & 1;
}

typedef struct SqlTable SqlTable;
struct SqlTable {
  const char *name;
  const SqlColumn *columns;
  uint32_t n_columns;
  uint64_t n_rows; /* about */
  bool dear;       /* reading it costs much: from the second time on its rows come from where they were kept */
  void *context;   /* of the functions */
  /* A cursor before the first row; NULL: it has failed.  Rows that a filter keeps out may come all the same. */
  void *(*begin)(const SqlTable *table, const SqlScan *scan);
  int (*next)(void *cursor); /* 1: there is a row; 0: no more; -1: it has failed */
  /* Of a column that the scan wants; texts live until `next`. */
  MillValue (*cell)(void *cursor, uint32_t column);
  void (*end)(void *cursor);
};

#endif
