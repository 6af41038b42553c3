/* Sinks at work on results that were read: present.c, report.c */
/* SPDX-License-Identifier: MIT */
#include "output/report.h"

#include "engine.h"
#include "output/present.h"

/* With the program's own sinks json and csv. */
static Modules *all_modules(void)
{
  char paths[3][4096];
  static const char *const folders[] = { "tests/engine", "plugins/sink/json", "plugins/sink/csv" };
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  for (int i = 0; i < 3; i++) {
    g_snprintf(paths[i], sizeof paths[i], "%s/%s", g_getenv("BUILD_ROOT"), folders[i]);
    g_ptr_array_add(list, paths[i]);
  }
  ModuleSearch search = { .paths = list, .no_user = true, .no_env = true, .no_installed = true };
  Modules *modules = modules_new(&search);
  g_ptr_array_unref(modules_all(modules, 0));
  return modules;
}

static void check_code(Error *e, int status, const char *code)
{
  CHECK_STR(e ? e->code : NULL, code);
  if (e) CHECK_INT(e->status, status);
  error_free(e);
}

static void test_check(void)
{
  static const char *const events[] = { "csv", "plain", NULL }, *const unknown[] = { "cvs", NULL },
                           *const fine[] = { "csv", "json", NULL };
  Modules *modules = all_modules();
  check_code(present_check(modules, events, NULL), EXIT_USAGE, "RUN-32");
  check_code(present_check(modules, unknown, NULL), EXIT_USAGE, "RUN-06");
  check_code(present_check(modules, fine, NULL), 0, NULL);
  modules_free(modules);
}

static void add_rows(Results *r)
{
  static const MillColumn columns[] = { MILL_CELL_COLUMN("n", "ns", MILL_INT, 0, "x") };
  static const MillTable table = { .name = "t", .columns = MILL_ROWS(columns) };
  Sheet *s = sheet_new(&table, g_strdup("t"));
  MillValue v = mill_int(5);
  sheet_add_declared(s);
  sheet_add_row(s, &v);
  results_add_sheet(r, s);
}

/* Results that nobody ran, as a comparison makes them. */
static void test_present(void)
{
  static const char *const formats[] = { "csv", NULL };
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL),
                  *file = g_build_filename(path, "tables/t.csv", NULL);
  g_autofree char *text = NULL;
  Results *r = results_new();
  PresentJob job = { .modules = all_modules(), .formats = formats, .results = r };
  add_rows(r);
  check_code(output_folder(path, "p", false, &job.output), 0, NULL);
  check_code(present_results(&job), 0, NULL);
  check_code(output_commit(job.output), 0, NULL);
  CHECK(g_file_get_contents(file, &text, NULL, NULL));
  CHECK_STR(text, "n_ns\r\n5\r\n");
  output_free(job.output);
  results_free(r);
  modules_free(job.modules);
  scratch_remove(folder);
}

static Error *report(const Engine *e, const char *format)
{
  const char *const formats[] = { format, NULL };
  ReportJob job = { .modules = e->modules, .folder = e->out, .formats = formats };
  Output *written;
  Error *error = report_run(&job, &written);
  output_free(written);
  return error;
}

/* A run that wrote json alone gets csv, and json once more: the same. */
static void test_report(void)
{
  g_autoptr(GPtrArray) json = engine_list("json", NULL);
  const EngineCase c = { .inputs = { { "a", "rank 0\ntag m=\xff\ne x 1 1\n" } },
                         .stages = "[{\"use\":\"tally\"}]",
                         .options = { .formats = json } };
  Engine e;
  engine_begin(&e);
  modules_free(e.modules);
  e.modules = all_modules();
  check_code(engine_execute(&e, &c), 0, NULL);
  g_autofree char *before = engine_text(&e, "summary.json");
  check_code(report(&e, "csv"), 0, NULL);
  g_autofree char *lanes = engine_text(&e, "tables/lanes.csv"),
                  *record = engine_text(&e, "run.json");
  CHECK_STR(lanes, "rank,label,m,n,total_ns\r\n0,a,\xef\xbf\xbd,1,1\r\n");
  CHECK(strstr(record, "\"tables/lanes.csv\"") && strstr(record, "\"summary.json\""));
  check_code(report(&e, "json"), 0, NULL);
  g_autofree char *after = engine_text(&e, "summary.json");
  CHECK(strlen(before) > 100);
  CHECK_STR(after, before);
  check_code(report(&e, "plain"), EXIT_USAGE, "RUN-32");
  scratch_write(e.out, "summary.json", before, (gssize)strlen(before) / 2);
  check_code(report(&e, "csv"), EXIT_INPUT, "RUN-31");
  engine_end(&e);
}

TEST_MAIN({ "formats", test_check }, { "results of nobody", test_present },
          { "a finished run", test_report })
