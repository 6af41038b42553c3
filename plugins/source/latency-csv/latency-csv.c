/* The latency-csv source: what probes add to the time of a program, against another profiler. */
#include <glib.h>
#include <stagemill/source.h>
#include <string.h>

#include "base/num.h"
#include "lib/csv-input.h"
#include "lib/input.h"
#include "lib/record.h"

enum {
  EMPTY = 1,
  NO_COLUMN = 2,
  RAGGED = 3,
  BAD_CELL = 4,
  BAD_TEXT = 5,
  ZERO = 6,
  NO_ROWS = 7,
  N_NOTICES = 7
};
enum { PROBE, ORIGINAL, NCU, NEUTRINO, PROLOGUE, KERNEL, EPILOGUE, N_COLUMNS };

static const char *const titles[N_COLUMNS] = { "probe",    "original", "ncu",     "neutrino",
                                               "prologue", "kernel",   "epilogue" };

static const MillNotice notices[N_NOTICES] = {
  MILL_ERROR(
      EMPTY, "the input is empty", NULL,
      "The input has no text: what should have written the table failed, or the disk was full."),
  MILL_ERROR(
      NO_COLUMN, "the table lacks a column",
      "probe, original, ncu, neutrino, prologue, kernel, epilogue",
      "Each row is a probe: the time of the program without it, with the other profiler, with the "
      "probe, and the three parts of the last, all in one unit."),
  MILL_ERROR(RAGGED, "a row has more or fewer cells than the header", NULL,
             "Each row must have one cell for each column."),
  MILL_ERROR(BAD_CELL, "a cell does not hold a number", NULL,
             "All columns but probe hold numbers that are not negative."),
  MILL_ERROR(BAD_TEXT, "the text is not a table", NULL,
             "The rules of RFC 4180 are broken: a quote is not closed, or text follows one."),
  MILL_ERROR(ZERO, "a time is 0 by which others are divided", NULL,
             "Times are shown over the original one, and shares of that with the probe: neither "
             "can be 0."),
  MILL_ERROR(NO_ROWS, "the table has no rows", NULL,
             "There is a header alone: what measured the probes ended before its first result."),
};

typedef struct Source {
  const MillSourceHost *host;
  CsvInput in;
  RecordWriter writer;
  MillSym record;
  uint32_t n_cells, at[N_COLUMNS];
  char *probe; /* of the row at hand */
  double values[N_COLUMNS];
} Source;

static int fail(const Source *s, uint32_t number, const CsvPlace *place, const char *what)
{
  return input_fail_at(s->host->common, notices, number, place->line, place->column, what, NULL);
}

static bool is_title(const CsvCell *cell, const char *title)
{
  g_autofree char *text = g_strstrip(g_strndup(cell->text, cell->len));
  return !g_ascii_strcasecmp(text, title);
}

static uint32_t find_columns(const CsvCell *cells, uint32_t n, uint32_t *at)
{
  uint32_t found = 0;
  for (uint32_t c = 0; c < N_COLUMNS; c++) {
    at[c] = CSV_NO_COLUMN;
    for (uint32_t i = n; i-- > 0;)
      if (is_title(&cells[i], titles[c])) at[c] = i;
    found += at[c] != CSV_NO_COLUMN;
  }
  return found;
}

static int take_header(void *instance, const CsvCell *cells, uint32_t n)
{
  Source *s = instance;
  CsvPlace place = csv_place(s->in.csv, 0);
  s->n_cells = n;
  if (find_columns(cells, n, s->at) == N_COLUMNS) return 1;
  uint32_t c = 0;
  while (s->at[c] != CSV_NO_COLUMN) c++;
  g_autofree char *what = g_strdup_printf("the table has no column %s", titles[c]);
  return fail(s, NO_COLUMN, &place, what);
}

static int take_row(void *instance, const CsvCell *cells, uint32_t n)
{
  Source *s = instance;
  CsvPlace place = csv_place(s->in.csv, 0);
  if (n != s->n_cells) return fail(s, RAGGED, &place, NULL);
  g_free(s->probe);
  s->probe = g_strstrip(g_strndup(cells[s->at[PROBE]].text, cells[s->at[PROBE]].len));
  for (uint32_t c = ORIGINAL; c < N_COLUMNS; c++) {
    const CsvCell *cell = &cells[s->at[c]];
    g_autofree char *text = g_strstrip(g_strndup(cell->text, cell->len));
    place = csv_place(s->in.csv, cell->at);
    g_autofree char *valid = g_utf8_make_valid(text, (gssize)MIN(strlen(text), 60));
    g_autofree char *what = g_strdup_printf("%s is not a time: \"%s\"", titles[c], valid);
    if (!num_real(text, strlen(text), &s->values[c]) || s->values[c] < 0)
      return fail(s, BAD_CELL, &place, what);
    g_autofree char *zero = g_strdup_printf("%s is 0", titles[c]);
    if ((c == ORIGINAL || c == NEUTRINO) && s->values[c] == 0) return fail(s, ZERO, &place, zero);
  }
  return 1;
}

static bool give_row(void *instance, MillBatch *b)
{
  Source *s = instance;
  if (!record_begin(&s->writer, b, s->record, N_COLUMNS)) return false;
  record_text(&s->writer, b, PROBE, s->probe, strlen(s->probe));
  for (uint32_t c = ORIGINAL; c < N_COLUMNS; c++) record_real(&s->writer, b, c, s->values[c]);
  return true;
}

static int next(void *instance, MillBatch *b)
{
  static const CsvWork work = {
    take_header, take_row, give_row, notices, BAD_TEXT, EMPTY, NO_ROWS
  };
  return csv_input_next(&((Source *)instance)->in, &work, instance, b);
}

/* ---------------------------------------------------------- the descriptor */

static bool count_columns(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  uint32_t at[N_COLUMNS], *found = user;
  (void)csv;
  *found = find_columns(cells, n, at);
  return false;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  uint32_t found = 0;
  (void)self, (void)name;
  csv_first_row_of(bytes, len, count_columns, &found);
  return found == N_COLUMNS ? 95 : found >= 5 ? 60 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  *out_instance = s;
  return 0;
}

static int describe(void *instance)
{
  input_tag_file(((const Source *)instance)->host);
  return 0;
}

static int start(void *instance)
{
  Source *s = instance;
  csv_input_open(&s->in, s->host);
  record_init(&s->writer, s->host, titles, N_COLUMNS);
  s->record = record_symbol(s->host->common, "probe.latency");
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  csv_input_close(&s->in);
  g_free(s->probe);
}

static const char *const provides[] = { "input.probe", "probe.latency", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "latency-csv",
  .version = "1.0.0",
  .tag = "LATCSV",
  .title = "What probes add to the time of a program",
  .help = "Reads tables with the columns probe, original, ncu, neutrino, prologue, kernel and "
          "epilogue, "
          "in any order; other columns are ignored.",
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
