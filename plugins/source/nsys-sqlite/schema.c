/* Which tables the database has, and which columns are in them: what is missing costs its attribute only. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "nsys-sqlite.h"

#define MAX_COLUMNS 20000 /* of all tables; exports have some thousand */

static char *key_of(const char *table, const char *column)
{
  return g_strconcat(table, ".", column, NULL);
}

static gint by_text(gconstpointer a, gconstpointer b, gpointer unused)
{
  (void)unused;
  return strcmp(a, b);
}

static int read_row(Source *s, sqlite3_stmt *query)
{
  const char *table = (const char *)sqlite3_column_text(query, 0);
  const char *column = (const char *)sqlite3_column_text(query, 1);
  if (!table || !column) return 0;
  if (g_tree_nnodes(s->columns) > MAX_COLUMNS)
    return database_fail(s, NSQL_NOT_NSYS, "the database is not an export of nsys",
                         "it has too many tables and columns");
  g_tree_replace(s->columns, g_strdup(table), NULL);
  g_tree_replace(s->columns, key_of(table, column), NULL);
  return 0;
}

int schema_read(Source *s)
{
  static const char sql[] =
      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = "
      "'table'";
  sqlite3_stmt *query = NULL;
  if (s->columns) return 0;
  s->columns = g_tree_new_full(by_text, NULL, g_free, NULL);
  int status = database_prepare(s, sql, &query);
  while (!status && (status = database_step(s, query)) > 0) status = read_row(s, query);
  sqlite3_finalize(query);
  return status;
}

static bool is_there(const Source *s, const char *key)
{
  return g_tree_lookup_extended(s->columns, key, NULL, NULL);
}

bool schema_has_table(const Source *s, const char *table) { return is_there(s, table); }

bool schema_has(const Source *s, const char *table, const char *column)
{
  g_autofree char *key = key_of(table, column);
  return is_there(s, key);
}

char **schema_having(const Source *s, const char *table, const char *columns)
{
  char **all = g_strsplit(columns, ",", -1);
  guint n = 0;
  for (guint i = 0; all[i]; i++) {
    if (schema_has(s, table, all[i]))
      all[n++] = all[i];
    else
      g_free(all[i]);
  }
  all[n] = NULL;
  return all;
}
