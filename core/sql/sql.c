/* SQL over tables of the program; see sql.h. */
/* SPDX-License-Identifier: MIT */
#include "sql/sql.h"

#include <dlfcn.h>
#include <string.h>

#include "base/suggest.h"
#include "model/printable.h"

#define OBJECT_FILE "rooms/sql.so"

typedef struct Lanes { /* of results, as a host knows them */
  MillHost host;       /* first */
  SqlLane lane;
  const void *context;
} Lanes;

struct Sql {
  const SqlCalls *calls;
  SqlDb *db;
  SqlWhy why;
  void *context;
  GPtrArray *lanes; /* Lanes * */
};

struct SqlQuery {
  Sql *sql;
  SqlStatement *statement;
  char *name;
};

/* -------------------------------------------------------------------- loading */

static Error *not_loaded(const char *path)
{
  const char *why = dlerror();
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_STAGE, "STG-04", "\"%s\" could not be loaded", safe);
  if (why) error_why(e, "%s", why);
  return error_help(e, "install SQLite, or what else the loader lacks");
}

/* Loaded once and never unloaded. */
static Error *load(const Modules *modules, const SqlCalls **out)
{
  g_autofree char *path = NULL;
  Error *e = modules_part(modules, OBJECT_FILE, &path);
  if (e) return e;
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *out = object ? dlsym(object, SQL_OBJECT_SYMBOL) : NULL;
  if (!*out) return not_loaded(path);
  if ((*out)->size == sizeof **out) return NULL;
  e = error_new(EXIT_STAGE, "STG-02", "\"%s\" is of another version of the program", path);
  return error_help(e, "install the program again");
}

/* --------------------------------------------------------------------- faults */

static const char *const keywords[] = {
  "SELECT", "FROM",      "WHERE",  "GROUP",    "ORDER",     "BY",      "LIMIT",  "HAVING", "JOIN",
  "LEFT",   "INNER",     "CROSS",  "ON",       "USING",     "AS",      "WITH",   "UNION",  "ALL",
  "EXCEPT", "INTERSECT", "CASE",   "WHEN",     "THEN",      "ELSE",    "END",    "AND",    "OR",
  "NOT",    "IN",        "LIKE",   "GLOB",     "IS",        "BETWEEN", "EXISTS", "OVER",   "DESC",
  "ASC",    "CAST",      "OFFSET", "DISTINCT", "PARTITION", NULL
};

/* The word before this one in the text, upper case: SQLite stumbles over what follows a wrong keyword. */
static char *word_before(const char *text, int64_t offset)
{
  while (offset > 0 && g_ascii_isspace(text[offset - 1])) offset--;
  int64_t from = offset;
  while (from > 0 && g_ascii_isalpha(text[from - 1])) from--;
  return g_ascii_strup(text + from, offset - from);
}

static Error *suggest_keyword(Error *e, const char *text, const SqlFault *f)
{
  g_autofree char *word = g_ascii_strup(f->word ? f->word : "", -1);
  g_autofree char *before = word_before(text, MAX(f->offset, 0));
  bool is_near = suggest_nearest(word, keywords) && strlen(word) > 2;
  return error_suggest(e, is_near ? word : before, keywords);
}

static Error *suggest_name(Error *e, const Sql *sql, const SqlFault *f, SqlNames what)
{
  const char *dot = strrchr(f->word, '.');
  const GPtrArray *names = sql->calls->names(sql->db, what);
  return error_suggest(e, dot ? dot + 1 : f->word, (const char *const *)names->pdata);
}

static Error *suggest(Error *e, const Sql *sql, const char *text, const SqlFault *f)
{
  if (g_str_has_prefix(f->message, "near ")) return suggest_keyword(e, text, f);
  if (!f->word) return e;
  if (g_str_has_prefix(f->message, "no such table"))
    return suggest_name(e, sql, f, SQL_NAMES_TABLES);
  if (g_str_has_prefix(f->message, "no such column"))
    return suggest_name(e, sql, f, SQL_NAMES_COLUMNS);
  if (g_str_has_prefix(f->message, "no such function"))
    return suggest_name(e, sql, f, SQL_NAMES_FUNCTIONS);
  return e;
}

static void add_place(Error *e, const char *name, const char *text, const SqlFault *f)
{
  if (f->offset < 0) return;
  int64_t line = 1, begin = 0;
  for (int64_t i = 0; i < f->offset && text[i]; i++)
    if (text[i] == '\n') {
      line++;
      begin = i + 1;
    }
  g_autofree char *safe = printable(f->word ? f->word : "");
  error_at(e, "%s%sline %" G_GINT64_FORMAT ", column %" G_GINT64_FORMAT "%s%s", name ? name : "",
           name ? ", " : "", line, f->offset - begin + 1, *safe ? ": " : "", safe);
}

static Error *beyond(const SqlFault *f)
{
  Error *e = f->kind == SQL_FAULT_STEPS
                 ? error_new(EXIT_LIMIT, "RUN-97", "the SQL takes more steps than it may")
                 : error_new(EXIT_LIMIT, "RUN-97", "the SQL takes more memory than it may");
  if (f->kind == SQL_FAULT_BYTES) error_why(e, "SQLite says: %s", f->message);
  return error_help(e, "ask for fewer rows, or join on columns that are equal");
}

/* text NULL: it is not about any part of it. */
static Error *error_of(const Sql *sql, const char *name, const char *text, const SqlFault *f)
{
  g_autofree char *safe = printable(f->message);
  Error *e;
  switch (f->kind) {
  case SQL_FAULT_STOPPED:
  case SQL_FAULT_TABLE: return sql->why(sql->context);
  case SQL_FAULT_STEPS:
  case SQL_FAULT_BYTES: return beyond(f);
  case SQL_FAULT_FILE:
    e = error_new(EXIT_OUTPUT, "RUN-08", "rows beyond the memory limit could not be put aside: %s",
                  safe);
    return error_help(e, "give more memory with --max-memory");
  case SQL_FAULT_REFUSED:
    e = error_new(EXIT_PROFILE, "RUN-96", "the SQL may not run: %s", safe);
    if (text) add_place(e, name, text, f);
    return error_help(e, "write one SELECT; functions that give the same each time may be called");
  default:
    e = error_new(EXIT_PROFILE, "RUN-95", "the SQL is wrong: %s", safe);
    if (text) add_place(e, name, text, f);
    return text ? suggest(e, sql, text, f) : e;
  }
}

/* Takes what is in the fault. */
static Error *fail(const Sql *sql, const char *name, const char *text, SqlFault *f)
{
  Error *e = error_of(sql, name, text, f);
  g_free(f->message);
  g_free(f->word);
  return e;
}

/* ----------------------------------------------------------------- connection */

Error *sql_open(const Modules *modules, const SqlLimits *limits, SqlWhy why, Sql **out)
{
  SqlFault fault = { 0 };
  Sql *sql = g_new0(Sql, 1);
  sql->why = why;
  sql->context = limits->context;
  sql->lanes = g_ptr_array_new_with_free_func(g_free);
  *out = NULL;
  Error *e = load(modules, &sql->calls);
  if (!e) sql->db = sql->calls->open(limits, &fault);
  if (!e && !sql->db) e = fail(sql, NULL, NULL, &fault);
  if (e)
    sql_close(sql);
  else
    *out = sql;
  return e;
}

void sql_close(Sql *sql)
{
  if (!sql) return;
  if (sql->db) sql->calls->close(sql->db);
  g_ptr_array_unref(sql->lanes);
  g_free(sql);
}

Error *sql_add_table(Sql *sql, const SqlTable *table)
{
  SqlFault fault = { 0 };
  return sql->calls->add_table(sql->db, table, &fault) ? NULL : fail(sql, NULL, NULL, &fault);
}

static void say_lane(const MillHost *host, uint32_t index, MillLane *out)
{
  const Lanes *lanes = (const Lanes *)(const void *)host;
  const LaneInfo *lane = lanes->lane(lanes->context, index);
  if (!lane) return;
  out->rank = lane->rank;
  out->name = lane->name;
  out->label = lane->label;
}

/* Results have texts, and no symbols. */
static const char *no_symbol(const MillHost *host, MillSym symbol, size_t *out_len)
{
  (void)host, (void)symbol;
  *out_len = 0;
  return "";
}

static const MillHost *add_host(Sql *sql, SqlLane lane, const void *context)
{
  Lanes *lanes = g_new0(Lanes, 1);
  lanes->host.size = sizeof lanes->host;
  lanes->host.lane = say_lane;
  lanes->host.symbol_text = no_symbol;
  lanes->lane = lane;
  lanes->context = context;
  g_ptr_array_add(sql->lanes, lanes);
  return &lanes->host;
}

Error *sql_add_runs(Sql *sql, const SqlResults *runs, uint32_t n)
{
  SqlFault fault = { 0 };
  g_autofree SqlRun *list = g_new(SqlRun, n);
  for (uint32_t i = 0; i < n; i++)
    list[i] =
        (SqlRun){ runs[i].run, add_host(sql, runs[i].lane, runs[i].context), runs[i].results };
  bool added = sql->calls->add_runs(sql->db, list, n, &fault);
  return added ? NULL : fail(sql, NULL, NULL, &fault);
}

Error *sql_add_results(Sql *sql, const MillResults *results, SqlLane lane, const void *context)
{
  const SqlResults only = { NULL, results, lane, context };
  return sql_add_runs(sql, &only, 1);
}

Error *sql_add_empty(Sql *sql, const char *name, const MillTable *table)
{
  static const MillColumn rank = { .name = "rank", .type = MILL_INT };
  SqlFault fault = { 0 };
  uint32_t n = 0;
  g_autofree const MillColumn **columns = g_new(const MillColumn *, table->columns.n + 1);
  if (table->per == MILL_PER_LANE) columns[n++] = &rank;
  for (uint32_t i = 0; i < table->columns.n; i++)
    columns[n++] = MILL_AT(MillColumn, table->columns, i);
  bool added = sql->calls->add_empty(sql->db, name, columns, n, &fault);
  return added ? NULL : fail(sql, NULL, NULL, &fault);
}

const char *const *sql_names(Sql *sql, SqlNames what)
{
  return (const char *const *)sql->calls->names(sql->db, what)->pdata;
}

const SqlTable *sql_table(Sql *sql, guint index) { return sql->calls->table(sql->db, index); }

/* -------------------------------------------------------------------- queries */

Error *sql_prepare(Sql *sql, const char *name, const char *text, size_t len, SqlQuery **out)
{
  SqlFault fault = { 0 };
  g_autofree char *copy = g_strndup(text, len);
  SqlStatement *statement = sql->calls->prepare(sql->db, copy, strlen(copy), &fault);
  *out = NULL;
  if (!statement) return fail(sql, name, copy, &fault);
  *out = g_new(SqlQuery, 1);
  **out = (SqlQuery){ sql, statement, g_strdup(name) };
  return NULL;
}

bool sql_bind(SqlQuery *q, const char *parameter, const MillValue *value)
{
  return q->sql->calls->bind(q->statement, parameter, value);
}

const char *sql_parameter(const SqlQuery *q, uint32_t index)
{
  return q->sql->calls->parameter(q->statement, index);
}

uint32_t sql_n_columns(const SqlQuery *q) { return q->sql->calls->n_columns(q->statement); }

const char *sql_column(const SqlQuery *q, uint32_t index)
{
  return q->sql->calls->column(q->statement, index);
}

Error *sql_step(SqlQuery *q, bool *out_row)
{
  SqlFault fault = { 0 };
  int more = q->sql->calls->step(q->statement, &fault);
  *out_row = more > 0;
  return more < 0 ? fail(q->sql, q->name, NULL, &fault) : NULL;
}

MillValue sql_cell(const SqlQuery *q, uint32_t index)
{
  return q->sql->calls->cell(q->statement, index);
}

void sql_finish(SqlQuery *q)
{
  if (!q) return;
  q->sql->calls->finish(q->statement);
  g_free(q->name);
  g_free(q);
}
