/* stagemill validate: profiles, rules and gate rules, without running anything. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/describe.h"
#include "cmd/groups.h"
#include "cmd/lists.h"
#include "cmd/metric.h"
#include "cmd/setup.h"
#include "compare/rules.h"
#include "plan/planner.h"
#include "plan/rule-find.h"
#include "rules/judge.h"

static void put_errors(JsonWriter *out, const Error *e)
{
  json_put_open(out, "errors", '[');
  for (; e; e = e->next) describe_error_json(out, e);
  json_put_close(out);
}

static Error *check_finding(const GateRule *rule, const GPtrArray *names)
{
  const char *const *words = (const char *const *)names->pdata;
  return g_strv_contains(words, rule->finding) ? NULL : rules_unknown_finding(rule, words);
}

/* A metric may be of a stage that a profile uses under another id. */
static Error *check_words(const Cli *cli, Modules *modules, const Rules *rules)
{
  Error *errors = NULL;
  const ProfileSearch search = setup_search(cli);
  g_autoptr(GPtrArray) words = metric_words(modules), findings = list_rule_names(&search);
  for (guint i = 0; i < rules->list->len; i++) {
    const GateRule *rule = rules->list->pdata[i];
    Wanted w = { 0 };
    if (rule->finding) {
      errors = error_join(errors, check_finding(rule, findings));
      continue;
    }
    Error *e = metric_find(cli, modules, rule->metric, &w);
    wanted_clear(&w);
    if (!e) continue;
    error_free(e);
    errors = error_join(errors, rules_unknown_metric(rule, (const char *const *)words->pdata));
  }
  return errors;
}

/* *out_is: whether the file is one of gate rules. */
static Error *check_rules(const Cli *cli, Modules *modules, const char *path, bool *out_is)
{
  g_autofree char *text = NULL;
  g_autoptr(Rules) rules = NULL;
  g_autoptr(GError) why = NULL;
  gsize len;
  *out_is = false;
  if (!strchr(path, '/') || !g_file_test(path, G_FILE_TEST_IS_REGULAR)) return NULL;
  if (g_file_get_contents(path, &text, &len, &why) && !rules_are(text, len)) return NULL;
  *out_is = true;
  if (why) return rules_unreadable(path, why);
  Error *e = rules_parse(path, text, len, &rules);
  return rules ? error_join(e, check_words(cli, modules, rules)) : e;
}

/* Its head, then its SQL, over tables without rows. */
static Error *check_rule(Modules *modules, const char *word)
{
  g_autoptr(Rule) rule = NULL;
  g_autofree char *path = strchr(word, '/') ? g_strdup(word) : g_build_filename(".", word, NULL);
  Error *e = rule_load(path, NULL, &rule);
  return e ? e : rules_check(rule, modules);
}

/* Down to the plan for every input that some source can read. */
static Error *check(const Cli *cli, Modules *modules, const char *name)
{
  bool is_rules;
  if (rule_is_file(name)) return check_rule(modules, name);
  Error *broken = check_rules(cli, modules, name, &is_rules);
  if (is_rules) return broken;
  g_autoptr(Profile) profile = NULL;
  Profile *loaded = NULL;
  Plan *plan = NULL;
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load(name, &search, &loaded); /* a stage is none */
  if (!e) e = setup_loaded(cli, modules, loaded, NULL, NULL, NULL, &profile);
  if (!e) e = plan_new(g_steal_pointer(&profile), modules, NULL, 0, false, &plan);
  plan_free(plan);
  return e;
}

static int run(Cli *cli)
{
  Modules *modules = setup_modules(cli);
  GString *out = g_string_new(NULL);
  bool as_json = cli_flag(cli, "json");
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  int status = EXIT_DONE;
  if (as_json) json_put_open(&json, NULL, '[');
  for (guint i = 0; i < cli->words->len; i++) {
    Error *e = check(cli, modules, cli->words->pdata[i]);
    if (e && !status) status = e->status;
    if (as_json) {
      json_put_open(&json, NULL, '{');
      json_put_text(&json, "profile", cli->words->pdata[i]);
      json_put_bool(&json, "valid", !e);
      put_errors(&json, e);
      json_put_close(&json);
      error_free(e);
    } else if (e) {
      cli_fail(cli, e);
    } else {
      cli_append_name(out, cli->words->pdata[i]);
      g_string_append(out, ": valid\n");
    }
  }
  if (as_json) json_put_end(&json);
  int printed = cli_print_string(cli, out);
  return setup_modules_end(cli, modules, status ? status : printed);
}

static const CliGroup *const groups[] = { &group_json, &group_profiles, &group_modules,
                                          &group_common, NULL };
static const char *const examples[] = { "a file|stagemill validate ./mine.json",
                                        "a rule|stagemill validate mine.sql",
                                        "all installed ones|stagemill validate timeline kernels",
                                        NULL };
static const int statuses[] = { EXIT_DONE,  EXIT_USAGE, EXIT_PROFILE, EXIT_STAGE, EXIT_OUTPUT,
                                EXIT_LIMIT, -1 };

const CliCommand command_validate = {
  .name = "validate",
  .section = "Extend",
  .arguments = "PROFILE | FILE...",
  .title = "check profiles, rules and gate rules",
  .about =
      "Checks JSON, structure, stages, options and facts, in this order, and shows all problems of "
      "one step, each with line and column. A name without a slash is looked up as in run; for a "
      "file of the current folder write ./NAME.json. A file with a list of \"rules\" alone holds "
      "gate rules: keys, values, metrics and findings are checked. FILE.sql is a rule that judges "
      "results: its head is checked, then its SQL against the tables of all stages.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "profiles",
  .min_words = 1,
  .max_words = -1,
  .run = run,
};
