/* SQL over tables of the program: what it reads and how often, what it refuses, where it ends. */
/* SPDX-License-Identifier: MIT */
#include "sql/sql.h"

#include "check.h"
#include "results/results.h"

/* -------------------------------------------------------------------- a table */

enum { ID, NAME, SIZE, N_COLUMNS };
static const SqlColumn columns[] = { { "id", MILL_INT, SQL_FILTERS | SQL_KEY },
                                     { "name", MILL_TEXT,
                                       SQL_FILTERS | SQL_KEY | SQL_LASTS | SQL_SYMBOL },
                                     { "size", MILL_INT, SQL_FILTERS } };

typedef struct Numbers { /* 0, 1, 2, ... with the names "n0" to "n9" */
  SqlTable table;
  uint64_t n;
  uint32_t n_readings, n_filters;
  uint64_t columns; /* that the last reading looked at */
  uint64_t fails_at;
  int64_t ids; /* that come again and again; 0: each once */
} Numbers;

typedef struct Reading {
  Numbers *of;
  int64_t at;
} Reading;

static const char *const names[] = { "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9" };

static void *begin(const SqlTable *table, const SqlScan *scan)
{
  Reading *r = g_new(Reading, 1);
  *r = (Reading){ table->context, -1 };
  r->of->n_readings++;
  r->of->n_filters = scan->n_filters;
  r->of->columns = scan->columns;
  return r;
}

static int next(void *cursor)
{
  Reading *r = cursor;
  if (r->of->fails_at && (uint64_t)r->at + 1 >= r->of->fails_at) return -1;
  return (uint64_t)++r->at < r->of->n;
}

static MillValue cell(void *cursor, uint32_t column)
{
  const Reading *r = cursor;
  if (column == NAME) return mill_text(names[r->at % 10], 2);
  if (column == ID && r->of->ids) return mill_int(r->at % r->of->ids);
  return mill_int(column == ID ? r->at : r->at * 100);
}

static void numbers_init(Numbers *n, const char *name, uint64_t rows)
{
  *n = (Numbers){ .n = rows };
  n->table = (SqlTable){ name, columns, N_COLUMNS, rows, true, n, begin, next, cell, g_free };
}

/* ---------------------------------------------------------------- connections */

typedef struct Fixture {
  Modules *modules;
  Sql *sql;
  Numbers a, b;
  bool stops;
} Fixture;

static bool stopped(void *context) { return ((Fixture *)context)->stops; }

static Error *why(void *context)
{
  (void)context;
  return error_new(EXIT_INPUT, "RUN-04", "the table failed");
}

static void fixture_init(Fixture *f, uint64_t rows, uint64_t max_kept_bytes)
{
  g_autofree char *built = g_build_filename(g_getenv("BUILD_ROOT"), "modules", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  const ModuleSearch search = {
    .paths = paths, .no_user = true, .no_env = true, .no_installed = true, .allow_unsafe = true
  };
  const SqlLimits limits = { .max_steps = 20000000,
                             .max_bytes = 32 << 20,
                             .max_kept_bytes = max_kept_bytes,
                             .folder = g_get_tmp_dir(),
                             .stopped = stopped,
                             .context = f };
  g_ptr_array_add(paths, built);
  *f = (Fixture){ .modules = modules_new(&search) };
  CHECK(!sql_open(f->modules, &limits, why, &f->sql));
  numbers_init(&f->a, "a", rows);
  numbers_init(&f->b, "b", rows);
  CHECK(!sql_add_table(f->sql, &f->a.table));
  CHECK(!sql_add_table(f->sql, &f->b.table));
}

static void fixture_clear(Fixture *f)
{
  sql_close(f->sql);
  modules_free(f->modules);
}

static void put_cell(GString *out, const MillValue *v)
{
  switch (v->type) {
  case MILL_INT: g_string_append_printf(out, "%" G_GINT64_FORMAT, v->u.i); break;
  case MILL_REAL: g_string_append_printf(out, "%g", v->u.r); break;
  case MILL_TEXT: g_string_append_len(out, v->u.text, v->len); break;
  default: g_string_append_c(out, '-');
  }
}

/* Cells with "|" between them, ";" after each row; then what went wrong. */
static char *run(Fixture *f, const char *text)
{
  GString *out = g_string_new(NULL);
  SqlQuery *q;
  bool row = true;
  Error *e = sql_prepare(f->sql, NULL, text, strlen(text), &q);
  while (!e && !(e = sql_step(q, &row)) && row) {
    for (uint32_t i = 0; i < sql_n_columns(q); i++) {
      MillValue v = sql_cell(q, i);
      g_string_append(out, i ? "|" : "");
      put_cell(out, &v);
    }
    g_string_append_c(out, ';');
  }
  sql_finish(q);
  if (e) g_string_append_printf(out, "!%d %s", e->status, e->what);
  if (e && e->at) g_string_append_printf(out, " @%s", (char *)e->at->pdata[0]);
  if (e && e->help) g_string_append_printf(out, " ?%s", (char *)e->help->pdata[0]);
  error_free(e);
  return g_string_free(out, FALSE);
}

static void check_sql(Fixture *f, const char *text, const char *wanted)
{
  g_autofree char *got = run(f, text);
  if (!CHECK_STR(got, wanted)) CHECK_ROW(text);
}

static void check_begins(Fixture *f, const char *text, const char *wanted)
{
  g_autofree char *got = run(f, text);
  if (!CHECK(g_str_has_prefix(got, wanted))) printf("\n    of %s: %s", text, got);
}

/* ---------------------------------------------------------------------- tests */

static void test_readings(void)
{
  static const struct {
    const char *text, *wanted;
    uint32_t of_a, of_b;
  } rows[] = {
    { "SELECT count(*), sum(size) FROM a", "1000|49950000;", 1, 0 },
    { "SELECT name, sum(id) FROM a WHERE id < 20 GROUP BY name LIMIT 2", "n0|10;n1|12;", 1, 0 },
    { "SELECT count(*), sum(b.size) FROM a JOIN b ON b.id = a.id", "1000|49950000;", 1, 1 },
    { "SELECT count(*) FROM a JOIN b ON b.id = a.id AND b.name = a.name", "1000;", 1, 1 },
    { "SELECT count(*) FROM a JOIN b ON b.id = a.id * 1.0 WHERE a.name = 'n3'", "100;", 1, 1 },
    { "SELECT count(*) FROM a JOIN b ON b.id = a.id || ''", "1000;", 1, 1 },
    { "SELECT count(*) FROM a WHERE name IN ('n1', 'n2')", "200;", 1, 0 },
    { "SELECT count(*) FROM a WHERE id IN (SELECT id FROM b WHERE name = 'n4')", "100;", 1, 1 },
    { "SELECT count(*) FROM a WHERE id = NULL", "0;", 0, 0 },
    /* without a key its rows are kept by the second reading */
    { "SELECT count(*) FROM a JOIN b ON b.size < a.size WHERE a.id < 10", "45;", 1, 2 },
    { "SELECT (SELECT b.size FROM b WHERE b.id = a.id + 1) AS s FROM a WHERE id IN (1, 2)",
      "200;300;", 1, 1 },
  };
  Fixture f;
  fixture_init(&f, 1000, 1 << 20);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    f.a.n_readings = f.b.n_readings = 0;
    check_sql(&f, rows[i].text, rows[i].wanted);
    bool as_wanted = f.a.n_readings + f.b.n_readings == rows[i].of_a + rows[i].of_b;
    if (!CHECK(as_wanted))
      printf("\n    of %s: %u and %u", rows[i].text, f.a.n_readings, f.b.n_readings);
  }
  fixture_clear(&f);
}

static void test_pushed_down(void)
{
  Fixture f;
  fixture_init(&f, 100, 1 << 20);
  check_sql(&f, "SELECT count(*) FROM a WHERE name = 'n1' AND size > 500", "9;");
  CHECK_INT(f.a.n_filters, 2);
  CHECK_INT(f.a.columns, 1 << NAME | 1 << SIZE);
  check_sql(&f, "SELECT sum(id) FROM a", "4950;");
  CHECK_INT(f.a.columns, 1 << ID);
  fixture_clear(&f);
}

/* Equal names come together, in the order in which they came first. */
static void test_groups(void)
{
  static const struct {
    const char *text, *wanted;
  } rows[] = {
    { "SELECT name, count(*), min(id) FROM a WHERE id >= 7 GROUP BY name LIMIT 3",
      "n0|99|10;n1|99|11;n2|99|12;" },
    { "SELECT DISTINCT name FROM a WHERE id < 3", "n0;n1;n2;" },
    { "SELECT name, count(*) FROM a WHERE id IN (12, 31, 2) GROUP BY name ORDER BY 2 DESC, 1",
      "n2|2;n1|1;" },
    { "SELECT name, count(*) FROM a WHERE name = 'none' GROUP BY name", "" },
    { "SELECT name, sum(size) FROM a WHERE id < 20 GROUP BY name HAVING sum(size) > 2500",
      "n8|2600;n9|2800;" },
    { "SELECT name COLLATE NOCASE, count(*) FROM a WHERE id < 3 GROUP BY name COLLATE NOCASE",
      "n0|1;n1|1;n2|1;" },
    { "SELECT b.id, (SELECT count(*) FROM (SELECT DISTINCT name FROM a WHERE a.id < b.id)) FROM b "
      "WHERE b.id IN (2, 30)",
      "2|2;30|10;" },
    { "SELECT group_concat(name) FROM (SELECT DISTINCT name FROM a WHERE id < 5 ORDER BY name "
      "DESC)",
      "n4,n3,n2,n1,n0;" },
  };
  Fixture f;
  fixture_init(&f, 1000, 1 << 20);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_sql(&f, rows[i].text, rows[i].wanted);
  f.a.n_readings = 0;
  check_sql(&f, "SELECT count(*) FROM (SELECT name FROM a GROUP BY name)", "10;");
  CHECK_INT(f.a.n_readings, 1);
  fixture_clear(&f);
}

/* Rows that do not fit lie in a file, and come in the same order. */
/* Rows that come in the order that is asked for are not sorted; others are. */
static void test_in_order(void)
{
  Fixture f;
  fixture_init(&f, 3000, 0);
  f.a.table.dear = f.b.table.dear = false;
  f.b.ids = 3;
  check_sql(&f, "SELECT id, sum(size) FROM a GROUP BY id LIMIT 2", "0|0;1|100;");
  CHECK_INT(f.a.n_readings, 2); /* the first one looked at the order */
  check_sql(&f, "SELECT id FROM a ORDER BY id, size LIMIT 2", "0;1;");
  check_sql(&f, "SELECT id FROM a ORDER BY id DESC LIMIT 1", "2999;");
  check_sql(&f, "SELECT id, count(*) FROM b GROUP BY id", "0|1000;1|1000;2|1000;");
  check_sql(&f, "SELECT id, size FROM b ORDER BY id, size LIMIT 2", "0|0;0|300;");
  check_sql(&f, "SELECT count(*) FROM b JOIN a USING (id) GROUP BY b.id", "1000;1000;1000;");
  f.b.fails_at = 2000;
  check_sql(&f, "SELECT size FROM b ORDER BY size LIMIT 1", "!3 the table failed");
  fixture_clear(&f);
}

static void test_spilled(void)
{
  static const char *const texts[] = {
    "SELECT sum(a.size * b.id), count(*) FROM a JOIN b ON b.id = a.id WHERE a.id % 7 = 0",
    "SELECT group_concat(b.id) FROM a JOIN b ON b.name = a.name WHERE a.id = 3 AND b.id < 200",
    "SELECT count(*) FROM a JOIN b ON b.size < a.size WHERE a.id < 5",
  };
  Fixture large, small;
  fixture_init(&large, 50000, 1 << 30);
  fixture_init(&small, 50000, 1);
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *wanted = run(&large, texts[i]);
    CHECK(!strchr(wanted, '!'));
    check_sql(&small, texts[i], wanted);
  }
  fixture_clear(&small);
  fixture_clear(&large);
}

static void test_refused(void)
{
  static const struct {
    const char *text, *wanted;
  } rows[] = {
    { "ATTACH 'x.db' AS x", "!4 the SQL may not run: not authorized @line 1, column 1: ATTACH" },
    { "PRAGMA table_list", "!4 the SQL may not run: not authorized @line 1, column 1: PRAGMA" },
    { "SELECT * FROM pragma_table_list", "!4 the SQL" },
    { "CREATE TABLE t(x)", "!4 the SQL may not run: not authorized @line 1, column 1: CREATE" },
    { "CREATE TEMP TABLE t AS SELECT 1", "!4 the SQL may not run" },
    { "INSERT INTO a VALUES (1, 'x', 2)", "!4 the SQL" },
    { "DELETE FROM a", "!4 the SQL" },
    { "UPDATE a SET id = 1", "!4 the SQL" },
    { "DROP TABLE a", "!4 the SQL" },
    { "BEGIN", "!4 the SQL may not run: not authorized" },
    { "VACUUM INTO 'stolen.db'", "!4 the SQL may not run: the statement writes" },
    { "SELECT load_extension('x.so')", "!4 the SQL may not run" },
    { "SELECT random()",
      "!4 the SQL may not run: not authorized to use function: random @line 1, column 8: random" },
    { "SELECT id\n FROM a ORDER BY\n  randomblob(3)",
      "!4 the SQL may not run: not authorized to use function: randomblob @line 3, column 3: "
      "randomblob" },
    { "SELECT date('now')", "!4 the SQL may not run: not authorized to use function: date" },
    { "SELECT CURRENT_TIMESTAMP", "!4 the SQL may not run" },
    { "SELECT sqlite_version()", "!4 the SQL may not run" },
    { "SELECT writefile('x', 'y')", "!4 the SQL is wrong: no such function: writefile" },
    { "SELECT 1; SELECT 2",
      "!4 the SQL may not run: there is more than one statement @line 1, column 11: SELECT" },
    { "SELECT 1; -- no more\n;", "1;" },
    { " -- nothing", "!4 the SQL may not run: there is no statement" },
    { "EXPLAIN SELECT 1", "!4 the SQL may not run" },
  };
  Fixture f;
  fixture_init(&f, 10, 1 << 20);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_begins(&f, rows[i].text, rows[i].wanted);
  CHECK(!g_file_test("stolen.db", G_FILE_TEST_EXISTS));
  fixture_clear(&f);
}

static void test_wrong(void)
{
  static const struct {
    const char *text, *wanted;
  } rows[] = {
    { "SELECT nam FROM a",
      "!4 the SQL is wrong: no such column: nam @line 1, column 8: nam ?did you mean \"name\"?" },
    { "SELECT x.siz FROM a x", "!4 the SQL is wrong: no such column: x.siz @line 1, column 8: "
                               "x.siz ?did you mean \"size\"?" },
    { "SELECT 1\nFROM aa", "!4 the SQL is wrong: no such table: aa @line 2, column 6: aa" },
    { "SELECT smu(id) FROM a",
      "!4 the SQL is wrong: no such function: smu @line 1, column 8: smu ?did you mean \"sum\"?" },
    { "SELEC id FROM a",
      "!4 the SQL is wrong: near \"SELEC\": syntax error @line 1, column 1: SELEC ?did you mean "
      "\"SELECT\"?" },
    { "SELECT id FORM a", "!4 the SQL is wrong: near \"a\": syntax error @line 1, column 16: a "
                          "?did you mean \"FROM\"?" },
    { "SELECT \"n1\" FROM a", "!4 the SQL is wrong: no such column: n1" },
    { "SELECT a.id FROM a, b WHERE id = 1", "!4 the SQL is wrong: ambiguous column name: id" },
    { "SELECT json('{') FROM a", "!4 the SQL is wrong: malformed JSON" },
  };
  Fixture f;
  fixture_init(&f, 10, 1 << 20);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_begins(&f, rows[i].text, rows[i].wanted);
  fixture_clear(&f);
}

static void test_limits(void)
{
  static const struct {
    const char *text, *wanted;
  } rows[] = {
    { "SELECT count(*) FROM a, b, a c", "!8 the SQL takes more steps than it may" },
    { "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
      "!8 the SQL takes more steps than it may" },
    { "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 5) SELECT max(n) FROM "
      "r",
      "5;" },
    { "SELECT length(zeroblob(1000000000))", "!8 the SQL takes more memory than it may" },
    { "SELECT printf('%900000000d', 1)", "-;" },
    { "SELECT length(group_concat(zeroblob(1000000))) FROM a",
      "!8 the SQL takes more memory than it may" },
    { "SELECT length(group_concat(x)) FROM (SELECT hex(zeroblob(3000000)) x FROM a)",
      "!8 the SQL takes more memory than it may" },
  };
  Fixture f;
  fixture_init(&f, 1000, 1 << 20);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_begins(&f, rows[i].text, rows[i].wanted);
  check_sql(&f, "SELECT count(*) FROM a", "1000;"); /* what went too far leaves nothing behind */
  f.stops = true;
  check_begins(&f, "SELECT count(*) FROM a, b", "!3 the table failed");
  f.stops = false;
  f.a.fails_at = 7;
  check_begins(&f, "SELECT sum(id) FROM a", "!3 the table failed");
  fixture_clear(&f);
}

static void test_parameters(void)
{
  static const char text[] = "SELECT count(*), typeof(:word) FROM a WHERE id >= :least";
  Fixture f;
  SqlQuery *q;
  bool row;
  const MillValue least = mill_int(7), word = mill_text("x", 1);
  fixture_init(&f, 10, 1 << 20);
  CHECK(!sql_prepare(f.sql, NULL, text, strlen(text), &q));
  CHECK(sql_bind(q, "least", &least) && sql_bind(q, "word", &word) && !sql_bind(q, "most", &least));
  CHECK_STR(sql_column(q, 0), "count(*)");
  CHECK(!sql_step(q, &row) && row);
  CHECK_INT(sql_cell(q, 0).u.i, 3);
  sql_finish(q);
  fixture_clear(&f);
}

/* -------------------------------------------------------------------- results */

static const LaneInfo *lane_of(const void *context, uint32_t index)
{
  return index == 0 ? context : NULL;
}

static const MillColumn kernel_columns[] = {
  { "name", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Name" },
  { "total", "ns", MILL_INT, MILL_COLUMN_LOWER, "Time" },
  { "share", "percent", MILL_REAL, 0, NULL },
  { "NAME", NULL, MILL_BOOL, 0, NULL },
};
static const MillTable kernels = { .name = "kernel-time", .columns = MILL_ROWS(kernel_columns) };

static Results *make_results(void)
{
  static const MillMetric metric = { .better = MILL_LOWER, .name = "busy", .unit = "ns" };
  static const MetricValue value = { .stat = "", .value = { MILL_INT, 0, { 41 } }, .n = 2 };
  static const MetricValue none = { .stat = "p50", .reason = "no kernels" };
  Results *r = results_new();
  Sheet *s = sheet_new(&kernels, g_strdup("kernel-time"));
  const MillValue rows[][4] = {
    { mill_text("gemm", 4), mill_int(70), mill_real(87.5), mill_bool(true) },
    { mill_text("bad\xff", 4), mill_int(10), mill_none(), mill_none() },
  };
  sheet_add_declared(s);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) sheet_add_row(s, rows[i]);
  results_add_sheet(r, s);
  results_add_metric(r, &metric, g_strdup("busy"), &value, 0, g_strdup(""));
  results_add_metric(r, &metric, g_strdup("busy"), &none, MILL_NO_LANE, g_strdup("tp=8\nmodel=a"));
  results_set_info(r, "program", "stagemill");
  return r;
}

static void test_results(void)
{
  static const MillColumn declared[] = { { "gap", "ns", MILL_INT, 0, "Gap" } };
  static const MillTable gaps = { .per = MILL_PER_LANE,
                                  .name = "gaps",
                                  .columns = MILL_ROWS(declared) };
  Fixture f;
  LaneInfo lane;
  Results *r = make_results();
  lane_info_init(&lane, 0, "folder/rank3.json");
  lane_info_set_rank(&lane, 3, "pattern");
  lane.name = g_strdup("folder/rank3.json");
  fixture_init(&f, 10, 1 << 20);
  CHECK(!sql_add_results(f.sql, results_view(r), lane_of, &lane));
  check_sql(&f, "SELECT * FROM \"kernel-time\"", "bad\xef\xbf\xbd|10|-|-;gemm|70|87.5|1;");
  check_sql(&f, "SELECT sum(total_ns), \"NAME_2\" FROM \"kernel-time\" WHERE name = 'gemm'",
            "70|1;");
  check_sql(&f,
            "SELECT name, stat, lane, rank, input, \"group\", value, unit, n, better, reason FROM "
            "_metric",
            "busy|-|0|3|rank3.json|-|41|ns|2|lower|-;"
            "busy|p50|-|-|-|{\"tp\": \"8\", \"model\": \"a\"}|-|ns|-|lower|no kernels;");
  check_sql(
      &f, "SELECT \"column\", unit, type, key, better FROM _column WHERE \"table\" = 'kernel-time'",
      "name|-|text|1|-;total_ns|ns|int|0|lower;share_percent|percent|real|0|-;NAME_2|-|bool|0|-;");
  check_sql(&f, "SELECT * FROM _run", "program|stagemill;");
  check_sql(&f,
            "SELECT c.help FROM \"kernel-time\" k JOIN _column c ON c.\"table\" || '' = "
            "'kernel-time' AND c.key = k.NAME_2",
            "Name;");
  check_begins(&f, "SELECT * FROM gaps", "!4 the SQL is wrong: no such table: gaps");
  CHECK(!sql_add_empty(f.sql, "gaps", &gaps));
  CHECK(!sql_add_empty(f.sql, "kernel-time", &gaps)); /* it is there */
  check_sql(&f, "SELECT count(*), max(gap_ns), max(rank) FROM gaps", "0|-|-;");
  check_sql(&f, "SELECT count(*) FROM \"kernel-time\"", "2;");
  fixture_clear(&f);
  lane_info_clear(&lane);
  results_free(r);
}

int main(void)
{
  static const CheckTest tests[] = {
    { "readings", test_readings },     { "pushed down", test_pushed_down },
    { "groups", test_groups },         { "in order", test_in_order },
    { "spilled", test_spilled },       { "refused", test_refused },
    { "wrong", test_wrong },           { "limits", test_limits },
    { "parameters", test_parameters }, { "results", test_results },
  };
  return check_main("sql", tests, G_N_ELEMENTS(tests));
}
