/* Fuzz target: rows of CSV and the nsys-csv source give the same, however the input is cut. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../unit/kernel-rows.h"
#include "cut.h"
#include "kit/read/csv.h"
#include "kit/read/encoding.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
  const char *bytes;
  size_t len, piece;
} Input;

static int64_t read_piece(void *user, char *buffer, size_t max)
{
  Input *in = user;
  size_t n = MIN(MIN(in->piece, max), in->len);
  if (n) memcpy(buffer, in->bytes, n);
  in->bytes += n;
  in->len -= n;
  return (int64_t)n;
}

/* Names may hold zeros. */
static char *as_text(GString *s)
{
  for (gsize i = 0; i < s->len; i++)
    if (s->str[i] == '\0') s->str[i] = '0';
  return g_string_free(s, FALSE);
}

/* Every cell with its place, and how the text ended. */
static char *rows_of(const char *bytes, size_t len, size_t piece, char separator)
{
  Input in = { bytes, len, piece };
  TextReader text;
  GString *out = g_string_new(NULL);
  const CsvCell *cells;
  uint32_t n;
  CsvStatus status;
  text_reader_init(&text, read_piece, &in);
  Csv *csv = csv_new(text_reader_read, &text);
  csv_set_separator(csv, separator);
  while ((status = csv_row(csv, &cells, &n)) == CSV_ROW) {
    PROMISE(n > 0);
    for (uint32_t i = 0; i < n; i++) {
      CsvPlace place = csv_place(csv, cells[i].at);
      PROMISE(cells[i].len <= CSV_MAX_CELL && place.line > 0 && place.column > 0);
      g_string_append_printf(out, "%d:%d:%u ", (int)place.line, (int)place.column, cells[i].len);
      g_string_append_len(out, cells[i].text, cells[i].len);
    }
    g_string_append_c(out, '\n');
  }
  PROMISE(status == CSV_END || csv_error(csv));
  PROMISE(g_utf8_validate_len(out->str, out->len, NULL) || memchr(out->str, 0, out->len));
  g_string_append_printf(out, "%d %d", (int)status, (int)text.decoder.encoding);
  csv_free(csv);
  text_reader_clear(&text);
  return as_text(out);
}

static char *records_of(const char *bytes, size_t len, size_t piece, uint32_t max_events)
{
  const FakeFile file = { "t.csv", len ? bytes : "", len };
  KernelRows r;
  kernel_rows_init(&r, "t.csv", &file);
  r.files.max_read = piece;
  r.files.max_events = max_events;
  int status = fake_files_run(&r.files, false);
  GString *got = g_string_new(r.files.noted->str);
  if (status < 0)
    PROMISE(memmem(r.files.produced->str, r.files.produced->len, "fail ", 5));
  else
    g_string_append_len(got, r.files.produced->str, (gssize)r.files.produced->len);
  kernel_rows_clear(&r);
  return as_text(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char separators[] = { ',', '\t', ';' };
  if (size < 2 || size > 1 << 17) return 0;
  const char *text = (const char *)data + 2;
  size_t len = size - 2, piece = fuzz_piece(fuzz_hash(data, size), len);
  char separator = separators[data[0] % 3];
  g_autofree char *whole = rows_of(text, len, len + 1, separator);
  g_autofree char *cut = rows_of(text, len, piece, separator);
  PROMISE(!strcmp(whole, cut));
  const MillSource *source = source_under_test();
  int sure = source->ops->probe(source, text, len, "x");
  PROMISE(sure >= 0 && sure <= 100);
  g_autofree char *all = records_of(text, len, len + 1, 1024);
  g_autofree char *few = records_of(text, len, piece, 1 + data[1] % 3);
  PROMISE(!strcmp(all, few));
  return 0;
}
