/* Results of rccl-tests as CSV.  Older builds with MPI write the number of nodes into rows alone, after the name. */
#include <math.h>
#include <string.h>

#include "coll-bench.h"
#include "kit/read/csv-input.h"

enum {
  NAME,
  NODES,
  RANKS,
  PER_RANK,
  GPUS,
  SIZE,
  TYPE,
  REDOP,
  IN_PLACE,
  TIME,
  ALGBW,
  BUSBW,
  WRONG,
  N_COLUMNS
};

static bool find_columns(const CsvCell *cells, uint32_t n, uint32_t *at)
{
  static const char *const names[N_COLUMNS] = { "name",  "nodes", "ranks", "gpusperrank", "gpus",
                                                "size",  "type",  "redop", "inplace",     "time",
                                                "algbw", "busbw", "#wrong" };
  for (uint32_t c = 0; c < N_COLUMNS; c++) at[c] = csv_column(cells, n, names[c]);
  if (at[NAME] == CSV_NO_COLUMN) at[NAME] = csv_column(cells, n, "collective");
  if (at[WRONG] == CSV_NO_COLUMN) at[WRONG] = csv_column(cells, n, "wrong");
  return at[NAME] != CSV_NO_COLUMN && at[SIZE] != CSV_NO_COLUMN && at[TIME] != CSV_NO_COLUMN &&
         at[BUSBW] != CSV_NO_COLUMN;
}

typedef struct Row {
  const CsvCell *cells;
  const uint32_t *at;
  bool shifted; /* the nodes are in the row alone */
} Row;

/* g_free; "" where there is no such column. */
static char *text_at(const Row *r, uint32_t column)
{
  uint32_t at = r->at[column];
  if (column == NODES && r->shifted)
    at = r->at[NAME] + 1;
  else if (at != CSV_NO_COLUMN && r->shifted && at > r->at[NAME])
    at++;
  if (at == CSV_NO_COLUMN) return g_strdup("");
  return g_strstrip(g_strndup(r->cells[at].text, r->cells[at].len));
}

static double number_at(const Row *r, uint32_t column)
{
  g_autofree char *text = text_at(r, column);
  return log_number(text);
}

static int64_t whole_at(const Row *r, uint32_t column, int64_t otherwise)
{
  double v = number_at(r, column);
  return v >= 0 && v < 9e18 ? (int64_t)v : otherwise;
}

static void take_row(Log *log, const Row *r)
{
  g_autofree char *name = text_at(r, NAME), *type = text_at(r, TYPE), *redop = text_at(r, REDOP);
  g_autofree char *in_place = text_at(r, IN_PLACE);
  CollRow row = { .collective = log_collective(log, name),
                  .type = *type ? g_string_chunk_insert_const(log->names, type) : NULL,
                  .redop = *redop ? g_string_chunk_insert_const(log->names, redop) : NULL,
                  .bytes = whole_at(r, SIZE, -1),
                  .count = -1,
                  .in_place = !strcmp(in_place, "1") || !g_ascii_strcasecmp(in_place, "true"),
                  .time_us = number_at(r, TIME),
                  .algbw = number_at(r, ALGBW),
                  .busbw = number_at(r, BUSBW),
                  .wrong = whole_at(r, WRONG, -1) };
  if (row.bytes < 0 || !(row.time_us > 0)) return;
  log_on_ranks(log,
               log_ranks(whole_at(r, GPUS, -1), whole_at(r, RANKS, -1), whole_at(r, PER_RANK, -1)),
               whole_at(r, NODES, -1));
  g_array_append_val(log->rows, row);
}

typedef struct Reader {
  Log *log;
  uint32_t n_header, at[N_COLUMNS];
  char **out_why;
  uint64_t *out_line;
} Reader;

static bool take(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Reader *r = user;
  if (r->n_header == 0) {
    find_columns(cells, n, r->at);
    r->n_header = n;
    return true;
  }
  bool shifted = n == r->n_header + 1 && r->at[NODES] == CSV_NO_COLUMN;
  if (n == r->n_header || shifted) {
    r->log->lacks_nodes = r->log->lacks_nodes || shifted;
    take_row(r->log, &(Row){ cells, r->at, shifted });
    return true;
  }
  *r->out_line = csv_place(csv, 0).line;
  *r->out_why = g_strdup_printf("a row has %u cells, and the header %u", n, r->n_header);
  return false;
}

bool log_read_csv(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line)
{
  Reader r = { .log = log, .out_why = out_why, .out_line = out_line };
  CsvPlace place;
  if (!csv_each_row(text, len, take, &r, out_why, &place)) *out_line = place.line;
  return true;
}

static bool see_header(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  uint32_t at[N_COLUMNS];
  bool *is = user;
  (void)csv;
  *is = find_columns(cells, n, at) && at[IN_PLACE] != CSV_NO_COLUMN;
  return false;
}

bool log_is_csv(const char *text, size_t len)
{
  bool is = false;
  csv_first_row(text, len, see_header, &is);
  return is;
}
