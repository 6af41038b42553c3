/* Folders that were named: each has an input in it, or the run ends, or goes on without it and says so. */
/* SPDX-License-Identifier: MIT */
#include "input/named-folders.h"

#include "engine.h"

static void add_folder(GPtrArray *specs, const Engine *e, const char *name)
{
  g_autofree char *path = g_build_filename(e->folder, name, NULL);
  InputSpec *spec = input_spec_new(path);
  spec->folder = true;
  g_ptr_array_add(specs, spec);
}

static void test_what_folders_add(void)
{
  static const struct {
    const char *names[3];
    bool keep_going;
    guint lanes, set_aside;
    unsigned errors;
  } rows[] = {
    { { "good" }, false, 1, 0, 0 },
    { { "good", "mixed" }, false, 2, 0, 0 },
    { { "good", "notes" }, false, 0, 0, 1 },
    { { "notes", "good", "others" }, false, 0, 0, 2 },
    { { "notes", "good", "others" }, true, 1, 2, 0 },
    { { "notes" }, false, 0, 0, 1 },
    { { "notes" }, true, 0, 0, 1 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Engine e;
    EngineCase c = { .stages = "[]", .options = { .keep_going = rows[i].keep_going } };
    GPtrArray *specs = g_ptr_array_new();
    unsigned n = 0;
    engine_begin(&e);
    scratch_write(e.folder, "good/a", "lines\n", -1);
    scratch_write(e.folder, "mixed/a", "lines\n", -1);
    scratch_write(e.folder, "mixed/notes", "not lines", -1);
    scratch_write(e.folder, "notes/a", "not lines", -1);
    scratch_write(e.folder, "others/a", "not lines", -1);
    for (int k = 0; k < 3 && rows[i].names[k]; k++) add_folder(specs, &e, rows[i].names[k]);
    g_autoptr(Error) error = engine_open(&e, specs, &c);
    for (const Error *at = error; at; at = at->next, n++) CHECK_STR(at->code, "RUN-92");
    bool as_wanted = CHECK_INT(n, rows[i].errors) &&
                     CHECK_INT(e.run ? e.run->inputs->lanes->len : 0, rows[i].lanes) &&
                     CHECK_INT(e.run ? e.run->aside.errors->len : 0, rows[i].set_aside);
    if (!as_wanted) printf(" (row %zu)", i);
    engine_end(&e);
  }
}

TEST_MAIN({ "what folders add", test_what_folders_add })
