/* The sqlite sink: results.sqlite, a table for each table, and four about them. */
#include <glib.h>
#include <stagemill/sink.h>

#include "database.h"
#include "kit/sink/results-sink.h"
#include "kit/sink/tables.h"

static int begin_table(Database *db, const DbTable *t)
{
  g_autoptr(GString) sql = g_string_new(NULL);
  for (guint i = 0; i < t->columns->len; i++) {
    const DbColumn *c = db_column(t, i);
    if (i) g_string_append(sql, ", ");
    if (c->quoted)
      database_quote(sql, c->name);
    else
      g_string_append(sql, c->name);
    if (*c->type) g_string_append_printf(sql, " %s", c->type);
  }
  return database_table(db, t->name, sql->str, t->columns->len);
}

static int put_table(Database *db, const DbTables *tables, const DbTable *t)
{
  int status = begin_table(db, t);
  DbRow *room = db_row_new();
  for (uint64_t row = 0; row < t->n_rows && !status; row++) {
    const MillValue *cells = db_row(tables, t, row, room);
    for (guint i = 0; i < t->columns->len; i++) database_put(db, &cells[i]);
    status = database_end_row(db);
  }
  db_row_free(room);
  return status;
}

static int put_all(Database *db, const DbTables *tables)
{
  int status = 0;
  for (guint i = 0; i < tables->list->len && !status; i++)
    status = put_table(db, tables, db_table(tables, i));
  return status ? status : database_close(db);
}

static int write_results(void *instance, const MillResults *r)
{
  const MillSinkHost *host = instance;
  const char *path = host->place(host, DATABASE_FILE);
  if (!path) return 0; /* nowhere; or refused, which the program knows */
  Database db;
  int status = database_open(&db, host->common, path);
  DbTables *tables = status ? NULL : db_tables_new(host->common, r);
  if (!status) status = put_all(&db, tables);
  if (status) database_drop(&db);
  db_tables_free(tables);
  return status;
}

RESULTS_SINK(
    write_results, "sqlite", "SQL", "Write all results into a database", .files = "results.sqlite",
    .notices = { database_notices, DATABASE_N_NOTICES, sizeof *database_notices },
    .help = "results.sqlite: each table with the headers of csv, and _metric, _column, _notice and "
            "_run about them. "
            "Opens in SQLite, DuckDB and pandas.");
