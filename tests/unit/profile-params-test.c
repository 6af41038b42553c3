/* Parameters: given on the command line, and those that set several options of a stage at once. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "plan/profile.h"

#include "check.h"
#include "scratch.h"

static char *folder;
static Modules *modules;

static void set_up(void)
{
  folder = scratch_folder();
  scratch_copy_module("good/good.so", folder, "lib/stages/good.so");
  scratch_copy_module("good/acme.heat.so", folder, "lib/stages/acme.heat.so");
  g_autofree char *lib = g_build_filename(folder, "lib", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  g_ptr_array_add(paths, lib);
  ModuleSearch found = { .paths = paths, .no_user = true, .no_env = true, .no_installed = true };
  modules = modules_new(&found);
}

static void tear_down(void)
{
  modules_free(modules);
  scratch_remove(folder);
}

#define PARAMS(params)                                                 \
  "{ \"profile\": 1, \"name\": \"t\", \"params\": {\n" params "\n},\n" \
  "\"stages\": [ { \"use\": \"good\" },\n"                             \
  "  { \"use\": \"acme.heat\", \"as\": \"heat\", \"with\": { \"bins\": 64 } } ] }"
#define HEATING(value)                                                                             \
  PARAMS("\"heating\": { \"default\": \"" value "\", \"sets\": \"heat\", \"option\": \"LIMITS\", " \
         "\"help\": \"as in bins:3\" }")

static GPtrArray *words(const char *text)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) parts = g_strsplit(text, " ", -1);
  for (char **w = parts; *w; w++)
    if (**w) g_ptr_array_add(out, g_strdup(*w));
  return out;
}

typedef struct Given { /* on the command line, words with blanks between */
  const char *params, *set, *disable;
} Given;

static Error *load(const char *text, Given given, Profile **out)
{
  g_autoptr(GPtrArray) params = words(given.params), set = words(given.set),
                       disable = words(given.disable);
  ProfileEdits edits = { .params = params, .set = set, .disable = disable };
  g_autofree char *file = g_build_filename(folder, "t.json", NULL);
  scratch_write(folder, "t.json", text, -1);
  Error *e = profile_load(file, NULL, out);
  return e ? e : profile_resolve(*out, modules, &edits);
}

static const ProfileSetting *of_heat(const Profile *p, const char *name)
{
  const ProfileEntry *heat = named_find(p->entries, "heat");
  return named_find(heat->with, name);
}

static void test_several_at_once(void)
{
  const struct {
    const char *text;
    Given given;
    const char *bins, *origin, *history, *label;
  } table[] = {
    { HEATING(""), { "", "", "" }, "64", "profile t:5", "default 16", "" },
    { HEATING("bins:3"),
      { "", "", "" },
      "3",
      "$heating from profile t:2",
      "profile t:5; default 16",
      "" },
    { HEATING("bins:3"),
      { "heating=bins:4,label:a:b", "", "" },
      "4",
      "$heating from --heating",
      "profile t:5; default 16",
      "a:b" },
    { HEATING("bins:3"),
      { "heating=label:x heating=bins:5", "", "" },
      "5",
      "$heating from --heating",
      "profile t:5; default 16",
      "x" },
    { HEATING("bins:3"),
      { "heating=bins:4", "heating=label:x", "" },
      "64",
      "profile t:5",
      "default 16",
      "x" },
    /* what names the option wins, wherever it stands */
    { HEATING(""),
      { "", "heat.bins=6 heating=bins:7,label:x", "" },
      "6",
      "--set",
      "$heating from --set; profile t:5; default 16",
      "x" },
    { HEATING("bins:3"), { "", "heating=", "" }, "64", "profile t:5", "default 16", "" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(Profile) p = NULL;
    g_autoptr(Error) e = load(table[i].text, table[i].given, &p);
    if (!CHECK(e == NULL)) CHECK_ROW(e->what);
    if (e) continue;
    const ProfileSetting *bins = of_heat(p, "bins"), *label = of_heat(p, "label");
    bool ok = CHECK_STR(bins->text, table[i].bins) && CHECK_STR(bins->origin, table[i].origin) &&
              CHECK_STR(bins->history, table[i].history) && CHECK_STR(label->text, table[i].label);
    if (!ok) CHECK_ROW(table[i].given.params);
  }
}

static void test_wrong_values(void)
{
  const struct {
    const char *text;
    Given given;
    int status;
    const char *what, *where;
  } table[] = {
    { HEATING(""),
      { "heating=bins", "", "" },
      EXIT_USAGE,
      "parameter \"heating\": \"bins\" is not an option with a value",
      "in --heating bins" },
    { HEATING(""), { "heating=:3", "", "" }, EXIT_USAGE, "\":3\" is not an option", "bins:3" },
    { HEATING(""), { "heating=bins:", "", "" }, EXIT_USAGE, "\"bins:\" is not an option", "bins:" },
    { HEATING(""),
      { "", "heating=bins:3,,", "" },
      EXIT_USAGE,
      "\"\" is not an option",
      "in --set heating=bins:3,," },
    { HEATING(""),
      { "heating=bins:x", "", "" },
      EXIT_USAGE,
      "stage \"heat\": option \"bins\" cannot be \"x\"",
      "in --heating bins:x" },
    { HEATING(""),
      { "", "heating=bins:x", "" },
      EXIT_USAGE,
      "cannot be \"x\"",
      "in --set heating=bins:x" },
    { HEATING(""),
      { "heating=bnis:3", "", "" },
      EXIT_USAGE,
      "has no option \"bnis\"",
      "did you mean \"bins\"?" },
    { HEATING("bins:x"), { "", "", "" }, EXIT_PROFILE, "cannot be \"x\"", "t.json:2:12" },
    { HEATING("bins"), { "", "", "" }, EXIT_PROFILE, "is not an option", "t.json:2:12" },
    { HEATING(""),
      { "heating=bins:3", "", "heat" },
      EXIT_USAGE,
      "the stage \"heat\" is disabled",
      "in --heating bins:3" },
    { HEATING(""),
      { "cooling=1", "", "" },
      EXIT_USAGE,
      "--cooling: the profile \"t\" has no parameter \"cooling\"",
      "show t" },
    { PARAMS("\"a\": { \"default\": 1, \"sets\": \"haet\" }"),
      { "", "", "" },
      EXIT_PROFILE,
      "\"a\" sets options of \"haet\", and no stage has this id",
      "did you mean \"heat\"?" },
    { PARAMS("\"a\": { \"default\": 1, \"sets\": 3 }"),
      { "", "", "" },
      EXIT_PROFILE,
      "\"sets\" must be a text",
      "(/params/a/sets)" },
    { PARAMS("\"a\": { \"default\": 1, \"sets\": \"./x\" }"),
      { "", "", "" },
      EXIT_PROFILE,
      "\"sets\" cannot be \"./x\"",
      "(/params/a/sets)" },
    { PARAMS("\"a\": { \"default\": 1, \"option\": true }"),
      { "", "", "" },
      EXIT_PROFILE,
      "\"option\" must be a text",
      "(/params/a/option)" },
    { PARAMS("\"a\": { \"default\": 1, \"option\": \"\" }"),
      { "", "", "" },
      EXIT_PROFILE,
      "a word of capital letters",
      "(/params/a/option)" },
    { PARAMS("\"a\": { \"default\": 1, \"option\": \"N o\" }"),
      { "", "", "" },
      EXIT_PROFILE,
      "a word of capital letters",
      "--output DIR" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(Profile) p = NULL;
    g_autoptr(Error) e = load(table[i].text, table[i].given, &p);
    g_autoptr(GString) text = g_string_new(NULL);
    error_format(e, false, false, text);
    bool ok = CHECK(e != NULL) && CHECK_INT(e->status, table[i].status) &&
              CHECK(strstr(text->str, table[i].what) != NULL) &&
              CHECK(strstr(text->str, table[i].where) != NULL);
    if (!ok) CHECK_ROW(text->str);
  }
}

/* A default means nothing to a stage that is off. */
static void test_default_of_a_disabled_stage(void)
{
  g_autoptr(Profile) p = NULL;
  g_autoptr(Error) e = load(HEATING("bins:3"), (Given){ "", "", "heat" }, &p);
  CHECK(e == NULL);
}

/* A stage that rejects its options does not say which: those of the command line, else all that are set. */
static void test_rejected(void)
{
  const struct {
    Given given;
    int status;
    const char *wanted;
  } table[] = {
    { { "", "", "" }, EXIT_PROFILE, "error[A-01]: no\n  at %s:5:57  (/stages/1/with/bins)\n" },
    { { "", "heat.label=x", "" }, EXIT_USAGE, "error[A-01]: no\n  in --set heat.label=x\n" },
    { { "heating=label:x", "", "" }, EXIT_USAGE, "error[A-01]: no\n  in --heating label:x\n" },
  };
  g_autofree char *file = g_build_filename(folder, "t.json", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(Profile) p = NULL;
    g_autoptr(Error) e = load(HEATING(""), table[i].given, &p);
    if (!CHECK(e == NULL)) continue;
    g_autoptr(Error) rejected = error_new(EXIT_STAGE, "A-01", "no");
    rejected = profile_rejected(named_find(p->entries, "heat"), rejected);
    g_autoptr(GString) text = g_string_new(NULL), wanted = g_string_new(table[i].wanted);
    g_string_replace(wanted, "%s", file, 0);
    error_format(rejected, false, false, text);
    CHECK_INT(rejected->status, table[i].status);
    CHECK_STR(text->str, wanted->str);
  }
  g_autoptr(Profile) p = NULL;
  error_free(load(HEATING(""), (Given){ "", "", "" }, &p));
  g_autoptr(Error) own = error_new(EXIT_STAGE, "A-01", "no");
  own = profile_rejected(named_find(p->entries, "good"), own);
  CHECK_INT(own->status, EXIT_STAGE); /* nothing is set: it is the stage's own failure */
}

static void test_inherited(void)
{
  static const char child[] =
      "{ \"profile\": 1, \"inherits\": \"./parent.json\",\n"
      "  \"params\": { \"heating\": { \"default\": \"bins:9\", \"option\": \"N\" } }, "
      "\"stages\": [] }";
  g_autoptr(Profile) p = NULL;
  scratch_write(folder, "parent.json", HEATING("bins:3"), -1);
  g_autoptr(Error) e = load(child, (Given){ "", "", "" }, &p);
  if (!CHECK(e == NULL)) return;
  CHECK_STR(of_heat(p, "bins")->text, "9");
  const ProfileParam *heating = profile_param(p, "heating");
  CHECK_STR(heating->sets, "heat");
  CHECK_STR(heating->option, "N");
  CHECK_STR(heating->help, "as in bins:3");
}

TEST_MAIN({ "set up", set_up }, { "several options at once", test_several_at_once },
          { "wrong values and parameters", test_wrong_values },
          { "the default of a disabled stage", test_default_of_a_disabled_stage },
          { "rejected options", test_rejected }, { "inheritance", test_inherited },
          { "tear down", tear_down })
