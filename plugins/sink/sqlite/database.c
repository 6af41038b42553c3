/* A database that is made once; see database.h. */
/* SPDX-License-Identifier: MIT */
#include "database.h"

#include <math.h>
#include <string.h>

#include "kit/sink/result.h"

/* No file beside it, no lock, no memory of how it was made.  Pages wait in a small cache. */
static const char settings[] =
    "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=0;"
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY;"
    "PRAGMA mmap_size=0; PRAGMA cache_size=-4096; PRAGMA secure_delete=ON;"
    "PRAGMA user_version=1; BEGIN";

const MillNotice database_notices[DATABASE_N_NOTICES] = {
  MILL_ERROR(DATABASE_NOT_WRITTEN, DATABASE_FILE " could not be written",
             "free some space, or choose another place with -o",
             "SQLite could not write the database; the message has its reason. The disk may be "
             "full, or the file too large for the file system. The output folder was not written."),
  MILL_ERROR(DATABASE_NO_MEMORY, "there is not enough memory to write " DATABASE_FILE,
             "free memory, or write csv",
             "SQLite got no memory from the system. It needs some megabytes, whatever the size of "
             "the results."),
};

static int fail(const Database *d, int code)
{
  bool memory = (code & 0xff) == SQLITE_NOMEM;
  const MillNotice *row = &database_notices[memory ? 1 : 0];
  g_autofree char *why = g_strdup(d->db ? sqlite3_errmsg(d->db) : sqlite3_errstr(code));
  MillFailure f = { .size = sizeof f,
                    .status = memory ? MILL_LIMIT : MILL_OUTPUT_FAILED,
                    .number = row->number,
                    .what = row->what,
                    .why = why,
                    .help = row->help };
  return d->common->fail(d->common, &f);
}

/* What the library answered; a bind that failed is remembered until the row ends. */
static int check(const Database *d, int code)
{
  return code == SQLITE_OK || code == SQLITE_DONE ? 0 : fail(d, code);
}

static int run(const Database *d, const char *sql)
{
  return check(d, sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

int database_open(Database *d, const MillHost *common, const char *path)
{
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  *d = (Database){ .common = common };
  int status = check(d, sqlite3_open_v2(path, &d->db, flags, "unix-none"));
  return status ? status : run(d, settings);
}

int database_close(Database *d)
{
  sqlite3_finalize(d->insert);
  d->insert = NULL;
  int status = run(d, "COMMIT");
  if (status) return status;
  status = check(d, sqlite3_close(d->db));
  if (!status) d->db = NULL;
  return status;
}

void database_drop(Database *d)
{
  sqlite3_finalize(d->insert);
  sqlite3_close(d->db);
}

/* ------------------------------------------------------------------ tables */

void database_quote(GString *out, const char *name)
{
  g_string_append_c(out, '"');
  for (; *name; name++) {
    if (*name == '"') g_string_append_c(out, '"');
    g_string_append_c(out, *name);
  }
  g_string_append_c(out, '"');
}

int database_table(Database *d, const char *name, const char *columns, uint32_t n)
{
  g_autoptr(GString) sql = g_string_new("CREATE TABLE ");
  database_quote(sql, name);
  g_string_append_printf(sql, " (%s)", columns);
  int status = run(d, sql->str);
  if (status) return status;
  g_string_assign(sql, "INSERT INTO ");
  database_quote(sql, name);
  g_string_append(sql, " VALUES (");
  for (uint32_t i = 0; i < n; i++) g_string_append(sql, i ? ",?" : "?");
  g_string_append_c(sql, ')');
  sqlite3_finalize(d->insert);
  d->insert = NULL;
  d->column = 0;
  return check(d, sqlite3_prepare_v2(d->db, sql->str, -1, &d->insert, NULL));
}

static void bound(Database *d, int code)
{
  if (code != SQLITE_OK && d->failed == SQLITE_OK) d->failed = code;
}

static void put_bytes(Database *d, const char *text, size_t len)
{
  char *mended;
  text = result_valid(text, &len, &mended);
  bound(d, sqlite3_bind_text64(d->insert, ++d->column, text, len, mended ? g_free : SQLITE_STATIC,
                               SQLITE_UTF8));
}

static void put_null(Database *d) { bound(d, sqlite3_bind_null(d->insert, ++d->column)); }

void database_put(Database *d, const MillValue *v)
{
  size_t len;
  const char *text = result_text(d->common, v, &len);
  if (text)
    put_bytes(d, text, len);
  else if (v->type == MILL_INT || v->type == MILL_BOOL)
    bound(d, sqlite3_bind_int64(d->insert, ++d->column, v->u.i));
  else if (v->type == MILL_REAL && isfinite(v->u.r))
    bound(d, sqlite3_bind_double(d->insert, ++d->column, v->u.r));
  else
    put_null(d);
}

int database_end_row(Database *d)
{
  d->column = 0;
  if (d->failed != SQLITE_OK) return fail(d, d->failed);
  int status = check(d, sqlite3_step(d->insert));
  return status ? status : check(d, sqlite3_reset(d->insert));
}
