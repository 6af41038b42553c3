/* Results as tables of a database: those that stages reported, and some about them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SINK_TABLES_H
#define KIT_SINK_TABLES_H

#include <glib.h>
#include <stagemill/sink.h>

typedef struct DbColumn {
  char *name;
  const char *type; /* "INTEGER", "REAL", "TEXT"; "": any */
  bool quoted;      /* SQL would not take the name as it is */
} DbColumn;

typedef struct DbTable {
  char *name;
  GArray *columns; /* DbColumn */
  uint64_t n_rows;
  uint32_t index;              /* of a table that was reported */
  const struct DbAbout *about; /* NULL: it was reported */
} DbTable;

typedef struct DbTables {
  const MillHost *common;
  const MillResults *results;
  GPtrArray *list;     /* DbTable *: those about the others first */
  GArray *columns;     /* what _column has a row of each */
  GPtrArray *run_keys; /* const char *: what _run has */
} DbTables;

/* The cells of one row, valid until the next one is asked for with it. */
typedef struct DbRow {
  GArray *cells;    /* MillValue */
  GPtrArray *texts; /* that were made for it */
} DbRow;

/* findings: with the table _finding, which queries have, and results.sqlite has not. */
DbTables *db_tables_new(const MillHost *common, const MillResults *results, bool findings);
void db_tables_free(DbTables *t);
static inline const DbTable *db_table(const DbTables *t, guint index) { return t->list->pdata[index]; }
static inline const DbColumn *db_column(const DbTable *t, guint index)
{
  return &g_array_index(t->columns, DbColumn, index);
}

/* DbColumn: of such columns as a table of a stage has. */
GArray *db_columns_new(const MillColumn *const *columns, guint n);

/* Of what rules found there are more after each rule. */
uint64_t db_n_rows(const DbTables *t, const DbTable *table);
DbRow *db_row_new(void);
void db_row_free(DbRow *r);
/* {"model": "a", "tp": "8"}: the tags by which rows of the table are grouped, as in _metric; NULL: they are not. */
char *db_group(const DbTables *t, const DbTable *table, uint64_t row);
const MillValue *db_row(const DbTables *t, const DbTable *table, uint64_t row, DbRow *room);

#endif
