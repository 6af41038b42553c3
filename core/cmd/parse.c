/* Command lines by the option tables: no abbreviations, and every value checked. */
/* SPDX-License-Identifier: MIT */
#include "cmd/parse.h"

#include <string.h>

#include "cmd/of-profiles.h"
#include "model/option.h"
#include "model/printable.h"
#include "plan/paths.h"
#include "plan/profile.h"

const CliCommand *cli_find_command(const Cli *cli, const char *name)
{
  for (const CliCommand *const *c = cli->commands; *c; c++)
    if (!strcmp((*c)->name, name)) return *c;
  return NULL;
}

/* ------------------------------------------------------------------- errors */

Error *cli_unknown_command(const Cli *cli, const char *word)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (const CliCommand *const *c = cli->commands; *c; c++)
    g_ptr_array_add(names, (gpointer)(*c)->name);
  g_ptr_array_add(names, NULL);
  g_autofree char *safe = printable(word);
  Error *e = cli_usage(NULL, "unknown command \"%s\"", safe);
  ProfileSearch search = { 0 };
  Error *unseen = NULL;
  g_autoptr(GPtrArray) profiles = profile_list(&search, &unseen);
  if (named_find(profiles, word))
    error_help(e, "it is a profile: stagemill run -p %s INPUT...", safe);
  else
    error_suggest(e, word, (const char *const *)names->pdata);
  error_help(e, "stagemill help    lists the commands");
  return error_join(e, unseen);
}

static Error *unknown_option(const CliCommand *command, const char *word,
                             const GPtrArray *of_profiles)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; of_profiles && i < of_profiles->len; i++)
    g_ptr_array_add(names,
                    g_strconcat("--", ((const CliOption *)of_profiles->pdata[i])->name, NULL));
  for (const CliGroup *const *g = command->groups; *g; g++)
    for (size_t i = 0; i < (*g)->n_options; i++)
      g_ptr_array_add(names, g_strconcat("--", (*g)->options[i].name, NULL));
  g_ptr_array_add(names, NULL);
  g_autofree char *safe = printable(word);
  Error *e = cli_usage(command, "unknown option \"%s\"", safe);
  error_suggest(e, word, (const char *const *)names->pdata);
  return error_help(e, "stagemill help %s    lists the options", command->name);
}

/* ------------------------------------------------------------------- values */

static Error *check_value(const CliCommand *command, const CliOption *o, const char *name,
                          const char *text)
{
  if (!o->type) return NULL;
  MillOption row = { .type = o->type, .name = o->name, .range = o->range };
  Error *wrong = option_check(&row, text);
  if (!wrong) return NULL;
  Error *e = cli_usage(command, "%s: %s", name, wrong->what);
  for (guint i = 0; wrong->why && i < wrong->why->len; i++)
    error_why(e, "%s", (char *)wrong->why->pdata[i]);
  for (guint i = 0; wrong->help && i < wrong->help->len; i++)
    error_help(e, "%s", (char *)wrong->help->pdata[i]);
  error_free(wrong);
  return e;
}

static GPtrArray *values_of(Cli *cli, const CliOption *o)
{
  GPtrArray *values = g_hash_table_lookup(cli->values, o);
  if (values) return values;
  values = g_ptr_array_new_with_free_func(g_free);
  g_hash_table_insert(cli->values, (gpointer)o, values);
  return values;
}

static Error *store(Cli *cli, const CliOption *o, const char *name, const char *text)
{
  GPtrArray *values = values_of(cli, o);
  if (o->repeat == CLI_ONCE) g_ptr_array_set_size(values, 0);
  if (o->repeat != CLI_LIST) {
    g_ptr_array_add(values, g_strdup(text));
    return o->value ? check_value(cli->command, o, name, text) : NULL;
  }
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  for (char **p = parts; *p; p++) {
    if (!**p) return cli_usage(cli->command, "%s: an element of the list is empty", name);
    Error *e = check_value(cli->command, o, name, *p);
    if (e) return e;
    g_ptr_array_add(values, g_strdup(*p));
  }
  return *parts ? NULL : cli_usage(cli->command, "%s: the list is empty", name);
}

/* ------------------------------------------------------------------ parsing */

typedef struct Words {
  int argc, at;
  char **argv;
  GPtrArray *later; /* char *: names that only a profile can know, each with its value or NULL */
} Words;

static Error *take_value(Cli *cli, const CliOption *o, const char *name, const char *attached,
                         Words *w)
{
  if (attached) return store(cli, o, name, attached);
  if (w->at >= w->argc) {
    cli->waiting = o;
    return cli_usage(cli->command, "%s needs a value: %s", name, o->value);
  }
  return store(cli, o, name, w->argv[w->at++]);
}

/* Which profiles there are is known when all else is read.  All their options have values. */
static Error *put_off(const Cli *cli, const char *name, const char *attached, Words *w)
{
  if (!takes_options_of_profiles(cli->command)) return unknown_option(cli->command, name, NULL);
  if (!attached && w->at < w->argc) attached = w->argv[w->at++];
  g_ptr_array_add(w->later, g_strdup(name));
  g_ptr_array_add(w->later, g_strdup(attached));
  return NULL;
}

static Error *take_those_of_profiles(Cli *cli, const GPtrArray *later)
{
  Error *e = NULL;
  if (later->len) cli->of_profiles = options_of_profiles(cli, cli->command);
  for (guint i = 0; !e && i < later->len; i += 2) {
    const char *name = later->pdata[i], *text = later->pdata[i + 1];
    const CliOption *o = named_find(cli->of_profiles, name + 2);
    Words none = { 0 };
    if (!o) cli->waiting = NULL; /* what follows a mistake is not completed */
    e = o ? take_value(cli, o, name, text, &none)
          : unknown_option(cli->command, name, cli->of_profiles);
  }
  return e;
}

static Error *parse_long(Cli *cli, const char *word, Words *w)
{
  const char *equals = strchr(word, '=');
  g_autofree char *name = equals ? g_strndup(word, (size_t)(equals - word)) : g_strdup(word);
  const CliOption *o = cli_find_option(cli->command, name + 2, 0);
  if (!o) return put_off(cli, name, equals ? equals + 1 : NULL, w);
  if (o->value) return take_value(cli, o, name, equals ? equals + 1 : NULL, w);
  if (equals) return cli_usage(cli->command, "%s takes no value", name);
  return store(cli, o, name, "");
}

/* Letters without value may share a dash; the value of the last one may follow at once. */
static Error *parse_short(Cli *cli, const char *word, Words *w)
{
  for (const char *p = word + 1; *p; p++) {
    char name[3] = { '-', *p, 0 };
    const CliOption *o = cli_find_option(cli->command, NULL, *p);
    if (!o) return unknown_option(cli->command, p == word + 1 ? word : name, NULL);
    if (o->value) return take_value(cli, o, name, p[1] ? p + 1 : NULL, w);
    Error *e = store(cli, o, name, "");
    if (e) return e;
  }
  return NULL;
}

/* Where an argument is one of a few words. */
static Error *check_choices(const Cli *cli)
{
  const CliCommand *c = cli->command;
  if (!c->words) return NULL;
  g_auto(GStrv) classes = g_strsplit(c->words, " ", -1);
  guint last = g_strv_length(classes) - 1;
  for (guint i = 0; i < cli->words->len; i++) {
    const char *word = cli->words->pdata[i], *class = classes[MIN(i, last)];
    g_auto(GStrv) known = g_strsplit(class, "|", -1);
    g_autofree char *safe = printable(word);
    if (!strchr(class, '|') || g_strv_contains((const char *const *)known, word)) continue;
    Error *e = cli_usage(c, "%s: \"%s\" is not known", c->name, safe);
    return error_suggest(e, word, (const char *const *)known);
  }
  return NULL;
}

static Error *check_words(const Cli *cli)
{
  const CliCommand *c = cli->command;
  if ((int)cli->words->len < c->min_words)
    return cli_usage(c, "%s: an argument is missing", c->name);
  if (c->max_words < 0 || (int)cli->words->len <= c->max_words) return check_choices(cli);
  g_autofree char *safe = printable(cli->words->pdata[c->max_words]);
  return cli_usage(c, "%s: unexpected argument \"%s\"", c->name, safe);
}

static Error *check_environment(const Cli *cli)
{
  for (const CliGroup *const *g = cli->command->groups; *g; g++)
    for (size_t i = 0; i < (*g)->n_options; i++) {
      const CliOption *o = &(*g)->options[i];
      const char *text = o->env ? paths_env(o->env) : NULL;
      Error *e = text ? check_value(cli->command, o, o->env, text) : NULL;
      if (e) return e;
    }
  return NULL;
}

static Error *parse_words(Cli *cli, Words *w)
{
  bool options_end = false;
  Error *e = NULL;
  while (!e && w->at < w->argc) {
    const char *word = w->argv[w->at++];
    if (options_end || word[0] != '-' || !word[1])
      g_ptr_array_add(cli->words, g_strdup(word));
    else if (!strcmp(word, "--"))
      options_end = true;
    else
      e = word[1] == '-' ? parse_long(cli, word, w) : parse_short(cli, word, w);
  }
  return e;
}

Error *cli_parse(Cli *cli, int argc, char **argv)
{
  g_autoptr(GPtrArray) later = g_ptr_array_new_with_free_func(g_free);
  Words w = { argc, 0, argv, later };
  Error *wrong = parse_words(cli, &w), *earlier = take_those_of_profiles(cli, later);
  if (earlier) error_free(wrong);
  if (earlier || wrong) return earlier ? earlier : wrong;
  if (cli_flag(cli, "help") || cli_flag(cli, "version")) return NULL;
  Error *e = check_words(cli);
  return e ? e : check_environment(cli);
}
