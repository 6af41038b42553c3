/* Opening the exported database, and looking whether it is one. */
#include "nsys-sqlite.h"

#include <string.h>

#include "kit/read/input.h"

#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define CACHE_KIB "2048"
#define STEPS_BETWEEN_LOOKS 100000

/* --------------------------------------------------------------- failures */
int database_fail(Source *s, uint32_t number, const char *what, const char *why)
{
  bool limit = number == NSQL_TOO_MANY || number == NSQL_NO_MEMORY;
  int status = limit ? MILL_LIMIT : MILL_BAD_INPUT;
  return input_fail(s->common, nsql_notices, number, status, what, NULL, why);
}

int database_broken(Source *s)
{
  if (s->common->cancelled(s->common))
    return database_fail(s, NSQL_CANCELLED, "reading the database was stopped", NULL);
  int code = sqlite3_errcode(s->db);
  g_autofree char *why = g_strdup(sqlite3_errmsg(s->db));
  if (code == SQLITE_NOMEM) return database_fail(s, NSQL_NO_MEMORY, NULL, why);
  if (code != SQLITE_NOTADB)
    return database_fail(s, NSQL_BROKEN, "the database cannot be read", why);
  return database_fail(s, NSQL_COMPRESSED, "the file itself is not an SQLite database", why);
}

static int stop_when_cancelled(void *user)
{
  const MillHost *common = user;
  return common->cancelled(common);
}

/* ---------------------------------------------------------------- opening */
/* SQLite looks at nothing but the file (no journal, no lock), and trusts nothing in it. */
static char *uri_of(const char *path)
{
  g_autofree char *escaped = g_uri_escape_string(path, "/", FALSE);
  return g_strconcat(*path == '/' ? "file://" : "file:", escaped, "?mode=ro&immutable=1", NULL);
}

static int open_file(Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  if (!lane.path)
    return database_fail(s, NSQL_NO_PATH, "a database cannot be read from standard input", NULL);
  int status = pending_check(s, lane.path);
  if (status) return status;
  g_autofree char *uri = uri_of(lane.path);
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(uri, &s->db, flags, NULL) != SQLITE_OK) return database_broken(s);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 4 << 20);
  sqlite3_progress_handler(s->db, STEPS_BETWEEN_LOOKS, stop_when_cancelled, (void *)s->common);
  const char *settings = "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
                         "PRAGMA cache_size=-" CACHE_KIB "; SELECT count(*) FROM sqlite_master";
  return sqlite3_exec(s->db, settings, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_broken(s);
}

/* ----------------------------------------------------------------- looking */
/* To the number that a query with one or two texts gives. */
static int ask(Source *s, const char *sql, const char *first, const char *second, int64_t *out)
{
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(s->db, sql, -1, &query, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(query, 1, first, -1, SQLITE_STATIC);
  if (code == SQLITE_OK && second) code = sqlite3_bind_text(query, 2, second, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(query);
  if (code == SQLITE_ROW) *out = sqlite3_column_int64(query, 0);
  int status = code == SQLITE_ROW ? 0 : database_broken(s);
  sqlite3_finalize(query);
  return status;
}

static int has_table(Source *s, const char *name, int64_t *out)
{
  return ask(s, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1", name, NULL,
             out);
}

static int has_column(Source *s, const char *column, int64_t *out)
{
  return ask(s, "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2", KERNELS, column, out);
}

static int check_tables(Source *s)
{
  int64_t kernels, strings, exported;
  int status = has_table(s, KERNELS, &kernels);
  if (!status) status = has_table(s, "StringIds", &strings);
  if (!status)
    status = ask(s,
                 "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND (name = ?1 "
                 "OR name LIKE 'CUPTI_%' OR name LIKE 'TARGET_INFO_%')",
                 "META_DATA_EXPORT", NULL, &exported);
  if (status) return status;
  if (kernels && strings) return 0;
  if (!strings || !exported)
    return database_fail(s, NSQL_NOT_NSYS, "the database is not an export of nsys",
                         kernels ? "it has no table StringIds" : "it has no table " KERNELS);
  return database_fail(s, NSQL_NO_KERNELS, "the profile has no GPU kernels",
                       "the database has no table " KERNELS);
}

/* A query follows what the pages say: one that counts fewer cells than it has loses rows silently. */
static int check_pages(Source *s, const char *pragma)
{
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(s->db, pragma, -1, &query, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(query);
  const char *verdict = code == SQLITE_ROW ? (const char *)sqlite3_column_text(query, 0) : NULL;
  int status = 0;
  if (!verdict)
    status = database_broken(s);
  else if (strcmp(verdict, "ok") != 0)
    status = database_fail(s, NSQL_BROKEN, "the database cannot be read", verdict);
  sqlite3_finalize(query);
  return status;
}

typedef struct Columns {
  char *names; /* the expression for the name of a kernel; NULL: there is none */
  int64_t start, end, device;
} Columns;

/* The name that nsys prints first: demangled, else whichever there is. */
static int find_names(Source *s, Columns *out)
{
  static const char *const columns[] = { "demangledName", "shortName", "mangledName" };
  g_autoptr(GString) list = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
    int64_t there;
    int status = has_column(s, columns[i], &there);
    if (status) return status;
    if (there) g_string_append_printf(list, "%s, ", columns[i]);
  }
  /* coalesce wants two at least */
  out->names = list->len ? g_strdup_printf("coalesce(%sNULL)", list->str) : NULL;
  return 0;
}

static int find_columns(Source *s, Columns *out)
{
  int status = find_names(s, out);
  if (!status) status = has_column(s, "start", &out->start);
  if (!status) status = has_column(s, "end", &out->end);
  return status ? status : has_column(s, "deviceId", &out->device);
}

static int prepare(Source *s)
{
  Columns columns = { 0 };
  int status = find_columns(s, &columns);
  g_autofree char *names = columns.names;
  bool times = columns.start && columns.end;
  if (status) return status;
  if (!times || !names)
    return database_fail(s, NSQL_NO_COLUMN, "the table of kernels lacks a column",
                         times ? "it has no demangledName, shortName or mangledName"
                               : "it has no start or no end");
  /* A text minus a text is a number for SQLite: 0 of what is none. */
  s->kernels =
      g_strdup_printf("SELECT %s AS name, %s AS device, CASE WHEN typeof(start) = 'integer' "
                      "AND typeof(\"end\") = 'integer' THEN \"end\" - start END AS duration "
                      "FROM " KERNELS,
                      names, columns.device ? "deviceId" : "0");
  const char *string = "SELECT value FROM StringIds WHERE id = ?1";
  if (sqlite3_prepare_v2(s->db, string, -1, &s->string, NULL) != SQLITE_OK)
    return database_broken(s);
  return 0;
}

int database_open(Source *s)
{
  int status = open_file(s);
  if (!status) status = check_pages(s, "PRAGMA quick_check(sqlite_master)");
  if (!status) status = check_tables(s);
  if (!status) status = check_pages(s, "PRAGMA quick_check(" KERNELS ")");
  if (!status) status = check_pages(s, "PRAGMA quick_check(StringIds)");
  return status ? status : prepare(s);
}

void database_close(Source *s)
{
  sqlite3_finalize(s->string);
  sqlite3_close(s->db);
  g_free(s->kernels);
}

int database_string(Source *s, int64_t id, const char **out_text, size_t *out_len)
{
  sqlite3_reset(s->string);
  int code = sqlite3_bind_int64(s->string, 1, id);
  if (code == SQLITE_OK) code = sqlite3_step(s->string);
  if (code == SQLITE_DONE) return 0;
  if (code != SQLITE_ROW) return database_broken(s);
  if (sqlite3_column_type(s->string, 0) == SQLITE_NULL) return 0;
  *out_text = (const char *)sqlite3_column_text(s->string, 0);
  *out_len = (size_t)sqlite3_column_bytes(s->string, 0);
  return *out_text ? 1 : database_broken(s);
}
