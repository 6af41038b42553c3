/* Whole runs of the engine, with the modules of this folder and lanes written by hand (modules/lines.c). */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ENGINE_ENGINE_H
#define TESTS_ENGINE_ENGINE_H

#include "plan/profile.h"
#include "sched/execute.h"
#include "sched/lanes.h"
#include "sched/new-run.h"
#include "sched/planning.h"
#include "unit/scratch.h"

enum { MAX_INPUTS = 6 };
typedef struct EngineInput {
  const char *label; /* or NULL */
  const char *text;  /* lines */
} EngineInput;
typedef struct EngineCase {
  EngineInput inputs[MAX_INPUTS];
  const char *stages; /* of the profile, in JSON */
  RunOptions options;
} EngineCase;

typedef struct Engine {
  char *folder; /* holds the inputs, in0.lines and so on, and the profile */
  char *out;    /* where results go: a folder in it that is not there yet */
  Modules *modules;
  Run *run;
  GPtrArray *lists[2];
} Engine;

static inline GPtrArray *engine_list(const char *a, const char *b)
{
  GPtrArray *list = g_ptr_array_new();
  g_ptr_array_add(list, (gpointer)a);
  if (b) g_ptr_array_add(list, (gpointer)b);
  return list;
}

static inline Modules *engine_modules(void)
{
  static char path[4096];
  g_autoptr(GPtrArray) paths = engine_list(path, NULL);
  g_snprintf(path, sizeof path, "%s/tests/engine", g_getenv("BUILD_ROOT"));
  ModuleSearch search = { .paths = paths, .no_user = true, .no_env = true, .no_installed = true };
  return modules_new(&search);
}

static inline Error *engine_profile(Engine *e, const char *stages, Profile **out)
{
  g_autofree char *path = g_build_filename(e->folder, "t.json", NULL);
  g_autofree char *text = g_strdup_printf("{\"profile\":1,\"stages\":%s}", stages);
  ProfileSearch search = { .paths = NULL };
  ProfileEdits edits = { .set = NULL };
  scratch_write(e->folder, "t.json", text, -1);
  Error *error = profile_load(path, &search, out);
  return error ? error : profile_resolve(*out, e->modules, &edits);
}

static inline void engine_begin(Engine *e)
{
  *e = (Engine){ .folder = scratch_folder(), .modules = engine_modules() };
  e->out = g_build_filename(e->folder, "out", NULL);
}

/* The inputs as files; further ones may be put into the folder before engine_open. */
static inline GPtrArray *engine_specs(const Engine *e, const EngineCase *c)
{
  GPtrArray *specs = g_ptr_array_new();
  for (int i = 0; i < MAX_INPUTS && c->inputs[i].text; i++) {
    g_autofree char *name = g_strdup_printf("in%d.lines", i);
    g_autofree char *text = g_strconcat("lines\n", c->inputs[i].text, NULL);
    g_autofree char *path = g_build_filename(e->folder, name, NULL);
    scratch_write(e->folder, name, text, -1);
    InputSpec *spec = input_spec_new(path);
    spec->label = g_strdup(c->inputs[i].label);
    g_ptr_array_add(specs, spec);
  }
  return specs;
}

/* Takes the specs. */
static inline Error *engine_open(Engine *e, GPtrArray *specs, const EngineCase *c)
{
  RunOptions options = c->options;
  e->lists[0] = engine_list("plain", NULL);
  e->lists[1] = g_ptr_array_new();
  if (!options.formats) options.formats = e->lists[0];
  options.output = e->out;
  options.command_line = e->lists[1];
  Error *error = run_new(e->modules, specs, &options, &e->run);
  g_ptr_array_unref(specs);
  return error;
}

static inline Error *engine_plan(Engine *e, const EngineCase *c)
{
  Profile *profile = NULL;
  Error *error = engine_profile(e, c->stages, &profile);
  return error ? error : run_plan(e->run, profile);
}

static inline Error *engine_execute(Engine *e, const EngineCase *c)
{
  Error *error = engine_open(e, engine_specs(e, c), c);
  if (!error) error = engine_plan(e, c);
  return error ? error : run_execute(e->run);
}

/* A file of the results, "" when there is none; g_free. */
static inline char *engine_text(const Engine *e, const char *file)
{
  g_autofree char *path = g_build_filename(e->out, file, NULL);
  char *text = NULL;
  return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("");
}

static inline void engine_end(Engine *e)
{
  run_free(e->run);
  modules_free(e->modules);
  for (int i = 0; i < 2; i++)
    if (e->lists[i]) g_ptr_array_unref(e->lists[i]);
  g_free(e->out);
  scratch_remove(e->folder);
}

/* A run that ends well, and what it writes.  NULL: of no interest. */
static inline void engine_check(const EngineCase *c, const char *plain, const char *results)
{
  Engine e;
  g_autoptr(GString) text = g_string_new(NULL);
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, c);
  if (error) error_format(error, true, false, text);
  if (CHECK(error == NULL)) {
    g_autofree char *events = engine_text(&e, "plain.txt"), *rest = engine_text(&e, "results.txt");
    if (plain) CHECK_STR(events, plain);
    if (results) CHECK_STR(rest, results);
  } else {
    CHECK_ROW(text->str);
  }
  engine_end(&e);
}

/* The same for any size of batches, any number of threads and hardly any memory, under --verify. */
static inline void engine_check_all(const EngineCase *c, const char *plain, const char *results)
{
  static const struct {
    uint32_t batch, jobs;
    uint64_t memory;
  } ways[] = { { 1000, 1, 0 }, { 1, 1, 0 }, { 3, 3, 0 }, { 2, 4, 200 << 10 } };
  for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
    EngineCase way = *c;
    unsigned before = CU_get_number_of_failures();
    way.options.batch_events = ways[i].batch;
    way.options.jobs = ways[i].jobs;
    way.options.max_memory_bytes = ways[i].memory;
    way.options.verify = true;
    engine_check(&way, plain, results);
    if (CU_get_number_of_failures() > before) printf(" (way %zu)", i);
  }
}

/* A run that ends with this error, and leaves nothing. */
static inline void engine_fails(const EngineCase *c, int status, const char *code, const char *what)
{
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, c);
  if (CHECK(error != NULL)) {
    CHECK_INT(error->status, status);
    CHECK_STR(error->code, code);
    if (!CHECK(strstr(error->what, what) != NULL)) CHECK_ROW(error->what);
  }
  CHECK(!g_file_test(e.out, G_FILE_TEST_EXISTS));
  engine_end(&e);
}

#endif
