/* Rows of comma-separated text: quotes, line ends, places, limits, however the bytes are cut. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/csv.h"
#include "check.h"

#include <glib.h>

typedef struct Input {
  const char *text;
  size_t len, pos, piece;
  bool fails; /* after the first piece */
} Input;

static int64_t read_piece(void *user, char *buffer, size_t max)
{
  Input *in = user;
  size_t n = MIN(MIN(in->piece, max), in->len - in->pos);
  if (in->fails && in->pos > 0) return -5;
  memcpy(buffer, in->text + in->pos, n);
  in->pos += n;
  return (int64_t)n;
}

static void show_cell(GString *out, const Csv *csv, const CsvCell *cell)
{
  CsvPlace place = csv_place(csv, cell->at);
  g_string_append_printf(out, "%llu:%llu<%.*s>", (unsigned long long)place.line,
                         (unsigned long long)place.column, (int)cell->len, cell->text);
}

/* "1:1<a>1:3<b>;" for each row, or its last cell only; "!line:column error" at a failure. */
static char *rows_of(Input in, char separator, bool brief)
{
  Csv *csv = csv_new(read_piece, &in);
  GString *out = g_string_new(NULL);
  const CsvCell *cells;
  uint32_t n;
  CsvStatus status;
  csv_set_separator(csv, separator);
  while ((status = csv_row(csv, &cells, &n)) == CSV_ROW) {
    for (uint32_t i = brief ? n - 1 : 0; i < n; i++) show_cell(out, csv, &cells[i]);
    g_string_append_c(out, ';');
  }
  if (status == CSV_BAD) {
    CsvPlace place = csv_error_place(csv);
    g_string_append_printf(out, "!%llu:%llu %s", (unsigned long long)place.line,
                           (unsigned long long)place.column, csv_error(csv));
  }
  if (status == CSV_READ_FAILED) g_string_append_printf(out, "!read %d", (int)csv_read_status(csv));
  csv_free(csv);
  return g_string_free(out, FALSE);
}

static void expect(const char *text, char separator, const char *wanted)
{
  static const size_t pieces[] = { 1 << 20, 1, 2, 3, 7 };
  for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
    g_autofree char *got =
        rows_of((Input){ text, strlen(text), 0, pieces[i], false }, separator, false);
    if (!CHECK_STR(got, wanted)) CHECK_ROW(text);
  }
}

static void test_rows(void)
{
  expect("", ',', "");
  expect("a", ',', "1:1<a>;");
  expect("a,b\n", ',', "1:1<a>1:3<b>;");
  expect("a,b\nlonger than eight,c", ',', "1:1<a>1:3<b>;2:1<longer than eight>2:19<c>;");
  expect("a,,b\n,\n", ',', "1:1<a>1:3<>1:4<b>;2:1<>2:2<>;");
  expect("a,", ',', "1:1<a>1:3<>;");
  expect("a\n\nb\n", ',', "1:1<a>;2:1<>;3:1<b>;");
  expect("a\tb,c\n", '\t', "1:1<a>1:3<b,c>;");
  expect("a;b,c\n", ';', "1:1<a>1:3<b,c>;");
  expect("\xce\xbcs,b\n", ',', "1:1<\xce\xbcs>1:4<b>;");
}

static void test_line_ends(void)
{
  expect("a,b\r\nc,d\r\n", ',', "1:1<a>1:3<b>;2:1<c>2:3<d>;");
  expect("a\rb\rc", ',', "1:1<a>;2:1<b>;3:1<c>;");
  expect("a\r\n\r\nb\r", ',', "1:1<a>;2:1<>;3:1<b>;");
  expect("a\n\rb", ',', "1:1<a>;2:1<>;3:1<b>;");
}

static void test_quotes(void)
{
  expect("\"a,b\",c\n", ',', "1:1<a,b>1:7<c>;");
  expect("\"a\"\"b\",\"\"\"\",\"\"\n", ',', "1:1<a\"b>1:8<\">1:13<>;");
  expect("\"a\nb\r\nc\",d\ne", ',', "1:1<a\nb\r\nc>3:4<d>;4:1<e>;");
  expect("a\"b,c\"\"d\n", ',', "1:1<a\"b>1:5<c\"\"d>;");
  expect("x,\"a\"", ',', "1:1<x>1:3<a>;");
  expect("\"a\"\"b\",c\"\"d,e\n", ',', "1:1<a\"b>1:8<c\"\"d>1:13<e>;");
}

static void test_bad(void)
{
  expect("a,b\nc,\"d\n\n", ',', "1:1<a>1:3<b>;!2:3 a quote is not closed");
  expect("\"", ',', "!1:1 a quote is not closed");
  expect("\"a\"\"", ',', "!1:1 a quote is not closed");
  expect("\"a\nb\"c,d\n", ',', "!2:3 text follows a closing quote");
  expect("a\n\"b\" ,c\n", ',', "1:1<a>;!2:4 text follows a closing quote");
  g_autofree char *got = rows_of((Input){ "0123456\n89abcdef", 16, 0, 13, true }, ',', false);
  CHECK_STR(got, "1:1<0123456>;!read -5");
}

/* first, then n times c, then last */
static char *long_text(const char *first, size_t n, char c, const char *last)
{
  GString *s = g_string_new(first);
  size_t old = s->len;
  g_string_set_size(s, old + n);
  memset(s->str + old, c, n);
  g_string_append(s, last);
  return g_string_free(s, FALSE);
}

static void expect_end(const char *text, const char *wanted)
{
  g_autofree char *got = rows_of((Input){ text, strlen(text), 0, 100000, false }, ',', true);
  size_t len = strlen(got), tail = strlen(wanted);
  CHECK_STR(len < tail ? got : got + len - tail, wanted);
}

/* Cells of each length up to some steps of the scan, plain and in quotes, one after the other. */
static void test_lengths(void)
{
  for (size_t n = 0; n < 200; n++) {
    g_autofree char *x = long_text("", n, 'x', "");
    g_autofree char *text = g_strdup_printf("a,%s,\"%s,\"\"\n\",%s\r\n%s,b", x, x, x, x);
    g_autofree char *wanted = g_strdup_printf("1:1<a>1:3<%s>1:%zu<%s,\"\n>2:3<%s>;3:1<%s>3:%zu<b>;",
                                              x, n + 4, x, x, x, n + 2);
    expect(text, ',', wanted);
  }
}

static void test_limits(void)
{
  g_autofree char *fits = long_text("a,", CSV_MAX_CELL, 'x', ",b");
  g_autofree char *plain = long_text("a,", CSV_MAX_CELL + 1, 'x', ",b");
  g_autofree char *quoted = long_text("a,\"", CSV_MAX_CELL + 1, 'x', "\",b");
  g_autofree char *open = long_text("a\nb,\"", 3 * CSV_MAX_CELL, 'x', "");
  g_autofree char *wide = long_text("", CSV_MAX_CELLS, ',', "");
  g_autofree char *cells = long_text("", CSV_MAX_CELLS - 1, ',', "z");
  expect_end(fits, "1:1048580<b>;");
  expect_end(plain, "!1:3 a cell is longer than 1 MiB");
  expect_end(quoted, "!1:3 a cell is longer than 1 MiB");
  expect_end(open, "!2:3 a quote is not closed within 1 MiB");
  expect_end(wide, "!1:65537 a row has more than 65,536 cells");
  expect_end(cells, "1:65536<z>;");
}

static void test_long_row(void)
{
  GString *row = g_string_new(NULL);
  for (int i = 0; i < 5; i++) {
    g_autofree char *cell = long_text("\"", CSV_MAX_CELL - 10, 'x', "\",");
    g_string_append(row, cell);
  }
  expect_end(row->str, "!1:1 a row is longer than 4 MiB");
  g_string_free(row, TRUE);
}

/* A line is text, whatever its quotes; then rows go on after it. */
static void lines_and_rows(size_t piece)
{
  const char text[] = "say \"hi\r\n\"open\r\nx\ty\r\n1,\"2\n3\"\nend";
  Input in = { text, sizeof text - 1, 0, piece, false };
  Csv *csv = csv_new(read_piece, &in);
  const CsvCell *cells;
  const char *line;
  size_t len;
  uint32_t n;

  CHECK_INT(csv_peek_line(csv, &line, &len), CSV_ROW);
  CHECK(len == 7 && memcmp(line, "say \"hi", 7) == 0);
  csv_skip_line(csv);
  CHECK_INT(csv_peek_line(csv, &line, &len), CSV_ROW);
  CHECK(!csv_split_line(csv, ',', &cells, &n));
  CHECK_INT(csv_place(csv, 3).column, 4);
  csv_skip_line(csv);
  CHECK_INT(csv_peek_line(csv, &line, &len), CSV_ROW);
  CHECK(csv_split_line(csv, ',', &cells, &n) && n == 1);
  CHECK(csv_split_line(csv, '\t', &cells, &n) && n == 2 && cells[1].text[0] == 'y');
  CHECK_INT(csv_peek_line(csv, &line, &len), CSV_ROW);
  CHECK_INT(csv_place(csv, 0).line, 3);
  csv_skip_line(csv);
  CHECK_INT(csv_row(csv, &cells, &n), CSV_ROW);
  CHECK(n == 2 && cells[1].len == 3 && csv_place(csv, 0).line == 4);
  CHECK_INT(csv_peek_line(csv, &line, &len), CSV_ROW);
  CHECK(len == 3 && csv_place(csv, 0).line == 6);
  csv_skip_line(csv);
  CHECK_INT(csv_peek_line(csv, &line, &len), CSV_END);
  CHECK_INT(csv_row(csv, &cells, &n), CSV_END);
  csv_free(csv);
}

static void test_lines(void)
{
  static const size_t pieces[] = { 1 << 20, 1, 2, 5 };
  for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) lines_and_rows(pieces[i]);
}

/* Many rows: line numbers and cells stay right across refills. */
static void test_many(void)
{
  GString *text = g_string_new(NULL);
  for (int i = 0; i < 50000; i++)
    g_string_append_printf(text, "%d,\"a,\"\"%d\",%s\r\n", i, i, i % 3 ? "short" : "\"x\ny\"");
  Input in = { text->str, text->len, 0, 4099, false };
  Csv *csv = csv_new(read_piece, &in);
  const CsvCell *cells;
  uint32_t n;
  uint64_t line = 1;
  int i = 0, n_bad = 0;
  for (; csv_row(csv, &cells, &n) == CSV_ROW; i++) {
    g_autofree char *quoted = g_strdup_printf("a,\"%d", i);
    bool same = n == 3 && cells[1].len == strlen(quoted) &&
                memcmp(cells[1].text, quoted, cells[1].len) == 0 && csv_place(csv, 0).line == line;
    n_bad += !same;
    line += i % 3 ? 1 : 2;
  }
  CHECK_INT(i, 50000);
  CHECK_INT(n_bad, 0);
  csv_free(csv);
  g_string_free(text, TRUE);
}

TEST_MAIN({ "rows and cells", test_rows }, { "line ends", test_line_ends },
          { "quotes", test_quotes }, { "what is no row", test_bad },
          { "cells of each length", test_lengths }, { "limits", test_limits },
          { "a row too long", test_long_row }, { "lines, then rows", test_lines },
          { "many rows", test_many })
