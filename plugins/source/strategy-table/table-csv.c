/* Lookup tables as rows: tables/allreduce-table.csv of a run. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-rows.h"
#include "strategy-table.h"

typedef struct Row {
  int64_t sm; /* -1: not said */
  Cell cell;
} Row;

enum { TYPICAL = TABLE_NEEDED | TABLE_TYPICAL };

static const TableField fields[] = {
  TABLE_FIELD(Row, sm, "sm", TABLE_INT, TYPICAL | TABLE_HOLES, 0, INT64_MAX, -1),
  TABLE_FIELD(Row, cell.tp, "tp", TABLE_INT, TYPICAL, 1, INT64_MAX, 0),
  TABLE_FIELD(Row, cell.fusion, "fusion", TABLE_NAME, TABLE_NEEDED, 0, 0, 0),
  TABLE_FIELD(Row, cell.hidden, "hidden_size", TABLE_INT, TYPICAL, 1, INT64_MAX, 0),
  TABLE_FIELD(Row, cell.tokens, "num_tokens", TABLE_INT, TABLE_NEEDED, 1, INT64_MAX, 0),
  TABLE_FIELD(Row, cell.strategy, "strategy", TABLE_NAME, TABLE_NEEDED, 0, 0, 0),
  TABLE_FIELD(Row, cell.number, "number", TABLE_INT, TABLE_NEEDED, 0, INT32_MAX, 0),
  TABLE_FIELD(Row, cell.source, "source", TABLE_NAME, 0, 0, 0, 0),
};
static const TableRows rows = { fields, MILL_COUNT(fields), .few = 6 };

typedef struct Reader {
  Tables *out;
  Row row;
} Reader;

bool table_csv_is(const char *text, size_t len) { return table_rows_are(&rows, text, len); }

/* Rows of one kind of GPUs are one table. */
static Table *table_of(const Tables *t, int64_t sm)
{
  for (guint i = 0; i < t->tables->len; i++)
    if (((Table *)t->tables->pdata[i])->sm == sm) return t->tables->pdata[i];
  return NULL;
}

static void take_row(void *user)
{
  Reader *r = user;
  Table *t = table_of(r->out, r->row.sm);
  if (!t) t = tables_add(r->out, r->row.sm);
  g_array_append_val(t->cells, r->row.cell);
}

bool table_csv_read(Tables *out, const char *text, size_t len)
{
  static const uint32_t numbers[] = { [TABLE_ROWS_NO_COLUMN] = ST_NO_COLUMN,
                                      [TABLE_ROWS_RAGGED] = ST_RAGGED,
                                      [TABLE_ROWS_BAD_CELL] = ST_BAD_CELL };
  Reader r = { .out = out };
  TableFault fault;
  if (!table_rows_read(&rows, text, len, out->names, &r.row, take_row, &r, &fault))
    return tables_fail(out, numbers[fault.kind], fault.line, fault.column, fault.what);
  if (out->tables->len) return true;
  return tables_fail(out, ST_NO_TABLE, 0, 0, g_strdup("the table has a header and no rows"));
}
