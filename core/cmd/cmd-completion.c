/* stagemill completion: scripts for shells, which ask "stagemill __complete". */
/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"
#include "cmd/groups.h"

static int run(Cli *cli)
{
  g_autofree char *file = g_strconcat("stagemill.", cli->words->pdata[0], NULL);
  const Embedded *script = embedded_find(file);
  return cli_print(script->text, script->len);
}

static const CliGroup *const groups[] = { &group_common, NULL };
static const char *const examples[] = {
  "for this shell|eval \"$(stagemill completion bash)\"",
  "permanently|stagemill completion fish > ~/.config/fish/completions/stagemill.fish", NULL
};

const CliCommand command_completion = {
  .name = "completion",
  .section = "Help",
  .arguments = "bash | zsh | fish",
  .title = "print a completion script for a shell",
  .about = "Completes commands, options and their values, profiles, stages and files.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_text,
  .words = "bash|zsh|fish",
  .min_words = 1,
  .max_words = 1,
  .run = run,
};
