/* The sqlite sink: results.sqlite, a table for each table, and four about them. */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "base/json-write.h"
#include "base/tag-text.h"
#include "database.h"
#include "kit/sink/result.h"
#include "kit/sink/results-sink.h"

typedef struct Export {
  Database db;
  const MillResults *results;
  ResultNames tables;
  GPtrArray *names; /* of tables, as they are in the database */
} Export;

/* ------------------------------------------------------------------ tables */

/* Names of SQLite itself begin so. */
static char *table_name(Export *e, const char *name)
{
  bool reserved = !g_ascii_strncasecmp(name, "sqlite_", strlen("sqlite_"));
  size_t len = strlen(name);
  g_autofree char *mended = NULL;
  g_autofree char *plain =
      g_strconcat(reserved || !len ? "_" : "", result_valid(name, &len, &mended), NULL);
  return result_names_take(&e->tables, plain);
}

/* The names of the columns, as they are in the database. */
static GPtrArray *column_names(MillColumnRows columns)
{
  ResultNames names;
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  result_names_init(&names, "_%u", 0);
  for (uint32_t i = 0; i < columns.n; i++) {
    g_autofree char *header = result_header(MILL_AT(MillColumn, columns, i)), *mended = NULL;
    size_t len = strlen(header);
    g_ptr_array_add(list, result_names_take(&names, result_valid(header, &len, &mended)));
  }
  result_names_clear(&names);
  return list;
}

static const char *sql_type(const MillColumn *c)
{
  if (c->type == MILL_REAL) return "REAL";
  return c->type == MILL_TEXT ? "TEXT" : "INTEGER";
}

static int begin_table(Export *e, const char *name, MillColumnRows columns)
{
  g_autoptr(GPtrArray) names = column_names(columns);
  g_autoptr(GString) sql = g_string_new(NULL);
  for (uint32_t i = 0; i < columns.n; i++) {
    if (i) g_string_append(sql, ", ");
    database_quote(sql, names->pdata[i]);
    g_string_append_printf(sql, " %s", sql_type(MILL_AT(MillColumn, columns, i)));
  }
  return database_table(&e->db, name, sql->str, columns.n);
}

static int put_table(Export *e, uint32_t index)
{
  MillTableResult t = { .size = sizeof t };
  const MillResults *r = e->results;
  r->table(r, index, &t);
  int status = begin_table(e, e->names->pdata[index], t.columns);
  for (uint64_t row = 0; row < t.n_rows && !status; row++) {
    const MillValue *cells = r->row(r, index, row);
    for (uint32_t i = 0; i < t.columns.n; i++) database_put(&e->db, &cells[i]);
    status = database_end_row(&e->db);
  }
  return status;
}

/* -------------------------------------------------------------- about them */

static const char *or_null(const char *text) { return text && *text ? text : NULL; }

/* {"model": "a", "tp": "8"} */
static char *group_json(const char *group)
{
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_SPACED };
  char *tag, *value;
  if (!*group) return g_string_free(out.text, TRUE); /* NULL */
  json_put_open(&out, NULL, '{');
  while (tag_text_next(&group, &tag, &value)) {
    json_put_text(&out, tag, value);
    g_free(tag);
    g_free(value);
  }
  json_put_close(&out);
  return g_string_free(out.text, FALSE);
}

static void put_lane(Export *e, uint32_t index)
{
  MillLane lane = { .rank = -1 };
  MillValue none = mill_none(), number = mill_int(index);
  bool of_run = index == MILL_NO_LANE;
  g_autofree char *name = of_run ? NULL : result_lane(e->db.common, index, &lane);
  database_put(&e->db, of_run ? &none : &number);
  if (lane.rank >= 0)
    database_put_int(&e->db, lane.rank);
  else
    database_put(&e->db, &none);
  database_put_text(&e->db, or_null(lane.label));
  database_put_text(&e->db, name);
}

static int put_metric(Export *e, uint32_t index)
{
  MillMetricResult m = { .size = sizeof m };
  MillValue none = mill_none();
  e->results->metric(e->results, index, &m);
  const char *reason = result_absence(&m.value, m.reason);
  const MillValue samples = result_samples(&m);
  g_autofree char *group = group_json(m.group);
  database_put_text(&e->db, m.name);
  database_put_text(&e->db, or_null(m.stat));
  put_lane(e, m.lane);
  database_put_text(&e->db, group);
  database_put(&e->db, reason ? &none : &m.value);
  database_put_text(&e->db, or_null(result_unit(&m)));
  database_put(&e->db, &samples);
  database_put_text(&e->db, or_null(result_better(m.metric->better)));
  database_put_text(&e->db, reason);
  database_put_text(&e->db, or_null(m.metric->help));
  return database_end_row(&e->db);
}

static int put_metrics(Export *e)
{
  int status = database_table(
      &e->db, "_metric",
      "name TEXT, stat TEXT, lane INTEGER, rank INTEGER, label TEXT, input TEXT, "
      "\"group\" TEXT, value, unit TEXT, n INTEGER, better TEXT, reason TEXT, help TEXT",
      13);
  for (uint32_t i = 0; i < e->results->n_metrics && !status; i++) status = put_metric(e, i);
  return status;
}

static const char *better_of(const MillColumn *c)
{
  if (c->flags & MILL_COLUMN_LOWER) return "lower";
  return c->flags & MILL_COLUMN_HIGHER ? "higher" : NULL;
}

static int put_columns_of(Export *e, uint32_t index)
{
  MillTableResult t = { .size = sizeof t };
  e->results->table(e->results, index, &t);
  g_autoptr(GPtrArray) names = column_names(t.columns);
  int status = 0;
  for (uint32_t i = 0; i < t.columns.n && !status; i++) {
    const MillColumn *c = MILL_AT(MillColumn, t.columns, i);
    database_put_text(&e->db, e->names->pdata[index]);
    database_put_text(&e->db, names->pdata[i]);
    database_put_text(&e->db, or_null(c->unit));
    database_put_text(&e->db, result_type(c));
    database_put_int(&e->db, (c->flags & MILL_COLUMN_KEY) != 0);
    database_put_text(&e->db, better_of(c));
    database_put_text(&e->db, or_null(c->help));
    status = database_end_row(&e->db);
  }
  return status;
}

static int put_columns(Export *e)
{
  int status = database_table(&e->db, "_column",
                              "\"table\" TEXT, \"column\" TEXT, unit TEXT, type TEXT, key INTEGER, "
                              "better TEXT, help TEXT",
                              7);
  for (uint32_t i = 0; i < e->results->n_tables && !status; i++) status = put_columns_of(e, i);
  return status;
}

static int put_notices(Export *e)
{
  MillNoticeResult n = { .size = sizeof n };
  int status =
      database_table(&e->db, "_notice",
                     "code TEXT, level TEXT, count INTEGER, what TEXT, effect TEXT, help TEXT", 6);
  for (uint32_t i = 0; i < e->results->n_notices && !status; i++) {
    e->results->notice(e->results, i, &n);
    database_put_text(&e->db, n.code);
    database_put_text(&e->db, result_level(n.notice));
    database_put_int(&e->db, (int64_t)MIN(n.count, INT64_MAX));
    database_put_text(&e->db, n.what);
    database_put_text(&e->db, or_null(n.effect));
    database_put_text(&e->db, or_null(n.help));
    status = database_end_row(&e->db);
  }
  return status;
}

static int put_run(Export *e)
{
  static const char *const keys[] = { "program", "version", "profile", "title",
                                      "tags",    "inputs",  "lanes",   "events" };
  int status = database_table(&e->db, "_run", "key TEXT, value TEXT", 2);
  for (size_t i = 0; i < G_N_ELEMENTS(keys) && !status; i++) {
    const char *value = e->results->info(e->results, keys[i]);
    if (!value) continue;
    database_put_text(&e->db, keys[i]);
    database_put_text(&e->db, value);
    status = database_end_row(&e->db);
  }
  return status;
}

/* ------------------------------------------------------------------- whole */

static void name_tables(Export *e)
{
  static const char *const own[] = { "_run", "_metric", "_column", "_notice" };
  MillTableResult t = { .size = sizeof t };
  result_names_init(&e->tables, "_%u", 0);
  for (size_t i = 0; i < G_N_ELEMENTS(own); i++) g_free(result_names_take(&e->tables, own[i]));
  for (uint32_t i = 0; e->results->table(e->results, i, &t); i++)
    g_ptr_array_add(e->names, table_name(e, t.name));
  result_names_clear(&e->tables);
}

static int put_all(Export *e)
{
  int status = put_run(e);
  if (!status) status = put_metrics(e);
  if (!status) status = put_notices(e);
  if (!status) status = put_columns(e);
  for (uint32_t i = 0; i < e->results->n_tables && !status; i++) status = put_table(e, i);
  return status ? status : database_close(&e->db);
}

static int write_results(void *instance, const MillResults *r)
{
  const MillSinkHost *host = instance;
  const char *path = host->place(host, DATABASE_FILE);
  if (!path) return 0; /* nowhere; or refused, which the program knows */
  Export e = { .results = r, .names = g_ptr_array_new_with_free_func(g_free) };
  name_tables(&e);
  int status = database_open(&e.db, host->common, path);
  if (!status) status = put_all(&e);
  if (status) database_drop(&e.db);
  g_ptr_array_unref(e.names);
  return status;
}

RESULTS_SINK(
    write_results, "sqlite", "SQL", "Write all results into a database", .files = "results.sqlite",
    .notices = { database_notices, DATABASE_N_NOTICES, sizeof *database_notices },
    .help = "results.sqlite: each table with the headers of csv, and _metric, _column, _notice and "
            "_run about them. "
            "Opens in SQLite, DuckDB and pandas.");
