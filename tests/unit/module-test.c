/* Modules: what is loaded, what is refused and in which words, the search path, shadowing. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-trust.h"
#include "plan/modules.h"

#include "check.h"
#include "scratch.h"

/* Only the given paths: no module of the user, the environment or an installed program may change
 * a test. */
static Modules *search_in(const char *first, const char *second, bool allow_unsafe)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  if (first) g_ptr_array_add(paths, (gpointer)first);
  if (second) g_ptr_array_add(paths, (gpointer)second);
  ModuleSearch search = { .paths = paths,
                          .no_user = true,
                          .no_env = true,
                          .no_installed = true,
                          .allow_unsafe = allow_unsafe };
  return modules_new(&search);
}

static bool says(const GPtrArray *lines, const char *fragment)
{
  for (guint i = 0; lines && i < lines->len; i++)
    if (strstr(lines->pdata[i], fragment)) return true;
  return false;
}

static const struct {
  const char *name, *code, *what, *why;
} refusals[] = {
  { "wrong-magic", "STG-05", "\"wrong-magic\" is not a stagemill module", "right magic" },
  { "wrong-major", "STG-02",
    "module \"wrong-major\" was built for ABI 7.3, this program has ABI 1.0", NULL },
  { "newer-minor", "STG-02",
    "module \"newer-minor\" was built for ABI 1.1, this program has ABI 1.0", NULL },
  { "no-ops", "STG-06", "the descriptor of \"no-ops\" is faulty", "operations: there are none" },
  { "no-work", "STG-06", "faulty", "one of process and observe is needed" },
  { "duplicate-name", "STG-06", "faulty", "option \"first\" is duplicated" },
  { "undefined-symbol", "STG-04", "could not be loaded", "mill_nothing_defines_this" },
  { "bad-tag", "STG-06", "faulty", "tag \"Tag1\": expected 2 to 6 capitals" },
  { "engine-tag", "STG-08", "the tag RUN of \"engine-tag\" belongs to the program itself", NULL },
  { "unknown-flag", "STG-06", "faulty", "flags: unknown ones, 0x40000000" },
  { "unknown-option-flag", "STG-06", "faulty", "option \"first\" has unknown flags 0x200" },
  { "bad-default", "STG-06", "faulty",
    "option \"first\" has a default \"1000\" that it does not accept" },
  { "bad-column", "STG-06", "faulty", "column \"count\" has an unknown type 77" },
  { "bad-field", "STG-06", "faulty", "table \"counts\": column 0 is no field of its rows" },
  { "no-column-name", "STG-06", "faulty", "column 1: name \"\"" },
  { "bad-name", "STG-06", "faulty", "name \"Bad_Name\": expected lower-case words" },
  { "no-title", "STG-06", "faulty", "title: expected one line of text" },
  { "no-vendor", "STG-06", "faulty",
    "the name \"no-vendor\" needs its vendor before it: \"acme.no-vendor\"" },
  { "odd-vendor", "STG-06", "faulty", "needs its vendor before it: \"vendor.odd-vendor\"" },
  { "other.vendor", "STG-06", "faulty",
    "the name \"other.vendor\" does not begin with its vendor \"acme\"" },
  { "bad-order", "STG-06", "faulty", "table \"counts\": order: there is no column \"colour\"" },
  { "bad-alias", "STG-06", "faulty", "metric \"rate\": alias \"my rate\": expected one word" },
  { "empty-unit", "STG-06", "faulty", "column \"count\" has a unit \"\" that is not a short word" },
  { "unknown-kind", "STG-06", "faulty", "an unknown kind 9" },
  { "small-descriptor", "STG-06", "faulty", "descriptor: a size of 16 bytes" },
  { "small-row", "STG-06", "faulty", "options: rows of 4 bytes, at least 56 are needed" },
  { "small-column", "STG-06", "faulty", "columns: rows of 8 bytes, at least 32 are needed" },
  { "too-many-rows", "STG-06", "faulty", "5000 options are too many" },
  { "no-merge", "STG-06", "faulty",
    "operations: save_result and merge_result: each needs the other" },
  { "no-report", "STG-06", "faulty",
    "table \"counts\": nothing reports it: there is no operation report" },
  { "no-run-level", "STG-06", "faulty",
    "metric \"rate\": it is per run, so the stage needs scope run or whole, or MILL_MERGES" },
  { "bad-option-unit", "STG-06", "faulty",
    "option \"first\" has a unit \"nano seconds\" that is not a short word" },
  { "bad-column-unit", "STG-06", "faulty", "column \"count\" has a unit \"cou\\x0ant\"" },
  { "bad-metric-unit", "STG-06", "faulty",
    "metric \"rate\" has a unit \"output-tokens-per-second\" that is not a short word" },
  { "open-bracket", "STG-06", "faulty",
    "notice 1: \"{count} event[|s are odd\": expected each {name} and each [one|many] to be "
    "whole" },
  { "open-brace", "STG-06", "faulty", "notice 1: \"it is left out of {table\": expected" },
  { "three-words", "STG-06", "faulty", "notice 1: \"{count} [one|two|many]\": expected" },
  { "bad-stat", "STG-06", "faulty",
    "metric \"rate\": \"p50%\" is not a statistic: expected a word, p and a number, or p*" },
  { "empty-stat", "STG-06", "faulty", "metric \"rate\": \" p50\" is not a statistic" },
  { "bad-headline", "STG-06", "faulty",
    "metric \"rate\": headline: there is no statistic \"p99\"" },
  { "aimless-headline", "STG-06", "faulty",
    "metric \"rate\": headline: neither lower nor higher is better" },
  { "figure-table", "STG-06", "faulty",
    "figure \"counts\" shows table \"sums\", which is not declared" },
  { "figure-column", "STG-06", "faulty",
    "figure \"counts\" shows column \"colour\", which table \"counts\" does not have" },
  { "figure-where", "STG-06", "faulty",
    "figure \"counts\" where: \"name\": expected COLUMN=VALUE" },
  { "figure-over", "STG-06", "faulty",
    "figure \"counts\" is drawn over \"others\", which is no other figure of the stage" },
  { "figure-scale", "STG-06", "faulty",
    "figure \"counts\" y_scale: \"cubic\" is not one of linear|log|log2" },
  { "bad-side", "STG-06", "faulty", "side: the label is not in kebab-case" },
  { "sink-flag", "STG-06", "faulty", "flags: unknown ones, 0x80000000" },
  { "not-elf", "STG-04", "module \"not-elf\" could not be loaded", "invalid ELF header" },
  { "no-symbol", "STG-05", "\"no-symbol\" is not a stagemill module", "exports no mill_module_v1" },
};

static void test_refusals(void)
{
  Modules *m = search_in(scratch_modules(), NULL, false);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    g_autoptr(Error) e = NULL;
    bool ok = CHECK(modules_find(m, 0, refusals[i].name, &e) == NULL) && CHECK(e != NULL);
    ok = ok && CHECK_INT(e->status, EXIT_STAGE) && CHECK_STR(e->code, refusals[i].code) &&
         CHECK(strstr(e->what, refusals[i].what) != NULL) && CHECK(says(e->at, refusals[i].name)) &&
         CHECK(!refusals[i].why || says(e->why, refusals[i].why));
    if (!ok) CHECK_ROW(refusals[i].name);
  }
  g_autoptr(GPtrArray) refused = modules_refused(m);
  CHECK_INT(refused->len, sizeof refusals / sizeof refusals[0]);
  modules_free(m);
}

static void test_sound(void)
{
  g_autoptr(Error) e = NULL;
  g_autofree char *good = g_build_filename(scratch_modules(), "good", NULL);
  Modules *m = search_in(good, NULL, false);
  const Module *module = modules_find(m, MILL_KIND_STAGE, "good", &e);
  if (CHECK(module != NULL)) {
    CHECK_STR(module->stage->name, "good");
    CHECK_STR(module->vendor, "stagemill");
    CHECK_STR(module->licence, "MIT");
    CHECK_STR(module->origin, "--stage-path");
    CHECK_INT(module->abi, MILL_ABI);
    CHECK_INT(module->stage->n_options, 2);
    CHECK_STR(module->stage->options[1].name, "second");
    CHECK_STR(module->stage->tables[0].columns.at[0].name, "count");
    CHECK(module->shadows == NULL && g_str_has_suffix(module->path, "/good.so"));
    CHECK(module->stage->stage_ops->process != NULL);
    CHECK(modules_find(m, 0, "good", &e) == module &&
          modules_find(m, 0, "stage/good", &e) == module);
  }
  modules_free(m);
}

static void test_longer_rows(void)
{
  g_autoptr(Error) e = NULL;
  g_autofree char *good = g_build_filename(scratch_modules(), "good", NULL);
  Modules *m = search_in(good, NULL, false);
  const Module *module = modules_find(m, MILL_KIND_STAGE, "long-rows", &e);
  if (CHECK(module != NULL)) {
    CHECK_STR(module->stage->options[0].name, "first");
    CHECK_STR(module->stage->options[1].name, "second");
    CHECK_INT(module->stage->options[1].offset, 8);
  }
  modules_free(m);
}

static void test_unknown(void)
{
  g_autofree char *good = g_build_filename(scratch_modules(), "good", NULL);
  Modules *m = search_in(good, NULL, false);
  const struct {
    uint32_t kind;
    const char *name, *what, *help;
  } table[] = {
    { MILL_KIND_STAGE, "godo", "unknown stage \"godo\"", "did you mean \"good\"?" },
    { MILL_KIND_STAGE, "acme.haet", "unknown stage \"acme.haet\"", "did you mean \"acme.heat\"?" },
    { MILL_KIND_SINK, "quite-other", "unknown sink \"quite-other\"",
      "none was found; stagemill doctor shows" },
    { MILL_KIND_STAGE, "source/good", "unknown stage \"source/good\"", "shows the 5 stages found" },
    { MILL_KIND_STAGE, "../good", "unknown stage \"../good\"", NULL },
    { MILL_KIND_STAGE, "", "unknown stage \"\"", NULL },
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    g_autoptr(Error) e = NULL;
    CHECK(modules_find(m, table[i].kind, table[i].name, &e) == NULL);
    if (!CHECK(e != NULL)) continue;
    CHECK_STR(e->code, "STG-01");
    CHECK_STR(e->what, table[i].what);
    if (!CHECK(!table[i].help || says(e->help, table[i].help))) CHECK_ROW(table[i].name);
  }
  modules_free(m);
}

static void test_kinds_and_shadows(void)
{
  char *near = scratch_folder(), *far = scratch_folder();
  scratch_copy_module("good/edge-source.so", near, "plugins/source/edge.so");
  scratch_copy_module("good/edge-sink.so", near, "plugins/sink/edge.so");
  scratch_copy_module("good/good.so", near, "stages/good.so");
  scratch_copy_module("good/good.so", far, "good.so");
  Modules *m = search_in(near, far, false);
  g_autoptr(Error) ambiguous = NULL, none = NULL;
  CHECK(modules_find(m, 0, "edge", &ambiguous) == NULL);
  if (CHECK(ambiguous != NULL)) CHECK_STR(ambiguous->code, "STG-07");
  if (ambiguous) CHECK(says(ambiguous->help, "source/edge") && says(ambiguous->help, "sink/edge"));
  const Module *source = modules_find(m, MILL_KIND_SOURCE, "edge", &none);
  const Module *sink = modules_find(m, 0, "sink/edge", &none);
  CHECK(source && source->stage->kind == MILL_KIND_SOURCE && !source->shadows);
  CHECK(sink && sink->stage->kind == MILL_KIND_SINK);
  const Module *good = modules_find(m, MILL_KIND_STAGE, "good", &none);
  CHECK(good && g_str_has_prefix(good->path, near) && good->shadows &&
        g_str_has_prefix(good->shadows, far));
  CHECK(modules_find(m, MILL_KIND_STAGE, "edge", &none) == NULL && none != NULL);
  g_autoptr(GPtrArray) all = modules_all(m, 0);
  CHECK_INT(all->len, 3);
  if (all->len == 3) CHECK_STR(((const Module *)all->pdata[2])->stage->name, "good");
  const GPtrArray *folders = modules_folders(m);
  CHECK_INT(folders->len, 5); /* near, its three parts, far */
  if (folders->len == 5)
    CHECK_STR(((const SearchFolder *)folders->pdata[4])->origin, "--stage-path");
  modules_free(m);
  scratch_remove(near);
  scratch_remove(far);
}

/* An interrupted copy must be refused, wherever in its segments it was cut; behind them stand symbols for debuggers. */
static void test_cut_files(void)
{
  g_autofree char *whole = g_build_filename(scratch_modules(), "good", "good.so", NULL);
  g_autofree char *bytes = NULL;
  gsize len = 0;
  if (!CHECK(g_file_get_contents(whole, &bytes, &len, NULL))) return;
  for (gsize part = 0; part < 32; part++) {
    char *folder = scratch_folder();
    scratch_write(folder, "good.so", bytes, (gssize)(len * part / 256));
    Modules *m = search_in(folder, NULL, false);
    g_autoptr(Error) e = NULL;
    CHECK(modules_find(m, MILL_KIND_STAGE, "good", &e) == NULL);
    if (CHECK(e != NULL)) CHECK_STR(e->code, "STG-04");
    modules_free(m);
    scratch_remove(folder);
  }
}

/* A refused file in front is not passed over in favour of one behind it. */
static void test_first_decides(void)
{
  char *near = scratch_folder(), *far = scratch_folder();
  scratch_copy_module("not-elf.so", near, "good.so");
  scratch_copy_module("good/good.so", far, "good.so");
  Modules *m = search_in(near, far, false);
  g_autoptr(Error) e = NULL;
  CHECK(modules_find(m, MILL_KIND_STAGE, "good", &e) == NULL);
  if (CHECK(e != NULL)) CHECK_STR(e->code, "STG-04");
  modules_free(m);
  scratch_remove(near);
  scratch_remove(far);
}

static void test_wrong_file_name(void)
{
  char *folder = scratch_folder();
  scratch_copy_module("good/good.so", folder, "better.so");
  Modules *m = search_in(folder, NULL, false);
  g_autoptr(Error) e = NULL;
  CHECK(modules_find(m, MILL_KIND_STAGE, "better", &e) == NULL);
  if (CHECK(e != NULL))
    CHECK(says(e->why, "the file is named better.so, the stage in it \"good\""));
  modules_free(m);
  scratch_remove(folder);
}

/* Whatever is asked for first: a source does not count in the folder of stages. */
static void test_wrong_folder(void)
{
  char *folder = scratch_folder();
  scratch_copy_module("good/edge-source.so", folder, "stages/edge.so");
  for (int listed = 0; listed < 2; listed++) {
    Modules *m = search_in(folder, NULL, false);
    g_autoptr(Error) e = NULL, unknown = NULL;
    if (listed) g_ptr_array_unref(modules_all(m, 0));
    CHECK(modules_find(m, MILL_KIND_STAGE, "edge", &e) == NULL);
    if (CHECK(e != NULL)) CHECK(says(e->why, "it is a source, in a folder for a stage"));
    CHECK(modules_find(m, MILL_KIND_SOURCE, "edge", &unknown) == NULL);
    if (CHECK(unknown != NULL)) CHECK_STR(unknown->code, "STG-01");
    modules_free(m);
  }
  scratch_remove(folder);
}

static void test_same_tag(void)
{
  char *folder = scratch_folder();
  scratch_copy_module("good/good.so", folder, "good.so");
  scratch_copy_module("same-tag.so", folder, "same-tag.so");
  Modules *m = search_in(folder, NULL, false);
  g_autoptr(GPtrArray) all = modules_all(m, 0);
  CHECK_INT(all->len, 1);
  g_autoptr(GPtrArray) refused = modules_refused(m);
  if (CHECK_INT(refused->len, 1))
    CHECK_STR(((const Error *)refused->pdata[0])->what,
              "the tag GOOD of \"same-tag\" belongs to good");
  modules_free(m);
  scratch_remove(folder);
}

static void find_good(const char *folder, bool allow_unsafe, bool expected, const char *code,
                      const char *why)
{
  g_autoptr(Error) e = NULL;
  Modules *m = search_in(folder, NULL, allow_unsafe);
  CHECK_INT(modules_find(m, MILL_KIND_STAGE, "good", &e) != NULL, expected);
  if (code && CHECK(e != NULL)) CHECK_STR(e->code, code);
  if (why && e) CHECK(says(e->why, why));
  modules_free(m);
}

static void test_trust(void)
{
  char *folder = scratch_folder();
  scratch_copy_module("good/good.so", folder, "good.so");
  g_autofree char *file = g_build_filename(folder, "good.so", NULL);
  find_good(folder, false, true, NULL, NULL);
  chmod(file, 0646);
  find_good(folder, false, false, "STG-03", "can be written by everyone");
  find_good(folder, true, true, NULL, NULL);
  chmod(file, 0644);
  chmod(folder, 0777);
  find_good(folder, false, false, "STG-03", "can be written by everyone");
  find_good(folder, true, true, NULL, NULL);
  find_good(file, false, false, "STG-03", "can be written by everyone");
  chmod(folder, 0755);
  find_good(file, false, true, NULL, NULL);
  if (geteuid() == 0 && chown(file, 12345, 12345) == 0)
    find_good(folder, false, false, "STG-03", "belongs to neither you nor root");
  unlink(file);
  g_mkdir_with_parents(file, 0755);
  find_good(folder, false, false, "STG-03", "is not a regular file");
  scratch_remove(folder);
}

/* root / above / inside / good.so, and a link to it from a folder that nobody else can write. */
static void test_trust_above(void)
{
  char *root = scratch_folder(), *links = scratch_folder();
  g_autofree char *above = g_build_filename(root, "above", NULL);
  g_autofree char *inside = g_build_filename(above, "inside", NULL);
  g_autofree char *file = g_build_filename(inside, "good.so", NULL);
  g_autofree char *link = g_build_filename(links, "good.so", NULL);
  scratch_copy_module("good/good.so", root, "above/inside/good.so");
  chmod(above, 0755), chmod(inside, 0755);
  CHECK(symlink(file, link) == 0);
  find_good(inside, false, true, NULL, NULL);
  find_good(links, false, true, NULL, NULL);
  chmod(above, 0757);
  find_good(inside, false, false, "STG-03", "above\", which can be written by everyone");
  find_good(file, false, false, "STG-03", "above\", which can be written by everyone");
  find_good(links, false, false, "STG-03", "above\", which can be written by everyone");
  find_good(inside, true, true, NULL, NULL);
  chmod(above, 01777); /* as /tmp: what is in it is ours, and stays so */
  find_good(inside, false, true, NULL, NULL);
  chmod(above, 0755);
  if (geteuid() == 0) {
    CHECK(chown(above, 0, 12345) == 0);
    chmod(above, 0775);
    find_good(inside, false, false, "STG-03", "above\", which can be written by its group");
    CHECK(chown(above, 0, 0) == 0);
    chmod(above, 0775);
    find_good(inside, false, true, NULL, NULL); /* the group of root alone */
    CHECK(chown(above, 12345, 0) == 0);
    chmod(above, 01755);
    find_good(inside, false, false, "STG-03", "above\", which belongs to neither you nor root");
  }
  scratch_remove(root);
  scratch_remove(links);
}

/* The path that is looked at is the one that is loaded, so no component of it may be a link. */
static void test_trust_link(void)
{
  char *root = scratch_folder();
  g_autofree char *link = g_build_filename(root, "link", NULL);
  g_autofree char *path = g_build_filename(link, "good.so", NULL);
  scratch_copy_module("good/good.so", root, "real/good.so");
  CHECK(symlink("real", link) == 0);
  g_autoptr(Error) e = search_distrust(path, "--stage-path", false, false);
  if (CHECK(e && e->why)) CHECK(says(e->why, "link\", which is a link now"));
  scratch_remove(root);
}

static void test_environment(void)
{
  char *folder = scratch_folder(), *home = scratch_folder();
  scratch_copy_module("good/good.so", folder, "good.so");
  scratch_copy_module("good/needy.so", home, "stagemill/stages/needy.so");
  g_autofree char *path = g_strdup_printf(":relative/folder::%s:", folder);
  g_setenv("STAGEMILL_STAGE_PATH", path, TRUE);
  g_setenv("XDG_DATA_HOME", home, TRUE);
  g_autoptr(Error) e = NULL;
  Modules *m = modules_new(&(ModuleSearch){ .no_installed = true });
  const Module *good = modules_find(m, 0, "good", &e), *needy = modules_find(m, 0, "needy", &e);
  if (CHECK(good && needy)) {
    CHECK_STR(good->origin, "environment");
    CHECK_STR(needy->origin, "user");
  }
  g_autoptr(GPtrArray) refused = modules_refused(m);
  if (CHECK_INT(refused->len, 1))
    CHECK(says(((Error *)refused->pdata[0])->why, "is not an absolute path"));
  modules_free(m);
  ModuleSearch search = { .no_user = true, .no_env = true, .no_installed = true };
  m = modules_new(&search);
  CHECK(modules_find(m, 0, "good", &e) == NULL);
  g_clear_pointer(&e, error_free);
  CHECK(modules_find(m, 0, "needy", &e) == NULL);
  modules_free(m);
  g_unsetenv("STAGEMILL_STAGE_PATH");
  g_unsetenv("XDG_DATA_HOME");
  scratch_remove(folder);
  scratch_remove(home);
}

/* A reason is a whole sentence, also where the system gives it. */
static void test_reason(void)
{
  g_autoptr(Error) e = search_distrust("/nonexistent/folder", "--stage-path", true, false);
  if (CHECK(e && e->why)) CHECK_STR(e->why->pdata[0], "No such file or directory");
}

TEST_MAIN({ "a folder that is gone", test_reason }, { "a folder of others", test_wrong_folder },
          { "refusals", test_refusals }, { "a sound module", test_sound },
          { "longer rows", test_longer_rows }, { "unknown names", test_unknown },
          { "kinds and shadows", test_kinds_and_shadows }, { "cut files", test_cut_files },
          { "the first file decides", test_first_decides }, { "file name", test_wrong_file_name },
          { "one tag, one name", test_same_tag }, { "trust", test_trust },
          { "trust in what is above", test_trust_above }, { "trust in links", test_trust_link },
          { "environment", test_environment })
