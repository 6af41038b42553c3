/* The latency-csv source: what probes add to the time of a program, against another profiler. */
#include <glib.h>
#include <stagemill/source.h>
#include <string.h>

#include "base/num.h"
#include "lib/csv.h"
#include "lib/encoding.h"
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
#define NOWHERE UINT32_MAX

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
  TextReader text;
  Csv *csv;
  RecordWriter writer;
  MillSym record;
  bool begun, waiting;
  uint32_t n_cells, at[N_COLUMNS];
  uint64_t n_rows;
  char *probe; /* of the row at hand */
  double values[N_COLUMNS];
} Source;

static int fail(const Source *s, uint32_t number, const CsvPlace *place, const char *what)
{
  MillLane lane = { .size = sizeof lane };
  s->host->common->lane(s->host->common, MILL_NO_LANE, &lane);
  g_autofree char *where = place ? input_place(lane.name, place->line, place->column) : NULL;
  return input_fail(s->host->common, notices, number, MILL_BAD_INPUT, what, where, NULL);
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
    at[c] = NOWHERE;
    for (uint32_t i = n; i-- > 0;)
      if (is_title(&cells[i], titles[c])) at[c] = i;
    found += at[c] != NOWHERE;
  }
  return found;
}

static int take_header(Source *s, const CsvCell *cells, uint32_t n)
{
  CsvPlace place = csv_place(s->csv, 0);
  s->begun = true;
  s->n_cells = n;
  if (find_columns(cells, n, s->at) == N_COLUMNS) return 0;
  uint32_t c = 0;
  while (s->at[c] != NOWHERE) c++;
  g_autofree char *what = g_strdup_printf("the table has no column %s", titles[c]);
  return fail(s, NO_COLUMN, &place, what);
}

static int read_row(Source *s, const CsvCell *cells, uint32_t n)
{
  CsvPlace place = csv_place(s->csv, 0);
  if (n != s->n_cells) return fail(s, RAGGED, &place, NULL);
  g_free(s->probe);
  s->probe = g_strstrip(g_strndup(cells[s->at[PROBE]].text, cells[s->at[PROBE]].len));
  for (uint32_t c = ORIGINAL; c < N_COLUMNS; c++) {
    const CsvCell *cell = &cells[s->at[c]];
    g_autofree char *text = g_strstrip(g_strndup(cell->text, cell->len));
    place = csv_place(s->csv, cell->at);
    g_autofree char *valid = g_utf8_make_valid(text, (gssize)MIN(strlen(text), 60));
    g_autofree char *what = g_strdup_printf("%s is not a time: \"%s\"", titles[c], valid);
    if (!num_real(text, strlen(text), &s->values[c]) || s->values[c] < 0)
      return fail(s, BAD_CELL, &place, what);
    g_autofree char *zero = g_strdup_printf("%s is 0", titles[c]);
    if ((c == ORIGINAL || c == NEUTRINO) && s->values[c] == 0) return fail(s, ZERO, &place, zero);
  }
  s->n_rows++;
  return 0;
}

static bool give_row(Source *s, MillBatch *b)
{
  if (!record_begin(&s->writer, b, s->record, N_COLUMNS)) return false;
  record_text(&s->writer, b, PROBE, s->probe, strlen(s->probe));
  for (uint32_t c = ORIGINAL; c < N_COLUMNS; c++) record_real(&s->writer, b, c, s->values[c]);
  return true;
}

static int finish(const Source *s, CsvStatus status)
{
  CsvPlace place = csv_error_place(s->csv);
  if (status == CSV_BAD) return fail(s, BAD_TEXT, &place, csv_error(s->csv));
  if (status == CSV_READ_FAILED) return (int)csv_read_status(s->csv);
  if (!s->begun) return fail(s, EMPTY, NULL, NULL);
  return s->n_rows ? MILL_NEXT_END : fail(s, NO_ROWS, NULL, NULL);
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  const CsvCell *cells;
  uint32_t n;
  CsvStatus status;
  if (s->waiting && !give_row(s, b)) return MILL_NEXT_MORE;
  s->waiting = false;
  while ((status = csv_row(s->csv, &cells, &n)) == CSV_ROW) {
    if (n == 1 && cells[0].len == 0) continue;
    int failed = s->begun ? read_row(s, cells, n) : take_header(s, cells, n);
    if (failed < 0) return failed;
    s->waiting = s->n_rows > 0 && !give_row(s, b);
    if (s->waiting) return MILL_NEXT_MORE;
  }
  return finish(s, status);
}

/* ---------------------------------------------------------- the descriptor */

static int64_t read_input(void *user, char *buffer, size_t max)
{
  const Source *s = user;
  return s->host->read(s->host, buffer, max);
}

typedef struct Head {
  const char *bytes;
  size_t len;
} Head;

static int64_t read_head(void *user, char *buffer, size_t max)
{
  Head *h = user;
  size_t n = MIN(max, h->len);
  memcpy(buffer, h->bytes, n);
  h->bytes += n;
  h->len -= n;
  return (int64_t)n;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  Head head = { bytes, len };
  TextReader text;
  const CsvCell *cells;
  uint32_t n, at[N_COLUMNS], found = 0;
  (void)self, (void)name;
  text_reader_init(&text, read_head, &head);
  Csv *csv = csv_new(text_reader_read, &text);
  if (csv_row(csv, &cells, &n) == CSV_ROW) found = find_columns(cells, n, at);
  csv_free(csv);
  text_reader_clear(&text);
  return found == N_COLUMNS ? 95 : found >= 5 ? 60 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  text_reader_init(&s->text, read_input, s);
  s->csv = csv_new(text_reader_read, &s->text);
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
  record_init(&s->writer, s->host, titles, N_COLUMNS);
  s->record = record_symbol(s->host->common, "probe.latency");
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  csv_free(s->csv);
  text_reader_clear(&s->text);
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
