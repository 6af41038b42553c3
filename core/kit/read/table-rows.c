/* Declared tables in text that is at hand; see table-rows.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-rows.h"

#include <math.h>
#include <string.h>

enum { SHOWN_BYTES = 40 };

typedef struct Reader {
  const TableRows *table;
  const Csv *csv;
  GStringChunk *names;
  void *row;
  void (*take)(void *user);
  void *user;
  TableFault *fault;
  bool begun, is_good;
  uint32_t n_cells;
  TableFound found;
} Reader;

/* Takes `what`. */
static bool fail(const Reader *r, uint32_t kind, size_t at, char *what)
{
  CsvPlace place = csv_place(r->csv, at);
  *r->fault = (TableFault){ kind, place.line, place.column, what };
  return false;
}

/* ------------------------------------------------------------------ header */

static TableColumns columns_of(const TableRows *t)
{
  return (TableColumns){ &t->fields->column, sizeof *t->fields, t->n_fields };
}

typedef struct Look {
  const TableRows *table;
  bool is;
} Look;

static bool see_header(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Look *look = user;
  const TableColumns columns = columns_of(look->table);
  TableFound found;
  (void)csv;
  table_find(&columns, cells, n, &found);
  look->is = found.n >= look->table->few && table_is_typical(&columns, &found);
  return false;
}

bool table_rows_are(const TableRows *t, const char *text, size_t len)
{
  Look look = { t, false };
  csv_first_row(text, len, see_header, &look);
  return look.is;
}

static bool take_header(Reader *r, const CsvCell *cells, uint32_t n)
{
  r->n_cells = n;
  r->begun = true;
  const TableColumns columns = columns_of(r->table);
  table_find(&columns, cells, n, &r->found);
  g_autofree char *title = table_missing(&columns, &r->found);
  if (!title) return true;
  return fail(r, TABLE_ROWS_NO_COLUMN, cells[0].at,
              g_strdup_printf("the table has no column %s", title));
}

/* -------------------------------------------------------------------- rows */

/* NULL, or what the text is not. */
static const char *set_number(const TableField *f, const CsvCell *text, void *to)
{
  TableValue v;
  const char *is_not = table_number(&f->column, text->text, text->len, &v);
  if (f->column.type == TABLE_INT)
    *(int64_t *)to = v.u.i;
  else
    *(double *)to = v.is_known ? v.u.r : (double)NAN;
  return is_not && f->column.type == TABLE_INT ? "a whole number" : is_not;
}

static void set_unsaid(const TableField *f, void *to)
{
  if (f->column.type == TABLE_INT)
    *(int64_t *)to = f->column.otherwise;
  else if (f->column.type == TABLE_REAL)
    *(double *)to = (double)NAN;
  else
    *(const char **)to = NULL;
}

const char *table_field_set(const TableField *f, const CsvCell *cell, GStringChunk *names,
                            void *row)
{
  void *to = (char *)row + f->offset;
  set_unsaid(f, to);
  if (!cell) return NULL;
  CsvCell text = table_trimmed(cell);
  if (f->column.type != TABLE_NAME) return set_number(f, &text, to);
  if (!text.len) return NULL;
  g_autofree char *name = g_strndup(text.text, text.len);
  *(const char **)to = g_string_chunk_insert_const(names, name);
  return NULL;
}

static bool take_cell(const Reader *r, const TableField *f, const CsvCell *cell)
{
  const char *is_not = table_field_set(f, cell, r->names, r->row);
  if (!is_not) return true;
  g_autofree char *title = table_title(&f->column);
  g_autofree char *valid = g_utf8_make_valid(cell->text, (gssize)MIN(cell->len, SHOWN_BYTES));
  return fail(r, TABLE_ROWS_BAD_CELL, cell->at,
              g_strdup_printf("%s is not %s: \"%s\"", title, is_not, valid));
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
    const CsvCell *cell = r->found.at[i] == TABLE_NO_CELL ? NULL : &cells[r->found.at[i]];
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
  char *why = NULL;
  CsvPlace place;
  if (csv_each_row(text, len, take_line, &r, &why, &place)) return r.is_good;
  *out = (TableFault){ TABLE_ROWS_RAGGED, place.line, place.column, why };
  return false;
}
