/* Tables of results for SQL: the rows stay where they are; tables of one name of several runs are one. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/sink/result.h"
#include "sql/object/db.h"

#define RUN_COLUMN "run"
#define GROUP_COLUMN "_group" /* the last one, hidden */

typedef struct Part { /* the rows of one run */
  const DbTables *tables;
  const DbTable *of;
  const char *run; /* NULL: there is no such column */
  GArray *
      places; /* int: of each column of the whole, which one it is here; -1, or beyond the end: none */
} Part;

typedef struct Reported {
  SqlTable table;     /* first */
  GPtrArray *parts;   /* Part *; empty: it has no rows */
  GArray *columns;    /* SqlColumn */
  GPtrArray *sources; /* const char *: what they are called in the parts; NULL: not there */
  ResultNames names;  /* of the columns */
  GPtrArray *texts;   /* char *: names, and texts that were no UTF-8 */
} Reported;

typedef struct Rows { /* a cursor */
  const Reported *of;
  guint part;
  uint64_t next, n; /* of the part; rules may have found more since the last one */
  DbRow *room;
  const MillValue *cells;
  char *group; /* of the row; NULL: it was not asked for, or there is none */
} Rows;

/* ----------------------------------------------------------------------- rows */

static void *begin(const SqlTable *table, const SqlScan *scan)
{
  Rows *r = g_new0(Rows, 1);
  (void)scan;
  r->of = table->context;
  r->room = db_row_new();
  return r;
}

static const Part *part_of(const Rows *r)
{
  return r->part < r->of->parts->len ? r->of->parts->pdata[r->part] : NULL;
}

/* The part of the next row; NULL: there is none. */
static const Part *find_part(Rows *r)
{
  for (const Part *p; (p = part_of(r)); r->part++, r->next = 0) {
    if (r->next == 0) r->n = db_n_rows(p->tables, p->of);
    if (r->next < r->n) return p;
  }
  return NULL;
}

static int next(void *cursor)
{
  Rows *r = cursor;
  const Part *p = find_part(r);
  g_clear_pointer(&r->group, g_free);
  if (!p) return 0;
  r->cells = db_row(p->tables, p->of, r->next++, r->room);
  return 1;
}

/* Of any bytes: as the sink writes it. */
static MillValue text_cell(const Reported *of, const Part *p, const MillValue *v)
{
  size_t len;
  char *mended;
  const char *text = result_text(p->tables->common, v, &len);
  if (!text) return *v;
  text = result_valid(text, &len, &mended);
  if (mended) g_ptr_array_add(of->texts, mended);
  return mill_text(text, len);
}

static MillValue group_cell(Rows *r, const Part *p)
{
  if (!r->group) r->group = db_group(p->tables, p->of, r->next - 1);
  return r->group ? mill_text(r->group, strlen(r->group)) : mill_none();
}

static MillValue cell(void *cursor, uint32_t column)
{
  Rows *r = cursor;
  const Part *p = part_of(r);
  if (column + 1 == r->of->columns->len) return group_cell(r, p);
  if (p->run && column == 0) return mill_text(p->run, strlen(p->run));
  int place = column < p->places->len ? g_array_index(p->places, int, column) : -1;
  return place < 0 ? mill_none() : text_cell(r->of, p, &r->cells[place]);
}

static void end(void *cursor)
{
  Rows *r = cursor;
  db_row_free(r->room);
  g_free(r->group);
  g_free(r);
}

/* -------------------------------------------------------------------- columns */

static uint32_t type_of(const DbColumn *c)
{
  if (!*c->type) return MILL_NONE;
  if (!strcmp(c->type, "TEXT")) return MILL_TEXT;
  return strcmp(c->type, "REAL") ? MILL_INT : MILL_REAL;
}

static void add_column(Reported *r, const char *name, uint32_t type, bool lasts, const char *source)
{
  char *own = result_names_take(&r->names, name);
  SqlColumn column = { own, type, type == MILL_NONE ? 0 : SQL_KEY };
  if (lasts) column.flags |= SQL_LASTS;
  g_ptr_array_add(r->texts, own);
  g_ptr_array_add(r->sources, (gpointer)source);
  g_array_append_val(r->columns, column);
}

static int find_column(const Reported *r, const char *source)
{
  for (guint i = 0; i < r->sources->len; i++)
    if (r->sources->pdata[i] && !strcmp(r->sources->pdata[i], source)) return (int)i;
  return -1;
}

/* What was made for a row of a table about the others goes with the row. */
static guint take_column(Reported *r, const DbColumn *c, bool lasts)
{
  int known = find_column(r, c->name);
  if (known < 0) {
    add_column(r, c->name, type_of(c), lasts, c->name);
    return r->columns->len - 1;
  }
  SqlColumn *column = &g_array_index(r->columns, SqlColumn, (guint)known);
  if (column->type != type_of(c)) {
    column->type = MILL_NONE;
    column->flags &= ~(uint32_t)SQL_KEY;
  }
  return (guint)known;
}

/* --------------------------------------------------------------------- tables */

static Reported *reported_new(SqlDb *db, const char *name)
{
  Reported *r = g_new0(Reported, 1);
  r->parts = g_ptr_array_new();
  r->columns = g_array_new(FALSE, FALSE, sizeof(SqlColumn));
  r->sources = g_ptr_array_new();
  r->texts = g_ptr_array_new_with_free_func(g_free);
  result_names_init(&r->names, "_%u", 0);
  r->table.name = g_strdup(name);
  g_ptr_array_add(r->texts, (gpointer)r->table.name);
  g_ptr_array_add(db->made, r);
  return r;
}

void reported_free(gpointer reported)
{
  Reported *r = reported;
  for (guint i = 0; i < r->parts->len; i++) {
    g_array_unref(((Part *)r->parts->pdata[i])->places);
    g_free(r->parts->pdata[i]);
  }
  g_ptr_array_unref(r->parts);
  g_array_unref(r->columns);
  g_ptr_array_unref(r->sources);
  g_ptr_array_unref(r->texts);
  result_names_clear(&r->names);
  g_free(r);
}

static void add_part(Reported *r, const DbTables *tables, const DbTable *of, const char *run)
{
  Part *p = g_new(Part, 1);
  *p = (Part){ tables, of, run, g_array_new(FALSE, FALSE, sizeof(int)) };
  if (run && !r->columns->len) add_column(r, RUN_COLUMN, MILL_TEXT, true, NULL);
  for (guint i = 0; i < of->columns->len; i++) {
    const guint at = take_column(r, db_column(of, i), !of->about);
    const int none = -1, place = (int)i;
    while (p->places->len <= at) g_array_append_val(p->places, none);
    g_array_index(p->places, int, at) = place;
  }
  r->table.n_rows += of->n_rows;
  g_ptr_array_add(r->parts, p);
}

static bool add(SqlDb *db, Reported *r)
{
  add_column(r, GROUP_COLUMN, MILL_TEXT, false, NULL);
  g_array_index(r->columns, SqlColumn, r->columns->len - 1).flags = SQL_HIDDEN;
  r->table.columns = (const SqlColumn *)(const void *)r->columns->data;
  r->table.n_columns = r->columns->len;
  r->table.context = r;
  r->table.begin = begin;
  r->table.next = next;
  r->table.cell = cell;
  r->table.end = end;
  return vtab_add(db, &r->table);
}

/* Among those that were made from `first` on. */
static Reported *find(const SqlDb *db, guint first, const char *name)
{
  for (guint i = first; i < db->made->len; i++) {
    Reported *r = db->made->pdata[i];
    if (!g_ascii_strcasecmp(r->table.name, name)) return r; /* one name for SQL */
  }
  return NULL;
}

static void take_run(SqlDb *db, const SqlRun *run, guint first)
{
  DbTables *tables = db_tables_new(run->common, run->results, true);
  g_ptr_array_add(db->results, tables);
  for (guint i = 0; i < tables->list->len; i++) {
    const DbTable *of = db_table(tables, i);
    Reported *r = find(db, first, of->name);
    add_part(r ? r : reported_new(db, of->name), tables, of, run->name);
  }
}

bool reported_add(SqlDb *db, const SqlRun *runs, uint32_t n)
{
  const guint first = db->made->len;
  for (uint32_t i = 0; i < n; i++) take_run(db, &runs[i], first);
  for (guint i = first; i < db->made->len; i++)
    if (!add(db, db->made->pdata[i])) return false;
  return true;
}

bool reported_add_empty(SqlDb *db, const char *name, const MillColumn *const *columns, uint32_t n)
{
  Reported *r = reported_new(db, name);
  g_autoptr(GArray) list = db_columns_new(columns, n);
  for (guint i = 0; i < list->len; i++) {
    const DbColumn *c = &g_array_index(list, DbColumn, i);
    add_column(r, c->name, type_of(c), true, NULL);
  }
  return add(db, r);
}
