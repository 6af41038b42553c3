/* Tables of the program as virtual tables of SQLite. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "sql/object/db.h"
#include "sql/object/in-order.h"

#define MOST_GROUPED \
  ((uint64_t)48 << 20) /* bytes of rows that are put into groups here and not by SQLite's sorter */
enum { BYTES_OF_ROW = 48, NO_GROUP = -1 };
enum {
  FEW_ROWS = 1000
}; /* are sorted at once; a table of findings, which grows while rules run, begins empty */
enum {
  ROWS_OF_KEY = 4,
  FEWER_BY_EQUAL = 20,
  FEWER_BY_RANGE = 3
}; /* guesses for SQLite's planner */

typedef struct Argument { /* a constraint whose value `filter` gets */
  uint32_t column;
  SqlOp op;
  bool of_key; /* the rows that pass are found by it */
  bool known;  /* its value is the same each time */
  bool list;   /* it has several values */
} Argument;

typedef struct Plan { /* a way to read the table */
  uint64_t columns;   /* as in SqlScan */
  GArray *arguments;
  bool keyed;       /* some of them are of the key */
  int group;        /* rows with equal values of this column come together; NO_GROUP: as they are */
  GArray *groups;   /* uint64_t: keys of these values, as they came */
  GHashTable *seen; /* the same, while rows are kept */
  uint32_t n_scans;
  Kept *kept;      /* NULL: not yet */
  uint32_t n_kept; /* columns of it */
} Plan;

typedef struct Link { /* what SQLite knows of a table */
  SqlDb *db;
  const SqlTable *table;
} Link;

typedef struct Vtab {
  sqlite3_vtab base; /* first */
  SqlDb *db;
  const SqlTable *table;
  GPtrArray *plans; /* Plan *: the number that SQLite gives back is an index */
  InOrder order;
} Vtab;

typedef struct Cursor {
  sqlite3_vtab_cursor base; /* first */
  Vtab *vtab;
  Plan *plan;
  void *stream; /* of the table; NULL: rows are kept */
  SqlScan scan;
  GArray *filters;   /* SqlFilter */
  GPtrArray *arrays; /* GArray * of MillValue: of the filters */
  GPtrArray *values; /* sqlite3_value *: what their texts are in */
  KeptCursor kept;
  guint next_group; /* of the plan */
  GArray *cells;    /* MillValue: of a row that was kept, by column */
  sqlite3_int64 row;
  bool ended;
} Cursor;

/* ------------------------------------------------------------------ declaring */

static const char *type_name(uint32_t type)
{
  switch (type) {
  case MILL_INT:
  case MILL_BOOL: return " INTEGER";
  case MILL_REAL: return " REAL";
  case MILL_TEXT: return " TEXT";
  default: return "";
  }
}

static char *declaration(const SqlTable *t)
{
  GString *sql = g_string_new("CREATE TABLE x(");
  for (uint32_t i = 0; i < t->n_columns; i++) {
    char *name = sqlite3_mprintf("\"%w\"", t->columns[i].name);
    g_string_append_printf(sql, "%s%s%s%s", i ? ", " : "", name, type_name(t->columns[i].type),
                           t->columns[i].flags & SQL_HIDDEN ? " HIDDEN" : "");
    sqlite3_free(name);
  }
  g_string_append_c(sql, ')');
  return g_string_free(sql, FALSE);
}

static void plan_free(gpointer data)
{
  Plan *p = data;
  g_array_unref(p->arguments);
  g_array_unref(p->groups);
  kept_free(p->kept);
  g_free(p);
}

static int vtab_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **out_why)
{
  const Link *link = aux;
  g_autofree char *sql = declaration(link->table);
  (void)argc, (void)argv, (void)out_why;
  link->db->declaring = true;
  int status = sqlite3_declare_vtab(db, sql);
  link->db->declaring = false;
  if (status) return status;
  Vtab *v = g_new0(Vtab, 1);
  v->db = link->db;
  v->table = link->table;
  v->plans = g_ptr_array_new_with_free_func(plan_free);
  g_ptr_array_add(v->db->plans, g_ptr_array_ref(v->plans));
  *out = &v->base;
  return SQLITE_OK;
}

static int vtab_disconnect(sqlite3_vtab *base)
{
  Vtab *v = (Vtab *)base;
  g_ptr_array_remove_fast(v->db->plans, v->plans);
  g_ptr_array_unref(v->plans);
  in_order_free(&v->order);
  g_free(v);
  return SQLITE_OK;
}

/* ------------------------------------------------------------------- planning */

static bool op_of(unsigned char op, SqlOp *out)
{
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ: *out = SQL_EQUAL; return true;
  case SQLITE_INDEX_CONSTRAINT_LT: *out = SQL_LESS; return true;
  case SQLITE_INDEX_CONSTRAINT_LE: *out = SQL_LESS_EQUAL; return true;
  case SQLITE_INDEX_CONSTRAINT_GT: *out = SQL_GREATER; return true;
  case SQLITE_INDEX_CONSTRAINT_GE: *out = SQL_GREATER_EQUAL; return true;
  default: return false;
  }
}

/* Constraints are hints: SQLite looks at each row again. */
static bool read_constraint(const Vtab *v, sqlite3_index_info *info, int index, Argument *out)
{
  const struct sqlite3_index_constraint *c = &info->aConstraint[index];
  sqlite3_value *value = NULL;
  if (!c->usable || c->iColumn < 0 || !op_of(c->op, &out->op)) return false;
  if (g_ascii_strcasecmp(sqlite3_vtab_collation(info, index), "BINARY")) return false;
  uint32_t flags = v->table->columns[c->iColumn].flags;
  out->column = (uint32_t)c->iColumn;
  out->list = sqlite3_vtab_in(info, index, -1);
  out->known = !out->list && sqlite3_vtab_rhs_value(info, index, &value) == SQLITE_OK && value;
  out->of_key = !out->known && !out->list && out->op == SQL_EQUAL && flags & SQL_KEY;
  return out->of_key || flags & SQL_FILTERS;
}

static void use_constraint(sqlite3_index_info *info, int index, const Argument *a, Plan *plan)
{
  g_array_append_vals(plan->arguments, a, 1);
  info->aConstraintUsage[index].argvIndex = (int)plan->arguments->len;
  if (a->list) sqlite3_vtab_in(info, index, 1);
  plan->keyed |= a->of_key;
}

/* SQLite would sort texts; here they are numbers. */
static void take_group(const Vtab *v, const sqlite3_index_info *info, Plan *plan)
{
  int asked = info->nOrderBy == 1 ? sqlite3_vtab_distinct((sqlite3_index_info *)info) : 0;
  int column = asked == 1 || asked == 2 ? info->aOrderBy[0].iColumn : NO_GROUP;
  bool fits = v->table->n_rows * BYTES_OF_ROW <=
              MOST_GROUPED; /* whatever memory there is: groups keep their order */
  bool can = column >= 0 && v->table->dear && !plan->keyed && fits &&
             v->table->columns[column].flags & SQL_SYMBOL;
  plan->group = can ? column : NO_GROUP;
}

static bool comes_in_order(Vtab *v, const sqlite3_index_info *info, const Plan *plan)
{
  uint32_t columns[IN_ORDER_COLUMNS];
  const int n = info->nOrderBy;
  if (v->table->dear || plan->keyed || v->table->n_rows < FEW_ROWS || n < 1 || n > IN_ORDER_COLUMNS)
    return false;
  for (int i = 0; i < n; i++) {
    if (info->aOrderBy[i].iColumn < 0 || info->aOrderBy[i].desc) return false;
    columns[i] = (uint32_t)info->aOrderBy[i].iColumn;
  }
  return in_order(&v->order, v->table, columns, (uint32_t)n);
}

static void estimate(const Vtab *v, const Plan *plan, sqlite3_index_info *info)
{
  double rows = (double)MAX(v->table->n_rows, 1), all = rows * (v->table->dear ? 10 : 1);
  for (guint i = 0; i < plan->arguments->len; i++) {
    const Argument *a = &g_array_index(plan->arguments, Argument, i);
    rows /= a->op == SQL_EQUAL ? FEWER_BY_EQUAL : FEWER_BY_RANGE;
  }
  if (plan->keyed) rows = MIN(rows, ROWS_OF_KEY);
  info->estimatedRows = (sqlite3_int64)MAX(rows, 1);
  info->estimatedCost = plan->keyed ? 2.0 * ROWS_OF_KEY : all + rows;
}

static int vtab_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
  Vtab *v = (Vtab *)base;
  Plan *plan = g_new0(Plan, 1);
  plan->columns = info->colUsed;
  plan->arguments = g_array_new(FALSE, FALSE, sizeof(Argument));
  plan->groups = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  for (int i = 0; i < info->nConstraint; i++) {
    Argument a = { 0 };
    if (read_constraint(v, info, i, &a)) use_constraint(info, i, &a, plan);
  }
  take_group(v, info, plan);
  info->orderByConsumed = plan->group != NO_GROUP || comes_in_order(v, info, plan);
  estimate(v, plan, info);
  info->idxNum = (int)v->plans->len;
  g_ptr_array_add(v->plans, plan);
  return SQLITE_OK;
}

/* -------------------------------------------------------------------- values */

static void value_free(gpointer value) { sqlite3_value_free(value); }
static void array_unref(gpointer array) { g_array_unref(array); }

typedef enum Fit { FITS, FITS_NOT, NEVER } Fit; /* NEVER: no row can have it */

/* As the column has its values; a text beside numbers, or a number beside texts, is left to SQLite. */
static Fit fit_value(sqlite3_value *from, uint32_t type, MillValue *out)
{
  bool numbers = type != MILL_TEXT && type != MILL_NONE;
  int of = numbers ? sqlite3_value_numeric_type(from) : sqlite3_value_type(from);
  if (of == SQLITE_NULL) return NEVER;
  if (of == SQLITE_INTEGER) *out = mill_int(sqlite3_value_int64(from));
  if (of == SQLITE_FLOAT) *out = mill_real(sqlite3_value_double(from));
  if (of == SQLITE_TEXT)
    *out = mill_text((const char *)sqlite3_value_text(from), (size_t)sqlite3_value_bytes(from));
  if (type == MILL_NONE) return of == SQLITE_BLOB ? FITS_NOT : FITS;
  return (of == SQLITE_TEXT) == (type == MILL_TEXT) && of != SQLITE_BLOB ? FITS : FITS_NOT;
}

/* Where a column may have any value, SQLite may take a text for the number that it says: both have one key. */
static uint64_t add_key(uint64_t key, uint32_t type, const MillValue *v)
{
  double number;
  bool text = type == MILL_NONE && v->type == MILL_TEXT && num_real(v->u.text, v->len, &number);
  const MillValue as_number = mill_real(text ? number : 0);
  return kept_key(key, text ? &as_number : v);
}

/* Kept as long as the scan. */
static Fit take_value(Cursor *c, uint32_t type, sqlite3_value *from, GArray *to)
{
  MillValue value;
  sqlite3_value *copy = sqlite3_value_dup(from);
  if (!copy) return FITS_NOT;
  g_ptr_array_add(c->values, copy);
  Fit fit = fit_value(copy, type, &value);
  if (fit == FITS) g_array_append_val(to, value);
  return fit;
}

static Fit take_values(Cursor *c, const Argument *a, sqlite3_value *from, GArray *to)
{
  uint32_t type = c->vtab->table->columns[a->column].type;
  sqlite3_value *one = NULL;
  if (!a->list) return take_value(c, type, from, to);
  for (int rc = sqlite3_vtab_in_first(from, &one); rc == SQLITE_OK && one;
       rc = sqlite3_vtab_in_next(from, &one))
    if (take_value(c, type, one, to) == FITS_NOT) return FITS_NOT;
  return to->len ? FITS : NEVER;
}

/* False: no row passes. */
static bool add_filter(Cursor *c, const Argument *a, sqlite3_value *value)
{
  GArray *values = g_array_new(FALSE, FALSE, sizeof(MillValue));
  g_ptr_array_add(c->arrays, values);
  Fit fit = take_values(c, a, value, values);
  if (fit != FITS) return fit != NEVER;
  SqlFilter filter = { a->column, a->op, (const MillValue *)(const void *)values->data,
                       values->len };
  if (c->vtab->table->columns[a->column].flags & SQL_FILTERS)
    g_array_append_val(c->filters, filter);
  return true;
}

/* Of a scan whose rows are kept, those alone whose values stay. */
static bool add_filters(Cursor *c, sqlite3_value **argv, bool only_known)
{
  for (guint i = 0; i < c->plan->arguments->len; i++) {
    const Argument *a = &g_array_index(c->plan->arguments, Argument, i);
    if ((!only_known || a->known) && !add_filter(c, a, argv[i])) return false;
  }
  return true;
}

/* -------------------------------------------------------------------- reading */

static void end_stream(Cursor *c)
{
  if (c->stream) c->vtab->table->end(c->stream);
  c->stream = NULL;
  g_array_set_size(c->filters, 0);
  g_ptr_array_set_size(c->arrays, 0);
  g_ptr_array_set_size(c->values, 0);
}

static int failed(Cursor *c, SqlFaultKind kind)
{
  c->vtab->db->failed = kind;
  if (kind == SQL_FAULT_FILE) c->vtab->db->file_errno = errno;
  return SQLITE_ERROR;
}

static int begin_stream(Cursor *c)
{
  const SqlTable *t = c->vtab->table;
  c->scan = (SqlScan){ c->plan->columns, (const SqlFilter *)(const void *)c->filters->data,
                       c->filters->len };
  c->plan->n_scans++;
  c->stream = t->begin(t, &c->scan);
  return c->stream ? SQLITE_OK : failed(c, SQL_FAULT_TABLE);
}

/* What the cells of a kept row are, one for each wanted column. */
static uint32_t wanted_columns(const Cursor *c, bool *lasts, uint32_t *columns)
{
  const SqlTable *t = c->vtab->table;
  const SqlScan wanted = { .columns = c->plan->columns };
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_columns; i++) {
    if (!sql_wants(&wanted, i)) continue;
    lasts[n] = t->columns[i].flags & SQL_LASTS;
    columns[n++] = i;
  }
  return n;
}

/* Of a symbol: where its text is, and so the same for no other one; spread over all bits. */
static uint64_t key_of_group(const Cursor *c)
{
  const MillValue v = c->vtab->table->cell(c->stream, (uint32_t)c->plan->group);
  uint64_t key = v.type == MILL_TEXT ? (uint64_t)(uintptr_t)v.u.text * 0x9e3779b97f4a7c15u : 0;
  if (g_hash_table_add(c->plan->seen, (gpointer)(uintptr_t)key))
    g_array_append_val(c->plan->groups, key);
  return key;
}

static uint64_t key_of_row(const Cursor *c)
{
  uint64_t key = 0;
  if (c->plan->group != NO_GROUP) return key_of_group(c);
  for (guint i = 0; i < c->plan->arguments->len; i++) {
    const Argument *a = &g_array_index(c->plan->arguments, Argument, i);
    if (!a->of_key) continue;
    const MillValue value = c->vtab->table->cell(c->stream, a->column);
    key = add_key(key, c->vtab->table->columns[a->column].type, &value);
  }
  return key;
}

static int keep_rows(Cursor *c, Kept *kept, const uint32_t *columns, uint32_t n)
{
  const SqlTable *t = c->vtab->table;
  g_autofree MillValue *cells = g_new(MillValue, MAX(n, 1));
  int more;
  while ((more = t->next(c->stream)) > 0) {
    for (uint32_t i = 0; i < n; i++) cells[i] = t->cell(c->stream, columns[i]);
    if (!kept_add(kept, key_of_row(c), cells)) return failed(c, SQL_FAULT_FILE);
  }
  if (more < 0) return failed(c, SQL_FAULT_TABLE);
  return kept_end(kept) ? SQLITE_OK : failed(c, SQL_FAULT_FILE);
}

/* One reading: what all later scans of this plan need. */
static int keep(Cursor *c, sqlite3_value **argv)
{
  const SqlTable *t = c->vtab->table;
  g_autofree bool *lasts = g_new(bool, t->n_columns);
  g_autofree uint32_t *columns = g_new(uint32_t, t->n_columns);
  uint32_t n = wanted_columns(c, lasts, columns);
  c->plan->n_kept = n;
  bool grouped = c->plan->group != NO_GROUP;
  g_clear_pointer(&c->plan->kept, kept_free);
  c->plan->kept = kept_new(&c->vtab->db->file, lasts, n, c->plan->keyed || grouped);
  c->plan->seen = g_hash_table_new(NULL, NULL);
  g_array_set_size(c->plan->groups, 0);
  int status = SQLITE_OK;
  if (add_filters(c, argv, !grouped)) {
    status = begin_stream(c);
    if (!status) status = keep_rows(c, c->plan->kept, columns, n);
  } else if (!kept_end(c->plan->kept)) {
    status = failed(c, SQL_FAULT_FILE);
  }
  end_stream(c);
  g_clear_pointer(&c->plan->seen, g_hash_table_unref);
  return status;
}

static bool next_group(Cursor *c)
{
  if (c->next_group >= c->plan->groups->len) return false;
  kept_find(c->plan->kept, g_array_index(c->plan->groups, uint64_t, c->next_group++), &c->kept);
  return true;
}

/* By the key, where its values are such as the column has. */
static int begin_kept(Cursor *c, sqlite3_value **argv)
{
  uint64_t key = 0;
  bool by_key = c->plan->keyed;
  for (guint i = 0; i < c->plan->arguments->len; i++) {
    const Argument *a = &g_array_index(c->plan->arguments, Argument, i);
    uint32_t type = c->vtab->table->columns[a->column].type;
    MillValue value;
    if (!a->of_key) continue;
    Fit fit = fit_value(argv[i], type, &value);
    if (fit == NEVER) c->ended = true;
    if (fit == FITS) key = add_key(key, type, &value);
    if (fit == FITS_NOT) by_key = false;
  }
  c->next_group = 0;
  if (c->plan->group != NO_GROUP)
    c->ended = !next_group(c);
  else if (by_key)
    kept_find(c->plan->kept, key, &c->kept);
  else
    kept_all(c->plan->kept, &c->kept);
  return SQLITE_OK;
}

static bool next_kept(Cursor *c)
{
  MillValue *cells = (MillValue *)(void *)c->cells->data;
  const SqlScan wanted = { .columns = c->plan->columns };
  uint32_t at = c->plan->n_kept;
  while (!kept_next(&c->kept, cells))
    if (c->plan->group == NO_GROUP || !next_group(c)) return false;
  for (uint32_t i = c->cells->len; i-- > 0;) /* from the end: none goes to a place before its own */
    if (sql_wants(&wanted, i)) cells[i] = cells[--at];
  return true;
}

static int vtab_next(sqlite3_vtab_cursor *base)
{
  Cursor *c = (Cursor *)base;
  c->row++;
  if (!c->stream) {
    c->ended = c->ended || !next_kept(c);
    return SQLITE_OK;
  }
  int more = c->vtab->table->next(c->stream);
  if (more < 0) return failed(c, SQL_FAULT_TABLE);
  c->ended = !more;
  return SQLITE_OK;
}

/* What was kept passes the constraints of the next scan, too. */
static bool all_known(const Plan *plan)
{
  for (guint i = 0; i < plan->arguments->len; i++)
    if (!g_array_index(plan->arguments, Argument, i).known) return false;
  return true;
}

static int vtab_filter(sqlite3_vtab_cursor *base, int index, const char *text, int argc,
                       sqlite3_value **argv)
{
  Cursor *c = (Cursor *)base;
  (void)text, (void)argc;
  end_stream(c);
  c->plan = c->vtab->plans->pdata[index];
  c->row = 0;
  c->ended = false;
  bool grouped = c->plan->group != NO_GROUP;
  bool kept = c->plan->keyed || grouped || (c->vtab->table->dear && c->plan->n_scans);
  bool stale = grouped && !all_known(c->plan);
  int status = kept && (stale || !c->plan->kept) ? keep(c, argv) : SQLITE_OK;
  if (status) return status;
  if (kept)
    status = begin_kept(c, argv);
  else if (!add_filters(c, argv, false))
    c->ended = true;
  else
    status = begin_stream(c);
  return status || c->ended ? status : vtab_next(base);
}

static int vtab_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
  Cursor *c = g_new0(Cursor, 1);
  c->vtab = (Vtab *)base;
  c->filters = g_array_new(FALSE, FALSE, sizeof(SqlFilter));
  c->arrays = g_ptr_array_new_with_free_func(array_unref);
  c->values = g_ptr_array_new_with_free_func(value_free);
  c->cells = g_array_new(FALSE, FALSE, sizeof(MillValue));
  g_array_set_size(c->cells, c->vtab->table->n_columns);
  *out = &c->base;
  return SQLITE_OK;
}

static int vtab_close(sqlite3_vtab_cursor *base)
{
  Cursor *c = (Cursor *)base;
  end_stream(c);
  g_array_unref(c->filters);
  g_ptr_array_unref(c->arrays);
  g_ptr_array_unref(c->values);
  g_array_unref(c->cells);
  g_free(c);
  return SQLITE_OK;
}

static int vtab_eof(sqlite3_vtab_cursor *base) { return ((Cursor *)base)->ended; }

static int vtab_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
  *out = ((Cursor *)base)->row;
  return SQLITE_OK;
}

static int vtab_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int index)
{
  Cursor *c = (Cursor *)base;
  const SqlTable *t = c->vtab->table;
  bool lasts = !c->stream || t->columns[index].flags & SQL_LASTS;
  const MillValue v =
      c->stream ? t->cell(c->stream, (uint32_t)index) : g_array_index(c->cells, MillValue, index);
  switch (v.type) {
  case MILL_INT:
  case MILL_BOOL: sqlite3_result_int64(out, v.u.i); break;
  case MILL_REAL: sqlite3_result_double(out, v.u.r); break; /* NaN becomes NULL */
  case MILL_TEXT:
  case MILL_JSON:
    sqlite3_result_text64(out, v.u.text, v.len, lasts ? SQLITE_STATIC : SQLITE_TRANSIENT,
                          SQLITE_UTF8);
    break;
  default: sqlite3_result_null(out);
  }
  return SQLITE_OK;
}

/* Without xCreate: the table is there under the name of its module, and no statement makes one. */
static const sqlite3_module module = {
  .iVersion = 1,
  .xConnect = vtab_connect,
  .xBestIndex = vtab_best_index,
  .xDisconnect = vtab_disconnect,
  .xOpen = vtab_open,
  .xClose = vtab_close,
  .xFilter = vtab_filter,
  .xNext = vtab_next,
  .xEof = vtab_eof,
  .xColumn = vtab_column,
  .xRowid = vtab_rowid,
};

void vtab_forget(SqlDb *db)
{
  for (guint i = 0; i < db->plans->len; i++) g_ptr_array_set_size(db->plans->pdata[i], 0);
}

bool vtab_add(SqlDb *db, const SqlTable *table)
{
  Link *link = g_new(Link, 1);
  *link = (Link){ db, table };
  g_ptr_array_add(db->tables, (gpointer)table);
  return sqlite3_create_module_v2(db->db, table->name, &module, link, g_free) == SQLITE_OK;
}
