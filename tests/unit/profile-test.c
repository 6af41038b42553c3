/* Profiles: wrong ones with their messages, inheritance, edits, the list, the schema. */
/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "plan/profile.h"

#include "check.h"
#include "scratch.h"

/* What all tests of this file share: sound modules under their names, a folder for profiles. */
static char *folder;
static Modules *modules;
static GPtrArray *profile_paths;
static ProfileSearch search;

static void set_up(void)
{
  folder = scratch_folder();
  scratch_copy_module("good/good.so", folder, "lib/stages/good.so");
  scratch_copy_module("good/acme.heat.so", folder, "lib/stages/acme.heat.so");
  scratch_copy_module("good/needy.so", folder, "lib/stages/needy.so");
  scratch_copy_module("good/long-rows.so", folder, "lib/stages/long-rows.so");
  scratch_copy_module("no-work.so", folder, "lib/stages/no-work.so");
  scratch_copy_module("good/edge-source.so", folder, "lib/plugins/source/edge.so");
  scratch_copy_module("good/edge-sink.so", folder, "lib/plugins/sink/edge.so");
  g_autofree char *lib = g_build_filename(folder, "lib", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  g_ptr_array_add(paths, lib);
  ModuleSearch found = { .paths = paths, .no_user = true, .no_env = true, .no_installed = true };
  modules = modules_new(&found);
  profile_paths = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(profile_paths, g_build_filename(folder, "profiles", NULL));
  search.paths = profile_paths;
}

static void tear_down(void)
{
  modules_free(modules);
  g_ptr_array_unref(profile_paths);
  scratch_remove(folder);
}

/* The profile of the given text, resolved; its file is always "t.json". */
static Error *load_text(const char *text, const ProfileEdits *edits, Profile **out)
{
  scratch_write(folder, "profiles/t.json", text, -1);
  Error *e = profile_load("t", &search, out);
  if (!e) e = profile_resolve(*out, modules, edits);
  return e;
}

/* All that a user would see of the errors. */
static char *text_of(const Error *e)
{
  GString *out = g_string_new(NULL);
  error_format(e, false, false, out);
  return g_string_free(out, FALSE);
}

#define STAGES(list) "{ \"profile\": 1, \"stages\": [\n" list "\n] }"
#define CHILD(rest) "{ \"profile\": 1, \"inherits\": \"base\",\n" rest " }"

static const char base_text[] =
    "{ \"profile\": 1, \"name\": \"base\",\n"
    "  \"params\": { \"soc-mhz\": { \"default\": \"40\", \"unit\": \"MHz\", \"help\": \"Clock.\" } "
    "},\n"
    "  \"formats\": [\"text\", \"json\"],\n"
    "  \"stages\": [\n"
    "    { \"use\": \"good\", \"with\": { \"first\": \"$soc-mhz\" } },\n"
    "    { \"use\": \"acme.heat\", \"as\": \"heat\", \"with\": { \"bins\": 64, \"kinds\": [\"x\", "
    "2] } },\n"
    "    { \"use\": \"needy\", \"enabled\": false } ] }\n";

static const struct {
  const char *text, *code, *place, *fragment;
} wrong[] = {
  /* JSON */
  { "", "PRF-02", ":1:1", "not valid JSON" },
  { "{ \"profile\": 1,", "PRF-02", ":1:", "not valid JSON" },
  { "{ \"profile\": 1 /* x */ }", "PRF-02", ":1:16", "not valid JSON" },
  { "{ \"profile\": 01, \"stages\": [] }", "PRF-02", ":1:", "not valid JSON" },
  { "{ \"profile\": 1,\n \"stages\": [], }", "PRF-02", ":2:", "not valid JSON" },
  { "{ \"profile\": 1, \"stages\": [],\n  \"stages\": [] }", "PRF-02", ":2:3",
    "this key is duplicated" },
  { "{ \"profile\": 1, \"stages\": [\n{ \"use\": 'x' } ] }", "PRF-02", ":2:10", "not valid JSON" },
  { "{ \"profile\": 1, \"stages\": [] } true", "PRF-02", ":1:32", "not valid JSON" },
  { "{ \"profile\": NaN, \"stages\": [] }", "PRF-02", ":1:14", "not valid JSON" },
  { "{ \"profile\": 1, \"name\": \"a\nb\" }", "PRF-02", ":1:", "not valid JSON" },
  /* shape of the file */
  { "[]", "PRF-05", ":1:1", "a profile must be an object, not a list" },
  { "{}", "PRF-05", ":1:1", "there is no \"profile\": 1" },
  { "{ \"stages\": [] }", "PRF-05", ":1:1", "there is no \"profile\": 1" },
  { "{ \"profile\": 1 }", "PRF-05", ":1:1", "there is no list of \"stages\"" },
  { "{ \"profile\": \"1\", \"stages\": [] }", "PRF-05", ":1:14",
    "\"profile\" must be the number 1, not a text" },
  { "{ \"profile\": 2, \"stages\": [] }", "PRF-05", ":1:14", "cannot read profiles of format 2" },
  { "{ \"profile\": 1, \"stages\": [{\"create_slice_from_BE\": true}, {\"x\": 0}] }", "PRF-05",
    ":1:27", "\"stages\" is a list of the AIU trace analyser, as its -P reads" },
  { "{ \"profile\": 1, \"stages\": {} }", "PRF-05", ":1:27",
    "\"stages\" must be a list, not an object" },
  { "{ \"profile\": 1, \"stage\": [], \"stages\": [] }", "PRF-04", ":1:17",
    "did you mean \"stages\"?" },
  { "{ \"profile\": 1, \"stages\": [], \"desription\": \"\" }", "PRF-04", ":1:31",
    "did you mean \"description\"?" },
  { "{ \"profile\": 1, \"stages\": [], \"description\": 4 }", "PRF-05", ":1:46",
    "must be a text, not a number" },
  { "{ \"profile\": 1, \"stages\": [], \"name\": \"No Good\" }", "PRF-05", ":1:39",
    "\"name\" cannot be \"No Good\"" },
  { "{ \"profile\": 1, \"stages\": [], \"formats\": \"text\" }", "PRF-05", ":1:42",
    "\"formats\" must be a list" },
  { "{ \"profile\": 1, \"stages\": [], \"inputs\": \"data\" }", "PRF-05", "(/inputs)",
    "\"inputs\" must be a list" },
  { "{ \"profile\": 1, \"stages\": [], \"inputs\": [1] }", "PRF-05", "(/inputs/0)",
    "an input must be a text" },
  { "{ \"profile\": 1, \"stages\": [], \"formats\": [\"a\", 3] }", "PRF-05", "(/formats/1)",
    "a format must be a text" },
  { "{ \"profile\": 1, \"stages\": [], \"formats\": [\"a\", \"a\"] }", "PRF-05", "(/formats/1)",
    "\"a\" is duplicated" },
  /* parameters */
  { "{ \"profile\": 1, \"stages\": [], \"params\": [] }", "PRF-05", "(/params)",
    "\"params\" must be an object" },
  { "{ \"profile\": 1, \"stages\": [], \"params\": { \"a\": 1 } }", "PRF-05", "(/params/a)",
    "must be an object, not a number" },
  { "{ \"profile\": 1, \"stages\": [], \"params\": { \"a\": {} } }", "PRF-05", "(/params/a)",
    "has no \"default\"" },
  { "{ \"profile\": 1, \"stages\": [], \"params\": { \"A b\": { \"default\": 1 } } }", "PRF-05",
    "(/params/A b)", "cannot be named \"A b\"" },
  { "{ \"profile\": 1, \"stages\": [], \"params\": { \"a\": { \"default\": 1, \"unti\": \"s\" } } "
    "}",
    "PRF-04", "(/params/a/unti)", "did you mean \"unit\"?" },
  { "{ \"profile\": 1, \"stages\": [], \"params\": { \"a\": { \"default\": null } } }", "PRF-05",
    "(/params/a/default)", "not null" },
  /* entries */
  { STAGES("\"good\""), "PRF-05", ":2:1  (/stages/0)",
    "an entry of \"stages\" must be an object, not a text" },
  { STAGES("{}"), "PRF-05", ":2:1  (/stages/0)", "has no \"use\"" },
  { STAGES("{ \"use\": 3 }"), "PRF-05", ":2:10  (/stages/0/use)",
    "\"use\" must be a text, not a number" },
  { STAGES("{ \"use\": \"./good.so\" }"), "PRF-05", ":2:10",
    "a profile names stages, never files" },
  { STAGES("{ \"use\": \"stages/good\" }"), "PRF-05", ":2:10",
    "\"use\" cannot be \"stages/good\"" },
  { STAGES("{ \"use\": \"\" }"), "PRF-05", ":2:10", "\"use\" cannot be \"\"" },
  { STAGES("{ \"use\": \"a.b.c\" }"), "PRF-05", ":2:10", "\"use\" cannot be \"a.b.c\"" },
  { STAGES("{ \"use\": \"good\", \"enabled\": \"no\" }"), "PRF-05", ":2:29",
    "\"enabled\" must be true or false, not a text" },
  { STAGES("{ \"use\": \"good\", \"optional\": 1 }"), "PRF-05", ":2:30",
    "\"optional\" must be true or false, not a number" },
  { STAGES("{ \"use\": \"good\", \"wiht\": {} }"), "PRF-04", ":2:18", "did you mean \"with\"?" },
  { STAGES("{ \"use\": \"good\", \"with\": [] }"), "PRF-05", ":2:26",
    "\"with\" must be an object, not a list" },
  { STAGES("{ \"use\": \"good\", \"with\": { \"first\": null } }"), "PRF-05",
    "(/stages/0/with/first)", "not null" },
  { STAGES("{ \"use\": \"good\", \"with\": { \"first\": { } } }"), "PRF-05",
    "(/stages/0/with/first)", "not an object" },
  { STAGES("{ \"use\": \"acme.heat\", \"with\": { \"kinds\": [\"a,b\"] } }"), "PRF-05",
    "(/stages/0/with/kinds/0)", "without commas" },
  { STAGES("{ \"use\": \"good\" },\n{ \"use\": \"good\" }"), "PRF-07", ":3:10  (/stages/1/use)",
    "\"good\" is duplicated" },
  { STAGES("{ \"use\": \"good\", \"as\": \"x\" },\n{ \"use\": \"needy\", \"as\": \"x\" }"),
    "PRF-07", ":3:25  (/stages/1/as)", "\"x\" is duplicated" },
  { STAGES("{ \"use\": \"good\", \"after\": \"x\" }"), "PRF-07", ":2:1", "need \"inherits\"" },
  { STAGES("{ \"use\": \"good\", \"as\": \"A\" }"), "PRF-05", ":2:24", "\"as\" cannot be \"A\"" },
  /* inheritance */
  { "{ \"profile\": 1, \"inherits\": 3 }", "PRF-05", ":1:29", "\"inherits\" must be a text" },
  { "{ \"profile\": 1, \"inherits\": \"bsae\" }", "PRF-01", ":1:29  (/inherits)",
    "did you mean \"base\"?" },
  { "{ \"profile\": 1, \"inherits\": \"./none.json\" }", "PRF-01", "(/inherits)", "No such file" },
  { "{ \"profile\": 1, \"inherits\": \"/dev/stdin\" }", "PRF-01", "(/inherits)",
    "not a regular file" },
  { "{ \"profile\": 1, \"inherits\": \"t\" }", "PRF-06", "(/inherits)",
    "inherit from each other: t > t" },
  { "{ \"profile\": 1, \"inherits\": \"loop-a\" }", "PRF-06",
    "loop-b.json:1:", "t > loop-a > loop-b > loop-a" },
  { CHILD("\"stages\": [ { \"use\": \"long-rows\" } ]"), "PRF-07", ":2:22",
    "neither \"after\" nor \"before\"" },
  { CHILD("\"stages\": [ { \"use\": \"long-rows\", \"after\": \"haet\" } ]"), "PRF-07",
    "(/stages/0/after)", "did you mean \"heat\"?" },
  { CHILD("\"stages\": [ { \"use\": \"long-rows\", \"after\": \"good\", \"before\": \"heat\" } ]"),
    "PRF-07", "(/stages/0)", "not both" },
  { CHILD("\"stages\": [ { \"use\": \"good\", \"after\": \"heat\" } ]"), "PRF-07",
    "(/stages/0/after)", "cannot be moved" },
  { CHILD("\"stages\": [ { \"use\": \"good\", \"as\": \"heat\" } ]"), "PRF-07", "(/stages/0/use)",
    "uses another stage" },
  { CHILD("\"params\": { \"soc-mzh\": { \"unit\": \"x\" } }"), "PRF-05", "(/params/soc-mzh)",
    "did you mean \"soc-mhz\"?" },
  /* stages */
  { STAGES("{ \"use\": \"godo\" }"), "PRF-03", ":2:10  (/stages/0/use)", "did you mean \"good\"?" },
  { STAGES("{ \"use\": \"acme.haet\" }"), "PRF-03", ":2:10", "did you mean \"acme.heat\"?" },
  { STAGES("{ \"use\": \"nothing-like-it\" }"), "PRF-03", ":2:10", "shows the 4 stages found" },
  { STAGES("{ \"use\": \"edge\" }"), "PRF-14", ":2:10", "\"edge\" is a source, not a stage" },
  { STAGES("{ \"use\": \"no-work\" }"), "STG-06", ":2:10", "one of process and observe is needed" },
  /* options */
  { STAGES("{ \"use\": \"good\", \"with\": { \"frist\": 2 } }"), "PRF-08", "(/stages/0/with/frist)",
    "did you mean \"first\"?" },
  { STAGES("{ \"use\": \"good\", \"with\": { \"first\": \"ten\" } }"), "PRF-09",
    "(/stages/0/with/first)", "expected an integer, 1 to 100" },
  { STAGES("{ \"use\": \"good\", \"with\": { \"first\": 101 } }"), "PRF-09", ":2:37",
    "cannot be \"101\"" },
  { STAGES("{ \"use\": \"good\", \"with\": { \"first\": 1.5 } }"), "PRF-09", ":2:37",
    "cannot be \"1.5\"" },
  { STAGES("{ \"use\": \"acme.heat\", \"with\": { \"mode\": \"exat\" } }"), "PRF-09",
    "(/stages/0/with/mode)", "did you mean \"exact\"?" },
  { STAGES("{ \"use\": \"acme.heat\", \"with\": { \"window\": \"5 parsec\" } }"), "PRF-09",
    "(/stages/0/with/window)", "expected a duration such as 10ms, 1us to 10s" },
  { STAGES("{ \"use\": \"acme.heat\", \"with\": { \"match\": \"a(\" } }"), "PRF-09",
    "(/stages/0/with/match)", "expected a regular expression" },
  { STAGES("{ \"use\": \"needy\" }"), "PRF-10", ":2:10", "needs a value for its option \"clock\"" },
  { STAGES("{ \"use\": \"good\", \"with\": { \"first\": \"$clokc\" } }"), "PRF-11",
    "(/stages/0/with/first)", "unknown parameter \"clokc\"" },
  { "{ \"profile\": 1, \"stages\": [], \"sinks\": { \"csv\": { \"first\": \"$clokc\" } } }",
    "PRF-11", "(/sinks/csv/first)", "unknown parameter \"clokc\"" },
  { "{ \"profile\": 1, \"stages\": [], \"sources\": { \"edge\": { \"first\": \"$clokc\" } } }",
    "PRF-11", "(/sources/edge/first)", "unknown parameter \"clokc\"" },
  { CHILD("\"params\": { \"soc-mhz\": { \"default\": 4000 } }"), "PRF-09", "(/stages/0/with/first)",
    "from the parameter \"soc-mhz\", at" },
};

static void test_wrong(void)
{
  scratch_write(folder, "profiles/base.json", base_text, -1);
  scratch_write(folder, "profiles/loop-a.json", "{ \"profile\": 1, \"inherits\": \"loop-b\" }", -1);
  scratch_write(folder, "profiles/loop-b.json", "{ \"profile\": 1, \"inherits\": \"loop-a\" }", -1);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    g_autoptr(Profile) profile = NULL;
    g_autoptr(Error) e = load_text(wrong[i].text, NULL, &profile);
    bool ok = CHECK(e != NULL);
    g_autofree char *text = text_of(e);
    ok = ok && CHECK_STR(e->code, wrong[i].code) && CHECK(strstr(text, wrong[i].place) != NULL) &&
         CHECK(strstr(text, wrong[i].fragment) != NULL) && CHECK(strstr(text, ".json:") != NULL);
    if (!ok) CHECK_ROW(wrong[i].text), printf("\n%s", text);
  }
}

static unsigned count_errors(const Error *e)
{
  unsigned n = 0;
  for (; e; e = e->next) n++;
  return n;
}

/* All problems of one phase come at once, and those of a later phase do not. */
static void test_all_at_once(void)
{
  const struct {
    const char *text;
    unsigned n;
  } table[] = {
    { "{ \"profile\": 3, \"x\": 1, \"name\": 4, \"stages\": [ {}, 5, { \"use\": \"nope\", \"y\": 1 "
      "} ] }",
      6 },
    { STAGES("{ \"use\": \"nope\" }, { \"use\": \"neither\" }, { \"use\": \"good\", \"with\": { "
             "\"z\": 1 } }"),
      2 },
    { STAGES("{ \"use\": \"good\", \"with\": { \"z\": 1, \"first\": 0, \"second\": \"a\" } }, { "
             "\"use\": \"needy\" }"),
      4 },
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    g_autoptr(Profile) profile = NULL;
    g_autoptr(Error) e = load_text(table[i].text, NULL, &profile);
    if (!CHECK_INT(count_errors(e), table[i].n)) CHECK_ROW(table[i].text);
  }
  g_autoptr(GString) many = g_string_new("{ \"profile\": 1, \"stages\": []");
  for (int i = 0; i < 2000; i++) g_string_append_printf(many, ", \"k%d\": 1", i);
  g_string_append(many, " }");
  g_autoptr(Profile) profile = NULL;
  g_autoptr(Error) e = load_text(many->str, NULL, &profile);
  g_autofree char *text = text_of(e);
  CHECK_INT(count_errors(e), 50);
  CHECK(strstr(text, "and 1950 more problems") != NULL);
}

static void test_too_many(void)
{
  g_autoptr(Profile) profile = NULL;
  g_autoptr(GString) wide = g_string_new("{ \"profile\": 1, \"stages\": []"),
                     deep = g_string_new("{ \"profile\": 1, \"stages\": []");
  for (int i = 0; i < 4095; i++) g_string_append_printf(wide, ",\n\"k%d\": 1", i);
  g_string_append(wide, " }");
  for (int i = 0; i < 20; i++) {
    g_string_append_printf(deep, ",\n\"k%d\": [0", i);
    for (int k = 1; k < 4096; k++) g_string_append(deep, ",0");
    g_string_append_c(deep, ']');
  }
  g_string_append(deep, " }");
  const char *texts[] = { wide->str, deep->str },
             *whys[] = { ":4096:", "4,096 items", ":17:", "65,536 values" };
  for (int i = 0; i < 2; i++) {
    g_autoptr(Error) e = load_text(texts[i], NULL, &profile);
    g_autofree char *text = text_of(e);
    CHECK_INT(e->status, EXIT_PROFILE);
    if (!CHECK(strstr(text, whys[2 * i]) && strstr(text, whys[2 * i + 1]))) CHECK_ROW(text);
  }
}

static const ProfileSetting *setting(const Profile *p, guint entry, const char *name)
{
  const GPtrArray *with = ((const ProfileEntry *)p->entries->pdata[entry])->with;
  for (guint i = 0; i < with->len; i++)
    if (strcmp(((const ProfileSetting *)with->pdata[i])->name, name) == 0) return with->pdata[i];
  return NULL;
}

static void check_setting(const Profile *p, guint entry, const char *name, const char *text,
                          const char *origin, const char *history)
{
  const ProfileSetting *s = setting(p, entry, name);
  if (!CHECK(s != NULL)) return;
  CHECK_STR(s->text, text);
  CHECK_STR(s->origin, origin);
  CHECK_STR(s->history, history);
}

static char *ids_of(const Profile *p)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < p->entries->len; i++) {
    const ProfileEntry *e = p->entries->pdata[i];
    g_string_append_printf(out, "%s%s%s", i ? " " : "", e->enabled ? "" : "-", e->id);
  }
  return g_string_free(out, FALSE);
}

static void check_none(Error *e)
{
  g_autofree char *text = text_of(e);
  if (!CHECK(e == NULL)) printf("\n%s", text);
  error_free(e);
}

static void test_sound(void)
{
  g_autoptr(Profile) p = NULL;
  check_none(load_text(
      "{ \"$schema\": \"x\", \"//\": \"comment\", \"profile\": 1, \"description\": \"d\",\n"
      "  \"params\": { \"n\": { \"default\": 7, \"//\": 1 } },\n"
      "  \"stages\": [\n"
      "    { \"use\": \"good\", \"//\": [], \"with\": { \"first\": \"$n\", \"//\": {} } },\n"
      "    { \"use\": \"acme.heat\", \"as\": \"h\", \"with\": { \"deep\": true, \"ratio\": 0.25,\n"
      "      \"label\": \"$$n\", \"kinds\": [1, \"b\"], \"window\": \"1 s\" } },\n"
      "    { \"use\": \"no-such-stage\", \"enabled\": false, \"with\": { \"any\": 1 } } ] }",
      NULL, &p));
  if (!p) return;
  CHECK_STR(p->name, "t");
  CHECK_STR(p->description, "d");
  CHECK(p->formats == NULL);
  g_autofree char *ids = ids_of(p);
  CHECK_STR(ids, "good h -no-such-stage");
  check_setting(p, 0, "first", "7", "profile t:4, $n from profile t:2", "default 10");
  check_setting(p, 0, "second", "1", "default", NULL);
  check_setting(p, 1, "deep", "true", "profile t:5", "default false");
  check_setting(p, 1, "ratio", "0.25", "profile t:5", "default 0.5");
  check_setting(p, 1, "label", "$n", "profile t:6", "default ");
  check_setting(p, 1, "kinds", "1,b", "profile t:6", "default a,b");
  const ProfileEntry *heat = p->entries->pdata[1], *off = p->entries->pdata[2];
  CHECK(heat->module && strcmp(heat->module->stage->name, "acme.heat") == 0);
  CHECK(off->module == NULL);
  CHECK_STR(off->enabled_origin, "profile t:7");
}

static void test_inherits(void)
{
  g_autoptr(Profile) p = NULL;
  scratch_write(folder, "profiles/base.json", base_text, -1);
  scratch_write(folder, "profiles/middle.json",
                "{ \"profile\": 1, \"inherits\": \"base\", \"params\": { \"soc-mhz\": { "
                "\"default\": 60 } },\n"
                "  \"stages\": [ { \"use\": \"heat\", \"with\": { \"bins\": 32 } } ] }",
                -1);
  check_none(
      load_text("{ \"profile\": 1, \"inherits\": \"./middle.json\", \"formats\": [\"csv\"],\n"
                "  \"stages\": [\n"
                "    { \"use\": \"long-rows\", \"as\": \"one\", \"after\": \"good\" },\n"
                "    { \"use\": \"long-rows\", \"as\": \"inner\", \"after\": \"one\" },\n"
                "    { \"use\": \"long-rows\", \"as\": \"two\", \"after\": \"good\" },\n"
                "    { \"use\": \"long-rows\", \"as\": \"early\", \"before\": \"good\" },\n"
                "    { \"use\": \"needy\", \"enabled\": true, \"optional\": true, \"with\": { "
                "\"clock\": 9 } },\n"
                "    { \"use\": \"acme.heat\", \"as\": \"heat\", \"with\": { \"bins\": 8, "
                "\"deep\": true } } ] }",
                NULL, &p));
  if (!p) return;
  g_autofree char *ids = ids_of(p);
  CHECK_STR(ids, "early good one inner two heat needy");
  CHECK_INT(p->chain->len, 3);
  CHECK_STR(p->chain->pdata[0], "t");
  CHECK_STR(p->chain->pdata[2], "base");
  CHECK_STR(p->formats->pdata[0], "csv");
  check_setting(p, 5, "bins", "8", "profile t:8", "profile middle:2; profile base:6; default 16");
  check_setting(p, 5, "kinds", "x,2", "profile base:6", "default a,b");
  check_setting(p, 1, "first", "60", "profile base:5, $soc-mhz from profile middle:1",
                "default 10");
  check_setting(p, 6, "clock", "9", "profile t:7", NULL);
  CHECK_STR(((ProfileParam *)p->params->pdata[0])->unit, "MHz");
  CHECK_STR(((ProfileEntry *)p->entries->pdata[6])->enabled_origin, "profile t:7");
  CHECK(((ProfileEntry *)p->entries->pdata[6])->optional);
  CHECK(!((ProfileEntry *)p->entries->pdata[5])->optional);
}

static GPtrArray *words(const char *text)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) list = g_strsplit(text ? text : "", " ", -1);
  for (char **w = list; *w; w++)
    if (**w) g_ptr_array_add(out, g_strdup(*w));
  return out;
}

static Error *resolve(const char *set, const char *enable, const char *disable, const char *only,
                      Profile **out)
{
  g_autoptr(GPtrArray) s = words(set), e = words(enable), d = words(disable), o = words(only);
  ProfileEdits edits = { .set = s, .enable = e, .disable = d, .only = o };
  return load_text(base_text, &edits, out);
}

static void test_inputs(void)
{
  g_autoptr(Profile) p = NULL, of_parent = NULL;
  scratch_write(folder, "profiles/parent.json",
                "{ \"profile\": 1, \"stages\": [], \"inputs\": [\"data\", \"more\"], "
                "\"inputs-help\": \"make them\" }",
                -1);
  check_none(load_text("{ \"profile\": 1, \"inherits\": \"./parent.json\" }", NULL, &of_parent));
  if (CHECK(of_parent && of_parent->inputs)) {
    CHECK_STR(of_parent->inputs->pdata[1], "more");
    CHECK_STR(of_parent->inputs_help, "make them");
  }
  check_none(
      load_text("{ \"profile\": 1, \"inherits\": \"./parent.json\", \"inputs\": [] }", NULL, &p));
  if (CHECK(p && p->inputs)) CHECK_INT(p->inputs->len, 0);
}

static void test_select(void)
{
  const struct {
    const char *enable, *disable, *only, *ids; /* ids NULL: an error */
    const char *fragment;
  } table[] = {
    { "", "", "", "good heat -needy", NULL },
    { "", "heat", "", "good -heat -needy", NULL },
    { "", "h*", "", "good -heat -needy", NULL },
    { "", "thermal/*", "", "good -heat -needy", NULL },
    { "", "ther*/heat", "", "good -heat -needy", NULL },
    { "", "good,heat", "", "-good -heat -needy", NULL },
    { "heat", "*", "", "-good heat -needy", NULL },
    { "", "", "heat", "-good heat -needy", NULL },
    { "", "", "*/*", "good heat -needy", NULL },
    { "good", "", "heat", "good heat -needy", NULL },
    { "", "haet", "", NULL, "did you mean \"heat\"?" },
    { "", "", "x*", NULL, "in --only x*" },
    { "", "comm/*", "", NULL, "the profile \"base\" has no stage \"comm/*\"" },
    { "long-rows", "", "", NULL, "does not guess its place" },
    { "", "acme.heat", "", "good -heat -needy", NULL }, /* the stage, which has another id here */
    { "heat", "heat", "", NULL, "both enabled and disabled" },
    { "needy", "", "", NULL, "needs a value for its option \"clock\"" },
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    g_autoptr(Profile) p = NULL;
    g_autoptr(Error) e = resolve("", table[i].enable, table[i].disable, table[i].only, &p);
    g_autofree char *text = text_of(e);
    g_autofree char *ids = p ? ids_of(p) : NULL;
    bool ok = table[i].ids ? CHECK(e == NULL) && CHECK_STR(ids, table[i].ids)
                           : CHECK(e != NULL) && CHECK(strstr(text, table[i].fragment) != NULL);
    if (!ok) CHECK_ROW(text);
  }
}

static void test_set(void)
{
  g_autoptr(Profile) p = NULL;
  check_none(
      resolve("heat.bins=7 soc-mhz=50 heat.label=a=b.c needy.clock=3 heat.bins=9 good.second=5",
              "needy", "", "", &p));
  if (!p) return;
  check_setting(p, 1, "bins", "9", "--set", "--set; profile base:6; default 16");
  check_setting(p, 1, "label", "a=b.c", "--set", "default ");
  check_setting(p, 0, "first", "50", "profile base:5, $soc-mhz from --set", "default 10");
  check_setting(p, 0, "second", "5", "--set", "default 1");
  check_setting(p, 2, "clock", "3", "--set", NULL);
  const struct {
    const char *set, *code, *fragment;
    int status;
  } table[] = {
    { "heat.bnis=3", "PRF-08", "did you mean \"bins\"?", EXIT_USAGE },
    { "heat.bins=x", "PRF-09", "in --set heat.bins=x", EXIT_USAGE },
    { "haet.bins=3", "PRF-13", "did you mean \"heat\"?", EXIT_USAGE },
    { "acme.heat.bins=3", "PRF-13", "has no stage \"acme.heat\"", EXIT_USAGE },
    { "soc-mzh=3", "PRF-11", "did you mean \"soc-mhz\"?", EXIT_USAGE },
    { "heat=3", "PRF-11", "as heat.OPTION=VALUE", EXIT_USAGE },
    { "heat.bins", "PRF-13", "--set STAGE.OPTION=VALUE", EXIT_USAGE },
    { "=3", "PRF-13", "needs a name", EXIT_USAGE },
    { "needy.clock=3", "PRF-13", "the stage \"needy\" is disabled", EXIT_USAGE },
    { "soc-mhz=1000", "PRF-09", "from the parameter \"soc-mhz\", given by --set", EXIT_USAGE },
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    g_autoptr(Profile) other = NULL;
    g_autoptr(Error) e = resolve(table[i].set, "", "", "", &other);
    g_autofree char *text = text_of(e);
    bool ok = CHECK(e != NULL) && CHECK_STR(e->code, table[i].code) &&
              CHECK_INT(e->status, table[i].status) &&
              CHECK(strstr(text, table[i].fragment) != NULL);
    if (!ok) CHECK_ROW(text);
  }
}

/* Of all sinks, of all sources, and of the stage "edge": what is set. */
static char *edges_of(const Profile *p)
{
  GString *out = g_string_new(NULL);
  const struct {
    const char *kind;
    const GPtrArray *entries;
  } edges[] = { { "sink", p->sinks }, { "source", p->sources } };
  for (size_t k = 0; k < G_N_ELEMENTS(edges); k++) {
    g_autoptr(GPtrArray) set = g_ptr_array_new_with_free_func(g_free);
    profile_settings(edges[k].entries, set);
    for (guint i = 0; i < set->len; i++)
      g_string_append_printf(out, "%s/%s ", edges[k].kind, (const char *)set->pdata[i]);
  }
  const ProfileEntry *stage = named_find(p->entries, "edge");
  for (guint i = 0; stage && i < stage->with->len; i++) {
    const ProfileSetting *s = stage->with->pdata[i];
    if (strcmp(s->origin, "default")) g_string_append_printf(out, "stage/edge.%s ", s->name);
  }
  return g_string_free(out, FALSE);
}

/* A sink and a source are called "edge"; in the second profile a stage is, too. */
static void test_set_of_one_name(void)
{
  static const char two[] = STAGES("{ \"use\": \"needy\", \"enabled\": false }");
  static const char three[] = STAGES("{ \"use\": \"good\", \"as\": \"edge\" }");
  static const char off[] = STAGES("{ \"use\": \"good\", \"as\": \"edge\", \"enabled\": false }");
  const struct {
    const char *profile, *set;
    const char *edges; /* NULL: an error */
    const char *code, *fragment, *also;
  } table[] = {
    { two, "edge.width=2 edge.depth=3", "sink/edge.width=2 source/edge.depth=3 ", "", "", "" },
    { two, "sink/edge.first=4", "sink/edge.first=4 ", "", "", "" },
    { two, "source/edge.first=5", "source/edge.first=5 ", "", "", "" },
    { two, "edge.first=4", NULL, "PRF-13", "the source and the sink \"edge\" have the option",
      "--set sink/edge.first=VALUE" },
    { two, "edge.deph=4", NULL, "PRF-08", "the source and the sink \"edge\" lack the option",
      "stagemill show source/edge" },
    { two, "sink/edge.depth=4", NULL, "PRF-08", "sink \"edge\" has no option", "show sink/edge" },
    { two, "stage/edge.first=4", NULL, "PRF-13", "has no stage \"edge\"", "in --set stage/edge" },
    { two, "sink/edg.first=4", NULL, "PRF-13", "there is no format \"edg\"", "list sinks" },
    { two, "source/edg.first=4", NULL, "PRF-13", "there is no source \"edg\"", "list sources" },
    { three, "edge.second=6 edge.width=2", "sink/edge.width=2 stage/edge.second ", "", "", "" },
    { three, "stage/edge.first=6", "stage/edge.first ", "", "", "" },
    { three, "edge.first=6", NULL, "PRF-13", "the stage and the source and the sink \"edge\"",
      "--set stage/edge.first=VALUE" },
    { off, "edge.width=2", "sink/edge.width=2 ", "", "", "" },
    { off, "edge.second=2", NULL, "PRF-13", "the stage \"edge\" is disabled", "--enable edge" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(Profile) p = NULL;
    g_autoptr(GPtrArray) set = words(table[i].set);
    g_autoptr(Error) e = load_text(table[i].profile, &(ProfileEdits){ .set = set }, &p);
    g_autofree char *text = text_of(e), *edges = p ? edges_of(p) : NULL;
    bool ok = table[i].edges
                  ? CHECK(e == NULL) && CHECK_STR(edges, table[i].edges)
                  : CHECK(e != NULL) && CHECK_STR(e->code, table[i].code) &&
                        CHECK_INT(e->status, EXIT_USAGE) &&
                        CHECK(strstr(text, table[i].fragment) && strstr(text, table[i].also));
    if (!ok) CHECK_ROW(text);
  }
}

/* Stages and sinks wait until there is a profile; so do mistakes that only it can tell. */
static void test_set_before_a_profile(void)
{
  const struct {
    const char *set, *sources;
  } table[] = {
    { "edge.depth=3 source/edge.first=4", "source/edge.depth=3 source/edge.first=4 " },
    { "edge.width=3 sink/edge.first=4 stage/edge.first=4 good.first=4", "" },
    { "edge.none=3 nobody.none=3 clock=3 edge.depth =", "" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autoptr(Profile) p = NULL;
    g_autoptr(GPtrArray) set = words(table[i].set);
    check_none(profile_of_sources(modules, set, &p));
    g_autofree char *sources = edges_of(p);
    CHECK_STR(sources, table[i].sources);
  }
  g_autoptr(Profile) p = NULL;
  g_autoptr(GPtrArray) set = words("edge.depth=deep");
  g_autoptr(Error) e = profile_of_sources(modules, set, &p);
  if (CHECK(e != NULL)) CHECK_STR(e->code, "PRF-09");
  CHECK_INT(e ? e->status : 0, EXIT_USAGE);
}

static void test_find(void)
{
  g_autoptr(Profile) p = NULL;
  g_autoptr(Error) e = profile_load("t.json", &search, &p);
  g_autofree char *text = text_of(e);
  CHECK(e && strstr(text, "write ./t.json for a file of the current folder"));
  g_autofree char *path = g_build_filename(folder, "profiles", "base.json", NULL);
  scratch_write(folder, "profiles/base.json", base_text, -1);
  check_none(profile_load(path, NULL, &p));
  if (p) CHECK_STR(p->name, "base");
  g_autoptr(Error) absent = profile_load("/no/such/file.json", NULL, &p);
  CHECK(absent && absent->status == EXIT_PROFILE);
  g_autoptr(Error) a_folder = profile_load("/", NULL, &p);
  CHECK(a_folder != NULL);
  g_autoptr(Error) empty = profile_load("", NULL, &p);
  CHECK(empty != NULL);
}

/* Those that the test made: a machine may have others. */
static const ProfileFound *found_in(const GPtrArray *list, const char *in, const char *file)
{
  g_autofree char *path = g_build_filename(in, file, NULL);
  for (guint i = 0; i < list->len; i++) {
    const ProfileFound *found = list->pdata[i];
    if (g_str_equal(found->path, path)) return found;
  }
  return NULL;
}

static void test_list(void)
{
  char *other = scratch_folder();
  scratch_write(folder, "profiles/base.json", base_text, -1);
  scratch_write(other, "base.json", "{ \"description\": \"hidden\" }", -1);
  scratch_write(other, "zz.json", "{ \"profile\": 1, \"description\": \"last\" }", -1);
  scratch_write(other, "aa.json", "{", -1);
  g_autofree char *pipe = g_build_filename(other, "pipe.json", NULL);
  CHECK_INT(mkfifo(pipe, 0600), 0); /* nobody writes into it: who opens it waits */
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  g_ptr_array_add(paths, profile_paths->pdata[0]);
  g_ptr_array_add(paths, other);
  ProfileSearch two = { .paths = paths };
  g_autoptr(Error) unseen = NULL;
  g_autoptr(GPtrArray) list = profile_list(&two, &unseen);
  g_assert_null(unseen);
  const ProfileFound *bad = found_in(list, other, "aa.json");
  const ProfileFound *hidden = found_in(list, other, "base.json");
  const ProfileFound *base = found_in(list, profile_paths->pdata[0], "base.json");
  const ProfileFound *waits = found_in(list, other, "pipe.json");
  if (CHECK(bad && base && hidden && waits)) {
    CHECK_STR(waits->description, "(cannot be read)");
    CHECK(list->pdata[0] == bad);
    CHECK_STR(bad->name, "aa");
    CHECK_STR(bad->origin, "--profile-path");
    CHECK_STR(bad->description, "(is not valid JSON)");
    CHECK_STR(base->name, "base");
    CHECK(!base->shadowed);
    CHECK_STR(hidden->name, "base");
    CHECK_STR(hidden->description, "hidden");
    CHECK(hidden->shadowed);
  }
  scratch_remove(other);
}

static void test_schema(void)
{
  JsonPlace place;
  g_autofree char *schema = profile_schema(modules), *why = NULL;
  JsonDoc *doc = json_doc_parse(schema, strlen(schema), &place, &why);
  if (!CHECK(doc != NULL)) printf("\n%u:%u %s\n%s", place.line, place.column, why, schema);
  const char *wanted[] = { "\"stage:acme.heat\"", "\"minimum\": 1, \"maximum\": 1024",
                           "\"enum\": [\"fast\", \"exact\", \"tight\"]", "\"const\": \"needy\"",
                           "2020-12" };
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    if (!CHECK(strstr(schema, wanted[i]) != NULL)) CHECK_ROW(wanted[i]);
  json_doc_free(doc);
}

TEST_MAIN({ "set up", set_up }, { "wrong profiles", test_wrong },
          { "all at once", test_all_at_once }, { "too many", test_too_many },
          { "a sound profile", test_sound }, { "inheritance", test_inherits },
          { "inputs", test_inputs }, { "selection", test_select }, { "--set", test_set },
          { "--set of one name", test_set_of_one_name },
          { "--set before a profile", test_set_before_a_profile }, { "finding files", test_find },
          { "the list", test_list }, { "the schema", test_schema }, { "tear down", tear_down })
