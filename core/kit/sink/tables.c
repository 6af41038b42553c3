/* Results as tables of a database; see tables.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/sink/tables.h"

#include <string.h>

#include "base/finding.h"
#include "base/json-write.h"
#include "base/tag-text.h"
#include "kit/sink/result.h"

typedef struct DbAbout { /* a table about the others */
  const char *name;
  const DbColumn *columns;
  guint n_columns;
  uint64_t (*count)(const DbTables *t);
  void (*fill)(const DbTables *t, uint64_t row, DbRow *out);
} DbAbout;

/* ------------------------------------------------------------------- cells */

static void put(DbRow *r, MillValue v) { g_array_append_val(r->cells, v); }

/* NULL and "": no value. */
static void put_text(DbRow *r, const char *text)
{
  put(r, text && *text ? mill_text(text, strlen(text)) : mill_none());
}

/* Takes the text. */
static void put_made(DbRow *r, char *text)
{
  if (text) g_ptr_array_add(r->texts, text);
  put_text(r, text);
}

static void put_int(DbRow *r, int64_t v) { put(r, mill_int(v)); }

/* Of any bytes: as a database takes it. */
static char *valid(const char *text)
{
  size_t len = strlen(text);
  char *mended;
  text = result_valid(text, &len, &mended);
  return mended ? mended : g_strdup(text);
}

/* -------------------------------------------------------------------- _run */

static const DbColumn run_columns[] = { { "key", "TEXT", false }, { "value", "TEXT", false } };

static uint64_t count_run(const DbTables *t) { return t->run_keys->len; }

/* A value that is empty is one all the same. */
static void fill_run(const DbTables *t, uint64_t row, DbRow *out)
{
  const char *key = t->run_keys->pdata[row], *value = t->results->info(t->results, key);
  put_text(out, key);
  put(out, mill_text(value, strlen(value)));
}

/* ----------------------------------------------------------------- _metric */

static const DbColumn metric_columns[] = {
  { "name", "TEXT", false },    { "stat", "TEXT", false },   { "lane", "INTEGER", false },
  { "rank", "INTEGER", false }, { "label", "TEXT", false },  { "input", "TEXT", false },
  { "group", "TEXT", true },    { "value", "", false },      { "unit", "TEXT", false },
  { "n", "INTEGER", false },    { "better", "TEXT", false }, { "reason", "TEXT", false },
  { "help", "TEXT", false }
};

static uint64_t count_metrics(const DbTables *t) { return t->results->n_metrics; }

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

static void put_lane(const DbTables *t, uint32_t index, DbRow *out)
{
  MillLane lane = { .rank = -1 };
  bool of_run = index == MILL_NO_LANE;
  char *name = of_run ? NULL : result_lane(t->common, index, &lane);
  put(out, of_run ? mill_none() : mill_int(index));
  put(out, lane.rank >= 0 ? mill_int(lane.rank) : mill_none());
  put_text(out, lane.label);
  if (name) g_ptr_array_add(out->texts, name);
  put(out, name ? mill_text(name, strlen(name)) : mill_none());
}

static void fill_metric(const DbTables *t, uint64_t row, DbRow *out)
{
  MillMetricResult m = { .size = sizeof m };
  t->results->metric(t->results, (uint32_t)row, &m);
  const char *reason = result_absence(&m.value, m.reason);
  put(out, mill_text(m.name, strlen(m.name)));
  put_text(out, m.stat);
  put_lane(t, m.lane, out);
  put_made(out, group_json(m.group));
  put(out, reason ? mill_none() : m.value);
  put_text(out, result_unit(&m));
  put(out, result_samples(&m));
  put_text(out, result_better(m.metric->better));
  put(out, reason ? mill_text(reason, strlen(reason)) : mill_none());
  put_text(out, m.metric->help);
}

/* ----------------------------------------------------------------- _notice */

static const DbColumn notice_columns[] = {
  { "code", "TEXT", false }, { "level", "TEXT", false },  { "count", "INTEGER", false },
  { "what", "TEXT", false }, { "effect", "TEXT", false }, { "help", "TEXT", false }
};

static uint64_t count_notices(const DbTables *t) { return t->results->n_notices; }

static void fill_notice(const DbTables *t, uint64_t row, DbRow *out)
{
  MillNoticeResult n = { .size = sizeof n };
  t->results->notice(t->results, (uint32_t)row, &n);
  put(out, mill_text(n.code, strlen(n.code)));
  put_text(out, result_level(n.notice));
  put_int(out, (int64_t)MIN(n.count, INT64_MAX));
  put(out, mill_text(n.what, strlen(n.what)));
  put_text(out, n.effect);
  put_text(out, n.help);
}

/* ---------------------------------------------------------------- _finding */

static const DbColumn finding_columns[] = {
  { "name", "TEXT", false },       { "text", "TEXT", false },   { "severity", "TEXT", false },
  { "cost_ns", "INTEGER", false }, { "share", "REAL", false },  { "where", "TEXT", true },
  { "evidence", "TEXT", false },   { "advice", "TEXT", false },
};

static uint64_t count_findings(const DbTables *t) { return t->results->n_findings; }

/* As the members of a finding in summary.json. */
static void fill_finding(const DbTables *t, uint64_t row, DbRow *out)
{
  MillFindingResult f = { .size = sizeof f };
  t->results->finding(t->results, (uint32_t)row, &f);
  put_text(out, f.name);
  put_text(out, f.text);
  put_text(out, finding_severity(f.severity));
  put(out, f.cost_ns);
  put(out, mill_real(f.share));
  put_text(out, f.where_json);
  put_text(out, f.evidence_json);
  put_text(out, f.advice);
}

/* ----------------------------------------------------------------- _column */

static const DbColumn column_columns[] = { { "table", "TEXT", true },   { "column", "TEXT", true },
                                           { "unit", "TEXT", false },   { "type", "TEXT", false },
                                           { "key", "INTEGER", false }, { "better", "TEXT", false },
                                           { "help", "TEXT", false } };

typedef struct ColumnPlace {
  const DbTable *table;
  guint column;
} ColumnPlace;

static uint64_t count_columns(const DbTables *t) { return t->columns->len; }

static const char *better_of(const MillColumn *c)
{
  if (c->flags & MILL_COLUMN_LOWER) return "lower";
  return c->flags & MILL_COLUMN_HIGHER ? "higher" : NULL;
}

static void fill_column(const DbTables *t, uint64_t row, DbRow *out)
{
  const ColumnPlace *at = &g_array_index(t->columns, ColumnPlace, row);
  MillTableResult reported = { .size = sizeof reported };
  t->results->table(t->results, at->table->index, &reported);
  const MillColumn *c = MILL_AT(MillColumn, reported.columns, at->column);
  const char *name = db_column(at->table, at->column)->name;
  put(out, mill_text(at->table->name, strlen(at->table->name)));
  put(out, mill_text(name, strlen(name)));
  put_text(out, c->unit);
  put_text(out, result_type(c));
  put_int(out, (c->flags & MILL_COLUMN_KEY) != 0);
  put_text(out, better_of(c));
  put_text(out, c->help);
}

static const DbAbout abouts[] = {
  { "_run", run_columns, G_N_ELEMENTS(run_columns), count_run, fill_run },
  { "_metric", metric_columns, G_N_ELEMENTS(metric_columns), count_metrics, fill_metric },
  { "_notice", notice_columns, G_N_ELEMENTS(notice_columns), count_notices, fill_notice },
  { "_column", column_columns, G_N_ELEMENTS(column_columns), count_columns, fill_column },
  { "_finding", finding_columns, G_N_ELEMENTS(finding_columns), count_findings, fill_finding },
};

/* ------------------------------------------------------------------ tables */

static void column_clear(gpointer column) { g_free(((DbColumn *)column)->name); }

static GArray *no_columns(guint n)
{
  GArray *columns = g_array_sized_new(FALSE, FALSE, sizeof(DbColumn), n);
  g_array_set_clear_func(columns, column_clear);
  return columns;
}

static const char *sql_type(const MillColumn *c)
{
  if (c->type == MILL_REAL) return "REAL";
  return c->type == MILL_TEXT ? "TEXT" : "INTEGER";
}

GArray *db_columns_new(const MillColumn *const *columns, guint n)
{
  GArray *list = no_columns(n);
  ResultNames names;
  result_names_init(&names, "_%u", 0);
  for (guint i = 0; i < n; i++) {
    g_autofree char *header = result_header(columns[i]), *plain = valid(header);
    DbColumn column = { result_names_take(&names, plain), sql_type(columns[i]), true };
    g_array_append_val(list, column);
  }
  result_names_clear(&names);
  return list;
}

static GArray *columns_about(const DbAbout *about)
{
  GArray *list = no_columns(about->n_columns);
  for (guint i = 0; i < about->n_columns; i++) {
    DbColumn column = about->columns[i];
    column.name = g_strdup(column.name);
    g_array_append_val(list, column);
  }
  return list;
}

static DbTable *add_table(DbTables *t, char *name, GArray *columns)
{
  DbTable *table = g_new0(DbTable, 1);
  table->name = name;
  table->columns = columns;
  g_ptr_array_add(t->list, table);
  return table;
}

static void table_free(gpointer data)
{
  DbTable *table = data;
  g_array_unref(table->columns);
  g_free(table->name);
  g_free(table);
}

/* Names of SQLite itself begin so. */
static char *table_name(ResultNames *names, const char *name)
{
  bool reserved = !g_ascii_strncasecmp(name, "sqlite_", strlen("sqlite_"));
  g_autofree char *mended = valid(name);
  g_autofree char *plain = g_strconcat(reserved || !*mended ? "_" : "", mended, NULL);
  return result_names_take(names, plain);
}

static GArray *columns_reported(const MillTableResult *r)
{
  g_autofree const MillColumn **columns = g_new(const MillColumn *, r->columns.n);
  for (uint32_t i = 0; i < r->columns.n; i++) columns[i] = MILL_AT(MillColumn, r->columns, i);
  return db_columns_new(columns, r->columns.n);
}

static void add_reported(DbTables *t, ResultNames *names)
{
  MillTableResult r = { .size = sizeof r };
  for (uint32_t i = 0; t->results->table(t->results, i, &r); i++) {
    DbTable *table = add_table(t, table_name(names, r.name), columns_reported(&r));
    table->index = i;
    table->n_rows = r.n_rows;
    for (guint c = 0; c < r.columns.n; c++) {
      ColumnPlace at = { table, c };
      g_array_append_val(t->columns, at);
    }
  }
}

static void find_run_keys(DbTables *t)
{
  static const char *const keys[] = { "program", "version", "profile", "title",
                                      "tags",    "inputs",  "lanes",   "events" };
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if (t->results->info(t->results, keys[i])) g_ptr_array_add(t->run_keys, (gpointer)keys[i]);
}

DbTables *db_tables_new(const MillHost *common, const MillResults *results, bool findings)
{
  const guint n_abouts = G_N_ELEMENTS(abouts) - !findings; /* the last one */
  DbTables *t = g_new0(DbTables, 1);
  ResultNames names;
  *t = (DbTables){ common, results, g_ptr_array_new_with_free_func(table_free),
                   g_array_new(FALSE, FALSE, sizeof(ColumnPlace)), g_ptr_array_new() };
  result_names_init(&names, "_%u", 0);
  find_run_keys(t);
  for (guint i = 0; i < n_abouts; i++) {
    char *name = result_names_take(&names, abouts[i].name);
    add_table(t, name, columns_about(&abouts[i]))->about = &abouts[i];
  }
  add_reported(t, &names);
  for (guint i = 0; i < n_abouts; i++) ((DbTable *)t->list->pdata[i])->n_rows = abouts[i].count(t);
  result_names_clear(&names);
  return t;
}

void db_tables_free(DbTables *t)
{
  if (!t) return;
  g_ptr_array_unref(t->list);
  g_array_unref(t->columns);
  g_ptr_array_unref(t->run_keys);
  g_free(t);
}

/* -------------------------------------------------------------------- rows */

uint64_t db_n_rows(const DbTables *t, const DbTable *table)
{
  return table->about ? table->about->count(t) : table->n_rows;
}

DbRow *db_row_new(void)
{
  DbRow *r = g_new(DbRow, 1);
  r->cells = g_array_new(FALSE, FALSE, sizeof(MillValue));
  r->texts = g_ptr_array_new_with_free_func(g_free);
  return r;
}

void db_row_free(DbRow *r)
{
  if (!r) return;
  g_array_unref(r->cells);
  g_ptr_array_unref(r->texts);
  g_free(r);
}

const MillValue *db_row(const DbTables *t, const DbTable *table, uint64_t row, DbRow *room)
{
  if (!table->about) return t->results->row(t->results, table->index, row);
  g_array_set_size(room->cells, 0);
  g_ptr_array_set_size(room->texts, 0);
  table->about->fill(t, row, room);
  return (const MillValue *)(const void *)room->cells->data;
}

/* -------------------------------------------------------------------- groups */

/* Tags that are called as a column of the table stand there as "tag_NAME". */
static void put_tag(JsonWriter *out, const DbTables *t, const MillColumn *c, const MillValue *cell)
{
  size_t len;
  const char *text = result_text(t->common, cell, &len);
  const size_t renamed = g_str_has_prefix(c->name, "tag_") ? strlen("tag_") : 0;
  json_put_string(out, c->name + renamed, text ? text : "", text ? len : 0);
}

char *db_group(const DbTables *t, const DbTable *table, uint64_t row)
{
  MillTableResult r = { .size = sizeof r };
  if (table->about || !t->results->table(t->results, table->index, &r)) return NULL;
  const uint32_t n_tags = r.columns.n - MIN(r.table->columns.n, r.columns.n);
  if (!n_tags || r.table->per == MILL_PER_LANE) return NULL;
  const MillValue *cells = t->results->row(t->results, table->index, row);
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_SPACED };
  json_put_open(&out, NULL, '{');
  for (uint32_t i = 0; i < n_tags; i++)
    put_tag(&out, t, MILL_AT(MillColumn, r.columns, i), &cells[i]);
  json_put_close(&out);
  return g_string_free(out.text, FALSE);
}
