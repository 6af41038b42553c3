/* Tables of results for SQL: the rows stay where they are. */
#include <string.h>

#include "kit/sink/result.h"
#include "sql/object/db.h"

typedef struct Reported {
  SqlTable table; /* first */
  const DbTables *tables;
  const DbTable *of; /* NULL: it has no rows */
  GArray *columns;   /* SqlColumn */
  GArray *names;     /* DbColumn: of one without rows */
  char *name;        /* the same */
  GPtrArray *mended; /* char *: texts that were no UTF-8 */
} Reported;

typedef struct Rows { /* a cursor */
  const Reported *of;
  uint64_t next;
  DbRow *room;
  const MillValue *cells;
  char *group; /* of the row; NULL: it was not asked for, or there is none */
} Rows;

static void *begin(const SqlTable *table, const SqlScan *scan)
{
  Rows *r = g_new0(Rows, 1);
  (void)scan;
  r->of = table->context;
  r->room = db_row_new();
  return r;
}

static int next(void *cursor)
{
  Rows *r = cursor;
  g_clear_pointer(&r->group, g_free);
  if (!r->of->of || r->next >= r->of->of->n_rows) return 0;
  r->cells = db_row(r->of->tables, r->of->of, r->next++, r->room);
  return 1;
}

/* Of any bytes: as the sink writes it. */
static MillValue text_cell(const Reported *of, const MillValue *v)
{
  size_t len;
  char *mended;
  const char *text = result_text(of->tables->common, v, &len);
  if (!text) return *v;
  text = result_valid(text, &len, &mended);
  if (mended) g_ptr_array_add(of->mended, mended);
  return mill_text(text, len);
}

/* The last column. */
static MillValue group_cell(Rows *r)
{
  if (!r->group) r->group = db_group(r->of->tables, r->of->of, r->next - 1);
  return r->group ? mill_text(r->group, strlen(r->group)) : mill_none();
}

static MillValue cell(void *cursor, uint32_t column)
{
  Rows *r = cursor;
  if (column + 1 == r->of->columns->len) return group_cell(r);
  return text_cell(r->of, &r->cells[column]);
}

static void end(void *cursor)
{
  Rows *r = cursor;
  db_row_free(r->room);
  g_free(r->group);
  g_free(r);
}

static uint32_t type_of(const DbColumn *c)
{
  if (!*c->type) return MILL_NONE;
  if (!strcmp(c->type, "TEXT")) return MILL_TEXT;
  return strcmp(c->type, "REAL") ? MILL_INT : MILL_REAL;
}

/* What was made for a row of a table about the others goes with the row. */
static void fill_columns(Reported *r, const GArray *columns, bool lasts)
{
  r->columns = g_array_new(FALSE, FALSE, sizeof(SqlColumn));
  for (guint i = 0; i < columns->len; i++) {
    const DbColumn *c = &g_array_index(columns, DbColumn, i);
    SqlColumn column = { c->name, type_of(c), *c->type ? SQL_KEY : 0 };
    if (lasts) column.flags |= SQL_LASTS;
    g_array_append_val(r->columns, column);
  }
  const SqlColumn group = { "_group", MILL_TEXT, SQL_HIDDEN };
  g_array_append_val(r->columns, group);
}

static bool add(SqlDb *db, Reported *r, const char *name)
{
  r->mended = g_ptr_array_new_with_free_func(g_free);
  r->table = (SqlTable){ .name = name,
                         .columns = (const SqlColumn *)(const void *)r->columns->data,
                         .n_columns = r->columns->len,
                         .n_rows = r->of ? r->of->n_rows : 0,
                         .context = r,
                         .begin = begin,
                         .next = next,
                         .cell = cell,
                         .end = end };
  g_ptr_array_add(db->made, r);
  return vtab_add(db, &r->table);
}

void reported_free(gpointer reported)
{
  Reported *r = reported;
  g_array_unref(r->columns);
  if (r->names) g_array_unref(r->names);
  g_ptr_array_unref(r->mended);
  g_free(r->name);
  g_free(r);
}

bool reported_add(SqlDb *db, const MillHost *common, const MillResults *results)
{
  DbTables *tables = db_tables_new(common, results);
  g_ptr_array_add(db->results, tables);
  for (guint i = 0; i < tables->list->len; i++) {
    Reported *r = g_new0(Reported, 1);
    r->tables = tables;
    r->of = db_table(tables, i);
    fill_columns(r, r->of->columns, !r->of->about);
    if (!add(db, r, r->of->name)) return false;
  }
  return true;
}

bool reported_add_empty(SqlDb *db, const char *name, const MillColumn *const *columns, uint32_t n)
{
  Reported *r = g_new0(Reported, 1);
  r->names = db_columns_new(columns, n);
  r->name = g_strdup(name);
  fill_columns(r, r->names, true);
  return add(db, r, r->name);
}
