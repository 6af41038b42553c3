/* stagemill __complete WORDS...: what the last word may become, for the scripts in completions/.
 *
 * A line for each candidate, with what it means after a tab.  ":files" and ":folders" ask
 * the shell for those it finds.  Mistakes in the words before give fewer candidates, and no text. */
/* SPDX-License-Identifier: MIT */
#include "cmd/complete.h"

#include <string.h>

#include "cmd/commands.h"
#include "cmd/lists.h"
#include "cmd/of-profiles.h"
#include "cmd/parse.h"
#include "cmd/preview.h"
#include "cmd/setup.h"
#include "model/printable.h"
#include "plan/rule-find.h"

typedef struct Ask {
  const Cli *cli;
  const char *word; /* candidates begin with it */
  char *kept;       /* of what was typed: comes before each candidate, "--format=html," */
  GString *out;
} Ask;

static void offer(Ask *a, const char *name, const char *meaning)
{
  if (!g_str_has_prefix(name, a->word)) return;
  g_autofree char *safe = meaning ? printable(meaning) : NULL;
  g_string_append_printf(a->out, "%s%s%s%s\n", a->kept, name, safe ? "\t" : "", safe ? safe : "");
}

/* "auto|always|never" */
static void offer_choices(Ask *a, const char *choices)
{
  g_auto(GStrv) parts = g_strsplit(choices, "|", -1);
  for (char **part = parts; *part; part++) offer(a, *part, NULL);
}

/* ------------------------------------------------------------ classes of words */

static void offer_files(Ask *a) { g_string_append(a->out, ":files\n"); }
static void offer_folders(Ask *a) { g_string_append(a->out, ":folders\n"); }

static void offer_commands(Ask *a)
{
  for (const CliCommand *const *c = a->cli->commands; *c; c++) offer(a, (*c)->name, (*c)->title);
}

static void offer_schemas(Ask *a)
{
  g_autoptr(GPtrArray) names = list_schemas();
  for (guint i = 0; i < names->len; i++) offer(a, names->pdata[i], NULL);
}

static void offer_profiles(Ask *a)
{
  g_autoptr(Error) unseen = NULL;
  g_autoptr(GPtrArray) all = setup_profiles(a->cli, &unseen);
  for (guint i = 0; i < all->len; i++) {
    const ProfileFound *p = all->pdata[i];
    if (!p->shadowed) offer(a, p->name, p->description);
  }
  if (strchr(a->word, '/')) offer_files(a);
}

static void offer_rules(Ask *a)
{
  const ProfileSearch search = setup_search(a->cli);
  g_autoptr(GPtrArray) all = rule_list(&search);
  for (guint i = 0; i < all->len; i++) {
    const RuleFound *r = all->pdata[i];
    if (!r->shadowed) offer(a, r->name, r->title);
  }
}

typedef enum { NAMES, FAMILIES, METRICS, CODES } Of;

static void offer_of_modules(Ask *a, uint32_t kind, Of of)
{
  Modules *modules = setup_modules(a->cli);
  g_autoptr(GPtrArray) all = modules_all(modules, kind);
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    if (of == NAMES) offer(a, s->name, s->title);
    if (of == FAMILIES) offer(a, s->family, s->title);
    for (uint32_t m = 0; of == METRICS && m < s->n_metrics; m++)
      offer(a, s->metrics[m].name, s->metrics[m].help);
  }
  if (of == CODES) {
    g_autoptr(GPtrArray) codes = list_codes(modules);
    for (guint i = 0; i < codes->len; i++) offer(a, codes->pdata[i], NULL);
  }
  modules_free(modules);
}

static void offer_stages(Ask *a) { offer_of_modules(a, MILL_KIND_STAGE, NAMES); }
static void offer_sources(Ask *a) { offer_of_modules(a, MILL_KIND_SOURCE, NAMES); }
static void offer_formats(Ask *a) { offer_of_modules(a, MILL_KIND_SINK, FAMILIES); }
static void offer_metrics(Ask *a) { offer_of_modules(a, MILL_KIND_STAGE, METRICS); }
static void offer_codes(Ask *a) { offer_of_modules(a, MILL_KIND_STAGE, CODES); }

static void keep(Ask *a, size_t len)
{
  char *kept = g_strdup_printf("%s%.*s", a->kept, (int)len, a->word);
  g_free(a->kept);
  a->kept = kept;
  a->word += len;
}

/* Of the run that was named before. */
static void offer_figures(Ask *a)
{
  if (!a->cli->words->len) return;
  g_autoptr(GPtrArray) names = preview_names(a->cli->words->pdata[0]);
  for (guint i = 0; i < names->len; i++) offer(a, names->pdata[i], NULL);
}

static void offer_sinks(Ask *a) { offer_of_modules(a, MILL_KIND_SINK, NAMES); }

/* Whatever can be shown; of one kind where the word begins with it, "sink/". */
static void offer_names(Ask *a)
{
  static const struct {
    const char *prefix;
    void (*offer)(Ask *a);
  } kinds[] = { { "stage/", offer_stages },   { "source/", offer_sources },
                { "sink/", offer_sinks },     { "profile/", offer_profiles },
                { "metric/", offer_metrics }, { "rule/", offer_rules } };
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if (!g_str_has_prefix(a->word, kinds[i].prefix)) continue;
    keep(a, strlen(kinds[i].prefix));
    kinds[i].offer(a);
    return;
  }
  offer_of_modules(a, 0, NAMES);
  offer_profiles(a);
  offer_metrics(a);
  offer_rules(a);
}

/* Of a profile: what --enable and --disable name. */
static void offer_entries(Ask *a)
{
  offer_stages(a);
  offer_rules(a);
}

static void offer_class(Ask *a, const char *class)
{
  static const struct {
    const char *name;
    void (*offer)(Ask *a);
  } classes[] = { { "files", offer_files },       { "folders", offer_folders },
                  { "commands", offer_commands }, { "schemas", offer_schemas },
                  { "profiles", offer_profiles }, { "stages", offer_stages },
                  { "sources", offer_sources },   { "formats", offer_formats },
                  { "metrics", offer_metrics },   { "codes", offer_codes },
                  { "names", offer_names },       { "figures", offer_figures },
                  { "entries", offer_entries } };
  for (size_t i = 0; i < G_N_ELEMENTS(classes); i++)
    if (!strcmp(classes[i].name, class)) classes[i].offer(a);
  if (strchr(class, '|')) offer_choices(a, class);
}

/* ------------------------------------------------------------------- places */

static void offer_value(Ask *a, const CliOption *o)
{
  const char *comma = o->repeat == CLI_LIST ? strrchr(a->word, ',') : NULL;
  if (comma) keep(a, (size_t)(comma + 1 - a->word));
  if (o->type == MILL_OPT_CHOICE)
    offer_choices(a, o->range);
  else if (o->words)
    offer_class(a, o->words);
}

static void offer_those_of_profiles(Ask *a)
{
  if (!takes_options_of_profiles(a->cli->command)) return;
  g_autoptr(GPtrArray) options = options_of_profiles(a->cli, a->cli->command);
  for (guint i = 0; i < options->len; i++) {
    const CliOption *o = options->pdata[i];
    g_autofree char *name = g_strconcat("--", o->name, NULL);
    offer(a, name, o->help);
  }
}

/* All options, or after "--name=" the values of that one. */
static void offer_options(Ask *a)
{
  const char *equals = strchr(a->word, '=');
  if (equals) {
    g_autofree char *name = g_strndup(a->word, (size_t)(equals - a->word));
    const CliOption *o = cli_find_option(a->cli->command, name + strspn(name, "-"), 0);
    keep(a, (size_t)(equals + 1 - a->word));
    if (o && o->value) offer_value(a, o);
    return;
  }
  for (const CliGroup *const *g = a->cli->command->groups; *g; g++)
    for (size_t i = 0; i < (*g)->n_options; i++) {
      const CliOption *o = &(*g)->options[i];
      char letter[] = { '-', o->letter, '\0' };
      g_autofree char *name = g_strconcat("--", o->name, NULL);
      offer(a, name, o->help);
      if (o->letter) offer(a, letter, o->help);
    }
  offer_those_of_profiles(a);
}

/* The class of each argument by its index; the last one goes for all that follow. */
static void offer_argument(Ask *a)
{
  const CliCommand *c = a->cli->command;
  guint index = a->cli->words->len;
  if (!c->words || (c->max_words >= 0 && index >= (guint)c->max_words)) return;
  g_auto(GStrv) classes = g_strsplit(c->words, " ", -1);
  offer_class(a, classes[MIN(index, g_strv_length(classes) - 1)]);
}

int complete(Cli *cli, int n, char **words)
{
  Ask a = { cli, n ? words[n - 1] : "", g_strdup(""), g_string_new(NULL) };
  cli->command = n > 1 ? cli_find_command(cli, words[0]) : NULL;
  int first = cli->command ? 1 : 0;
  if (n > 1 && !cli->command) cli->command = &command_run; /* FILE... without a command */
  if (cli->command) {
    error_free(cli_parse(cli, n - 1 - first, words + first));
    if (cli->waiting)
      offer_value(&a, cli->waiting);
    else
      (*a.word == '-' ? offer_options : offer_argument)(&a);
  } else if (n < 2) {
    offer_commands(&a);
    offer(&a, "--help", "show how to use the program");
    offer(&a, "--version", "show the version");
    if (!a.out->len) offer_files(&a);
  }
  g_free(a.kept);
  return cli_print_raw(a.out);
}
