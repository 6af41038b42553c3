/* Heads of rules, their parameters, and where rules are found. */
/* SPDX-License-Identifier: MIT */
#include "plan/rule-find.h"

#include <glib.h>

#include "scratch.h"

#define TITLE "-- title: Kernels wait\n"

static Error *load_text(const char *text, gssize len, Rule **out)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "mine.sql", NULL);
  scratch_write(folder, "mine.sql", text, len);
  Error *e = rule_load(path, NULL, out);
  scratch_remove(folder);
  return e;
}

static void test_good_head(void)
{
  g_autoptr(Rule) r = NULL;
  CHECK(!load_text(
      "--title:  Kernels wait \n-- help: For long.\n--  param: a_1 = 60 [0, 100] Percent, "
      "of all\n-- param: b=-0.5[-1,1]\n-- anything: else\n--\nSELECT 1 -- param: c\n",
      -1, &r));
  if (!r) return;
  CHECK_STR(r->name, "mine");
  CHECK_STR(r->title, "Kernels wait");
  CHECK_STR(r->help, "For long.");
  CHECK_INT(r->params->len, 2);
  const RuleParam *a = named_find(r->params, "a_1"), *b = named_find(r->params, "b");
  CHECK(a && a->value == 60 && a->min == 0 && a->max == 100);
  CHECK_STR(a->text, "60");
  CHECK_STR(a->help, "Percent, of all");
  CHECK_STR(a->origin, "default");
  CHECK(b && b->value == -0.5 && b->min == -1 && b->max == 1);
  CHECK_STR(b->help, "");
}

static const struct {
  const char *text;
  unsigned line;
  const char *why;
} bad[] = {
  { "", 1, "it has no line \"-- title: ...\"" },
  { "SELECT 1\n" TITLE, 1, "it has no line \"-- title: ...\"" },
  { TITLE "-- param:\n", 2, "a parameter has no name" },
  { TITLE "-- param: x\n", 2, "a parameter has no name" },
  { TITLE "-- param: X = 1 [0, 1]\n", 2, "a parameter has no name" },
  { TITLE "-- param: a-b = 1 [0, 1]\n", 2, "a parameter has no name" },
  { TITLE "-- param: = 1 [0, 1]\n", 2, "a parameter has no name" },
  { TITLE "\n", 0, NULL },
  { TITLE "-- param: x = \n", 2, "a parameter needs a value and a range" },
  { TITLE "-- param: x = 1 [0\n", 2, "a parameter needs a value and a range" },
  { TITLE "-- param: x = 1 [0]\n", 2, "a parameter needs a value and a range" },
  { TITLE "-- param: x = nan [0, 1]\n", 2, "a parameter needs a value and a range" },
  { TITLE "-- param: x = 1 [0, much]\n", 2, "a parameter needs a value and a range" },
  { TITLE "-- param: x = 2 [0, 1]\n", 2, "the value of a parameter is not in its range" },
  { TITLE "-- param: x = 1 [2, 0]\n", 2, "the value of a parameter is not in its range" },
  { TITLE "-- param: x = 1 [0, 1]\n-- param: x = 1 [0, 1]\n", 3, "two parameters have one name" },
};

static void test_bad_heads(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(Rule) r = NULL;
    g_autoptr(Error) e = load_text(bad[i].text, -1, &r);
    if (!CHECK(!bad[i].why == !e)) CHECK_ROW(bad[i].text);
    if (!e) continue;
    g_autofree char *end = g_strdup_printf("mine.sql:%u", bad[i].line);
    bool right = CHECK_STR(e->code, "PRF-21") && CHECK_INT(e->status, EXIT_PROFILE) && CHECK(!r) &&
                 CHECK_STR(e->why->pdata[0], bad[i].why) &&
                 CHECK(g_str_has_suffix(e->at->pdata[0], end));
    if (!right) CHECK_ROW(bad[i].text);
  }
}

static void test_what_is_no_text(void)
{
  g_autoptr(Rule) r = NULL;
  static const char text[] = TITLE "\0SELECT";
  g_autoptr(Error) zero = load_text(text, sizeof text, &r);
  CHECK(zero && !strcmp(zero->code, "PRF-21"));
  g_autofree char *large = g_strnfill((4 << 20) + 1, 'x');
  g_autoptr(Error) many = load_text(large, -1, &r);
  CHECK(many && !strcmp(many->code, "PRF-22"));
  CHECK_STR(many ? many->why->pdata[0] : NULL, "it is longer than 4 MiB");
}

static void test_set(void)
{
  static const struct {
    const char *param, *text, *what;
  } wrong[] = { { "y", "1", "the rule \"mine\" has no parameter \"y\"" },
                { "x", "1.01", "\"1.01\" is not a value of mine.x" },
                { "x", "-1", "\"-1\" is not a value of mine.x" },
                { "x", "", "\"\" is not a value of mine.x" },
                { "x", "1 s", "\"1 s\" is not a value of mine.x" } };
  g_autoptr(Rule) r = NULL;
  CHECK(!load_text(TITLE "-- param: x = 1 [0, 1] Help\n", -1, &r));
  if (!r) return;
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(Error) e = rule_set(r, wrong[i].param, wrong[i].text, "--set");
    if (CHECK(e)) CHECK_STR(e->what, wrong[i].what);
  }
  const RuleParam *x = named_find(r->params, "x");
  CHECK(x->value == 1);
  CHECK(!rule_set(r, "x", "5e-1", "--set"));
  CHECK(x->value == 0.5);
  CHECK_STR(x->text, "5e-1");
  CHECK_STR(x->origin, "--set");
}

/* In a folder of profiles, or in `rules` beside it; the first one hides the others. */
static void test_where_they_are_found(void)
{
  char *folder = scratch_folder();
  g_autofree char *profiles = g_build_filename(folder, "vendor", "profiles", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  const ProfileSearch search = { paths };
  scratch_write(folder, "vendor/profiles/one.sql", "-- title: One\n", -1);
  scratch_write(folder, "vendor/rules/one.sql", "-- title: Hidden\n", -1);
  scratch_write(folder, "vendor/rules/two.sql", "SELECT 1\n", -1);
  scratch_write(folder, "vendor/rules/.three.sql", TITLE, -1);
  scratch_write(folder, "vendor/rules/four.txt", TITLE, -1);
  g_ptr_array_add(paths, profiles);
  g_autoptr(Rule) one = NULL, two = NULL, none = NULL;
  CHECK(!rule_load("one", &search, &one));
  CHECK_STR(one ? one->title : NULL, "One");
  g_autoptr(Error) wrong = rule_load("two", &search, &two);
  CHECK(wrong && !strcmp(wrong->code, "PRF-21"));
  g_autoptr(Error) unknown = rule_load("tow", &search, &none);
  CHECK(unknown && !strcmp(unknown->code, "PRF-22"));
  GString *names = g_string_new(NULL);
  g_autoptr(GPtrArray) all = rule_list(&search);
  for (guint i = 0; i < all->len; i++) {
    const RuleFound *f = all->pdata[i];
    if (!strcmp(f->origin, "--profile-path"))
      g_string_append_printf(names, "%s%s (%s);", f->name, f->shadowed ? " hidden" : "", f->title);
  }
  CHECK_STR(names->str, "one (One);one hidden (Hidden);two ((cannot be read));");
  g_string_free(names, TRUE);
  scratch_remove(folder);
}

static void test_names_of_files(void)
{
  CHECK(rule_is_file("a.sql"));
  CHECK(rule_is_file("./b/a.sql"));
  CHECK(!rule_is_file(".sql"));
  CHECK(!rule_is_file("a.json"));
}

int main(void)
{
  static const CheckTest tests[] = {
    { "a good head", test_good_head },
    { "bad heads", test_bad_heads },
    { "what is no text", test_what_is_no_text },
    { "set", test_set },
    { "where they are found", test_where_they_are_found },
    { "names of files", test_names_of_files },
  };
  return check_main("rule", tests, G_N_ELEMENTS(tests));
}
