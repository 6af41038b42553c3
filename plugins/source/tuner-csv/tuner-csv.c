/* The tuner-csv source: measurements of collectives by algorithm and protocol, as the optimiser of NCCL's example
 * plugin takes them. */
#include <glib.h>
#include <math.h>
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
  NO_ROWS = 6,
  N_NOTICES = 6
};
enum {
  COLLECTIVE,
  ALGORITHM,
  PROTOCOL,
  N_NAMES,
  BYTES = N_NAMES,
  CHANNELS,
  NODES,
  RANKS,
  PIPE_OPS,
  REG_BUFF,
  N_FIXED,
  BANDWIDTH = N_FIXED,
  LATENCY,
  N_COLUMNS
};
#define NOWHERE UINT32_MAX

static const char *const titles[N_COLUMNS] = { "collective",     "algorithm", "protocol",
                                               "size_bytes",     "channels",  "nodes",
                                               "ranks",          "pipeOps",   "regBuff",
                                               "bandwidth_gbps", "latency_us" };

static const MillNotice notices[N_NOTICES] = {
  MILL_ERROR(EMPTY, "the input is empty", NULL,
             "The input has no text: the command that should have written the table failed, or the "
             "disk was full."),
  MILL_ERROR(
      NO_COLUMN, "the table lacks a column",
      "collective, size_bytes, algorithm, protocol and one of latency_us and bandwidth_gbps",
      "A measurement is of a collective, a size, an algorithm and a protocol. Channels, nodes, "
      "ranks, pipeOps and regBuff may be missing: then they are -1, any."),
  MILL_ERROR(RAGGED, "a row has more or fewer cells than the header", NULL,
             "Each row must have one cell for each column."),
  MILL_ERROR(BAD_CELL, "a cell does not hold a whole number", "sizes are from 0, others from -1",
             "Sizes, channels, nodes, ranks, pipeOps and regBuff are whole numbers."),
  MILL_ERROR(BAD_TEXT, "the text is not a table", NULL,
             "The rules of RFC 4180 are broken: a quote is not closed, or text follows one."),
  MILL_ERROR(NO_ROWS, "the table has no rows", NULL,
             "There is a header alone: the measurement was ended before its first result."),
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
  MillSym names[N_NAMES];
  int64_t ints[N_FIXED];
  double reals[N_COLUMNS]; /* NaN: no number */
} Source;

static int fail(const Source *s, uint32_t number, const CsvPlace *place, const char *what)
{
  return input_fail_at(s->host->common, notices, number, place ? place->line : 0,
                       place ? place->column : 0, what, NULL);
}

static uint32_t find_columns(const CsvCell *cells, uint32_t n, uint32_t *at)
{
  uint32_t found = 0;
  for (uint32_t c = 0; c < N_COLUMNS; c++) {
    at[c] = NOWHERE;
    for (uint32_t i = 0; i < n; i++)
      if (cells[i].len == strlen(titles[c]) &&
          !g_ascii_strncasecmp(cells[i].text, titles[c], cells[i].len))
        at[c] = i;
    found += at[c] != NOWHERE;
  }
  return found;
}

static const char *missing(const uint32_t *at)
{
  for (uint32_t c = 0; c <= BYTES; c++)
    if (at[c] == NOWHERE) return titles[c];
  return at[BANDWIDTH] == NOWHERE && at[LATENCY] == NOWHERE ? titles[LATENCY] : NULL;
}

static int take_header(Source *s, const CsvCell *cells, uint32_t n)
{
  CsvPlace place = csv_place(s->csv, 0);
  s->begun = true;
  s->n_cells = n;
  find_columns(cells, n, s->at);
  const char *name = missing(s->at);
  if (!name) return 0;
  g_autofree char *what = g_strdup_printf("the table has no column %s", name);
  return fail(s, NO_COLUMN, &place, what);
}

static char *text_of(const Source *s, const CsvCell *cells, uint32_t column)
{
  const CsvCell *cell = s->at[column] == NOWHERE ? NULL : &cells[s->at[column]];
  return cell ? g_strstrip(g_strndup(cell->text, cell->len)) : g_strdup("");
}

static int take_int(Source *s, const CsvCell *cells, uint32_t column)
{
  g_autofree char *text = text_of(s, cells, column);
  s->ints[column] = -1;
  if (!*text && column != BYTES) return 0;
  if (num_int(text, strlen(text), &s->ints[column]) &&
      s->ints[column] >= (column == BYTES ? 0 : -1) &&
      (column == BYTES || s->ints[column] <= INT32_MAX))
    return 0;
  CsvPlace place = csv_place(s->csv, cells[s->at[column]].at);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autofree char *what =
      g_strdup_printf("%s is not a whole number: \"%.60s\"", titles[column], valid);
  return fail(s, BAD_CELL, &place, what);
}

static int read_row(Source *s, const CsvCell *cells, uint32_t n)
{
  int status = 0;
  CsvPlace place = csv_place(s->csv, cells[MIN(n, s->n_cells + 1) - 1].at);
  if (n != s->n_cells) return fail(s, RAGGED, &place, NULL);
  for (uint32_t i = 0; i < n; i++) /* texts end there */
    if (memchr(cells[i].text, 0, cells[i].len))
      return fail(s, BAD_TEXT, &place, "a cell holds a NUL byte");
  for (uint32_t c = 0; c < N_NAMES; c++) {
    g_autofree char *text = text_of(s, cells, c);
    s->names[c] = record_symbol(s->host->common, text);
  }
  for (uint32_t c = BYTES; c < N_FIXED && status == 0; c++) status = take_int(s, cells, c);
  for (uint32_t c = N_FIXED; c < N_COLUMNS; c++) {
    g_autofree char *text = text_of(s, cells, c);
    if (!num_real(text, strlen(text), &s->reals[c])) s->reals[c] = (double)NAN;
  }
  s->n_rows++;
  return status;
}

static bool give_row(Source *s, MillBatch *b)
{
  if (!record_begin(&s->writer, b, s->record, N_COLUMNS)) return false;
  for (uint32_t c = 0; c < N_NAMES; c++) {
    MillAttr *a = s->names[c] ? record_attr(&s->writer, b, c, MILL_SYM) : NULL;
    if (a) a->u.sym = s->names[c];
  }
  for (uint32_t c = BYTES; c < N_FIXED; c++) record_int(&s->writer, b, c, s->ints[c]);
  for (uint32_t c = N_FIXED; c < N_COLUMNS; c++)
    if (isfinite(s->reals[c])) record_real(&s->writer, b, c, s->reals[c]);
  return true;
}

static int end(const Source *s)
{
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
  CsvPlace place = csv_error_place(s->csv);
  if (status == CSV_BAD) return fail(s, BAD_TEXT, &place, csv_error(s->csv));
  return status == CSV_READ_FAILED ? (int)csv_read_status(s->csv) : end(s);
}

/* ------------------------------------------------------------------ source */

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)name;
  CsvBytes head = { bytes, len };
  TextReader text;
  const CsvCell *cells;
  uint32_t n, at[N_COLUMNS], found = 0;
  text_reader_init(&text, csv_read_bytes, &head);
  Csv *csv = csv_new(text_reader_read, &text);
  if (csv_row(csv, &cells, &n) == CSV_ROW) found = find_columns(cells, n, at);
  csv_free(csv);
  text_reader_clear(&text);
  bool typical = found >= 4 && at[ALGORITHM] != NOWHERE && at[PROTOCOL] != NOWHERE;
  return !typical ? 0 : missing(at) ? 40 : 95;
}

static int64_t read_bytes(void *user, char *buffer, size_t max)
{
  const MillSourceHost *host = user;
  return host->read(host, buffer, max);
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
  static const char *const keys[N_COLUMNS] = { "collective", "algorithm", "protocol", "bytes",
                                               "channels",   "nodes",     "ranks",    "pipe_ops",
                                               "reg_buff",   "bandwidth", "time_us" };
  Source *s = instance;
  text_reader_init(&s->text, read_bytes, (void *)s->host);
  s->csv = csv_new(text_reader_read, &s->text);
  record_init(&s->writer, s->host, keys, N_COLUMNS);
  s->record = record_symbol(s->host->common, "tuner.row");
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  csv_free(s->csv);
  text_reader_clear(&s->text);
}

static const char *const provides[] = { "input.tuner", NULL };

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
  .name = "tuner-csv",
  .version = "0.1.0",
  .tag = "TCSV",
  .title = "Measurements of collectives by algorithm and protocol (CSV)",
  .help =
      "Reads what the optimiser of NCCL's example plugin takes: collective,size_bytes,algorithm,"
      "protocol,channels,nodes,ranks,pipeOps,regBuff,bandwidth_gbps,latency_us.",
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
