/* Results of rccl-tests as CSV.  Older builds with MPI write the number of nodes into rows alone, after the name. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "coll-bench.h"
#include "kit/read/table-rows.h"

typedef struct Row {
  CollRow out;
  const char *name, *in_place;
  int64_t nodes, ranks, per_rank, gpus; /* -1: not said */
} Row;

enum { NAME, NODES, IN_PLACE, WHOLE = TABLE_LENIENT | TABLE_AS_REAL };
#define COUNT(f, title) TABLE_FIELD(Row, f, title, TABLE_INT, WHOLE, 0, INT64_MAX, -1)

static const TableField fields[] = {
  [NAME] = TABLE_FIELD(Row, name, "name|collective", TABLE_NAME, TABLE_TYPICAL, 0, 0, 0),
  [NODES] = COUNT(nodes, "nodes"),
  [IN_PLACE] = TABLE_FIELD(Row, in_place, "inplace", TABLE_NAME, TABLE_TYPICAL, 0, 0, 0),
  COUNT(ranks, "ranks"),
  COUNT(per_rank, "gpusperrank"),
  COUNT(gpus, "gpus"),
  TABLE_FIELD(Row, out.bytes, "size", TABLE_INT, WHOLE | TABLE_TYPICAL, 0, INT64_MAX, -1),
  TABLE_FIELD(Row, out.type, "type", TABLE_NAME, 0, 0, 0, 0),
  TABLE_FIELD(Row, out.redop, "redop", TABLE_NAME, 0, 0, 0, 0),
  TABLE_FIELD(Row, out.time_us, "time", TABLE_REAL, TABLE_LENIENT | TABLE_TYPICAL, 0, 0, 0),
  TABLE_FIELD(Row, out.algbw, "algbw", TABLE_REAL, TABLE_LENIENT, 0, 0, 0),
  TABLE_FIELD(Row, out.busbw, "busbw", TABLE_REAL, TABLE_LENIENT | TABLE_TYPICAL, 0, 0, 0),
  COUNT(out.wrong, "#wrong|wrong"),
};
static const TableRows rows = { fields, MILL_COUNT(fields), .few = 5 };
static const TableColumns columns = { &fields->column, sizeof *fields, MILL_COUNT(fields) };

static void add_row(Log *log, Row *row)
{
  const char *in_place = row->in_place ? row->in_place : "";
  row->out.collective = log_collective(log, row->name ? row->name : "");
  row->out.count = -1;
  row->out.in_place = !strcmp(in_place, "1") || !g_ascii_strcasecmp(in_place, "true");
  if (row->out.bytes < 0 || !(row->out.time_us > 0)) return;
  log_on_ranks(log, log_ranks(row->gpus, row->ranks, row->per_rank), row->nodes);
  g_array_append_val(log->rows, row->out);
}

typedef struct Reader {
  Log *log;
  uint32_t n_header;
  TableFound found;
  char **out_why;
  uint64_t *out_line;
} Reader;

/* Of a row that has the nodes behind its name, where the header has nothing. */
static uint32_t place_of(const TableFound *found, uint32_t field, bool shifted)
{
  uint32_t at = found->at[field], name = found->at[NAME];
  if (!shifted) return at;
  if (field == NODES) return name + 1;
  return at == TABLE_NO_CELL || at <= name ? at : at + 1;
}

static bool take(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  Reader *r = user;
  Row row;
  if (r->n_header == 0) {
    table_find(&columns, cells, n, &r->found);
    r->n_header = n;
    return true;
  }
  bool shifted = n == r->n_header + 1 && r->found.at[NODES] == TABLE_NO_CELL;
  if (n != r->n_header && !shifted) {
    *r->out_line = csv_place(csv, 0).line;
    *r->out_why = g_strdup_printf("a row has %u cells, and the header %u", n, r->n_header);
    return false;
  }
  r->log->lacks_nodes = r->log->lacks_nodes || shifted;
  for (uint32_t f = 0; f < columns.n; f++) {
    uint32_t at = place_of(&r->found, f, shifted);
    table_field_set(&fields[f], at == TABLE_NO_CELL ? NULL : &cells[at], r->log->names, &row);
  }
  add_row(r->log, &row);
  return true;
}

bool log_read_csv(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line)
{
  Reader r = { .log = log, .out_why = out_why, .out_line = out_line };
  CsvPlace place;
  if (!csv_each_row(text, len, take, &r, out_why, &place)) *out_line = place.line;
  return true;
}

bool log_is_csv(const char *text, size_t len) { return table_rows_are(&rows, text, len); }
