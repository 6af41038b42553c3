/* Tables that sources read; see csv-input.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/csv-input.h"

#include <glib.h>
#include <string.h>

#include "kit/read/input.h"

static bool is_empty(const CsvCell *cells, uint32_t n) { return n == 1 && cells[0].len == 0; }

/* ---------------------------------------------------------------- an input */

static int64_t read_input(void *user, char *buffer, size_t max)
{
  const MillSourceHost *host = user;
  return host->read(host, buffer, max);
}

void csv_input_open(CsvInput *in, const MillSourceHost *host)
{
  *in = (CsvInput){ .host = host };
  text_reader_init(&in->text, read_input, (void *)host);
  in->csv = csv_new(text_reader_read, &in->text);
}

void csv_input_close(CsvInput *in)
{
  if (!in->csv) return;
  csv_free(in->csv);
  text_reader_clear(&in->text);
}

static int end(const CsvInput *in, const CsvWork *work, CsvStatus status)
{
  const MillHost *common = in->host->common;
  CsvPlace place = csv_error_place(in->csv);
  if (status == CSV_BAD)
    return input_fail_at(common, work->notices, work->bad_text, place.line, place.column,
                         csv_error(in->csv), NULL);
  if (status == CSV_READ_FAILED) return (int)csv_read_status(in->csv);
  if (in->begun && in->n_rows) return MILL_NEXT_END;
  return input_fail_at(common, work->notices, in->begun ? work->no_rows : work->empty, 0, 0, NULL,
                       NULL);
}

int csv_input_next(CsvInput *in, const CsvWork *work, void *instance, MillBatch *b)
{
  const CsvCell *cells;
  uint32_t n;
  CsvStatus status;
  if (in->waiting && !work->give(instance, b)) return MILL_NEXT_MORE;
  in->waiting = false;
  while ((status = csv_row(in->csv, &cells, &n)) == CSV_ROW) {
    if (is_empty(cells, n)) continue;
    bool is_header = !in->begun;
    int taken = is_header ? work->header(instance, cells, n) : work->row(instance, cells, n);
    if (taken < 0) return taken;
    in->begun = in->begun || taken;
    if (is_header || !taken) continue;
    in->n_rows++;
    in->waiting = !work->give(instance, b);
    if (in->waiting) return MILL_NEXT_MORE;
  }
  return end(in, work, status);
}

/* ------------------------------------------------------------ text at hand */

static CsvBytes without_mark(const char *text, size_t len)
{
  size_t mark = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
  return (CsvBytes){ text + mark, len - mark };
}

bool csv_each_row(const char *text, size_t len, CsvTake *take, void *user, char **out_why,
                  CsvPlace *out_place)
{
  CsvBytes bytes = without_mark(text, len);
  Csv *csv = csv_new(csv_read_bytes, &bytes);
  const CsvCell *cells;
  uint32_t n;
  CsvStatus status;
  while ((status = csv_row(csv, &cells, &n)) == CSV_ROW)
    if (!is_empty(cells, n) && !take(user, csv, cells, n)) break;
  if (status == CSV_BAD) {
    *out_place = csv_error_place(csv);
    *out_why = g_strdup(csv_error(csv));
  }
  csv_free(csv);
  return status != CSV_BAD;
}

enum { FIRST_ROW = 4 << 10 };

static void take_first(CsvRead read, void *from, CsvTake *take, void *user)
{
  const CsvCell *cells;
  uint32_t n;
  Csv *csv = csv_new_small(read, from, FIRST_ROW);
  if (csv_row(csv, &cells, &n) == CSV_ROW) take(user, csv, cells, n);
  csv_free(csv);
}

void csv_first_row(const char *text, size_t len, CsvTake *take, void *user)
{
  CsvBytes bytes = without_mark(text, len);
  take_first(csv_read_bytes, &bytes, take, user);
}

void csv_first_row_of(const char *bytes, size_t len, CsvTake *take, void *user)
{
  CsvBytes head = { bytes, len };
  TextReader text;
  text_reader_init(&text, csv_read_bytes, &head);
  take_first(text_reader_read, &text, take, user);
  text_reader_clear(&text);
}
