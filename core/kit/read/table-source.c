/* Sources that are one declared table; see table-source.h. */
#include "kit/read/table-source.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kit/read/csv-input.h"
#include "kit/read/input.h"
#include "kit/read/record.h"

enum { SHOWN_BYTES = 60 };

typedef struct Value {
  bool is_known;
  union {
    MillSym name;
    int64_t i;
    double r;
  } u;
} Value;

typedef struct Reader {
  const MillSourceHost *host;
  const MillSource *source;
  const TableSource *table;
  CsvInput in;
  RecordWriter writer;
  MillSym record;
  uint32_t n_cells, at[RECORD_MAX_KEYS];
  Value row[RECORD_MAX_KEYS];
} Reader;

/* ---------------------------------------------------------------- failures */

static int fail(const Reader *r, uint32_t number, size_t at, const char *what)
{
  CsvPlace place = csv_place(r->in.csv, at);
  return input_fail_at(r->host->common, r->source->notices.at, number, place.line, place.column,
                       what, NULL);
}

static int fail_cell(const Reader *r, uint32_t column, const CsvCell *cell, const char *is_not)
{
  g_autofree char *text = g_strstrip(g_strndup(cell->text, cell->len));
  g_autofree char *valid = g_utf8_make_valid(text, (gssize)MIN(strlen(text), SHOWN_BYTES));
  g_autofree char *what =
      g_strdup_printf("%s is not %s: \"%s\"", r->table->columns[column].title, is_not, valid);
  return fail(r, TABLE_BAD_CELL, cell->at, what);
}

/* ------------------------------------------------------------------ header */

static const TableColumn *column_at(const TableColumn *first, size_t stride, uint32_t i)
{
  return (const TableColumn *)(const void *)((const char *)first + i * stride);
}

uint32_t table_find(const TableColumn *first, size_t stride, uint32_t n, const CsvCell *cells,
                    uint32_t n_cells, uint32_t *at)
{
  uint32_t found = 0;
  for (uint32_t c = 0; c < n; c++) {
    at[c] = csv_column(cells, n_cells, column_at(first, stride, c)->title);
    found += at[c] != CSV_NO_COLUMN;
  }
  return found;
}

const char *table_missing(const TableColumn *first, size_t stride, uint32_t n, const uint32_t *at)
{
  const char *one_of = NULL;
  bool has_one = false;
  for (uint32_t c = 0; c < n; c++) {
    const TableColumn *column = column_at(first, stride, c);
    if (column->flags & TABLE_NEEDED && at[c] == CSV_NO_COLUMN) return column->title;
    if (!(column->flags & TABLE_ONE_OF)) continue;
    one_of = column->title;
    has_one = has_one || at[c] != CSV_NO_COLUMN;
  }
  return has_one ? NULL : one_of;
}

bool table_is_typical(const TableColumn *first, size_t stride, uint32_t n, const uint32_t *at)
{
  for (uint32_t c = 0; c < n; c++)
    if (column_at(first, stride, c)->flags & TABLE_TYPICAL && at[c] == CSV_NO_COLUMN) return false;
  return true;
}

static uint32_t find_columns(const TableSource *t, const CsvCell *cells, uint32_t n, uint32_t *at)
{
  return table_find(t->columns, sizeof *t->columns, t->n_columns, cells, n, at);
}

static const char *missing(const TableSource *t, const uint32_t *at)
{
  return table_missing(t->columns, sizeof *t->columns, t->n_columns, at);
}

static int take_header(void *instance, const CsvCell *cells, uint32_t n)
{
  Reader *r = instance;
  r->n_cells = n;
  find_columns(r->table, cells, n, r->at);
  const char *title = missing(r->table, r->at);
  if (!title) return 1;
  g_autofree char *what = g_strdup_printf("the table has no column %s", title);
  return fail(r, TABLE_NO_COLUMN, 0, what);
}

/* -------------------------------------------------------------------- rows */

static int take_int(Reader *r, uint32_t c, const CsvCell *cell, const char *text)
{
  const TableColumn *column = &r->table->columns[c];
  Value *v = &r->row[c];
  *v = (Value){ .is_known = true, .u.i = column->otherwise };
  if (!*text && !(column->flags & TABLE_NEEDED)) return 0;
  bool fits = num_int(text, strlen(text), &v->u.i) && v->u.i >= column->least &&
              (!column->most || v->u.i <= column->most);
  return fits ? 0 : fail_cell(r, c, cell, "a whole number in its range");
}

static int take_real(Reader *r, uint32_t c, const CsvCell *cell, const char *text)
{
  const uint32_t flags = r->table->columns[c].flags;
  Value *v = &r->row[c];
  *v = (Value){ 0 };
  v->is_known = num_real(text, strlen(text), &v->u.r) && isfinite(v->u.r);
  if (!v->is_known) return flags & TABLE_LENIENT ? 0 : fail_cell(r, c, cell, "a number");
  if (flags & TABLE_ABOVE_0 && !(v->u.r > 0)) return fail_cell(r, c, cell, "above 0");
  if (flags & TABLE_FROM_0 && v->u.r < 0) return fail_cell(r, c, cell, "0 or more");
  return 0;
}

static int take_cell(Reader *r, uint32_t c, const CsvCell *cell)
{
  g_autofree char *text = cell ? g_strstrip(g_strndup(cell->text, cell->len)) : g_strdup("");
  if (r->table->columns[c].type == TABLE_INT) return take_int(r, c, cell, text);
  if (r->table->columns[c].type == TABLE_REAL) return take_real(r, c, cell, text);
  r->row[c].u.name = record_symbol(r->host->common, text);
  r->row[c].is_known = r->row[c].u.name != 0;
  return 0;
}

static int take_row(void *instance, const CsvCell *cells, uint32_t n)
{
  Reader *r = instance;
  int status = 0;
  if (n != r->n_cells) return fail(r, TABLE_RAGGED, cells[MIN(n, r->n_cells + 1) - 1].at, NULL);
  for (uint32_t i = 0; i < n; i++) /* texts end there */
    if (memchr(cells[i].text, 0, cells[i].len))
      return fail(r, TABLE_BAD_TEXT, cells[i].at, "a cell holds a NUL byte");
  for (uint32_t c = 0; c < r->table->n_columns && status == 0; c++)
    status = take_cell(r, c, r->at[c] == CSV_NO_COLUMN ? NULL : &cells[r->at[c]]);
  return status < 0 ? status : 1;
}

static bool give_row(void *instance, MillBatch *b)
{
  Reader *r = instance;
  if (!record_begin(&r->writer, b, r->record, r->table->n_columns)) return false;
  for (uint32_t c = 0; c < r->table->n_columns; c++) {
    const Value *v = &r->row[c];
    if (!v->is_known) continue;
    if (r->table->columns[c].type == TABLE_INT)
      record_int(&r->writer, b, c, v->u.i);
    else if (r->table->columns[c].type == TABLE_REAL)
      record_real(&r->writer, b, c, v->u.r);
    else
      record_sym(&r->writer, b, c, v->u.name);
  }
  return true;
}

static int next(void *instance, MillBatch *b)
{
  Reader *r = instance;
  const CsvWork work = { take_header,    take_row,    give_row,     r->source->notices.at,
                         TABLE_BAD_TEXT, TABLE_EMPTY, TABLE_NO_ROWS };
  return csv_input_next(&r->in, &work, r, b);
}

/* ------------------------------------------------------------------ source */

typedef struct Look {
  const TableSource *table;
  int sure;
} Look;

static bool weigh(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Look *look = user;
  const TableSource *t = look->table;
  uint32_t at[RECORD_MAX_KEYS], found = find_columns(t, cells, n, at);
  (void)csv;
  if (found == 0 || found < t->few ||
      !table_is_typical(t->columns, sizeof *t->columns, t->n_columns, at))
    return false;
  look->sure = missing(t, at) ? t->likely : 95;
  return false;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  Look look = { .table = self->user };
  (void)name;
  csv_first_row_of(bytes, len, weigh, &look);
  return look.sure;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)options;
  Reader *r = mill_new(host->common, sizeof *r);
  if (!r) return -MILL_LIMIT;
  r->host = host;
  r->source = self;
  r->table = self->user;
  *out_instance = r;
  return 0;
}

static int describe(void *instance)
{
  input_tag_file(((const Reader *)instance)->host);
  return 0;
}

static int start(void *instance)
{
  Reader *r = instance;
  const char *keys[RECORD_MAX_KEYS];
  for (uint32_t c = 0; c < r->table->n_columns; c++) keys[c] = r->table->columns[c].key;
  csv_input_open(&r->in, r->host);
  record_init(&r->writer, r->host, keys, r->table->n_columns);
  r->record = record_symbol(r->host->common, r->table->record);
  return 0;
}

static void close_source(void *instance) { csv_input_close(&((Reader *)instance)->in); }

const MillSourceOps table_source_ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};
