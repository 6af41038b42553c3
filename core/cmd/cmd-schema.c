/* stagemill schema: JSON Schemas of profiles and outputs, and the interface of modules. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/lists.h"
#include "cmd/setup.h"

static int print_names(const GPtrArray *names)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf(out, "%s\n", (const char *)names->pdata[i]);
  return cli_print_string(NULL, out);
}

static int run(Cli *cli)
{
  g_autoptr(GPtrArray) names = list_schemas();
  if (!cli->words->len) return print_names(names);
  const char *name = cli->words->pdata[0];
  if (!strcmp(name, "profile")) {
    Modules *modules = setup_modules(cli);
    g_autofree char *text = profile_schema(modules);
    int status = cli_print(text, strlen(text));
    if (!status && !g_str_has_suffix(text, "\n")) status = cli_print("\n", 1);
    return setup_modules_end(cli, modules, status);
  }
  g_autofree char *file = g_strconcat(name, SCHEMA_SUFFIX, NULL);
  const Embedded *found = embedded_find(file);
  if (found) return cli_print(found->text, found->len);
  g_ptr_array_add(names, NULL);
  Error *e = cli_usage(cli->command, "unknown schema \"%s\"", name);
  error_suggest(e, name, (const char *const *)names->pdata);
  return cli_fail(cli, error_help(e, "stagemill schema    lists them"));
}

static const CliGroup *const groups[] = { &group_modules, &group_common, NULL };
static const char *const examples[] = {
  "for an editor|stagemill schema profile > profile.schema.json",
  "of the results|stagemill schema summary", NULL
};

const CliCommand command_schema = {
  .name = "schema",
  .section = "Extend",
  .arguments = "[NAME]",
  .title = "print JSON Schemas of profiles and outputs, and the interface of modules",
  .about = "Without a name, lists the names. The schema of profiles includes the options of every "
           "stage that was found. abi is no schema: it lists the structs, constants and calls of the "
           "headers, with offsets and sizes, for authors of bindings.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_modules,
  .words = "schemas",
  .min_words = 0,
  .max_words = 1,
  .run = run,
};
