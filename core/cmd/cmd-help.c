/* stagemill help: pages for people, and man pages. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/help.h"
#include "cmd/parse.h"

static const CliOption options[] = {
  { .name = "man",
    .help = "print the man page of a command, of stagemill, profiles or results, or of \"stage "
            "NAME\"" },
};
static const CliGroup own = GROUP("Form", options);

static int run(Cli *cli)
{
  GString *out = g_string_new(NULL);
  const char *what = cli->words->len ? cli->words->pdata[0] : NULL;
  const char *name = cli->words->len > 1 ? cli->words->pdata[1] : NULL;
  Error *e = NULL;
  if (cli_flag(cli, "man"))
    e = man_page(cli, what ? what : "stagemill", name, out);
  else if (name)
    e = cli_usage(cli->command, "help: unexpected argument \"%s\"", name);
  else if (!what)
    help_program(cli, out);
  else if (!strcmp(what, "exit"))
    help_exit(out);
  else if (cli_find_command(cli, what))
    help_command(cli, cli_find_command(cli, what), out);
  else
    e = cli_unknown_command(cli, what);
  if (!e) return cli_flag(cli, "man") ? cli_print_raw(out) : cli_print_string(NULL, out);
  g_string_free(out, TRUE);
  return cli_fail(cli, e);
}

static const CliGroup *const groups[] = { &own, &group_modules, &group_common, NULL };
static const char *const examples[] = { "one command|stagemill help run",
                                        "exit statuses|stagemill help exit", NULL };
static const int statuses[] = { EXIT_DONE, EXIT_USAGE, EXIT_STAGE, -1 };

const CliCommand command_help = {
  .name = "help",
  .section = "Help",
  .arguments = "[COMMAND | exit]",
  .title = "show how to use a command",
  .about = "Without an argument: lists all commands. With the name of a command: shows its options "
           "with their defaults, the files that it writes and its exit statuses.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "commands",
  .min_words = 0,
  .max_words = 2,
  .run = run,
};
