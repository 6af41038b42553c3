/* Results of rccl-tests as CSV.  Older builds with MPI write the number of nodes into rows alone, after the name. */
#include <math.h>
#include <string.h>

#include "coll-bench.h"
#include "lib/csv.h"

enum { NAME, NODES, RANKS, SIZE, TYPE, REDOP, IN_PLACE, TIME, ALGBW, BUSBW, WRONG, N_COLUMNS };
#define NOWHERE UINT32_MAX

static uint32_t find(const CsvCell *cells, uint32_t n, const char *name)
{
  for (uint32_t i = 0; i < n; i++)
    if (cells[i].len == strlen(name) && !g_ascii_strncasecmp(cells[i].text, name, cells[i].len))
      return i;
  return NOWHERE;
}

static bool find_columns(const CsvCell *cells, uint32_t n, uint32_t *at)
{
  static const char *const names[N_COLUMNS] = { "name",  "nodes", "ranks",   "size",
                                                "type",  "redop", "inplace", "time",
                                                "algbw", "busbw", "#wrong" };
  for (uint32_t c = 0; c < N_COLUMNS; c++) at[c] = find(cells, n, names[c]);
  if (at[NAME] == NOWHERE) at[NAME] = find(cells, n, "collective");
  if (at[WRONG] == NOWHERE) at[WRONG] = find(cells, n, "wrong");
  return at[NAME] != NOWHERE && at[SIZE] != NOWHERE && at[TIME] != NOWHERE && at[BUSBW] != NOWHERE;
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
  else if (at != NOWHERE && r->shifted && at > r->at[NAME])
    at++;
  if (at == NOWHERE) return g_strdup("");
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
  log->ranks = whole_at(r, RANKS, log->ranks);
  log->nodes = whole_at(r, NODES, log->nodes);
  log->complete = true; /* it has no footer */
  g_array_append_val(log->rows, row);
}

bool log_read_csv(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line)
{
  CsvBytes head = { text, len };
  Csv *csv = csv_new(csv_read_bytes, &head);
  const CsvCell *cells;
  uint32_t n, n_header = 0, at[N_COLUMNS];
  CsvStatus status;
  while (!*out_why && (status = csv_row(csv, &cells, &n)) == CSV_ROW) {
    bool shifted = n == n_header + 1 && at[NODES] == NOWHERE;
    if (n == 1 && cells[0].len == 0) continue;
    if (n_header == 0) {
      find_columns(cells, n, at);
      n_header = n;
    } else if (n == n_header || shifted) {
      log->lacks_nodes = log->lacks_nodes || shifted;
      take_row(log, &(Row){ cells, at, shifted });
    } else {
      *out_line = csv_place(csv, 0).line;
      *out_why = g_strdup_printf("a row has %u cells, and the header %u", n, n_header);
    }
  }
  if (!*out_why && status == CSV_BAD) {
    *out_line = csv_error_place(csv).line;
    *out_why = g_strdup(csv_error(csv));
  }
  csv_free(csv);
  return true;
}

bool log_is_csv(const char *text, size_t len)
{
  CsvBytes head = { text, len };
  Csv *csv = csv_new(csv_read_bytes, &head);
  const CsvCell *cells;
  uint32_t n, at[N_COLUMNS];
  bool is =
      csv_row(csv, &cells, &n) == CSV_ROW && find_columns(cells, n, at) && at[IN_PLACE] != NOWHERE;
  csv_free(csv);
  return is;
}
