/* A whole run (execute.c) and its record (run-json.c): what ends it, what is left then, and what it says of itself. */
/* SPDX-License-Identifier: MIT */
#include "output/run-json.h"

#include "base/json-value.h"
#include "engine.h"

#define ECHO "[{\"use\":\"echo\"}]"
#define THREE                                                                                  \
  {                                                                                            \
    { "a", "rank 0\ne x 1 1\n" }, { "b", "rank 1\ne bad 1 1\n" }, { "c", "rank 2\ne y 1 1\n" } \
  }

static void test_failing_lane(void)
{
  for (uint32_t jobs = 1; jobs < 4; jobs++) {
    const EngineCase c = { .inputs = THREE, .stages = ECHO, .options = { .jobs = jobs } };
    engine_fails(&c, EXIT_INPUT, "ECHO-00", "a bad event");
  }
}

/* The others go on, their results are written, and the run has failed all the same. */
static void test_keep_going(void)
{
  for (uint32_t jobs = 1; jobs < 4; jobs++) {
    const EngineCase c = { .inputs = THREE,
                           .stages = "[{\"use\":\"tally\"},{\"use\":\"echo\"}]",
                           .options = { .jobs = jobs, .keep_going = true } };
    Engine e;
    engine_begin(&e);
    g_autoptr(Error) error = engine_execute(&e, &c);
    if (CHECK(error != NULL)) CHECK_STR(error->code, "ECHO-00");
    g_autofree char *events = engine_text(&e, "plain.txt"),
                    *results = engine_text(&e, "results.txt");
    CHECK(strstr(events, "0 x 1 1\n") && strstr(events, "2 y 1 1\n") && !strstr(events, "bad"));
    CHECK(g_str_has_prefix(
        results, "lanes: rank,label,n,total\n  0,a,1,1\n  2,c,1,1\ngroups: n,lanes\n  2,ac\n"));
    engine_end(&e);
  }
}

/* What is wrong with the run level, or with the output, is not the fault of one input; nor does a lane
 * that ends in another thread merge into what failed, which only some rounds would show. */
static void test_nothing_to_go_on_with(void)
{
  g_autoptr(GPtrArray) outside = engine_list("plain.file=../x", NULL);
  for (uint32_t round = 0; round < 60; round++) {
    uint32_t jobs = 1 + round % 3;
    EngineCase c = { .inputs = { { "a", "rank 0\ne x 1 1\n" }, { "b", "rank 1\ne y 1 1\n" } },
                     .stages = "[{\"use\":\"tally\",\"with\":{\"no-run\":true}}]",
                     .options = { .jobs = jobs, .keep_going = true } };
    engine_fails(&c, EXIT_PROFILE, "TALLY-00", "no run level"); /* its option is refused */
    c.stages = ECHO;
    c.options.sink_set = outside;
    engine_fails(&c, EXIT_OUTPUT, "OUT-03", "its name leads out of the output folder");
  }
}

/* A lane that fails in the end is in no result, though some of its stages had reported by then. */
static void test_failing_report(void)
{
  const EngineCase c = { .inputs = { { "a", "rank 0\ne x 1 1\n" },
                                     { "b", "rank 1\ne x 1 2\ne x 2 2\n" },
                                     { "c", "rank 2\ne x 1 4\n" } },
                         .stages = "[{\"use\":\"tally\",\"with\":{\"most\":1}}]",
                         .options = { .keep_going = true } };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  if (CHECK(error != NULL)) CHECK_STR(error->code, "TALLY-00");
  g_autofree char *results = engine_text(&e, "results.txt");
  CHECK_STR(results, "lanes: rank,label,n,total\n  0,a,1,1\n  2,c,1,4\n"
                     "groups: n,lanes\n  2,ac\ntotal [] = 5 ()\n");
  engine_end(&e);
}

/* What was odd makes the status, after everything was written. */
static void test_strict(void)
{
  const EngineCase c = { .inputs = { { "a", "e odd 1 1\n" } },
                         .stages = "[{\"use\":\"tally\"}]",
                         .options = { .strict = true } };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  if (CHECK(error != NULL)) {
    CHECK_STR(error->code, "TALLY-01");
    CHECK_INT(error->status, EXIT_INPUT);
  }
  g_autofree char *events = engine_text(&e, "plain.txt");
  CHECK_STR(events, "0 odd 1 1\nend\n");
  engine_end(&e);
}

static void test_cancelled(void)
{
  static const struct {
    int status;
    const char *code;
  } rows[] = { { EXIT_INTERRUPTED, "RUN-09" }, { EXIT_LIMIT, "RUN-10" } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const EngineCase c = { .inputs = THREE, .stages = ECHO };
    Engine e;
    engine_begin(&e);
    g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
    if (!error) error = engine_plan(&e, &c);
    CHECK(error == NULL);
    run_cancel(e.run, rows[i].status);
    error = run_execute(e.run);
    if (CHECK(error != NULL)) {
      CHECK_INT(error->status, rows[i].status);
      CHECK_STR(error->code, rows[i].code);
    }
    CHECK(!g_file_test(e.out, G_FILE_TEST_EXISTS));
    engine_end(&e);
  }
}

static void test_plans(void)
{
  Engine e;
  const EngineCase c = { .inputs = { { "a", "e x 1 1\n" } }, .stages = "[{\"use\":\"tally\"}]" };
  Profile *profile = NULL;
  engine_begin(&e);
  g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
  CHECK(error == NULL);
  CHECK(engine_profile(&e, "[{\"use\":\"vote\"}]", &profile) == NULL);
  CHECK(run_fits(e.run, profile) == NULL); /* only asked */
  error = engine_plan(&e, &c);
  if (!error) error = run_execute(e.run);
  CHECK(error == NULL);
  uint64_t done, size;
  inputs_progress(e.run->inputs, &done, &size);
  CHECK_INT(done, size);
  CHECK_INT(size, strlen("lines\ne x 1 1\n"));
  engine_end(&e);
}

/* A sink that is not there, two names for one. */
static void test_formats(void)
{
  GPtrArray *unknown = engine_list("plain", "colours"), *twice = engine_list("plain", "plain");
  EngineCase c = { .inputs = { { "a", "e x 1 1\n" } },
                   .stages = ECHO,
                   .options = { .formats = unknown } };
  engine_fails(&c, EXIT_USAGE, "RUN-06", "unknown format \"colours\"");
  c.options.formats = twice;
  engine_check(&c, "0 x 1 1\n0 last 99 -1\nend\n", "");
  g_ptr_array_unref(unknown);
  g_ptr_array_unref(twice);
}

/* ----------------------------------------------------------------- run.json */

static const char *text(const JsonValue *of, const char *name)
{
  return json_text(json_member(of, name));
}

static void check_record(const JsonValue *record)
{
  const JsonValue *profile = json_member(record, "profile"),
                  *outputs = json_member(record, "outputs"),
                  *stages = json_member(profile, "stages");
  CHECK_STR(text(json_member(record, "program"), "abi"), "1.0");
  CHECK_STR(text(profile, "name"), "t");
  CHECK_INT(json_count(json_member(record, "inputs")), 2);
  if (CHECK_INT(json_count(outputs), 2)) {
    CHECK_STR(text(json_item(outputs, 0), "name"), "plain.txt");
    CHECK_STR(text(json_item(outputs, 1), "name"), "results.txt");
  }
  if (CHECK_INT(json_count(stages), 1)) CHECK_STR(text(json_item(stages, 0), "use"), "tally");
}

static void test_record(void)
{
  const EngineCase c = { .inputs = { { "a", "rank 0\ne x 1 1\n" }, { "b", "rank 1\n" } },
                         .stages = "[{\"use\":\"tally\"}]" };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  g_autofree char *path = g_build_filename(e.out, "run.json", NULL), *record = NULL;
  gsize len = 0;
  CHECK(error == NULL);
  CHECK(g_file_get_contents(path, &record, &len, NULL));
  JsonDoc *doc = json_doc_parse(record, len, NULL, NULL);
  if (CHECK(doc != NULL)) check_record(json_doc_root(doc));
  json_doc_free(doc);
  engine_end(&e);
}

TEST_MAIN({ "a lane fails", test_failing_lane }, { "--keep-going", test_keep_going },
          { "nothing to go on with", test_nothing_to_go_on_with },
          { "a report fails", test_failing_report }, { "--strict", test_strict },
          { "cancelled", test_cancelled }, { "asked before it is planned", test_plans },
          { "formats", test_formats }, { "its record", test_record })
