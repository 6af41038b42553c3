/* Declared tables in text that is at hand. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-rows.h"

#include "check.h"

typedef struct Row {
  int64_t sm, tp;
  const char *name;
} Row;

static const TableField fields[] = {
  TABLE_FIELD(Row, sm, "sm", TABLE_INT, TABLE_NEEDED | TABLE_TYPICAL | TABLE_HOLES, 0, 200, -1),
  TABLE_FIELD(Row, tp, "tp", TABLE_INT, TABLE_NEEDED, 1, 8, 0),
  TABLE_FIELD(Row, name, "name", TABLE_NAME, 0, 0, 0, 0),
};
static const TableRows rows = { fields, MILL_COUNT(fields), .few = 2 };

typedef struct Seen {
  Row row, at[4];
  uint32_t n;
} Seen;

static void take(void *user)
{
  Seen *s = user;
  if (s->n < 4) s->at[s->n++] = s->row;
}

static bool read_rows(Seen *s, const char *text, TableFault *fault)
{
  static GStringChunk *names;
  if (!names) names = g_string_chunk_new(64);
  *s = (Seen){ .n = 0 };
  return table_rows_read(&rows, text, strlen(text), names, &s->row, take, s, fault);
}

static void test_rows(void)
{
  Seen s;
  TableFault fault;
  CHECK(read_rows(&s, "\xef\xbb\xbfName,TP,sm\nring,8,90\n,1,\n", &fault));
  CHECK_INT(s.n, 2);
  CHECK(s.at[0].sm == 90 && s.at[0].tp == 8);
  CHECK_STR(s.at[0].name, "ring");
  CHECK(s.at[1].sm == -1 && s.at[1].tp == 1 && !s.at[1].name);
  CHECK(read_rows(&s, "tp,sm\n2,100\n", &fault) && s.n == 1 && !s.at[0].name);
}

static void test_faults(void)
{
  static const struct {
    const char *text;
    uint32_t kind;
    uint64_t line, column;
    const char *what;
  } all[] = {
    { "sm,name\n", TABLE_ROWS_NO_COLUMN, 1, 1, "the table has no column tp" },
    { "sm,tp\n90,1,2\n", TABLE_ROWS_RAGGED, 2, 6, "a row has 3 cells, and the header 2" },
    { "sm,tp\n90,9\n", TABLE_ROWS_BAD_CELL, 2, 4, "tp is not a whole number: \"9\"" },
    { "sm,tp\n90,\n", TABLE_ROWS_BAD_CELL, 2, 4, "tp is not a whole number: \"\"" },
  };
  Seen s;
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
    TableFault fault = { 0 };
    bool fine = CHECK(!read_rows(&s, all[i].text, &fault)) && CHECK_INT(fault.kind, all[i].kind) &&
                CHECK_INT(fault.line, all[i].line) && CHECK_INT(fault.column, all[i].column) &&
                CHECK_STR(fault.what, all[i].what);
    if (!fine) CHECK_ROW(all[i].text);
    g_free(fault.what);
  }
}

/* It would end the text: "\0" would be an empty cell. */
static void test_nul(void)
{
  static const char text[] = "sm,tp\n\0,1\n";
  Seen s = { .n = 0 };
  TableFault fault = { 0 };
  g_autoptr(GStringChunk) names = g_string_chunk_new(64);
  CHECK(!table_rows_read(&rows, text, sizeof text - 1, names, &s.row, take, &s, &fault));
  CHECK_INT(fault.kind, TABLE_ROWS_BAD_CELL);
  CHECK(fault.line == 2 && fault.column == 1 && s.n == 0);
  CHECK_STR(fault.what, "a cell holds a NUL byte");
  g_free(fault.what);
}

static void test_headers(void)
{
  CHECK(table_rows_are(&rows, "tp,sm\n", 6) && table_rows_are(&rows, "SM,name\n", 8));
  CHECK(!table_rows_are(&rows, "tp,name\n", 8) && !table_rows_are(&rows, "sm,x\n", 5));
}

TEST_MAIN({ "rows", test_rows }, { "faults", test_faults }, { "NUL", test_nul },
          { "headers", test_headers })
