/* Opening the exported database, and looking whether it is one. */
#include "nsys-sqlite.h"

#include <string.h>

#include "lib/input.h"

#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define CACHE_KIB "2048"
#define STEPS_BETWEEN_LOOKS 100000

/* --------------------------------------------------------------- failures */
int database_fail(Source *s, uint32_t number, const char *what, const char *why)
{
  int status = number == NSQL_TOO_MANY ? MILL_LIMIT : MILL_BAD_INPUT;
  return input_fail(s->common, nsql_notices, number, status, what, NULL, why);
}

int database_broken(Source *s)
{
  if (s->common->cancelled(s->common))
    return database_fail(s, NSQL_CANCELLED, "reading the database was stopped", NULL);
  int code = sqlite3_errcode(s->db);
  g_autofree char *why = g_strdup(sqlite3_errmsg(s->db));
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
/* Nothing but the file is looked at (no journal, no lock), and nothing in it is trusted. */
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
/* The number that a query with one or two texts gives; -1 when SQLite failed. */
static int64_t ask(Source *s, const char *sql, const char *first, const char *second)
{
  sqlite3_stmt *query = NULL;
  int64_t answer = -1;
  if (sqlite3_prepare_v2(s->db, sql, -1, &query, NULL) == SQLITE_OK) {
    sqlite3_bind_text(query, 1, first, -1, SQLITE_STATIC);
    if (second) sqlite3_bind_text(query, 2, second, -1, SQLITE_STATIC);
    if (sqlite3_step(query) == SQLITE_ROW) answer = sqlite3_column_int64(query, 0);
  }
  sqlite3_finalize(query);
  return answer;
}

static int64_t has_table(Source *s, const char *name)
{
  return ask(s, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1", name,
             NULL);
}

static bool has_column(Source *s, const char *table, const char *column)
{
  return ask(s, "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2", table, column) > 0;
}

static int check_tables(Source *s)
{
  int64_t kernels = has_table(s, KERNELS), strings = has_table(s, "StringIds");
  int64_t exported = ask(s,
                         "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND (name = ?1 "
                         "OR name LIKE 'CUPTI_%' OR name LIKE 'TARGET_INFO_%')",
                         "META_DATA_EXPORT", NULL);
  if (kernels < 0 || strings < 0 || exported < 0) return database_broken(s);
  if (kernels && strings) return 0;
  if (!strings || !exported)
    return database_fail(s, NSQL_NOT_NSYS, "the database is not an export of nsys",
                         kernels ? "it has no table StringIds" : "it has no table " KERNELS);
  return database_fail(s, NSQL_NO_KERNELS, "the profile has no GPU kernels",
                       "the database has no table " KERNELS);
}

/* The name that nsys prints first: demangled, else whichever there is. */
static char *name_expression(Source *s)
{
  static const char *const columns[] = { "demangledName", "shortName", "mangledName" };
  GString *list = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
    if (has_column(s, KERNELS, columns[i]))
      g_string_append_printf(list, "%s%s", list->len ? ", " : "", columns[i]);
  if (list->len) g_string_append(list, ", NULL"); /* coalesce wants two at least */
  return g_string_free(list, FALSE);
}

static int prepare(Source *s)
{
  g_autofree char *names = name_expression(s);
  bool times = has_column(s, KERNELS, "start") && has_column(s, KERNELS, "end");
  if (!times || !*names)
    return database_fail(s, NSQL_NO_COLUMN, "the table of kernels lacks a column",
                         times ? "it has no demangledName, shortName or mangledName"
                               : "it has no start or no end");
  const char *device = has_column(s, KERNELS, "deviceId") ? "deviceId" : "0";
  s->kernels = g_strdup_printf(
      "SELECT coalesce(%s) AS name, %s AS device, \"end\" - start AS duration FROM " KERNELS, names,
      device);
  const char *string = "SELECT value FROM StringIds WHERE id = ?1";
  if (sqlite3_prepare_v2(s->db, string, -1, &s->string, NULL) != SQLITE_OK)
    return database_broken(s);
  return 0;
}

int database_open(Source *s)
{
  int status = open_file(s);
  if (!status) status = check_tables(s);
  return status ? status : prepare(s);
}

void database_close(Source *s)
{
  sqlite3_finalize(s->string);
  sqlite3_close(s->db);
  g_free(s->kernels);
}

bool database_string(Source *s, int64_t id, const char **out_text, size_t *out_len)
{
  sqlite3_reset(s->string);
  sqlite3_bind_int64(s->string, 1, id);
  if (sqlite3_step(s->string) != SQLITE_ROW) return false;
  *out_text = (const char *)sqlite3_column_text(s->string, 0);
  *out_len = (size_t)sqlite3_column_bytes(s->string, 0);
  return *out_text != NULL;
}
