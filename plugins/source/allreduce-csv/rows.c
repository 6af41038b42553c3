/* Rows of an all-reduce benchmark into records. */
#include <math.h>
#include <string.h>

#include "allreduce-csv.h"
#include "base/num.h"
#include "kit/read/input.h"

#define SHOWN_BYTES 60
#define LARGEST ((int64_t)1 << 48) /* of a size: products of two do not matter beyond */

/* --------------------------------------------------------------- failures */
static int fail_at(const Source *s, uint32_t number, const CsvPlace *place, const char *what)
{
  return input_fail_at(s->host->common, allreduce_csv_notices, number, place->line, place->column,
                       what, NULL);
}

static int fail_cell(const Source *s, uint32_t column, const CsvCell *cell)
{
  CsvPlace place = csv_place(s->in.csv, cell->at);
  const char *noun = column == COLUMN_TIME    ? "a number"
                     : column == COLUMN_SHAPE ? "TOKENSxHIDDEN"
                     : column == COLUMN_FUSION || column == COLUMN_STRATEGY
                         ? "a name"
                         : "a whole number from 1";
  g_autofree char *valid = g_utf8_make_valid(cell->text, MIN(cell->len, SHOWN_BYTES));
  g_autofree char *what =
      g_strdup_printf("%s is not %s: \"%s\"", column_title(column), noun, valid);
  return fail_at(s, ARC_BAD_CELL, &place, what);
}

static int fail_ragged(const Source *s, const CsvCell *cells, uint32_t n)
{
  CsvPlace place = csv_place(s->in.csv, cells[MIN(n, s->header.n_cells + 1) - 1].at);
  g_autofree char *what =
      g_strdup_printf("a row has %u cells, and the header %u", n, s->header.n_cells);
  return fail_at(s, ARC_RAGGED, &place, what);
}

/* ------------------------------------------------------------------ cells */
static CsvCell trimmed(const CsvCell *cell)
{
  const char *p = cell->text, *end = p + cell->len;
  while (p < end && (*p == ' ' || *p == '\t')) p++;
  while (end > p && (end[-1] == ' ' || end[-1] == '\t')) end--;
  return (CsvCell){ p, (uint32_t)(end - p), cell->at };
}

/* "128", and "128.0" as tables are written again that once had a hole. */
static bool read_size(const char *text, size_t len, int64_t *out)
{
  int64_t v = 0;
  size_t i = 0;
  for (; i < len && i < 15 && text[i] >= '0' && text[i] <= '9'; i++) v = v * 10 + (text[i] - '0');
  double real;
  if (i < len || len == 0) {
    if (!num_real(text, len, &real) || !(real >= 1 && real <= (double)LARGEST)) return false;
    v = (int64_t)real;
    if ((double)v != real) return false;
  }
  *out = v;
  return v >= 1 && v <= LARGEST;
}

/* 1: a time; 0: none was measured; -1: a word. */
static int read_time(const CsvCell *cell, int decimals, double *out)
{
  static const char *const none[] = { "nan", "inf", "infinity", "none", "null", "na", "n/a" };
  CsvCell c = trimmed(cell);
  if (num_real_scaled(c.text, c.len, decimals, out)) return *out > 0;
  const char *p = c.text, *end = p + c.len;
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (c.len == 0) return 0;
  for (size_t i = 0; i < G_N_ELEMENTS(none); i++)
    if (strlen(none[i]) == (size_t)(end - p) && !g_ascii_strncasecmp(p, none[i], strlen(none[i])))
      return 0;
  double unscaled; /* a number too large to be one */
  for (const char *q = p; q < end; q++)
    if (!g_ascii_isdigit(*q) && !strchr(".eE+-", *q)) return -1;
  return num_real(c.text, c.len, &unscaled) || g_ascii_isdigit(*p) ? 0 : -1;
}

static MillSym remember(const Source *s, Memo *memo, const CsvCell *cell)
{
  for (uint32_t i = 0; i < memo->n; i++) {
    uint32_t at = (memo->next + i) % MEMO;
    if (at < memo->n && memo->len[at] == cell->len &&
        !memcmp(memo->text[at], cell->text, cell->len)) {
      memo->next = at;
      return memo->sym[at];
    }
  }
  const MillHost *common = s->host->common;
  CsvCell c = trimmed(cell);
  MillSym sym = common->intern(common, c.text, c.len);
  if (c.len != cell->len) return sym;
  uint32_t at = memo->n < MEMO ? memo->n++ : memo->next;
  size_t len;
  memo->sym[at] = sym;
  memo->text[at] = common->symbol_text(common, sym, &len);
  memo->len[at] = (uint32_t)len;
  memo->next = at;
  return sym;
}

/* ------------------------------------------------------------------- rows */
static const CsvCell *cell_of(const Source *s, const CsvCell *cells, uint32_t column)
{
  uint32_t at = s->header.cell[column];
  return at == NO_CELL ? NULL : &cells[at];
}

static int take_size(const Source *s, const CsvCell *cells, uint32_t column, int64_t *out)
{
  const CsvCell *cell = cell_of(s, cells, column);
  if (read_size(cell->text, cell->len, out)) return 0;
  CsvCell c = trimmed(cell);
  return read_size(c.text, c.len, out) ? 0 : fail_cell(s, column, cell);
}

/* "128x1024": tokens, then the hidden size; a pair as Python writes it, too. */
static int take_shape(const Source *s, const CsvCell *cells, Row *row)
{
  const CsvCell *cell = cell_of(s, cells, COLUMN_SHAPE);
  g_autofree char *text = g_strndup(cell->text, cell->len);
  g_strdelimit(text, "()[]\"'", ' ');
  char *between = strpbrk(text, "xX,*");
  if (!between) return fail_cell(s, COLUMN_SHAPE, cell);
  *between = '\0';
  char *tokens = g_strstrip(text), *hidden = g_strstrip(between + 1);
  bool good = read_size(tokens, strlen(tokens), &row->tokens) &&
              read_size(hidden, strlen(hidden), &row->hidden);
  return good ? 0 : fail_cell(s, COLUMN_SHAPE, cell);
}

static int64_t bytes_of_type(const char *dtype)
{
  static const struct {
    const char *part;
    int64_t bytes;
  } types[] = { { "float32", 4 }, { "fp32", 4 }, { "float8", 1 },
                { "fp8", 1 },     { "int8", 1 }, { "float64", 8 } };
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
    if (strstr(dtype, types[i].part)) return types[i].bytes;
  return 2;
}

static MillSym take_name(Source *s, const CsvCell *cells, uint32_t column, Memo *memo)
{
  const CsvCell *cell = cell_of(s, cells, column);
  return cell && cell->len ? remember(s, memo, cell) : 0;
}

/* An empty size follows from the others. */
static int take_bytes(const Source *s, const CsvCell *cells, Row *row)
{
  const CsvCell *cell = cell_of(s, cells, COLUMN_BYTES);
  size_t len;
  if (cell && cell->len) return take_size(s, cells, COLUMN_BYTES, &row->bytes);
  const char *dtype = s->host->common->symbol_text(s->host->common, row->dtype, &len);
  if (__builtin_mul_overflow(row->tokens, row->hidden, &row->bytes) ||
      __builtin_mul_overflow(row->bytes, bytes_of_type(dtype), &row->bytes))
    row->bytes = 0;
  return 0;
}

static bool is_blank(const CsvCell *cells, uint32_t n) { return n == 1 && !trimmed(cells).len; }

static int take_row(void *instance, const CsvCell *cells, uint32_t n)
{
  Source *s = instance;
  Row *row = &s->row;
  if (is_blank(cells, n)) return 0;
  if (n != s->header.n_cells) return fail_ragged(s, cells, n);
  int status = take_size(s, cells, COLUMN_WORLD, &row->tp);
  if (status == 0 && s->header.cell[COLUMN_SHAPE] != NO_CELL &&
      s->header.cell[COLUMN_TOKENS] == NO_CELL)
    status = take_shape(s, cells, row);
  else if (status == 0) {
    status = take_size(s, cells, COLUMN_TOKENS, &row->tokens);
    if (status == 0) status = take_size(s, cells, COLUMN_HIDDEN, &row->hidden);
  }
  if (status < 0) return status;
  row->fusion = take_name(s, cells, COLUMN_FUSION, &s->fusions);
  row->strategy = take_name(s, cells, COLUMN_STRATEGY, &s->strategies);
  row->dtype = take_name(s, cells, COLUMN_DTYPE, &s->dtypes);
  row->op = take_name(s, cells, COLUMN_OP, &s->ops);
  status = take_bytes(s, cells, row);
  const CsvCell *time = cell_of(s, cells, COLUMN_TIME);
  int read = read_time(time, s->header.time_decimals, &row->time_us);
  if (status == 0 && read < 0) status = fail_cell(s, COLUMN_TIME, time);
  for (uint32_t c = COLUMN_FUSION; c <= COLUMN_STRATEGY && status == 0; c++)
    if (!trimmed(cell_of(s, cells, c)).len) status = fail_cell(s, c, cell_of(s, cells, c));
  if (read <= 0) row->time_us = 0;
  return status < 0 ? status : 1;
}

static bool give_row(void *instance, MillBatch *b)
{
  Source *s = instance;
  const Row *row = &s->row;
  if (!record_begin(&s->writer, b, s->record, N_KEYS)) return false;
  record_int(&s->writer, b, KEY_TP, row->tp);
  record_sym(&s->writer, b, KEY_FUSION, row->fusion);
  record_sym(&s->writer, b, KEY_STRATEGY, row->strategy);
  record_int(&s->writer, b, KEY_TOKENS, row->tokens);
  record_int(&s->writer, b, KEY_HIDDEN, row->hidden);
  record_int(&s->writer, b, KEY_BYTES, row->bytes);
  record_sym(&s->writer, b, KEY_OP, row->op);
  record_sym(&s->writer, b, KEY_DTYPE, row->dtype);
  if (row->time_us > 0)
    record_real(&s->writer, b, KEY_TIME, row->time_us);
  else
    s->host->common->note(s->host->common, ARC_NO_TIME, b, b->n_events - 1, NULL, 0);
  return true;
}

static int take_header(void *instance, const CsvCell *cells, uint32_t n)
{
  Source *s = instance;
  if (is_blank(cells, n)) return 0;
  CsvPlace place = csv_place(s->in.csv, 0);
  header_read(cells, n, &s->header);
  if (s->header.twice != N_COLUMNS) {
    place = csv_place(s->in.csv, s->header.twice_at);
    g_autofree char *what =
        g_strdup_printf("the table has two columns %s", column_title(s->header.twice));
    return fail_at(s, ARC_TWICE, &place, what);
  }
  const char *missing = header_missing(&s->header);
  if (!missing) return 1;
  g_autofree char *what = g_strdup_printf("the table has no column %s", missing);
  return fail_at(s, ARC_NO_COLUMN, &place, what);
}

int allreduce_csv_next(void *instance, MillBatch *b)
{
  static const CsvWork work = { take_header,  take_row,  give_row,   allreduce_csv_notices,
                                ARC_BAD_TEXT, ARC_EMPTY, ARC_NO_ROWS };
  Source *s = instance;
  int status = csv_input_next(&s->in, &work, s, b);
  for (uint64_t i = 0; status == MILL_NEXT_END && i < s->in.text.decoder.n_replaced; i++)
    mill_note(s->host->common, ARC_REPLACED);
  return status;
}
