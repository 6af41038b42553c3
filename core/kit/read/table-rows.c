/* Declared tables in text that is at hand; see table-rows.h. */
#include "kit/read/table-rows.h"

#include <string.h>

#include "base/num.h"
#include "kit/read/csv-input.h"
#include "kit/read/record.h"

enum { SHOWN_BYTES = 40 };

typedef struct Reader {
  const TableRows *table;
  const Csv *csv;
  GStringChunk *names;
  char *row;
  void (*take)(void *user);
  void *user;
  TableFault *fault;
  bool begun, is_good;
  uint32_t n_cells, at[RECORD_MAX_KEYS];
} Reader;

static CsvBytes without_mark(const char *text, size_t len)
{
  size_t mark = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
  return (CsvBytes){ text + mark, len - mark };
}

/* Takes `what`. */
static bool fail(const Reader *r, uint32_t kind, size_t at, char *what)
{
  CsvPlace place = csv_place(r->csv, at);
  *r->fault = (TableFault){ kind, place.line, place.column, what };
  return false;
}

/* ------------------------------------------------------------------ header */

static uint32_t find_columns(const TableRows *t, const CsvCell *cells, uint32_t n, uint32_t *at)
{
  return table_find(&t->fields->column, sizeof *t->fields, t->n_fields, cells, n, at);
}

typedef struct Look {
  const TableRows *table;
  bool is;
} Look;

static bool see_header(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Look *look = user;
  const TableRows *t = look->table;
  uint32_t at[RECORD_MAX_KEYS];
  (void)csv;
  look->is = find_columns(t, cells, n, at) >= t->few &&
             table_is_typical(&t->fields->column, sizeof *t->fields, t->n_fields, at);
  return false;
}

bool table_rows_are(const TableRows *t, const char *text, size_t len)
{
  Look look = { t, false };
  CsvBytes head = without_mark(text, len);
  csv_first_row(head.bytes, head.len, see_header, &look);
  return look.is;
}

static bool take_header(Reader *r, const CsvCell *cells, uint32_t n)
{
  r->n_cells = n;
  r->begun = true;
  find_columns(r->table, cells, n, r->at);
  const TableField *fields = r->table->fields;
  const char *title = table_missing(&fields->column, sizeof *fields, r->table->n_fields, r->at);
  if (!title) return true;
  return fail(r, TABLE_ROWS_NO_COLUMN, cells[0].at,
              g_strdup_printf("the table has no column %s", title));
}

/* -------------------------------------------------------------------- rows */

static bool take_int(const Reader *r, const TableField *f, const CsvCell *cell, const char *text)
{
  int64_t *to = (int64_t *)(void *)(r->row + f->offset);
  *to = f->column.otherwise;
  if (!cell || (!*text && f->column.flags & TABLE_HOLES)) return true;
  if (num_int(text, strlen(text), to) && *to >= f->column.least && *to <= f->column.most)
    return true;
  g_autofree char *valid = g_utf8_make_valid(text, (gssize)MIN(strlen(text), SHOWN_BYTES));
  return fail(r, TABLE_ROWS_BAD_CELL, cell->at,
              g_strdup_printf("%s is not a whole number: \"%s\"", f->column.title, valid));
}

static bool take_cell(const Reader *r, const TableField *f, const CsvCell *cell)
{
  g_autofree char *text = cell ? g_strndup(cell->text, cell->len) : g_strdup("");
  if (f->column.type == TABLE_INT) return take_int(r, f, cell, text);
  *(const char **)(void *)(r->row + f->offset) =
      *text ? g_string_chunk_insert_const(r->names, text) : NULL;
  return true;
}

static bool take_row(const Reader *r, const CsvCell *cells, uint32_t n)
{
  if (n != r->n_cells)
    return fail(r, TABLE_ROWS_RAGGED, cells[MIN(n, r->n_cells + 1) - 1].at,
                g_strdup_printf("a row has %u cells, and the header %u", n, r->n_cells));
  for (uint32_t i = 0; i < n; i++) /* texts end there */
    if (memchr(cells[i].text, 0, cells[i].len))
      return fail(r, TABLE_ROWS_BAD_CELL, cells[i].at, g_strdup("a cell holds a NUL byte"));
  for (uint32_t i = 0; i < r->table->n_fields; i++) {
    const CsvCell *cell = r->at[i] == CSV_NO_COLUMN ? NULL : &cells[r->at[i]];
    if (!take_cell(r, &r->table->fields[i], cell)) return false;
  }
  r->take(r->user);
  return true;
}

static bool take_line(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Reader *r = user;
  r->csv = csv;
  r->is_good = r->begun ? take_row(r, cells, n) : take_header(r, cells, n);
  return r->is_good;
}

bool table_rows_read(const TableRows *t, const char *text, size_t len, GStringChunk *names,
                     void *row, void (*take)(void *user), void *user, TableFault *out)
{
  Reader r = { .table = t,
               .names = names,
               .row = row,
               .take = take,
               .user = user,
               .fault = out,
               .is_good = true };
  CsvBytes bytes = without_mark(text, len);
  char *why = NULL;
  CsvPlace place;
  if (csv_each_row(bytes.bytes, bytes.len, take_line, &r, &why, &place)) return r.is_good;
  *out = (TableFault){ TABLE_ROWS_RAGGED, place.line, place.column, why };
  return false;
}
