/* Lookup tables as rows: tables/allreduce-table.csv of a run. */
#include <string.h>

#include "base/num.h"
#include "kit/read/csv-input.h"
#include "strategy-table.h"

enum { SM, TP, FUSION, HIDDEN, TOKENS, STRATEGY, NUMBER, SOURCE, N_COLUMNS, N_REQUIRED = SOURCE };
static const char *const titles[N_COLUMNS] = { "sm",         "tp",       "fusion", "hidden_size",
                                               "num_tokens", "strategy", "number", "source" };

static CsvBytes without_mark(const char *text, size_t len)
{
  bool marked = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
  return (CsvBytes){ text + (marked ? 3 : 0), len - (marked ? 3 : 0) };
}

static uint32_t find_columns(const CsvCell *cells, uint32_t n, uint32_t *at)
{
  uint32_t found = 0;
  for (uint32_t c = 0; c < N_COLUMNS; c++) {
    at[c] = CSV_NO_COLUMN;
    for (uint32_t i = 0; i < n; i++)
      if (cells[i].len == strlen(titles[c]) && !memcmp(cells[i].text, titles[c], cells[i].len))
        at[c] = i;
    found += at[c] != CSV_NO_COLUMN;
  }
  return found;
}

static bool see_header(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  uint32_t at[N_COLUMNS];
  bool *is = user;
  (void)csv;
  *is = find_columns(cells, n, at) >= 6 && at[TP] != CSV_NO_COLUMN && at[HIDDEN] != CSV_NO_COLUMN &&
        at[SM] != CSV_NO_COLUMN;
  return false;
}

bool table_csv_is(const char *text, size_t len)
{
  bool is = false;
  CsvBytes head = without_mark(text, len);
  csv_first_row(head.bytes, head.len, see_header, &is);
  return is;
}

/* -------------------------------------------------------------------- rows */
typedef struct Reader {
  Tables *out;
  const Csv *csv;
  bool begun, good;
  uint32_t n_cells, at[N_COLUMNS];
} Reader;

static bool fail_cell(const Reader *r, uint32_t column, const CsvCell *cell)
{
  CsvPlace place = csv_place(r->csv, cell->at);
  g_autofree char *valid = g_utf8_make_valid(cell->text, MIN(cell->len, 40));
  return tables_fail(r->out, ST_BAD_CELL, place.line, place.column,
                     g_strdup_printf("%s is not a whole number: \"%s\"", titles[column], valid));
}

static bool read_int(const Reader *r, const CsvCell *cells, uint32_t column, int64_t least,
                     int64_t *out)
{
  const CsvCell *cell = &cells[r->at[column]];
  if (num_int(cell->text, cell->len, out) && *out >= least) return true;
  return fail_cell(r, column, cell);
}

static const char *name_of(const Reader *r, const CsvCell *cells, uint32_t column)
{
  if (r->at[column] == CSV_NO_COLUMN) return NULL;
  const CsvCell *cell = &cells[r->at[column]];
  g_autofree char *text = g_strndup(cell->text, cell->len);
  return *text ? g_string_chunk_insert_const(r->out->names, text) : NULL;
}

/* Rows of one kind of GPUs are one table. */
static Table *table_of(const Tables *t, int64_t sm)
{
  for (guint i = 0; i < t->tables->len; i++)
    if (((Table *)t->tables->pdata[i])->sm == sm) return t->tables->pdata[i];
  return NULL;
}

static bool take_row(Reader *r, const CsvCell *cells, uint32_t n)
{
  int64_t sm = -1;
  Cell c = { .fusion = NULL };
  if (n != r->n_cells) {
    CsvPlace place = csv_place(r->csv, cells[MIN(n, r->n_cells + 1) - 1].at);
    return tables_fail(r->out, ST_RAGGED, place.line, place.column,
                       g_strdup_printf("a row has %u cells, and the header %u", n, r->n_cells));
  }
  if (cells[r->at[SM]].len && !read_int(r, cells, SM, 0, &sm)) return false;
  if (!read_int(r, cells, TP, 1, &c.tp) || !read_int(r, cells, HIDDEN, 1, &c.hidden)) return false;
  if (!read_int(r, cells, TOKENS, 1, &c.tokens)) return false;
  if (!read_int(r, cells, NUMBER, 0, &c.number)) return false;
  if (c.number > INT32_MAX) return fail_cell(r, NUMBER, &cells[r->at[NUMBER]]);
  c.fusion = name_of(r, cells, FUSION);
  c.strategy = name_of(r, cells, STRATEGY);
  c.source = name_of(r, cells, SOURCE);
  Table *t = table_of(r->out, sm);
  if (!t) t = tables_add(r->out, sm);
  g_array_append_val(t->cells, c);
  return true;
}

static bool take_header(Reader *r, const CsvCell *cells, uint32_t n)
{
  r->n_cells = n;
  r->begun = true;
  find_columns(cells, n, r->at);
  for (uint32_t c = 0; c < N_REQUIRED; c++)
    if (r->at[c] == CSV_NO_COLUMN)
      return tables_fail(r->out, ST_NO_COLUMN, 1, 1,
                         g_strdup_printf("the table has no column %s", titles[c]));
  return true;
}

static bool take(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Reader *r = user;
  r->csv = csv;
  r->good = r->begun ? take_row(r, cells, n) : take_header(r, cells, n);
  return r->good;
}

bool table_csv_read(Tables *out, const char *text, size_t len)
{
  CsvBytes bytes = without_mark(text, len);
  Reader r = { .out = out, .good = true };
  char *why = NULL;
  CsvPlace place;
  if (!csv_each_row(bytes.bytes, bytes.len, take, &r, &why, &place))
    return tables_fail(out, ST_RAGGED, place.line, place.column, why);
  if (r.good && out->tables->len == 0)
    return tables_fail(out, ST_NO_TABLE, 0, 0, g_strdup("the table has a header and no rows"));
  return r.good;
}
