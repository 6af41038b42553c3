/* The tuner-csv source: measurements of collectives by algorithm and protocol, as the optimiser of NCCL's example
 * plugin takes them. */
#include <glib.h>
#include <math.h>
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
  CsvInput in;
  RecordWriter writer;
  MillSym record;
  uint32_t n_cells, at[N_COLUMNS];
  MillSym names[N_NAMES];
  int64_t ints[N_FIXED];
  double reals[N_COLUMNS]; /* NaN: no number */
} Source;

static int fail(const Source *s, uint32_t number, const CsvPlace *place, const char *what)
{
  return input_fail_at(s->host->common, notices, number, place->line, place->column, what, NULL);
}

static uint32_t find_columns(const CsvCell *cells, uint32_t n, uint32_t *at)
{
  uint32_t found = 0;
  for (uint32_t c = 0; c < N_COLUMNS; c++) {
    at[c] = csv_column(cells, n, titles[c]);
    found += at[c] != CSV_NO_COLUMN;
  }
  return found;
}

static const char *missing(const uint32_t *at)
{
  for (uint32_t c = 0; c <= BYTES; c++)
    if (at[c] == CSV_NO_COLUMN) return titles[c];
  return at[BANDWIDTH] == CSV_NO_COLUMN && at[LATENCY] == CSV_NO_COLUMN ? titles[LATENCY] : NULL;
}

static int take_header(void *instance, const CsvCell *cells, uint32_t n)
{
  Source *s = instance;
  CsvPlace place = csv_place(s->in.csv, 0);
  s->n_cells = n;
  find_columns(cells, n, s->at);
  const char *name = missing(s->at);
  if (!name) return 1;
  g_autofree char *what = g_strdup_printf("the table has no column %s", name);
  return fail(s, NO_COLUMN, &place, what);
}

static char *text_of(const Source *s, const CsvCell *cells, uint32_t column)
{
  const CsvCell *cell = s->at[column] == CSV_NO_COLUMN ? NULL : &cells[s->at[column]];
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
  CsvPlace place = csv_place(s->in.csv, cells[s->at[column]].at);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autofree char *what =
      g_strdup_printf("%s is not a whole number: \"%.60s\"", titles[column], valid);
  return fail(s, BAD_CELL, &place, what);
}

static int take_row(void *instance, const CsvCell *cells, uint32_t n)
{
  Source *s = instance;
  int status = 0;
  CsvPlace place = csv_place(s->in.csv, cells[MIN(n, s->n_cells + 1) - 1].at);
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
  return status < 0 ? status : 1;
}

static bool give_row(void *instance, MillBatch *b)
{
  Source *s = instance;
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

static int next(void *instance, MillBatch *b)
{
  static const CsvWork work = {
    take_header, take_row, give_row, notices, BAD_TEXT, EMPTY, NO_ROWS
  };
  return csv_input_next(&((Source *)instance)->in, &work, instance, b);
}

/* ------------------------------------------------------------------ source */

static bool weigh(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  uint32_t at[N_COLUMNS], found = find_columns(cells, n, at);
  int *sure = user;
  (void)csv;
  bool typical = found >= 4 && at[ALGORITHM] != CSV_NO_COLUMN && at[PROTOCOL] != CSV_NO_COLUMN;
  *sure = !typical ? 0 : missing(at) ? 40 : 95;
  return false;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  int sure = 0;
  (void)self, (void)name;
  csv_first_row_of(bytes, len, weigh, &sure);
  return sure;
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
  csv_input_open(&s->in, s->host);
  record_init(&s->writer, s->host, keys, N_COLUMNS);
  s->record = record_symbol(s->host->common, "tuner.row");
  return 0;
}

static void close_source(void *instance) { csv_input_close(&((Source *)instance)->in); }

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
