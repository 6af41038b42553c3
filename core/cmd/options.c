/* Options of a command and what was given for them, as parse.c left it; see cli.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "cmd/cli.h"
#include "plan/paths.h"

void cli_init(Cli *out, const CliCommand *const *commands)
{
  *out = (Cli){
    .commands = commands,
    .values = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref),
    .words = g_ptr_array_new_with_free_func(g_free),
    .argv = g_ptr_array_new(),
  };
}

void cli_clear(Cli *cli)
{
  g_ptr_array_unref(cli->argv);
  g_ptr_array_unref(cli->words);
  g_hash_table_unref(cli->values);
  if (cli->of_profiles) g_ptr_array_unref(cli->of_profiles);
}

const CliOption *cli_find_option(const CliCommand *command, const char *name, char letter)
{
  for (const CliGroup *const *g = command->groups; *g; g++)
    for (size_t i = 0; i < (*g)->n_options; i++) {
      const CliOption *o = &(*g)->options[i];
      if (name ? !strcmp(o->name, name) : o->letter == letter) return o;
    }
  return NULL;
}

Error *cli_usage(const CliCommand *command, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  Error *e = error_new(EXIT_USAGE, "RUN-90", "%s", text);
  if (!command) return error_at(e, "usage: stagemill COMMAND [OPTIONS]");
  return error_at(e, "usage: stagemill %s%s%s", command->name, *command->arguments ? " " : "",
                  command->arguments);
}

/* NULL also for an option that the command does not have. */
static GPtrArray *given(const Cli *cli, const char *name)
{
  const CliOption *o = cli_find_option(cli->command, name, 0);
  return o ? g_hash_table_lookup(cli->values, o) : NULL;
}

bool cli_flag(const Cli *cli, const char *name) { return given(cli, name) != NULL; }

int cli_count(const Cli *cli, const char *name)
{
  const GPtrArray *values = given(cli, name);
  return values ? (int)values->len : 0;
}

const char *cli_text(const Cli *cli, const char *name)
{
  const CliOption *o = cli_find_option(cli->command, name, 0);
  const GPtrArray *values = given(cli, name);
  if (values && values->len) return values->pdata[values->len - 1];
  return o && o->env ? paths_env(o->env) : NULL;
}

bool cli_is(const Cli *cli, const char *name, const char *word)
{
  return !g_strcmp0(cli_text(cli, name), word);
}

GPtrArray *cli_list(const Cli *cli, const char *name) { return given(cli, name); }

int64_t cli_number(const Cli *cli, const char *name, int64_t fallback)
{
  const CliOption *o = cli_find_option(cli->command, name, 0);
  const char *text = cli_text(cli, name);
  size_t len = text ? strlen(text) : 0;
  int64_t value;
  if (!text) return fallback;
  bool good = o->type == MILL_OPT_SIZE       ? num_size(text, len, &value)
              : o->type == MILL_OPT_DURATION ? num_duration(text, len, &value)
                                             : num_int(text, len, &value);
  return good ? value : fallback;
}
