/* A connection to a database in memory that holds nothing but virtual tables; and the table of calls. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sql/object/db.h"

struct SqlStatement {
  SqlDb *db;
  sqlite3_stmt *stmt;
};

/* --------------------------------------------------------------------- faults */

static void set_fault(SqlFault *out, SqlFaultKind kind, const char *message)
{
  *out = (SqlFault){ .kind = kind, .message = g_strdup(message), .offset = -1 };
}

static SqlFaultKind kind_of(const SqlDb *db, int code, bool running)
{
  if (db->over != SQL_FAULT_WRONG) return db->over;
  if (db->failed != SQL_FAULT_WRONG) return db->failed;
  if ((code & 0xff) == SQLITE_NOMEM || (code & 0xff) == SQLITE_TOOBIG) return SQL_FAULT_BYTES;
  if (db->refused) return SQL_FAULT_REFUSED;
  return running ? SQL_FAULT_VALUE : SQL_FAULT_WRONG;
}

/* "no such column: s.nam" names what is not there. */
static char *word_in_message(const char *message)
{
  const char *colon = strstr(message, ": ");
  if (g_str_has_prefix(message, "no such ") && colon) return g_strdup(colon + 2);
  if (!g_str_has_prefix(message, "near \"")) return NULL;
  const char *from = message + strlen("near \""), *to = strrchr(from, '"');
  return to ? g_strndup(from, (gsize)(to - from)) : NULL;
}

/* A word, a text or a name in quotes, or a mark. */
static size_t token_len(const char *at)
{
  if (strchr("'\"`", *at) && *at) {
    const char *end = strchr(at + 1, *at);
    return end ? (size_t)(end - at + 1) : strlen(at);
  }
  size_t len = 0;
  while (g_ascii_isalnum(at[len]) || (at[len] && strchr("_.$", at[len])) || at[len] & 0x80) len++;
  return len ? len : *at != '\0';
}

/* NULL: nowhere as a word of its own. */
static const char *find_word(const char *text, const char *word)
{
  size_t len = strlen(word);
  for (const char *at = text; len && *at; at++) {
    bool begins = at == text || !(g_ascii_isalnum(at[-1]) || at[-1] == '_');
    bool ends = !(g_ascii_isalnum(at[len < strlen(at) ? len : strlen(at)]));
    if (begins && ends && !g_ascii_strncasecmp(at, word, len)) return at;
  }
  return NULL;
}

static void find_place(const SqlDb *db, const char *text, int offset, SqlFault *io)
{
  io->word = db->refused ? g_strdup(db->refused) : word_in_message(io->message);
  if (offset >= 0 && !db->refused) {
    io->offset = offset;
    if (!io->word) io->word = g_strndup(text + offset, token_len(text + offset));
    return;
  }
  const char *at = io->word ? find_word(text, io->word) : NULL;
  if (!at && db->refused) { /* as CREATE is refused because it writes into a table of SQLite's */
    at = text + strspn(text, " \t\r\n");
    g_free(io->word);
    io->word = g_strndup(at, token_len(at));
  }
  if (at) io->offset = at - text;
}

static void fault_of_text(SqlDb *db, const char *text, int code, SqlFault *out)
{
  int offset = sqlite3_error_offset(db->db);
  set_fault(out, kind_of(db, code, false), sqlite3_errmsg(db->db));
  find_place(db, text, offset, out);
}

/* ----------------------------------------------------------------- connection */

static void calls_close(SqlDb *db)
{
  sqlite3_close(db->db);
  if (db->limits.max_bytes) sqlite3_hard_heap_limit64(0);
  if (db->file.fd >= 0) close(db->file.fd);
  g_ptr_array_unref(db->tables);
  g_ptr_array_unref(db->made);
  for (guint i = 0; i < db->results->len; i++) db_tables_free(db->results->pdata[i]);
  g_ptr_array_unref(db->results);
  g_ptr_array_unref(db->plans);
  g_ptr_array_unref(db->names);
  g_strfreev(db->functions);
  g_free(db->refused);
  g_free(db);
}

static SqlDb *calls_open(const SqlLimits *limits, SqlFault *out)
{
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  SqlDb *db = g_new0(SqlDb, 1);
  db->limits = *limits;
  db->file = (KeptFile){ .folder = limits->folder, .max_bytes = limits->max_kept_bytes, .fd = -1 };
  db->tables = g_ptr_array_new();
  db->made = g_ptr_array_new_with_free_func(reported_free);
  db->results = g_ptr_array_new();
  db->plans = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  db->names = g_ptr_array_new();
  if (limits->max_bytes)
    sqlite3_hard_heap_limit64((sqlite3_int64)MIN(limits->max_bytes, INT64_MAX));
  int code = sqlite3_open_v2(":memory:", &db->db, flags, NULL);
  if (code == SQLITE_OK && !functions_add(db->db)) code = SQLITE_NOMEM;
  if (code == SQLITE_OK) {
    guard_set(db);
    return db;
  }
  set_fault(out, kind_of(db, code, true), sqlite3_errstr(code));
  calls_close(db);
  return NULL;
}

static bool added(SqlDb *db, bool is_added, SqlFault *out)
{
  if (!is_added) set_fault(out, kind_of(db, sqlite3_errcode(db->db), true), sqlite3_errmsg(db->db));
  return is_added;
}

static bool calls_add_table(SqlDb *db, const SqlTable *table, SqlFault *out)
{
  return added(db, vtab_add(db, table), out);
}

static bool calls_add_runs(SqlDb *db, const SqlRun *runs, uint32_t n, SqlFault *out)
{
  return added(db, reported_add(db, runs, n), out);
}

static bool has_table(const SqlDb *db, const char *name)
{
  for (guint i = 0; i < db->tables->len; i++)
    if (!g_ascii_strcasecmp(((const SqlTable *)db->tables->pdata[i])->name, name)) return true;
  return false;
}

static bool calls_add_empty(SqlDb *db, const char *name, const MillColumn *const *columns,
                            uint32_t n, SqlFault *out)
{
  return has_table(db, name) || added(db, reported_add_empty(db, name, columns, n), out);
}

static void add_columns(SqlDb *db, const SqlTable *t)
{
  for (uint32_t c = 0; c < t->n_columns; c++)
    g_ptr_array_add(db->names, (gpointer)t->columns[c].name);
}

static GPtrArray *calls_names(SqlDb *db, SqlNames what)
{
  if (!db->functions) db->functions = guard_functions();
  g_ptr_array_set_size(db->names, 0);
  for (char **f = db->functions; what == SQL_NAMES_FUNCTIONS && *f; f++)
    g_ptr_array_add(db->names, *f);
  for (guint i = 0; what != SQL_NAMES_FUNCTIONS && i < db->tables->len; i++) {
    const SqlTable *t = db->tables->pdata[i];
    if (what == SQL_NAMES_TABLES)
      g_ptr_array_add(db->names, (gpointer)t->name);
    else
      add_columns(db, t);
  }
  g_ptr_array_add(db->names, NULL);
  return db->names;
}

static const SqlTable *calls_table(const SqlDb *db, guint index)
{
  return index < db->tables->len ? db->tables->pdata[index] : NULL;
}

/* ------------------------------------------------------------------ statements */

/* Nothing but blanks, comments and semicolons. */
static bool is_blank(SqlDb *db, const char *text)
{
  sqlite3_stmt *more = NULL;
  const char *rest = text;
  while (*rest) {
    const char *from = rest;
    int code = sqlite3_prepare_v2(db->db, from, -1, &more, &rest);
    bool any = more || code != SQLITE_OK;
    sqlite3_finalize(more);
    if (any) return false;
    if (rest == from) break;
  }
  return true;
}

/* What SQLite took, but is no single SELECT. */
static const char *unfit(SqlDb *db, sqlite3_stmt *stmt, const char *rest)
{
  if (!stmt) return "there is no statement";
  if (!is_blank(db, rest)) return "there is more than one statement";
  if (!sqlite3_stmt_readonly(stmt)) return "the statement writes";
  return sqlite3_stmt_isexplain(stmt) ? "EXPLAIN shows nothing of the tables" : NULL;
}

static SqlStatement *calls_prepare(SqlDb *db, const char *text, size_t len, SqlFault *out)
{
  g_autofree char *copy = g_strndup(text, len);
  sqlite3_stmt *stmt = NULL;
  const char *rest = copy;
  g_clear_pointer(&db->refused, g_free);
  db->over = db->failed = SQL_FAULT_WRONG;
  db->n_steps = 0;
  int code = sqlite3_prepare_v2(db->db, copy, -1, &stmt, &rest);
  if (code != SQLITE_OK) {
    fault_of_text(db, copy, code, out);
    return NULL;
  }
  const char *why = unfit(db, stmt, rest);
  if (why) {
    set_fault(out, SQL_FAULT_REFUSED, why);
    out->offset = stmt && rest != copy && *rest && !is_blank(db, rest) ? rest - copy : 0;
    while (g_ascii_isspace(copy[out->offset])) out->offset++;
    out->word = g_strndup(copy + out->offset, token_len(copy + out->offset));
    sqlite3_finalize(stmt);
    return NULL;
  }
  SqlStatement *s = g_new(SqlStatement, 1);
  *s = (SqlStatement){ db, stmt };
  db->n_statements++;
  return s;
}

static bool calls_bind(SqlStatement *s, const char *name, const MillValue *v)
{
  g_autofree char *parameter = g_strconcat(":", name, NULL);
  int at = sqlite3_bind_parameter_index(s->stmt, parameter);
  if (!at) return false;
  switch (v->type) {
  case MILL_INT:
  case MILL_BOOL: sqlite3_bind_int64(s->stmt, at, v->u.i); break;
  case MILL_REAL: sqlite3_bind_double(s->stmt, at, v->u.r); break;
  case MILL_TEXT:
  case MILL_JSON:
    sqlite3_bind_text64(s->stmt, at, v->u.text, v->len, SQLITE_TRANSIENT, SQLITE_UTF8);
    break;
  default: sqlite3_bind_null(s->stmt, at);
  }
  return true;
}

/* One without a name, "?", has an empty one. */
static const char *calls_parameter(SqlStatement *s, uint32_t index)
{
  if (index >= (uint32_t)sqlite3_bind_parameter_count(s->stmt)) return NULL;
  const char *name = sqlite3_bind_parameter_name(s->stmt, (int)index + 1);
  return name ? name + 1 : "";
}

static uint32_t calls_n_columns(SqlStatement *s) { return (uint32_t)sqlite3_column_count(s->stmt); }

static const char *calls_column(SqlStatement *s, uint32_t index)
{
  return sqlite3_column_name(s->stmt, (int)index);
}

static void fault_of_step(SqlDb *db, int code, SqlFault *out)
{
  SqlFaultKind kind = kind_of(db, code, true);
  set_fault(out, kind,
            kind == SQL_FAULT_FILE ? g_strerror(db->file_errno) : sqlite3_errmsg(db->db));
}

static int calls_step(SqlStatement *s, SqlFault *out)
{
  int code = sqlite3_step(s->stmt);
  if (code == SQLITE_ROW) return 1;
  if (code == SQLITE_DONE) return 0;
  fault_of_step(s->db, code, out);
  return -1;
}

/* A blob is given as a text. */
static MillValue calls_cell(SqlStatement *s, uint32_t index)
{
  int at = (int)index;
  switch (sqlite3_column_type(s->stmt, at)) {
  case SQLITE_INTEGER: return mill_int(sqlite3_column_int64(s->stmt, at));
  case SQLITE_FLOAT: return mill_real(sqlite3_column_double(s->stmt, at));
  case SQLITE_NULL: return mill_none();
  default: {
    const char *text = (const char *)sqlite3_column_text(s->stmt, at);
    return mill_text(text ? text : "", (size_t)sqlite3_column_bytes(s->stmt, at));
  }
  }
}

static void calls_finish(SqlStatement *s)
{
  sqlite3_finalize(s->stmt);
  if (!--s->db->n_statements) vtab_forget(s->db);
  g_free(s);
}

__attribute__((visibility("default"))) const SqlCalls stagemill_sql_v1 = {
  .size = sizeof(SqlCalls),
  .open = calls_open,
  .close = calls_close,
  .add_table = calls_add_table,
  .add_runs = calls_add_runs,
  .add_empty = calls_add_empty,
  .names = calls_names,
  .table = calls_table,
  .prepare = calls_prepare,
  .bind = calls_bind,
  .parameter = calls_parameter,
  .n_columns = calls_n_columns,
  .column = calls_column,
  .step = calls_step,
  .cell = calls_cell,
  .finish = calls_finish,
};
