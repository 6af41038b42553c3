/* Each call of stagemill/run.h: in its turn and out of it, and what it leaves. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/run.h>

#include <string.h>

#include "unit/check.h"
#include "unit/scratch.h"

static char *sample(const char *name)
{
  return g_build_filename(g_getenv("SOURCE_ROOT"), "samples", name, NULL);
}

static int open_kineto(MillRun *run)
{
  g_autofree char *path = sample("kineto");
  const char *inputs[] = { path };
  return mill_run_open(run, inputs, 1);
}

/* The whole way: results are there after the last step, and progress says that all was read. */
static void test_steps(void)
{
  MillRunOptions options = { .size = sizeof options, .profile = "kernels", .jobs = 2 };
  MillRun *run = mill_run_new(&options);
  uint64_t done = 1, size = 1;
  mill_run_progress(run, &done, &size);
  CHECK(done == 0 && size == 0);
  CHECK(mill_run_results(run) == NULL);
  CHECK_INT(open_kineto(run), 0);
  CHECK_INT(mill_run_plan(run), 0);
  CHECK(mill_run_results(run) == NULL);
  CHECK_INT(mill_run_execute(run), 0);
  CHECK_STR(mill_run_error(run), "");
  mill_run_progress(run, &done, &size);
  CHECK(size > 0 && done == size);
  const MillResults *results = mill_run_results(run);
  if (CHECK(results != NULL)) {
    CHECK(results->n_tables > 0 && results->n_metrics > 0);
    CHECK_STR(results->info(results, "profile"), "kernels");
  }
  CHECK_INT(mill_run_rank(run, 0), 0);
  CHECK_INT(mill_run_rank(run, 1), 1);
  CHECK_INT(mill_run_rank(run, 2), -1);
  mill_run_free(run);
  mill_run_free(NULL);
}

static void test_out_of_turn(void)
{
  MillRunOptions options = { .size = sizeof options, .profile = "kernels" };
  MillRun *run = mill_run_new(&options);
  CHECK_INT(mill_run_plan(run), 2);
  CHECK(strstr(mill_run_error(run), "mill_run_plan was called out of turn") != NULL);
  CHECK_INT(mill_run_execute(run), 2);
  CHECK_INT(open_kineto(run), 0);
  CHECK_INT(open_kineto(run), 2);
  CHECK_INT(mill_run_execute(run), 2);
  CHECK_INT(mill_run_plan(run), 0);
  CHECK_INT(mill_run_plan(run), 2);
  CHECK_INT(mill_run_execute(run), 0);
  CHECK_INT(mill_run_execute(run), 2);
  CHECK(mill_run_results(run) != NULL); /* of the first time */
  mill_run_free(run);
}

static void test_failures(void)
{
  MillRunOptions options = { .size = sizeof options, .profile = "no-such" };
  MillRun *run = mill_run_new(&options);
  CHECK_INT(open_kineto(run), 4);
  CHECK(g_str_has_prefix(mill_run_error(run), "error[PRF-"));
  mill_run_free(run);
  options.profile = "kernels";
  run = mill_run_new(&options);
  CHECK_INT(mill_run_open(run, NULL, 0), 2);
  CHECK(strstr(mill_run_error(run), "no input was named") != NULL);
  mill_run_free(run);
  run = mill_run_new(&options);
  const char *missing[] = { "nowhere.json" };
  CHECK_INT(mill_run_open(run, missing, 1), 3);
  mill_run_free(run);
}

/* Before each of the steps; no output is left. */
static void test_cancel(void)
{
  char *folder = scratch_folder();
  g_autofree char *out = g_build_filename(folder, "out", NULL);
  MillRunOptions options = { .size = sizeof options, .profile = "kernels", .output = out };
  MillRun *run = mill_run_new(&options);
  mill_run_cancel(run);
  CHECK_INT(open_kineto(run), MILL_RUN_CANCELLED);
  mill_run_free(run);
  run = mill_run_new(&options);
  CHECK_INT(open_kineto(run), 0);
  mill_run_cancel(run);
  CHECK_INT(mill_run_plan(run), MILL_RUN_CANCELLED);
  mill_run_free(run);
  run = mill_run_new(&options);
  CHECK_INT(open_kineto(run), 0);
  CHECK_INT(mill_run_plan(run), 0);
  mill_run_cancel(run);
  CHECK_INT(mill_run_execute(run), MILL_RUN_CANCELLED);
  CHECK(mill_run_results(run) == NULL);
  CHECK(!g_file_test(out, G_FILE_TEST_EXISTS));
  mill_run_free(run);
  scratch_remove(folder);
}

/* Settings and formats are those of the program; an options struct of an older header is shorter. */
static void test_output(void)
{
  char *folder = scratch_folder();
  g_autofree char *out = g_build_filename(folder, "out", NULL);
  g_autofree char *table = g_build_filename(out, "tables", "kernel-time.csv", NULL);
  g_autofree char *summary = g_build_filename(out, "summary.json", NULL);
  const char *formats[] = { "csv" }, *settings[] = { "csv.no-such=1" };
  MillRunOptions options = {
    .size = sizeof options, .profile = "kernels", .output = out, .formats = { 1, formats }
  };
  MillRun *run = mill_run_new(&options);
  CHECK_INT(open_kineto(run), 0);
  CHECK_INT(mill_run_plan(run), 0);
  CHECK_INT(mill_run_execute(run), 0);
  mill_run_free(run);
  CHECK(g_file_test(table, G_FILE_TEST_EXISTS) && !g_file_test(summary, G_FILE_TEST_EXISTS));
  options.settings = (MillList){ 1, settings };
  options.flags = MILL_RUN_FORCE;
  run = mill_run_new(&options);
  CHECK(open_kineto(run) || mill_run_plan(run));
  CHECK(strstr(mill_run_error(run), "no-such") != NULL);
  mill_run_free(run);
  options = (MillRunOptions){ .size = offsetof(MillRunOptions, settings), .profile = "kernels" };
  options.output = out; /* behind its end */
  run = mill_run_new(&options);
  CHECK(!open_kineto(run) && !mill_run_plan(run) && !mill_run_execute(run));
  mill_run_free(run);
  scratch_remove(folder);
}

static void test_values(void)
{
  static const struct {
    MillValue value;
    const char *text;
  } rows[] = { { { MILL_INT, 0, { .i = -7 } }, "-7" },
               { { MILL_REAL, 0, { .r = 0.1 } }, "0.1" },
               { { MILL_BOOL, 0, { .i = 1 } }, "true" },
               { { MILL_TEXT, 3, { .text = "abcd" } }, "abc" },
               { { MILL_NONE, 0, { .i = 0 } }, "" } };
  char text[8];
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    CHECK(mill_run_value_text(&rows[i].value, text, sizeof text));
    CHECK_STR(text, rows[i].text);
    CHECK(!mill_run_value_text(&rows[i].value, text, strlen(rows[i].text)));
  }
}

TEST_MAIN({ "steps", test_steps }, { "out of turn", test_out_of_turn },
          { "failures", test_failures }, { "cancelled", test_cancel }, { "output", test_output },
          { "values", test_values })
