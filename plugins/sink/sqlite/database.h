/* A database that is made once, from front to back: deterministic, without a journal. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_SQLITE_DATABASE_H
#define SINK_SQLITE_DATABASE_H

#include <glib.h>
#include <sqlite3.h>
#include <stagemill/sink.h>

#define DATABASE_FILE "results.sqlite"

enum { DATABASE_NOT_WRITTEN = 1, DATABASE_NO_MEMORY, DATABASE_N_NOTICES = 2 };
extern const MillNotice database_notices[DATABASE_N_NOTICES];

typedef struct Database {
  const MillHost *common;
  sqlite3 *db;
  sqlite3_stmt *insert; /* into the table at hand */
  int column;           /* bound last, from 1 */
  int failed;           /* of what was bound to this row: the first code that is not SQLITE_OK */
} Database;

/* All give 0, or the status to return. */
int database_open(Database *d, const MillHost *common, const char *path);
int database_close(Database *d); /* complete after it */
void database_drop(Database *d); /* after a failure */

/* Begins a table; columns are `"name" TYPE` between commas, n of them. */
int database_table(Database *d, const char *name, const char *columns, uint32_t n);
/* Cells of a row, in order; their texts stay until it ends. */
void database_put(Database *d, const MillValue *v);
int database_end_row(Database *d);

/* As SQL has names: in quotes. */
void database_quote(GString *out, const char *name);

#endif
