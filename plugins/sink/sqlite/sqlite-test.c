/* The sqlite sink: tables, types, names, failures of the library. */
/* SPDX-License-Identifier: MIT */
#include <sqlite3.h>

#include "check.h"
#include "fake-run.h"

static const struct {
  const char *file;
} usual = { "results.sqlite" };

typedef struct Made {
  FakeHost fake;
  sqlite3 *db;
} Made;

static Made make(const FakeResults *r)
{
  Made m = { .db = NULL };
  fake_host_init(&m.fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake_run_write(&m.fake, r, &usual);
  fake_host_take_placed(&m.fake);
  const GString *file = fake_output_bytes(&m.fake, "results.sqlite");
  if (!CHECK(file && file->len)) return m;
  CHECK_INT(sqlite3_open(":memory:", &m.db), SQLITE_OK);
  CHECK_INT(sqlite3_deserialize(m.db, "main", (unsigned char *)file->str, (sqlite3_int64)file->len,
                                (sqlite3_int64)file->len, SQLITE_DESERIALIZE_READONLY),
            SQLITE_OK);
  return m;
}

static void drop(Made *m)
{
  sqlite3_close(m->db);
  fake_host_clear(&m->fake);
}

/* Rows of a query: cells as SQLite quotes them, "|" between them, ";" after each row. */
static void check_rows(const Made *m, const char *sql, const char *wanted)
{
  g_autoptr(GString) got = g_string_new(NULL);
  sqlite3_stmt *query = NULL;
  CHECK_INT(sqlite3_prepare_v2(m->db, sql, -1, &query, NULL), SQLITE_OK);
  while (sqlite3_step(query) == SQLITE_ROW) {
    for (int c = 0; c < sqlite3_column_count(query); c++)
      g_string_append_printf(got, "%s%s", c ? "|" : "",
                             (const char *)sqlite3_column_text(query, c));
    g_string_append_c(got, ';');
  }
  sqlite3_finalize(query);
  if (!CHECK_STR(got->str, wanted)) CHECK_ROW(sql);
}

static void test_run(void)
{
  FakeResults r;
  fake_run_init(&r);
  Made m = make(&r);
  check_rows(&m, "PRAGMA integrity_check", "ok;");
  check_rows(&m, "SELECT name FROM sqlite_master ORDER BY name",
             "../silent;_column;_metric;_notice;_run;busy-time;kernel-time;");
  check_rows(
      &m,
      "SELECT quote(total_ns), quote(share_percent), quote(traffic_bytes), quote(hidden) FROM "
      "\"kernel-time\"",
      "12345678|41.04|3145728|1;999|0.1|0|0;-5|NULL|9223372036854775807|NULL;0|1.0e+300|1|NULL;");
  check_rows(&m, "SELECT quote(name) FROM \"kernel-time\" LIMIT 1", "'=cmd|'' /C calc''!A0';");
  check_rows(&m, "SELECT name FROM \"kernel-time\" WHERE total_ns = 999",
             "\033[31mred\a \xc2\x9b \xe2\x80\xae end\xef\xbf\xbd;");
  check_rows(&m, "SELECT name, type FROM pragma_table_info('kernel-time')",
             "name|TEXT;total_ns|INTEGER;share_percent|REAL;calls|INTEGER;traffic_bytes|INTEGER;"
             "hidden|INTEGER;");
  check_rows(&m, "SELECT count(*) FROM \"../silent\"", "0;");
  drop(&m);
}

static void test_about(void)
{
  FakeResults r;
  fake_run_init(&r);
  Made m = make(&r);
  check_rows(&m, "SELECT * FROM _run",
             "program|stagemill;version|0.1.0;profile|kernels;tags|model,threads;");
  check_rows(
      &m,
      "SELECT name, quote(stat), quote(lane), quote(rank), quote(label), quote(input), "
      "quote(\"group\"), quote(value), quote(unit), quote(n), quote(better), quote(reason) FROM "
      "_metric LIMIT 4",
      "ttft|'p50'|NULL|NULL|NULL|NULL|NULL|96400000|'ns'|24000|'lower'|NULL;"
      "ttft|'p99'|NULL|NULL|NULL|NULL|NULL|410800000|'ns'|24000|'lower'|NULL;"
      "throughput|NULL|NULL|NULL|NULL|NULL|NULL|2140.25|'tok/s'|12|'higher'|NULL;"
      "throughput|NULL|0|0|'a\"b'|'rank0.json.gz'|NULL|NULL|'tok/s'|12|'higher'|'not a finite "
      "number';");
  check_rows(&m, "SELECT name, quote(value), reason FROM _metric WHERE name = 'comm'",
             "comm|NULL|no collectives in \033this trace;");
  check_rows(
      &m,
      "SELECT \"table\", \"column\", quote(unit), type, key, quote(better) FROM _column LIMIT 3",
      "kernel-time|name|NULL|text|1|NULL;kernel-time|total_ns|'ns'|int|0|NULL;"
      "kernel-time|share_percent|'percent'|real|0|NULL;");
  check_rows(&m, "SELECT code, level, count, what, quote(effect) FROM _notice",
             "OVC-02|warning|30|odd \x01 times|'wrong';JSN-09|info|4|just so|NULL;"
             "JSN-01|warning|1207|odd \x01 times|'wrong';");
  drop(&m);
}

static void test_groups_and_better(void)
{
  static const MillColumn columns[] = { { "a", "ns", MILL_INT, MILL_COLUMN_LOWER, "A" },
                                        { "b", NULL, MILL_REAL, MILL_COLUMN_HIGHER, NULL } };
  static const MillTable table = { .name = "t", .columns = MILL_ROWS(columns) };
  static const MillMetric metric = { .kind = MILL_INT, .name = "m" };
  FakeMetric one = { &metric, NULL, mill_int(1), 1, MILL_NO_LANE, NULL, "model=a\\nb\nt\\=p=8" };
  FakeTable empty = { &table, "t", table.columns, NULL, 0 };
  FakeResults r = { .metrics = &one,
                    .tables = &empty,
                    .results = { .n_metrics = 1, .n_tables = 1 } };
  fake_results_init(&r);
  Made m = make(&r);
  check_rows(&m, "SELECT \"group\" FROM _metric", "{\"model\": \"a\\nb\", \"t=p\": \"8\"};");
  check_rows(&m, "SELECT quote(better), quote(help) FROM _column", "'lower'|'A';'higher'|NULL;");
  drop(&m);
}

static void test_names(void)
{
  static const MillColumn columns[] = { MILL_CELL_COLUMN("busy", "ns", MILL_INT, 0, NULL),
                                        MILL_CELL_COLUMN("BUSY_NS", NULL, MILL_INT, 0, NULL),
                                        MILL_CELL_COLUMN("a\"b; DROP", NULL, MILL_TEXT, 0, NULL) };
  static const MillTable table = { .name = "t", .columns = MILL_ROWS(columns) };
  static const char *const names[] = { "sqlite_x", "_Metric", "t", "T", "", "\"; DROP TABLE t;--" };
  FakeTable tables[G_N_ELEMENTS(names)];
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    tables[i] = (FakeTable){ &table, names[i], table.columns, NULL, 0 };
  FakeResults r = { .tables = tables, .results.n_tables = G_N_ELEMENTS(names) };
  fake_results_init(&r);
  Made m = make(&r);
  check_rows(
      &m,
      "SELECT name FROM sqlite_master WHERE name NOT IN ('_run', '_metric', '_column', '_notice')",
      "_sqlite_x;_Metric_2;t;T_2;_;\"; DROP TABLE t;--;");
  check_rows(&m, "SELECT name FROM pragma_table_info('t')", "busy_ns;BUSY_NS_2;a\"b; DROP;");
  check_rows(&m, "SELECT DISTINCT \"column\" FROM _column", "busy_ns;BUSY_NS_2;a\"b; DROP;");
  drop(&m);
}

static void test_empty(void)
{
  FakeResults r;
  fake_run_empty(&r);
  Made a = make(&r), b = make(&r);
  check_rows(&a, "SELECT count(*) FROM sqlite_master", "4;");
  CHECK(g_string_equal(fake_output_bytes(&a.fake, "results.sqlite"),
                       fake_output_bytes(&b.fake, "results.sqlite")));
  drop(&a);
  drop(&b);
}

static int try(FakeHost *fake)
{
  FakeResults r;
  void *instance;
  fake_run_init(&r);
  CHECK_INT(fake_host_open(fake, &usual, &instance), 0);
  return sink_under_test()->ops->results(instance, &r.results);
}

static void test_failure(void)
{
  FakeHost fake;
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake.no_place = true;
  CHECK_INT(try(&fake), -MILL_OUTPUT_FAILED);
  CHECK_STR(fake.failed, "results.sqlite could not be written: unable to open database file");
  fake_host_clear(&fake);
}

static void test_nowhere(void)
{
  FakeHost fake;
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake.nowhere = true;
  CHECK_INT(try(&fake), 0);
  CHECK_INT(fake.outputs->len, 0);
  fake_host_clear(&fake);
}

TEST_MAIN({ "a run", test_run }, { "tables about it", test_about },
          { "groups, and what is better", test_groups_and_better }, { "names", test_names },
          { "no results", test_empty }, { "reports failed output", test_failure },
          { "results that go nowhere", test_nowhere })
