/* The arguments that results depend on; see arguments.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/arguments.h"

#include <string.h>

#include "cmd/groups.h"

/* What is known by its name stays, whatever folder it lies in: "TAG=a,LABEL=folder/x.json", "@folder/list". */
static char *without_folder(const char *word)
{
  size_t len = strlen(word);
  while (len > 1 && word[len - 1] == '/') len--;
  g_autofree char *plain = g_strndup(word, len);
  const char *slash = strrchr(plain, '/');
  if (!slash || !slash[1]) return g_steal_pointer(&plain);
  size_t path = (size_t)(slash - plain);
  while (path && !strchr("=:@", plain[path - 1])) path--;
  g_autofree char *prefix = g_strndup(plain, path);
  return g_strconcat(prefix, slash + 1, NULL);
}

static bool is_path(const char *text)
{
  return *text == '/' || *text == '~' || g_str_has_prefix(text, "./") ||
         g_str_has_prefix(text, "../");
}

/* An option of a sink: the results are the same. */
static bool is_of_sink(const char *setting, const GPtrArray *sink_set)
{
  static const char kind[] = "sink/";
  if (g_str_has_prefix(setting, kind)) return true;
  size_t len = strcspn(setting, "=");
  for (guint i = 0; sink_set && i < sink_set->len; i++) {
    const char *known = sink_set->pdata[i];
    if (strcspn(known, "=") == len && !strncmp(known, setting, len)) return true;
  }
  return false;
}

static char *setting_text(const char *value)
{
  const char *equals = strchr(value, '=');
  if (!equals || !is_path(equals + 1)) return g_strdup(value);
  g_autofree char *name = g_strndup(value, (gsize)(equals + 1 - value));
  g_autofree char *last = without_folder(equals + 1);
  return g_strconcat(name, last, NULL);
}

static void add_option(const Cli *cli, const CliOption *o, const GPtrArray *sink_set,
                       GPtrArray *out)
{
  const GPtrArray *values = g_hash_table_lookup(cli->values, o);
  guint first = values && o->repeat == CLI_ONCE && values->len ? values->len - 1 : 0;
  for (guint i = first; values && i < values->len; i++) {
    const char *value = values->pdata[i];
    bool set = !strcmp(o->name, "set");
    if (set && is_of_sink(value, sink_set)) continue;
    g_autofree char *text = set              ? setting_text(value)
                            : is_path(value) ? without_folder(value)
                                             : g_strdup(value);
    g_ptr_array_add(out, o->value ? g_strdup_printf("--%s=%s", o->name, text)
                                  : g_strdup_printf("--%s", o->name));
  }
}

GPtrArray *arguments_of_results(const Cli *cli, const GPtrArray *sink_set)
{
  static const CliGroup *const groups[] = { &group_profile, &group_edits, &group_window,
                                            &group_input };
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(out, g_strdup(cli->command->name));
  for (size_t g = 0; g < G_N_ELEMENTS(groups); g++)
    for (size_t i = 0; i < groups[g]->n_options; i++)
      add_option(cli, &groups[g]->options[i], sink_set, out);
  for (guint i = 0; cli->of_profiles && i < cli->of_profiles->len; i++)
    add_option(cli, cli->of_profiles->pdata[i], sink_set, out);
  for (guint i = 0; i < cli->words->len; i++)
    g_ptr_array_add(out, without_folder(cli->words->pdata[i]));
  return out;
}
