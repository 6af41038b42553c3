/* A connection, as the files of the shared object share it. */
/* SPDX-License-Identifier: MIT */
#ifndef SQL_OBJECT_DB_H
#define SQL_OBJECT_DB_H

#include <sqlite3.h>

#include "kit/sink/tables.h"
#include "sql/object/calls.h"
#include "sql/object/kept.h"

struct SqlDb {
  sqlite3 *db;
  SqlLimits limits;
  uint64_t n_steps;
  SqlFaultKind over;   /* SQL_FAULT_STEPS or SQL_FAULT_STOPPED ended the statement; else SQL_FAULT_WRONG */
  SqlFaultKind failed; /* the same of a table: SQL_FAULT_TABLE or SQL_FAULT_FILE */
  int file_errno;
  bool declaring; /* SQLite learns the columns of a table */
  char *refused; /* what the statement may not do, or NULL */
  KeptFile file;
  GPtrArray *tables;  /* const SqlTable *: all that were added */
  GPtrArray *made;    /* Reported *: those made of results */
  GPtrArray *results; /* DbTables *: what these are made of */
  GPtrArray *plans;   /* GPtrArray *: of each table that was named, how it may be read */
  GPtrArray *names;   /* what `names` gave last */
  char **functions;   /* the same of functions */
  uint32_t n_statements; /* that are not finished */
};

/* vtab.c: the table can be named from here on. */
bool vtab_add(SqlDb *db, const SqlTable *table);
void vtab_forget(SqlDb *db); /* what was kept for statements */
/* guard.c: what statements may do, and for how long. */
void guard_set(SqlDb *db);
char **guard_functions(void); /* that they may call; g_strfreev */
bool functions_add(sqlite3 *db); /* functions.c: those that are ours */
/* reported.c */
bool reported_add(SqlDb *db, const SqlRun *runs, uint32_t n);
bool reported_add_empty(SqlDb *db, const char *name, const MillColumn *const *columns, uint32_t n);
void reported_free(gpointer reported);

#endif
