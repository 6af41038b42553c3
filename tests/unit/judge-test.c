/* Rules over results: what becomes a finding, and what a fault is. */
/* SPDX-License-Identifier: MIT */
#include "rules/judge.h"

#include <glib.h>

#include "plan/rule-find.h"
#include "scratch.h"

#define HEAD "-- title: A rule\n-- param: least = 7 [0, 100] Percent\n"
#define EVIDENCE "'[{\"table\": \"kernels\", \"keys\": {\"name\": \"a\"}}]'"
#define ROW(text, share, more) \
  "SELECT " text " AS text, " share " AS share, 'do it' AS advice, " EVIDENCE " AS evidence" more

static const MillColumn columns[] = {
  { "name", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Name" },
  { "total", "ns", MILL_INT, 0, "Time" },
};
static const MillTable kernels = { .name = "kernels",
                                   .help = "Kernels",
                                   .columns = MILL_ROWS(columns) };

typedef struct Judged {
  Modules *modules;
  Results *results;
  GPtrArray *rules; /* ProfileEntry, on the heap */
  GString *faults;
} Judged;

static void note(void *context, const char *what)
{
  g_string_append_printf(((Judged *)context)->faults, "%s;", what);
}

static const LaneInfo *no_lane(const void *context, uint32_t index)
{
  (void)context, (void)index;
  return NULL;
}

static Results *make_results(void)
{
  static const char *const names[] = { "a", "b" };
  Results *r = results_new();
  Sheet *s = sheet_new(&kernels, g_strdup("kernels"));
  sheet_add_declared(s);
  for (int i = 0; i < 2; i++) {
    const MillValue row[] = { mill_text(names[i], 1), mill_int(100 + i) };
    sheet_add_row(s, row);
  }
  results_add_sheet(r, s);
  return r;
}

static Modules *make_modules(void)
{
  g_autofree char *built = g_build_filename(g_getenv("BUILD_ROOT"), "modules", NULL);
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  const ModuleSearch search = {
    .paths = paths, .no_user = true, .no_env = true, .no_installed = true, .allow_unsafe = true
  };
  g_ptr_array_add(paths, built);
  return modules_new(&search);
}

static void add_rule(Judged *j, const char *name, const char *text)
{
  char *folder = scratch_folder();
  g_autofree char *file = g_strconcat(name, ".sql", NULL);
  g_autofree char *path = g_build_filename(folder, file, NULL);
  ProfileEntry *entry = g_new0(ProfileEntry, 1);
  scratch_write(folder, file, text, -1);
  entry->id = g_strdup(name);
  entry->enabled = true;
  entry->fault = rule_load(path, NULL, &entry->rule);
  g_ptr_array_add(j->rules, entry);
  scratch_remove(folder);
}

static void entry_clear(gpointer data)
{
  ProfileEntry *entry = data;
  g_free(entry->id);
  rule_free(entry->rule);
  error_free(entry->fault);
  g_free(entry);
}

static void begin(Judged *j)
{
  *j = (Judged){ .modules = make_modules(),
                 .results = make_results(),
                 .rules = g_ptr_array_new_with_free_func(entry_clear),
                 .faults = g_string_new(NULL) };
}

static Error *judge(Judged *j, uint64_t max_steps)
{
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  const Profile profile = { .rules = j->rules, .verdict = none, .views = none };
  const JudgeEnv env = { .modules = j->modules,
                         .lane = no_lane,
                         .folder = g_get_tmp_dir(),
                         .max_steps = max_steps,
                         .fault = note,
                         .context = j };
  return rules_judge(j->results, &profile, &env);
}

static void end(Judged *j)
{
  results_free(j->results);
  g_ptr_array_unref(j->rules);
  g_string_free(j->faults, TRUE);
  modules_free(j->modules);
}

/* "name severity share cost where text;" of each finding */
static char *found(const Judged *j)
{
  GString *out = g_string_new(NULL);
  const MillResults *r = results_view(j->results);
  for (uint32_t i = 0; i < r->n_findings; i++) {
    MillFindingResult f = { .size = sizeof f };
    r->finding(r, i, &f);
    g_string_append_printf(out, "%s %u %g", f.name, f.severity, f.share);
    if (f.cost_ns.type == MILL_INT)
      g_string_append_printf(out, " %" G_GINT64_FORMAT, f.cost_ns.u.i);
    g_string_append_printf(out, " %s %s;", f.where_json, f.text);
  }
  return g_string_free(out, FALSE);
}

static void test_findings_in_order(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "small", HEAD ROW("'t'", "4.9", ""));
  add_rule(&j, "free", HEAD ROW("'f'", "30", ""));
  add_rule(&j, "dear",
           HEAD ROW("'d ' || duration(sum(total_ns))", ":least",
                    ", sum(total_ns) AS cost_ns, max(name) AS where_kernel, 3 AS where_rank, "
                    "NULL AS where_op FROM kernels"));
  add_rule(&j, "cheap", HEAD ROW("'c'", "12", ", 5.6 AS cost_ns"));
  add_rule(&j, "nothing", HEAD ROW("'n'", "NULL", ""));
  CHECK(!judge(&j, 0));
  g_autofree char *text = found(&j);
  CHECK_STR(
      text,
      "dear 1 7 201 {\"kernel\": \"b\", \"rank\": 3} d 201 ns;cheap 2 12 6 {} c;free 3 30 {} f;");
  CHECK_STR(j.faults->str, "");
  end(&j);
}

static void test_a_long_text_is_cut(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "long", HEAD ROW("replace(hex(zeroblob(100)), '00', 'ä')", "10", ""));
  add_rule(&j, "longer", HEAD ROW("replace(hex(zeroblob(200)), '00', 'ä')", "9", ""));
  CHECK(!judge(&j, 0));
  const MillResults *r = results_view(j.results);
  MillFindingResult f = { .size = sizeof f };
  CHECK_INT(r->n_findings, 2);
  r->finding(r, 0, &f);
  CHECK_INT(g_utf8_strlen(f.text, -1), 100);
  r->finding(r, 1, &f);
  CHECK_INT(g_utf8_strlen(f.text, -1), 160);
  CHECK(g_str_has_suffix(f.text, "ä..."));
  end(&j);
}

/* What a rule takes from inputs is one line of text, and its findings are JSON. */
static void test_hostile_texts(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "odd",
           HEAD ROW("'a' || char(10, 27) || CAST(x'ff' AS TEXT)", "10",
                    ", CAST(x'ff22' AS TEXT) AS where_kernel, 'x' || char(0) || 'y' AS where_op"));
  CHECK(!judge(&j, 0));
  const MillResults *r = results_view(j.results);
  MillFindingResult f = { .size = sizeof f };
  if (CHECK_INT(r->n_findings, 1)) {
    r->finding(r, 0, &f);
    CHECK_STR(f.text, "a\\x0a\\x1b\\xff");
    CHECK(g_utf8_validate(f.where_json, -1, NULL));
    CHECK(strstr(f.where_json, "\\\"") && !strchr(f.where_json, 27));
  }
  CHECK_STR(j.faults->str, "");
  end(&j);
}

/* A table that a stage declares and that did not come is empty; one that nobody declares is a fault. */
static void test_tables_that_did_not_come(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "empty", HEAD ROW("'e'", "10 + count(*)", " FROM \"kernel-time\""));
  CHECK(!judge(&j, 0));
  g_autofree char *text = found(&j);
  CHECK_STR(text, "empty 2 10 {} e;");
  CHECK_STR(j.faults->str, "");
  end(&j);
}

static const struct {
  const char *sql, *says; /* what the fault has in it */
} faulty[] = {
  { "SELECT", "incomplete input" },
  { ROW("'t'", "10", " FROM no_such"), "no such table: no_such" },
  { ROW("'t'", "10", ", 1 AS where_a, 2 AS where_a"), "two columns are called \"where_a\"" },
  { ROW("'t'", "10", ", 1 AS where_"), "a finding has no column \"where_\"" },
  { ROW("'t'", "10", ", 1 AS cost"), "a finding has no column \"cost\"" },
  { "SELECT 'a' AS text, 10 AS share, 'b' AS advice", "the SELECT has no column \"evidence\"" },
  { ROW("'t'", ":lest", ""), "the head declares no parameter \"lest\"" },
  { ROW("'t'", "'much'", ""), "its share is not a number" },
  { ROW("'t'", "9e999", ""), "its share is not a number" },
  { ROW("''", "10", ""), "it has no text" },
  { ROW("NULL", "10", ""), "it has no text" },
  { ROW("'t'", "10", ", 'x' AS cost_ns"), "its cost_ns is not a number" },
  { ROW("'t'", "10", ", 1e300 AS cost_ns"), "its cost_ns is not a number" },
  { "SELECT 't' AS text, 10 AS share, '' AS advice, " EVIDENCE " AS evidence", "it has no advice" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, 'no JSON' AS evidence",
    "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, NULL AS evidence", "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, '[]' AS evidence", "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, '[1]' AS evidence", "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, '[{\"table\":\"t\"}]' AS evidence",
    "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, '[{\"table\":1,\"keys\":{}}]' AS evidence",
    "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, '[{\"table\":\"t\",\"keys\":[]}]' AS evidence",
    "its evidence is not" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, '[{\"table\":\"t\",\"keys\":{}}]' AS evidence",
    "the table \"t\", which this run does not have" },
  { "SELECT 't' AS text, 10 AS share, 'a' AS advice, json_array(json_object('table', 'kernels', "
    "'keys', "
    "json_object('nam', 'b'))) AS evidence",
    "the table \"kernels\" of its evidence has no column \"nam\"" },
  { "DELETE FROM kernels", "may not be modified" },
  { "ATTACH 'x.sqlite' AS x", "may not run" },
  { "SELECT load_extension('x')", "may not run" },
  /* Beyond the limits. */
  { "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) " ROW("'t'", "max(i)",
                                                                           " FROM n"),
    "takes more steps than it may" },
  { "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) " ROW(
        "'t'", "10", " FROM n AS a, n AS b, n AS c WHERE a.i + b.i + c.i < 0"),
    "takes more steps than it may" },
  { ROW("hex(zeroblob(2000000000))", "10", ""), ":" },
};

/* A rule at fault is told of, and those after it judge. */
static void test_faults(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(faulty); i++) {
    Judged j;
    begin(&j);
    g_autofree char *text = g_strconcat(HEAD, faulty[i].sql, NULL);
    add_rule(&j, "bad", text);
    add_rule(&j, "good", HEAD ROW("'g'", "10", ""));
    g_autoptr(Error) e = judge(&j, 3000000);
    g_autofree char *says = found(&j);
    bool right = CHECK(!e) && CHECK(g_str_has_prefix(j.faults->str, "bad")) &&
                 CHECK(strstr(j.faults->str, faulty[i].says)) && CHECK_STR(says, "good 2 10 {} g;");
    if (!right) printf("\n    %s: %s", faulty[i].sql, j.faults->str);
    end(&j);
  }
}

/* Findings are few: a rule that has no end of them is at fault, and keeps none. */
static void test_a_million_rows(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "many",
           HEAD
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) " ROW(
               "'t' || i", "10", " FROM n"));
  CHECK(!judge(&j, 0));
  CHECK_INT(results_view(j.results)->n_findings, 0);
  CHECK_STR(j.faults->str, "many: it finds more than 1000 things;");
  end(&j);
}

static void test_a_bad_head(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "headless", "SELECT 1");
  CHECK(!judge(&j, 0));
  CHECK(strstr(j.faults->str, "headless.sql:1: the head of the rule \"headless\" is wrong"));
  end(&j);
}

static void test_check(void)
{
  Judged j;
  begin(&j);
  add_rule(&j, "good", HEAD ROW("'t'", ":least", " FROM \"kernel-time\""));
  add_rule(&j, "bad", HEAD ROW("'t'", "1", " FROM \"kernel-tim\""));
  add_rule(&j, "view", "-- title: A view\nSELECT 1 AS a");
  g_autoptr(Error) none = rules_check(((ProfileEntry *)j.rules->pdata[0])->rule, j.modules);
  g_autoptr(Error) wrong = rules_check(((ProfileEntry *)j.rules->pdata[1])->rule, j.modules);
  g_autoptr(Error) view = rules_check(((ProfileEntry *)j.rules->pdata[2])->rule, j.modules);
  CHECK(!none && wrong && !view);
  CHECK_INT(wrong ? wrong->status : 0, EXIT_PROFILE);
  end(&j);
}

int main(void)
{
  static const CheckTest tests[] = {
    { "findings in order", test_findings_in_order },
    { "a long text is cut", test_a_long_text_is_cut },
    { "hostile texts", test_hostile_texts },
    { "tables that did not come", test_tables_that_did_not_come },
    { "faults", test_faults },
    { "a million rows", test_a_million_rows },
    { "a bad head", test_a_bad_head },
    { "check", test_check },
  };
  return check_main("judge", tests, G_N_ELEMENTS(tests));
}
