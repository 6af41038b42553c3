/* Rows of the kernel summary into records, and what is said about the rest of the input. */
/* SPDX-License-Identifier: MIT */
#include "nsys-csv.h"

#include <math.h>
#include <string.h>

#include "kit/read/input.h"

#define SHOWN_BYTES 60

/* --------------------------------------------------------------- failures */
/* place NULL: the whole input, which the host names. */
static int fail_at(Source *s, uint32_t number, const CsvPlace *place, const char *what,
                   const char *why)
{
  return input_fail_at(s->host->common, nsys_notices, number, place ? place->line : 0,
                       place ? place->column : 0, what, why);
}

static int fail_text(Source *s)
{
  CsvPlace place = csv_error_place(s->csv);
  return fail_at(s, NSYS_BAD_TEXT, &place, csv_error(s->csv), NULL);
}

static int fail_missing(Source *s, const Header *h, const CsvPlace *place)
{
  g_autofree char *what = g_strdup_printf("the kernel summary has no column %s", header_missing(h));
  return fail_at(s, NSYS_NO_COLUMN, place, what, NULL);
}

/* There is no kernel summary: the nearest sign of why. */
static int fail_without_table(Source *s)
{
  const Search *found = &s->search;
  if (!found->any_text) return fail_at(s, NSYS_EMPTY, NULL, "the input is empty", NULL);
  if (found->skipped)
    return fail_at(s, NSYS_SKIPPED, NULL, "nsys found no kernels to sum up", found->skipped);
  if (found->has_partial) return fail_missing(s, &found->partial, &found->partial_place);
  return fail_at(s, NSYS_NO_TABLE, NULL, "the input holds no kernel summary", NULL);
}

static int fail_cell(Source *s, uint32_t column, const CsvCell *cell, CellKind kind)
{
  static const char *const reasons[] = {
    [CELL_ABSENT] = "a number must be here",
    [CELL_NO_NUMBER] = "it cannot be read as one",
    [CELL_NEGATIVE] = "it is below zero",
    [CELL_RANGE] = "it is beyond 292 years",
  };
  CsvPlace place = csv_place(s->csv, cell->at);
  bool count = column == COLUMN_COUNT, percent = column == COLUMN_PCT;
  const char *noun = count ? "whole number" : percent ? "percentage" : "time";
  const char *cut = cell->len > SHOWN_BYTES ? "..." : "";
  int len = (int)MIN(cell->len, SHOWN_BYTES);
  g_autofree char *valid = g_utf8_make_valid(cell->text, len);
  g_autofree char *what =
      g_strdup_printf("%s is not a %s: \"%s%s\"", column_title(column), noun, valid, cut);
  return fail_at(s, NSYS_BAD_CELL, &place, what, reasons[kind]);
}

static int fail_ragged(Source *s, const CsvCell *cells, uint32_t n)
{
  CsvPlace place = csv_place(s->csv, cells[MIN(n, s->header.n_cells + 1) - 1].at);
  g_autofree char *what =
      g_strdup_printf("a row has %u cells, and the header %u", n, s->header.n_cells);
  return fail_at(s, NSYS_RAGGED, &place, what, NULL);
}

static void note(Source *s, uint32_t number, const MillBatch *b, uint32_t event)
{
  s->host->common->note(s->host->common, number, b, event, NULL, 0);
}

/* ------------------------------------------------------------------- rows */
static CellKind read_cell(Row *row, const Header *h, uint32_t column, const CsvCell *cell)
{
  int decimals = h->decimals[column];
  switch (column) {
  case COLUMN_COUNT: return cell_count(cell, &row->ints[column]);
  case COLUMN_PCT: return cell_percent(cell, &row->reals[column]);
  case COLUMN_AVG:
  case COLUMN_MED:
  case COLUMN_STD: return cell_time_real(cell, decimals, &row->reals[column]);
  default: return cell_time(cell, decimals, &row->ints[column], &row->inexact);
  }
}

static int read_row(Source *s, const CsvCell *cells, uint32_t n)
{
  Row *row = &s->row;
  if (n != s->header.n_cells) return fail_ragged(s, cells, n);
  row->cells = cells;
  row->inexact = false;
  for (uint32_t c = COLUMN_NAME + 1; c < N_COLUMNS; c++) {
    row->has[c] = false;
    if (s->header.cell[c] == NO_CELL) continue;
    const CsvCell *cell = &cells[s->header.cell[c]];
    CellKind kind = read_cell(row, &s->header, c, cell);
    row->has[c] = kind == CELL_NUMBER;
    bool fails = kind != CELL_NUMBER && (kind != CELL_ABSENT || c < N_REQUIRED);
    if (fails) return fail_cell(s, c, cell, kind);
  }
  return 0;
}

#define ODD_SHARE 0.01 /* nsys prints four digits */

static bool is_near(double a, double b, double count)
{
  return fabs(a - b) <=
         fmax(ODD_SHARE * fmax(a, b), count); /* whole nanoseconds may be all that is printed */
}

/* A cell in another unit, a dot for thousands, a table that was edited. */
static bool agrees_with_itself(const Row *row)
{
  double count = (double)row->ints[COLUMN_COUNT], total = (double)row->ints[COLUMN_TOTAL];
  double mean = row->reals[COLUMN_AVG];
  if (row->has[COLUMN_AVG] && !is_near(mean * count, total, count)) return false;
  if (!row->has[COLUMN_MIN] || !row->has[COLUMN_MAX]) return true;
  double least = (double)row->ints[COLUMN_MIN], most = (double)row->ints[COLUMN_MAX];
  if (count == 0) return true;
  return least <= most && least * count <= total * (1 + ODD_SHARE) + count &&
         most * count >= total * (1 - ODD_SHARE) - count;
}

static void add_share(Shares *all, const Row *row)
{
  double total_ns = (double)row->ints[COLUMN_TOTAL];
  all->sum_ns += total_ns;
  if (total_ns <= all->longest_ns) return;
  all->longest_ns = total_ns;
  all->longest_percent = row->has[COLUMN_PCT] ? row->reals[COLUMN_PCT] : (double)NAN;
}

#define SHARE_ODD 0.1    /* of the share: times may be rounded */
#define SHARE_DIGITS 0.6 /* percentages may be whole numbers */

static double one_decimal(double percent) { return round(percent * 10) / 10; }

/* Rows that were taken out of a table leave shares that are too small; that is no mistake. */
static void check_shares(Source *s)
{
  const Shares *all = &s->shares;
  if (all->longest_ns == 0 || isnan(all->longest_percent)) return;
  double percent = all->longest_ns / all->sum_ns * 100;
  if (all->longest_percent <= percent * (1 + SHARE_ODD) + SHARE_DIGITS) return;
  const MillNamed values[] = { { "share", mill_real(one_decimal(percent)) },
                               { "said", mill_real(one_decimal(all->longest_percent)) } };
  s->host->common->note(s->host->common, NSYS_SHARES, NULL, MILL_NO_EVENT, values, 2);
}

/* False when the batch is full; the row then waits. */
static bool give_row(Source *s, MillBatch *b)
{
  static const uint32_t ints[] = { COLUMN_TOTAL, COLUMN_COUNT, COLUMN_MIN, COLUMN_MAX };
  static const uint32_t reals[] = { COLUMN_AVG, COLUMN_MED, COLUMN_STD, COLUMN_PCT };
  const Row *row = &s->row;
  const CsvCell *name = &row->cells[s->header.cell[COLUMN_NAME]];
  if (!record_begin(&s->writer, b, s->record, N_COLUMNS)) return false;
  record_text(&s->writer, b, COLUMN_NAME, name->text, name->len);
  for (size_t i = 0; i < G_N_ELEMENTS(ints); i++)
    if (row->has[ints[i]]) record_int(&s->writer, b, ints[i], row->ints[ints[i]]);
  for (size_t i = 0; i < G_N_ELEMENTS(reals); i++)
    if (row->has[reals[i]]) record_real(&s->writer, b, reals[i], row->reals[reals[i]]);
  add_share(&s->shares, row);
  if (row->inexact) note(s, NSYS_INEXACT, b, b->n_events - 1);
  if (!agrees_with_itself(row)) {
    const MillNamed values[] = { { "kernel", mill_text(name->text, name->len) } };
    s->host->common->note(s->host->common, NSYS_DISAGREES, b, b->n_events - 1, values, 1);
  }
  return true;
}

/* Blank lines may be between rows; a row has as many cells as the header, and a count. */
static bool line_is_row(Source *s)
{
  const CsvCell *cells;
  uint32_t n;
  char separator = csv_separator(s->csv);
  if (!csv_split_line(s->csv, separator, &cells, &n) || n != s->header.n_cells) return false;
  const CsvCell *count = &cells[s->header.cell[COLUMN_COUNT]];
  return count->len > 0 && g_ascii_isdigit(*count->text);
}

/* After a blank line: do rows of the table follow? */
static CsvStatus look_behind_blank(Source *s, bool *out_goes_on)
{
  const char *text;
  size_t len;
  CsvStatus status;
  *out_goes_on = false;
  while ((status = csv_peek_line(s->csv, &text, &len)) == CSV_ROW) {
    CsvCell line = { text, (uint32_t)len, 0 };
    if (!cell_is_blank(&line)) {
      *out_goes_on = line_is_row(s);
      return CSV_ROW;
    }
    csv_skip_line(s->csv);
  }
  return status;
}

/* 1: s->row holds a row; 0: the table has ended; else failed. */
static int next_row(Source *s)
{
  const CsvCell *cells;
  uint32_t n;
  CsvStatus status;
  bool goes_on = true;
  while (goes_on && (status = csv_row(s->csv, &cells, &n)) == CSV_ROW) {
    bool blank = n == 1 && cell_is_blank(&cells[0]);
    if (!blank) {
      int failed = read_row(s, cells, n);
      return failed ? failed : 1;
    }
    status = look_behind_blank(s, &goes_on);
    if (status != CSV_ROW) break;
  }
  if (status == CSV_BAD) return fail_text(s);
  return status == CSV_READ_FAILED ? (int)csv_read_status(s->csv) : 0;
}

/* ------------------------------------------------------------ whole input */
static int stopped(Source *s, Found found)
{
  return found == SEARCH_BAD ? fail_text(s) : (int)csv_read_status(s->csv);
}

static int find_table(Source *s)
{
  CsvPlace place;
  const Header *h = &s->header;
  Found found = search_table(&s->search, s->csv, &s->header, &place);
  if (found == FOUND_NOTHING) return fail_without_table(s);
  if (found != FOUND_TABLE) return stopped(s, found);
  s->in_table = true;
  if (h->twice == N_COLUMNS) return 0;
  place = csv_place(s->csv, h->twice_at);
  g_autofree char *what =
      g_strdup_printf("the kernel summary has two columns %s", column_title(h->twice));
  return fail_at(s, NSYS_TWICE, &place, what, NULL);
}

static void tell_text(Source *s)
{
  const Decoder *d = &s->text.decoder;
  for (uint64_t i = 0; i < s->search.n_others; i++) note(s, NSYS_OTHER_TABLE, NULL, MILL_NO_EVENT);
  for (uint64_t i = 0; i < d->n_replaced; i++) note(s, NSYS_REPLACED, NULL, MILL_NO_EVENT);
  if (d->encoding == ENCODING_LATIN1) note(s, NSYS_LATIN1, NULL, MILL_NO_EVENT);
}

/* What comes after the kernel summary. */
static int pass_rest(Source *s)
{
  Header h;
  CsvPlace place;
  Found found;
  while ((found = search_table(&s->search, s->csv, &h, &place)) == FOUND_TABLE)
    note(s, NSYS_SECOND, NULL, MILL_NO_EVENT);
  if (found != FOUND_NOTHING) return stopped(s, found);
  tell_text(s);
  return 0;
}

int nsys_next(void *instance, MillBatch *b)
{
  Source *s = instance;
  int status = s->in_table ? 0 : find_table(s);
  while (status == 0 && !s->done) {
    int got = s->waiting ? 1 : next_row(s);
    if (got < 0) return got;
    s->done = got == 0;
    if (s->done) {
      check_shares(s);
      return pass_rest(s);
    }
    s->waiting = !give_row(s, b);
    if (s->waiting) return MILL_NEXT_MORE;
  }
  return status;
}
