/* The sqlite sink: results.sqlite, a table for each table, and four about them. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>

#include "database.h"
#include "kit/sink/results-sink.h"
#include "kit/sink/tables.h"

typedef struct Options {
  const char *file;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  const char *file;
} Sink;

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
  const Sink *s = instance;
  const MillHost *common = s->host->common;
  const char *path = s->host->place(s->host, s->file);
  if (!path) return 0; /* nowhere; or refused, which the program knows */
  Database db;
  int status = database_open(&db, common, path);
  DbTables *tables = status ? NULL : db_tables_new(common, r, false);
  if (!status) status = put_all(&db, tables);
  if (status) database_drop(&db);
  db_tables_free(tables);
  return status;
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  const Options *o = options;
  Sink *s = mill_new(host->common, sizeof *s);
  (void)self, (void)level;
  if (!s) return -MILL_LIMIT;
  *s = (Sink){ host, o->file };
  *out_instance = s;
  return 0;
}

static const MillOption rows[] = {
  MILL_STRING_OPTION(Options, file, "file", DATABASE_FILE, "Name of the database"),
};
static const MillSinkOps ops = { .size = sizeof(MillSinkOps),
                                 .open = open_sink,
                                 .results = write_results };

RESULTS_SINK_OF(
    &ops, "sqlite", "SQL", "Write all results into a database", .files = DATABASE_FILE,
    .options_size = sizeof(Options), .options = MILL_ROWS(rows),
    .notices = { database_notices, DATABASE_N_NOTICES, sizeof *database_notices },
    .help = "results.sqlite: each table with the headers of csv, and _metric, _column, _notice and "
            "_run about them. Opens in SQLite, DuckDB and pandas.");
