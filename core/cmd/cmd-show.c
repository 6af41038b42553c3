/* stagemill show: one stage, source, sink, profile, metric or rule in full. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/describe.h"
#include "cmd/groups.h"
#include "cmd/metric.h"
#include "cmd/setup.h"
#include "model/printable.h"
#include "plan/rule-find.h"

static const CliOption options[] = {
  { .name = "json", .help = "as JSON, one object a line" },
  { .name = "markdown", .help = "as Markdown" },
};
static const CliGroup own = GROUP("Output", options);

enum { STAGE = 0, SOURCE, SINK, PROFILE, METRIC, RULE, N_KINDS };
static const char *const kinds[] = { "stage", "source", "sink", "profile", "metric", "rule", NULL };

typedef struct Found {
  int kind;
  const Module *module; /* of a metric: the stage's */
  const MillMetric *metric;
} Found;

typedef struct Search {
  GPtrArray *modules;  /* const Module * */
  GPtrArray *profiles; /* ProfileFound * */
  GPtrArray *rules;    /* RuleFound * */
  GArray *found;       /* Found */
  GPtrArray *words;    /* char *: every known name */
} Search;

/* ---------------------------------------------------------------- searching */

static void consider(Search *s, const char *wanted, const char *name, Found f)
{
  g_ptr_array_add(s->words, g_strdup(name));
  if (!strcmp(wanted, name)) g_array_append_val(s->found, f);
}

static void search_module(Search *s, const char *wanted, int kind, const Module *m)
{
  const Descriptor *stage = m->stage;
  int own_kind = (int)stage->kind - MILL_KIND_STAGE;
  if (kind < 0 || kind == own_kind)
    consider(s, wanted, stage->name, (Found){ .kind = own_kind, .module = m });
  for (uint32_t i = 0; (kind < 0 || kind == METRIC) && i < stage->n_metrics; i++) {
    const MillMetric *metric = &stage->metrics[i];
    Found f = { METRIC, m, metric };
    consider(s, wanted, metric->name, f);
    if (metric_lists(metric->aliases, wanted)) g_array_append_val(s->found, f);
  }
}

static void search_all(Search *s, const char *word, int kind)
{
  for (guint i = 0; i < s->modules->len; i++) search_module(s, word, kind, s->modules->pdata[i]);
  for (guint i = 0; (kind < 0 || kind == PROFILE) && i < s->profiles->len; i++) {
    const ProfileFound *p = s->profiles->pdata[i];
    if (!p->shadowed) consider(s, word, p->name, (Found){ .kind = PROFILE });
  }
  for (guint i = 0; (kind < 0 || kind == RULE) && i < s->rules->len; i++) {
    const RuleFound *r = s->rules->pdata[i];
    if (!r->shadowed) consider(s, word, r->name, (Found){ RULE, NULL, NULL });
  }
}

/* As the kinds are listed; of two modules that declare one metric, by their names. */
static int by_kind(gconstpointer a, gconstpointer b)
{
  const Found *x = a, *y = b;
  if (x->kind != y->kind || !x->module) return x->kind - y->kind;
  return strcmp(x->module->stage->name, y->module->stage->name);
}

static Error *nothing_found(const Cli *cli, Search *s, const char *word)
{
  g_autofree char *safe = printable(word);
  Error *e = cli_usage(cli->command, "nothing is called \"%s\"", safe);
  g_ptr_array_add(s->words, NULL);
  error_suggest(e, word, (const char *const *)s->words->pdata);
  return error_help(e, "stagemill list stages | sources | sinks | profiles | metrics | rules");
}

/* "source/chrome-json": the kind, -1 when there is none; *out_name after it. */
static int kind_prefix(const char *word, const char **out_name)
{
  const char *slash = strchr(word, '/');
  *out_name = word;
  for (int k = 0; slash && k < N_KINDS; k++)
    if (strlen(kinds[k]) == (size_t)(slash - word) &&
        !strncmp(word, kinds[k], (size_t)(slash - word))) {
      *out_name = slash + 1;
      return k;
    }
  return -1;
}

/* ------------------------------------------------------------------ showing */

static Error *show_profile(const Cli *cli, const char *name, Page *page)
{
  g_autoptr(Profile) profile = NULL;
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load(name, &search, &profile);
  if (e) return e;
  if (cli_flag(cli, "json")) {
    JsonWriter json = { .text = page->out, .layout = JSON_COMPACT };
    describe_profile_json(&json, profile);
    g_string_append_c(page->out, '\n');
    return NULL;
  }
  page_head(page, profile->name, 5, profile->description ? profile->description : "");
  describe_profile(page, profile);
  return NULL;
}

static bool has_rule(const GPtrArray *list, const Rule *rule)
{
  for (guint i = 0; i < list->len; i++) {
    const char *use = ((const ProfileEntry *)list->pdata[i])->use;
    g_autofree char *path = strchr(use, '/') ? g_canonicalize_filename(use, NULL) : NULL;
    g_autofree char *file = g_canonicalize_filename(rule->file, NULL);
    if (path ? !strcmp(path, file) : !strcmp(use, rule->name)) return true;
  }
  return false;
}

static bool lists_rule(const Profile *p, const Rule *rule)
{
  return has_rule(p->rules, rule) || has_rule(p->verdict, rule) || has_rule(p->views, rule);
}

/* Names of the profiles that list it; one that cannot be loaded lists none. */
static GPtrArray *profiles_with(const Search *s, const ProfileSearch *search, const Rule *rule)
{
  GPtrArray *names = g_ptr_array_new();
  for (guint i = 0; i < s->profiles->len; i++) {
    const ProfileFound *found = s->profiles->pdata[i];
    g_autoptr(Profile) p = NULL;
    if (!found->shadowed) error_free(profile_load(found->name, search, &p));
    if (p && lists_rule(p, rule)) g_ptr_array_add(names, found->name);
  }
  return names;
}

static Error *show_rule(const Cli *cli, const Search *s, const char *name, Page *page)
{
  g_autoptr(Rule) rule = NULL;
  const ProfileSearch search = setup_search(cli);
  Error *e = rule_load(name, &search, &rule);
  if (e) return e;
  g_autoptr(GPtrArray) profiles = profiles_with(s, &search, rule);
  if (cli_flag(cli, "json")) {
    JsonWriter json = { .text = page->out, .layout = JSON_COMPACT };
    describe_rule_json(&json, rule, profiles);
    g_string_append_c(page->out, '\n');
    return NULL;
  }
  page_head(page, rule->name, 7, rule->title);
  describe_rule(page, rule, profiles);
  return NULL;
}

static void show_module(const Cli *cli, const Found *f, Page *page)
{
  const Descriptor *s = f->module->stage;
  if (cli_flag(cli, "json")) {
    JsonWriter json = { .text = page->out, .layout = JSON_COMPACT };
    if (f->metric)
      describe_metric_json(&json, s, f->metric);
    else
      describe_stage_json(&json, f->module);
    g_string_append_c(page->out, '\n');
  } else if (f->metric) {
    page_head(page, f->metric->name, 7, "a metric");
    describe_metric(page, s, f->metric);
  } else {
    page_head(page, s->name, 7, s->title);
    describe_stage(page, f->module);
  }
}

static Error *show(const Cli *cli, Search *s, const char *word, Page *page)
{
  const char *name;
  int kind = kind_prefix(word, &name);
  if (kind < 0 && strchr(word, '/'))
    return rule_is_file(word) ? show_rule(cli, s, word, page) : show_profile(cli, word, page);
  search_all(s, name, kind);
  g_array_sort(s->found, by_kind);
  Error *e = s->found->len ? NULL : nothing_found(cli, s, name);
  for (guint i = 0; i < s->found->len && !e; i++) {
    const Found *f = &g_array_index(s->found, Found, i);
    if (i && !cli_flag(cli, "json")) g_string_append_c(page->out, '\n');
    if (f->kind == PROFILE)
      e = show_profile(cli, name, page);
    else if (f->kind == RULE)
      e = show_rule(cli, s, name, page);
    else
      show_module(cli, f, page);
  }
  return e;
}

static int run(Cli *cli)
{
  if (cli_flag(cli, "json") && cli_flag(cli, "markdown"))
    return cli_fail(cli, cli_usage(cli->command, "--json and --markdown exclude each other"));
  Modules *modules = setup_modules(cli);
  Error *unseen = NULL;
  const ProfileSearch search = setup_search(cli);
  Search s = { .modules = modules_all(modules, 0),
               .profiles = setup_profiles(cli, &unseen),
               .rules = rule_list(&search),
               .found = g_array_new(FALSE, FALSE, sizeof(Found)),
               .words = g_ptr_array_new_with_free_func(g_free) };
  Error *refused = NULL;
  const Module *behind = modules_behind(modules, cli->words->pdata[0], &refused);
  if (behind) g_ptr_array_add(s.modules, (gpointer)behind);
  Page page = { cli_flag(cli, "markdown") ? PAGE_MARKDOWN : PAGE_TEXT, g_string_new(NULL) };
  Error *e = show(cli, &s, cli->words->pdata[0], &page);
  if (e) unseen = error_join(modules_unseen(modules), g_steal_pointer(&unseen));
  if (e && unseen) {
    error_free(e);
    e = g_steal_pointer(&unseen);
  } else if (e && refused) {
    error_free(e);
    e = g_steal_pointer(&refused);
  }
  error_free(unseen);
  int status = e ? cli_fail(cli, e) : cli_print_string(cli, g_steal_pointer(&page.out));
  if (refused && behind && !status)
    status = cli_fail(cli, refused); /* a run would take the one that is refused */
  else
    error_free(refused);
  if (page.out) g_string_free(page.out, TRUE);
  g_ptr_array_unref(s.modules);
  g_ptr_array_unref(s.profiles);
  g_ptr_array_unref(s.rules);
  g_ptr_array_unref(s.words);
  g_array_unref(s.found);
  return setup_modules_end(cli, modules, status);
}

static const CliGroup *const groups[] = { &own, &group_profiles, &group_modules, &group_common,
                                          NULL };
static const char *const examples[] = { "a profile|stagemill show kernels",
                                        "if two things share the name|stagemill show stage/NAME",
                                        NULL };
static const int statuses[] = { EXIT_DONE,  EXIT_USAGE, EXIT_PROFILE, EXIT_STAGE, EXIT_OUTPUT,
                                EXIT_LIMIT, -1 };

const CliCommand command_show = {
  .name = "show",
  .section = "Extend",
  .arguments = "NAME | KIND/NAME",
  .title = "show one stage, source, sink, profile, metric or rule in full",
  .about = "For a module: options with types, ranges and defaults, facts, tables, metrics and "
           "notices. For a profile: parameters and stages. For a metric: its definition. For a "
           "rule: its parameters, and the profiles that list it; ./NAME.sql is a file. If several "
           "things share a name, all are shown; stage/NAME, source/NAME, sink/NAME, profile/NAME, "
           "metric/NAME and rule/NAME show one.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "names",
  .min_words = 1,
  .max_words = 1,
  .run = run,
};
