/* The xlsx sink alone, over a table of ROWS x 10 cells that is made up row by row: workbook ROWS FILE. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/fake-host.h"

static FILE *file;
static MillValue cells[10];
static char name[32];

static int write_file(const MillSinkHost *host, const char *output, const char *join,
                      const void *bytes, size_t len)
{
  (void)host, (void)output, (void)join;
  return fwrite(bytes, 1, len, file) == len ? 0 : -MILL_OUTPUT_FAILED;
}

/* As books.py has it. */
static const MillValue *make_row(const MillResults *r, uint32_t table, uint64_t row)
{
  (void)r, (void)table;
  int len = snprintf(name, sizeof name, "kernel %u", (unsigned)(row % 1000));
  cells[0] = mill_text(name, (uint32_t)len);
  for (int i = 1; i < 5; i++) cells[i] = mill_int((int64_t)row * 7919 + i);
  for (int i = 5; i < 10; i++) cells[i] = mill_real((double)row * 1.37 + i);
  return cells;
}

int main(int argc, char **argv)
{
  static const MillColumn columns[10] = {
    MILL_CELL_COLUMN("name", NULL, MILL_TEXT, MILL_COLUMN_KEY, NULL),
    MILL_CELL_COLUMN("a", "ns", MILL_INT, 0, NULL),
    MILL_CELL_COLUMN("b", "ns", MILL_INT, 0, NULL),
    MILL_CELL_COLUMN("c", "ns", MILL_INT, 0, NULL),
    MILL_CELL_COLUMN("d", "ns", MILL_INT, 0, NULL),
    MILL_CELL_COLUMN("e", NULL, MILL_REAL, 0, NULL),
    MILL_CELL_COLUMN("f", NULL, MILL_REAL, 0, NULL),
    MILL_CELL_COLUMN("g", NULL, MILL_REAL, 0, NULL),
    MILL_CELL_COLUMN("h", NULL, MILL_REAL, 0, NULL),
    MILL_CELL_COLUMN("i", NULL, MILL_REAL, 0, NULL),
  };
  static const MillTable table = { .name = "t", .columns = MILL_ROWS(columns) };
  if (argc != 3 || !(file = fopen(argv[2], "wb"))) return 2;
  FakeTable one = { &table, "t", table.columns, NULL, strtoull(argv[1], NULL, 10) };
  FakeResults r = { .tables = &one, .results.n_tables = 1 };
  FakeHost fake;
  void *instance;
  fake_results_init(&r);
  r.results.row = make_row;
  fake_host_init(&fake, NULL, 0, MILL_NO_LANE);
  fake.sink.output = write_file;
  if (fake_host_open(&fake, NULL, &instance) < 0) return 1;
  int status = sink_under_test()->ops->results(instance, &r.results);
  return fclose(file) || status ? 1 : 0;
}
