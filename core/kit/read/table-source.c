/* Sources that are one declared table; see table-source.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-source.h"

#include <glib.h>
#include <string.h>

#include "kit/read/input.h"

enum { SHOWN_BYTES = 60, MEMO = 16 };

/* Names of a column that were seen, as few occur again and again. */
typedef struct Memo {
  MillSym sym[MEMO];
  const char *text[MEMO]; /* of the symbol */
  uint32_t len[MEMO];
  uint32_t n, next;
} Memo;

typedef struct Reader {
  const MillSourceHost *host;
  const MillSource *source;
  const TableSource *table;
  CsvInput in;
  RecordWriter writer;
  MillSym record;
  uint32_t n_cells, n_keys;
  TableFound found;
  TableValue values[RECORD_MAX_KEYS];
  TableRow row;
  Memo names[RECORD_MAX_KEYS];
} Reader;

static TableColumns columns_of(const TableSource *t)
{
  return (TableColumns){ t->columns, sizeof *t->columns, t->n_columns };
}

const MillSourceHost *table_source_host(void *instance) { return ((Reader *)instance)->host; }

/* ---------------------------------------------------------------- failures */

static uint32_t number_of(const TableSource *t, uint32_t notice)
{
  if (t->numbers) return t->numbers[notice];
  return notice <= TABLE_NO_ROWS ? notice : 0;
}

/* Takes `what`. */
static int fail(const Reader *r, uint32_t notice, size_t at, char *what)
{
  CsvPlace place = csv_place(r->in.csv, at);
  int status = input_fail_at(r->host->common, r->source->notices.at, number_of(r->table, notice),
                             place.line, place.column, what, NULL);
  g_free(what);
  return status;
}

static int fail_cell(const Reader *r, uint32_t c, const CsvCell *cell, const char *is_not)
{
  const TableColumn *column = &r->table->columns[c];
  CsvCell trimmed = table_trimmed(cell);
  g_autofree char *title = table_title(column);
  g_autofree char *valid = g_utf8_make_valid(trimmed.text, MIN(trimmed.len, SHOWN_BYTES));
  return fail(r, TABLE_BAD_CELL, cell->at,
              g_strdup_printf("%s is not %s: \"%s\"", title,
                              column->is_not ? column->is_not : is_not, valid));
}

/* ------------------------------------------------------------------ header */

static bool is_blank(const CsvCell *cells, uint32_t n)
{
  return n == 1 && !table_trimmed(cells).len;
}

static int take_header(void *instance, const CsvCell *cells, uint32_t n)
{
  Reader *r = instance;
  const TableColumns columns = columns_of(r->table);
  if (is_blank(cells, n)) return 0;
  r->n_cells = n;
  table_find(&columns, cells, n, &r->found);
  if (r->found.twice != TABLE_NO_CELL && number_of(r->table, TABLE_TWICE)) {
    g_autofree char *twice = table_title(&r->table->columns[r->found.twice]);
    return fail(r, TABLE_TWICE, r->found.twice_at,
                g_strdup_printf("the table has two columns %s", twice));
  }
  g_autofree char *title = table_missing(&columns, &r->found);
  if (!title) return 1;
  return fail(r, TABLE_NO_COLUMN, 0, g_strdup_printf("the table has no column %s", title));
}

/* -------------------------------------------------------------------- rows */

static MillSym intern(const Reader *r, Memo *memo, CsvCell c)
{
  const MillHost *common = r->host->common;
  for (uint32_t i = 0; i < memo->n; i++) {
    uint32_t at = (memo->next + i) % MEMO;
    if (at >= memo->n || memo->len[at] != c.len || memcmp(memo->text[at], c.text, c.len)) continue;
    memo->next = at;
    return memo->sym[at];
  }
  size_t len;
  uint32_t at = memo->n < MEMO ? memo->n++ : memo->next;
  memo->sym[at] = common->intern(common, c.text, c.len);
  memo->text[at] = common->symbol_text(common, memo->sym[at], &len);
  memo->len[at] = (uint32_t)len;
  memo->next = at;
  return memo->sym[at];
}

static int take_name(Reader *r, uint32_t c, const CsvCell *cell, CsvCell text)
{
  if (!text.len)
    return r->table->columns[c].flags & TABLE_FILLED ? fail_cell(r, c, cell, "a name") : 0;
  r->values[c] = (TableValue){ .is_known = true, .u.name = intern(r, &r->names[c], text) };
  return 0;
}

static int take_cell(Reader *r, uint32_t c, const CsvCell *cell)
{
  const TableColumn *column = &r->table->columns[c];
  CsvCell text = table_trimmed(cell);
  if (column->read)
    return column->read(&r->row, c, text.text, text.len) ? 0 : fail_cell(r, c, cell, NULL);
  if (column->type == TABLE_NAME) return take_name(r, c, cell, text);
  const char *is_not = table_number(column, text.text, text.len, &r->values[c]);
  return is_not ? fail_cell(r, c, cell, is_not) : 0;
}

/* What is said where there is no cell. */
static TableValue unsaid(const TableColumn *column)
{
  return (TableValue){ .is_known = column->type == TABLE_INT, .u.i = column->otherwise };
}

static int take_row(void *instance, const CsvCell *cells, uint32_t n)
{
  Reader *r = instance;
  int status = 0;
  if (is_blank(cells, n)) return 0;
  if (n != r->n_cells)
    return fail(r, TABLE_RAGGED, cells[MIN(n, r->n_cells + 1) - 1].at,
                g_strdup_printf("a row has %u cells, and the header %u", n, r->n_cells));
  for (uint32_t i = 0; i < n; i++) /* texts end there */
    if (memchr(cells[i].text, 0, cells[i].len))
      return fail(r, TABLE_BAD_TEXT, cells[i].at, g_strdup("a cell holds a NUL byte"));
  for (uint32_t c = 0; c < r->table->n_columns; c++) r->values[c] = unsaid(&r->table->columns[c]);
  for (uint32_t c = 0; c < r->table->n_columns && status == 0; c++)
    if (r->found.at[c] != TABLE_NO_CELL) status = take_cell(r, c, &cells[r->found.at[c]]);
  if (status == 0 && r->table->finish) r->table->finish(&r->row);
  return status < 0 ? status : 1;
}

static bool give_row(void *instance, MillBatch *b)
{
  Reader *r = instance;
  if (!record_begin(&r->writer, b, r->record, r->n_keys)) return false;
  for (uint32_t c = 0; c < r->n_keys; c++) {
    const TableValue *v = &r->values[c];
    if (!v->is_known) continue;
    if (r->table->columns[c].type == TABLE_INT)
      record_int(&r->writer, b, c, v->u.i);
    else if (r->table->columns[c].type == TABLE_REAL)
      record_real(&r->writer, b, c, v->u.r);
    else
      record_sym(&r->writer, b, c, v->u.name);
  }
  if (r->table->given) r->table->given(&r->row, b);
  return true;
}

int table_source_next(void *instance, MillBatch *b)
{
  Reader *r = instance;
  const TableSource *t = r->table;
  const CsvWork work = { take_header,
                         take_row,
                         give_row,
                         r->source->notices.at,
                         number_of(t, TABLE_BAD_TEXT),
                         number_of(t, TABLE_EMPTY),
                         number_of(t, TABLE_NO_ROWS) };
  int status = csv_input_next(&r->in, &work, r, b);
  uint64_t n =
      status == MILL_NEXT_END && number_of(t, TABLE_REPLACED) ? r->in.text.decoder.n_replaced : 0;
  for (uint64_t i = 0; i < n; i++) mill_note(r->host->common, number_of(t, TABLE_REPLACED));
  return status;
}

/* ------------------------------------------------------------------ source */

typedef struct Look {
  const TableSource *table;
  int sure;
} Look;

static bool weigh(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Look *look = user;
  const TableColumns columns = columns_of(look->table);
  TableFound found;
  (void)csv;
  table_find(&columns, cells, n, &found);
  if (found.n == 0 || found.n < look->table->few || !table_is_typical(&columns, &found))
    return false;
  g_autofree char *missing = table_missing(&columns, &found);
  look->sure = missing ? look->table->likely : 95;
  return false;
}

int table_source_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  Look look = { .table = self->user };
  (void)name;
  csv_first_row_of(bytes, len, weigh, &look);
  return look.sure;
}

static const char *wrong_column(const TableSource *t, uint32_t index)
{
  const TableColumn *column = &t->columns[index];
  if (column->key && index && !t->columns[index - 1].key)
    return "a column with a key is behind one that has none";
  if (column->type == TABLE_INT && column->most && column->least > column->most)
    return "no integer is in the range of a column";
  return NULL;
}

/* What the declaration lacks, before it is read by; NULL: nothing. */
static const char *misdeclared(const MillSource *source, const TableSource *t)
{
  const char *why = NULL;
  if (!t->numbers &&
      (source->notices.n < TABLE_NO_ROWS || source->notices.at->number != TABLE_EMPTY))
    return "the notices do not begin with TABLE_NOTICES";
  if (t->n_columns > RECORD_MAX_KEYS) return "there are more than 32 columns";
  for (uint32_t i = 0; i < t->n_columns && !why; i++) why = wrong_column(t, i);
  return why;
}

int table_source_open(const MillSource *self, const MillSourceHost *host, const void *options,
                      void **out_instance)
{
  (void)options;
  const char *why = misdeclared(self, self->user);
  if (why)
    return mill_fail(host->common, MILL_STAGE_FAILED, why,
                     "correct the source; kit/read/table-source.h has the rules");
  Reader *r = mill_new(host->common, sizeof *r);
  if (!r) return -MILL_LIMIT;
  r->host = host;
  r->source = self;
  r->table = self->user;
  r->row = (TableRow){ host->common, &r->found, r->values };
  *out_instance = r;
  return 0;
}

int table_source_describe(void *instance)
{
  input_tag_file(((const Reader *)instance)->host);
  return 0;
}

int table_source_start(void *instance)
{
  Reader *r = instance;
  const char *keys[RECORD_MAX_KEYS];
  for (; r->n_keys < r->table->n_columns && r->table->columns[r->n_keys].key; r->n_keys++)
    keys[r->n_keys] = r->table->columns[r->n_keys].key;
  csv_input_open(&r->in, r->host);
  record_init(&r->writer, r->host, keys, r->n_keys);
  r->record = symbol_of(r->host->common, r->table->record);
  return 0;
}

void table_source_close(void *instance) { csv_input_close(&((Reader *)instance)->in); }

const MillSourceOps table_source_ops = TABLE_SOURCE_OPS(table_source_probe, table_source_describe);
