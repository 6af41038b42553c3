/* One statement for each table, in order of time, and the one whose row comes first.
 *
 * Tables are not stored in order of time.  SQLite sorts each by itself, in memory up to its cache and then in temporary
 * files, so that memory does not grow with the database. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "nsys-sqlite.h"

#define SORT_KIB "1024" /* of each table: all of them sort within 20 MiB, no slower than with more */

/* ---------------------------------------------------------------- statements */

static const char *column_or_null(const Source *s, const char *table, const char *column)
{
  return column && schema_has(s, table, column) ? column : "NULL";
}

/* The three columns that its name is made of. */
static void add_name(const Source *s, const TableSpec *t, GString *sql)
{
  if (t->kind != NAME_STRING) {
    for (int i = 0; i < 3; i++)
      g_string_append_printf(sql, ", %s", column_or_null(s, t->table, t->name[i]));
    return;
  }
  g_string_append(sql, ", coalesce(");
  for (int i = 0; i < 3; i++)
    g_string_append_printf(sql, "%s, ", column_or_null(s, t->table, t->name[i]));
  g_string_append(sql, "NULL), NULL, NULL");
}

static bool is_wanted(const Source *s, const TableAttr *a)
{
  return s->writer.wanted[a->key] || (a->kind == ATTR_BYTES && s->writer.wanted[KEY_BANDWIDTH]);
}

static void add_columns(const TableAttr *a, char **there, GString *sql)
{
  const char *between = a->kind == ATTR_SUM ? " + " : ", ";
  g_autofree char *list = g_strjoinv(between, there);
  bool one = !there[1] || a->kind != ATTR_ANY;
  g_string_append_printf(sql, one ? ", %s" : ", coalesce(%s)", list);
}

/* Only what a stage reads: a row that is sorted holds all of its columns. */
static void add_attrs(Source *s, Stream *m, GString *sql)
{
  int column = AT_ATTRS;
  for (size_t i = 0; i < m->spec->n_attrs; i++) {
    const TableAttr *a = &m->spec->attrs[i];
    g_auto(GStrv) there = schema_having(s, m->spec->table, a->columns);
    g_auto(GStrv) all = g_strsplit(a->columns, ",", -1);
    bool complete = g_strv_length(there) == g_strv_length(all);
    if (!*there || !is_wanted(s, a) || (a->kind == ATTR_LIST && !complete)) continue;
    m->attrs[m->n_attrs].attr = a;
    m->attrs[m->n_attrs++].column = column;
    column += a->kind == ATTR_LIST ? (int)g_strv_length(there) : 1;
    add_columns(a, there, sql);
  }
}

static void add_end(const Source *s, const TableSpec *t, GString *sql)
{
  bool has_end = t->role != ROLE_COUNTER && schema_has(s, t->table, "end");
  bool lasts = t->role == ROLE_RANGE && s->ends.n && schema_has(s, t->table, "globalTid");
  if (lasts)
    g_string_append(sql,
                    "CASE WHEN eventType <> 34 THEN coalesce(\"end\", thread_end(globalTid)) END");
  else
    g_string_append(sql, has_end ? "\"end\"" : "NULL");
}

static char *select_of(Source *s, Stream *m)
{
  const TableSpec *t = m->spec;
  bool has_owner = t->owner && schema_has(s, t->table, t->owner);
  GString *sql = g_string_new("SELECT ");
  g_string_append_printf(sql, "%s AS began, ", t->start ? t->start : "start");
  add_end(s, t, sql);
  g_string_append_printf(sql, " AS ended, %s", has_owner ? t->owner : "NULL");
  add_name(s, t, sql);
  m->has_device = schema_has(s, t->table, "deviceId");
  m->has_stream = schema_has(s, t->table, "streamId");
  g_string_append_printf(sql, ", %s, %s", m->has_device ? "deviceId" : "NULL",
                         m->has_stream ? "streamId" : "NULL");
  add_attrs(s, m, sql);
  g_autofree char *mine = lanes_condition(s, has_owner ? t->owner : NULL);
  g_string_append_printf(sql, " FROM %s WHERE %s", t->table, mine ? mine : "1");
  if (t->role == ROLE_RANGE && schema_has(s, t->table, "eventType"))
    g_string_append(sql, " AND eventType IN (34, 59, 60)");
  g_string_append(sql, " ORDER BY began, ended DESC");
  return g_string_free(sql, FALSE);
}

/* --------------------------------------------------------------------- order */

static bool read_times(Stream *m)
{
  if (sqlite3_column_type(m->rows, AT_START) != SQLITE_INTEGER) return false;
  m->start_ns = sqlite3_column_int64(m->rows, AT_START);
  m->dur_ns = -1;
  bool lasts = m->spec->role != ROLE_COUNTER;
  bool has_end = sqlite3_column_type(m->rows, AT_END) == SQLITE_INTEGER;
  if (!lasts || (!has_end && m->spec->role == ROLE_RANGE) ||
      (!has_end && m->spec->role == ROLE_ASIDE))
    return true;
  return has_end &&
         !__builtin_sub_overflow(sqlite3_column_int64(m->rows, AT_END), m->start_ns, &m->dur_ns) &&
         m->dur_ns >= 0;
}

/* To the next row that has times; false: there is none. */
static bool advance(Source *s, Stream *m)
{
  int more;
  while ((more = database_step(s, m->rows)) > 0) {
    if (read_times(m)) return true;
    mill_note(s->common, NSQL_ROW_TIME);
  }
  if (more < 0) s->failed = more;
  return false;
}

/* Of equal times the longest one, then in the order of tables. */
static bool is_before(const Stream *a, const Stream *b)
{
  if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns;
  if (a->dur_ns != b->dur_ns) return a->dur_ns > b->dur_ns;
  return a->spec < b->spec;
}

/* The first one moves to where it belongs. */
static void sink(Source *s)
{
  for (size_t i = 0; i + 1 < s->n_order && is_before(s->order[i + 1], s->order[i]); i++) {
    Stream *later = s->order[i];
    s->order[i] = s->order[i + 1];
    s->order[i + 1] = later;
  }
}

static void drop_first(Source *s)
{
  sqlite3_finalize(s->order[0]->rows);
  s->order[0]->rows = NULL;
  s->n_order--;
  memmove(s->order, s->order + 1, s->n_order * sizeof *s->order);
}

static int add_stream(Source *s, Stream *m, const TableSpec *t)
{
  *m = (Stream){ .spec = t, .cat = s->common->intern(s->common, t->cat, strlen(t->cat)) };
  g_autofree char *sql = select_of(s, m);
  int status = database_prepare(s, sql, &m->rows);
  if (status || !advance(s, m)) return status ? status : s->failed;
  memmove(s->order + 1, s->order, s->n_order++ * sizeof *s->order);
  s->order[0] = m;
  sink(s);
  return 0;
}

int merge_open(Source *s)
{
  if (sqlite3_exec(s->db, "PRAGMA cache_size=-" SORT_KIB, NULL, NULL, NULL) != SQLITE_OK)
    return database_broken(s);
  int status = ranges_find_ends(s);
  for (size_t i = 0; i < N_TABLES && !status; i++)
    if (table_is_there(s, &nsql_tables[i])) status = add_stream(s, &s->streams[i], &nsql_tables[i]);
  return status;
}

void merge_close(Source *s)
{
  for (size_t i = 0; i < N_TABLES; i++) sqlite3_finalize(s->streams[i].rows);
}

Stream *merge_first(Source *s) { return s->n_order && !s->failed ? s->order[0] : NULL; }

void merge_pass(Source *s)
{
  if (advance(s, s->order[0]))
    sink(s);
  else if (!s->failed)
    drop_first(s);
}
