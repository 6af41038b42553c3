/* Opening the exported database, and looking whether it is one. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kit/read/input.h"

#define KERNELS "CUPTI_ACTIVITY_KIND_KERNEL"
#define CACHE_KIB "2048"
#define STRING "SELECT value FROM StringIds WHERE id = ?1"
#define STEPS_BETWEEN_LOOKS 100000

/* --------------------------------------------------------------- failures */
int database_fail(Source *s, uint32_t number, const char *what, const char *why)
{
  bool limit = number == NSQL_TOO_MANY || number == NSQL_NO_MEMORY || number == NSQL_UNPACK;
  int status = limit ? MILL_LIMIT : MILL_BAD_INPUT;
  return input_fail(s->common, nsql_notices, number, status, what, NULL, why);
}

bool database_is_report(const char *path)
{
  return g_str_has_suffix(path, ".nsys-rep") || g_str_has_suffix(path, ".qdrep");
}

static bool is_report(const Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  return lane.path && database_is_report(lane.path);
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
  if (is_report(s)) return database_fail(s, NSQL_REPORT, "reports of nsys are not read", NULL);
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

/* By its first bytes; what cannot be read, or is shorter, is for SQLite to refuse. */
static bool is_packed(const char *path)
{
  static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
  unsigned char first[4];
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool is_read = fd >= 0 && read(fd, first, sizeof first) == (ssize_t)sizeof first;
  if (fd >= 0) close(fd);
  return is_read && (!memcmp(first, gzip, sizeof gzip) || !memcmp(first, zstd, sizeof zstd));
}

static int open_file(Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  if (!lane.path)
    return database_fail(s, NSQL_NO_PATH, "a database cannot be read from standard input", NULL);
  bool packed = is_packed(lane.path);
  int status = packed ? unpack_file(s) : pending_check(s, lane.path);
  if (status) return status;
  g_autofree char *uri = uri_of(packed ? s->unpacked : lane.path);
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(uri, &s->db, flags, NULL) != SQLITE_OK) return database_broken(s);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 4 << 20);
  sqlite3_progress_handler(s->db, STEPS_BETWEEN_LOOKS, stop_when_cancelled, (void *)s->common);
  const char *settings = "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
                         "PRAGMA cache_size=-" CACHE_KIB "; SELECT count(*) FROM sqlite_master";
  int code = sqlite3_exec(s->db, settings, NULL, NULL, NULL);
  unpack_forget(s);
  s->is_unpacked = packed;
  return code == SQLITE_OK ? 0 : database_broken(s);
}

/* ----------------------------------------------------------------- looking */
static gboolean is_of_export(gpointer key, gpointer value, gpointer out)
{
  (void)value;
  bool *is_one = out;
  *is_one = !strcmp(key, "META_DATA_EXPORT") || g_str_has_prefix(key, "CUPTI_") ||
            g_str_has_prefix(key, "TARGET_INFO_");
  return *is_one;
}

int database_check_foreign(Source *s)
{
  bool kernels = schema_has_table(s, KERNELS), strings = schema_has_table(s, "StringIds");
  bool exported = false;
  if (kernels && strings) return 0;
  g_tree_foreach(s->columns, is_of_export, &exported);
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

/* The name that nsys prints first: demangled, else whichever there is; NULL: none. */
static char *name_of_kernels(Source *s)
{
  g_auto(GStrv) there = schema_having(s, KERNELS, "demangledName,shortName,mangledName");
  g_autofree char *list = g_strjoinv(", ", there);
  return *list ? g_strdup_printf("coalesce(%s, NULL)", list) : NULL; /* it wants two at least */
}

static int prepare(Source *s)
{
  g_autofree char *names = name_of_kernels(s);
  bool times = schema_has(s, KERNELS, "start") && schema_has(s, KERNELS, "end");
  if (!times || !names)
    return database_fail(s, NSQL_NO_COLUMN, "the table of kernels lacks a column",
                         times ? "it has no demangledName, shortName or mangledName"
                               : "it has no start or no end");
  /* A text minus a text is a number for SQLite: 0 of what is none. */
  s->kernels =
      g_strdup_printf("SELECT %s AS name, %s AS device, CASE WHEN typeof(start) = 'integer' AND "
                      "typeof(\"end\") = 'integer' THEN \"end\" - start END AS duration "
                      "FROM " KERNELS,
                      names, schema_has(s, KERNELS, "deviceId") ? "deviceId" : "0");
  return database_prepare(s, STRING, &s->string);
}

int database_open(Source *s)
{
  if (s->db) return 0;
  int status = open_file(s);
  if (!status) status = check_pages(s, "PRAGMA quick_check(sqlite_master)");
  return status ? status : schema_read(s);
}

int database_prepare_groups(Source *s)
{
  int status = database_check_foreign(s);
  if (!status) status = check_pages(s, "PRAGMA quick_check(" KERNELS ")");
  if (!status) status = check_pages(s, "PRAGMA quick_check(StringIds)");
  return status ? status : prepare(s);
}

/* Once for all lanes of the file. */
int database_check_events(Source *s)
{
  int status = s->part ? 0 : check_pages(s, "PRAGMA quick_check(StringIds)");
  for (size_t i = 0; i < N_TABLES && !status && !s->part; i++) {
    g_autofree char *sql = g_strdup_printf("PRAGMA quick_check(%s)", nsql_tables[i].table);
    if (table_is_there(s, &nsql_tables[i])) status = check_pages(s, sql);
  }
  return status ? status : database_prepare(s, STRING, &s->string);
}

int database_prepare(Source *s, const char *sql, sqlite3_stmt **out)
{
  return sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK ? 0 : database_broken(s);
}

int database_step(Source *s, sqlite3_stmt *rows)
{
  int code = sqlite3_step(rows);
  return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : database_broken(s);
}

void database_close(Source *s)
{
  unpack_forget(s);
  sqlite3_finalize(s->string);
  sqlite3_close(s->db);
  s->string = NULL;
  s->db = NULL;
  g_clear_pointer(&s->kernels, g_free);
  g_clear_pointer(&s->columns, g_tree_unref);
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
