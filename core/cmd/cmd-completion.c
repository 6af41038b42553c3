/* stagemill completion: scripts for shells, which ask "stagemill __complete". */
#include "cmd/commands.h"

static int run(Cli *cli)
{
  static const char *const shells[] = { "bash", "zsh", "fish", NULL };
  const char *shell = cli->words->pdata[0];
  g_autofree char *file = g_strconcat("stagemill.", shell, NULL);
  const Embedded *script = embedded_find(file);
  if (script) return cli_print(script->text, script->len);
  Error *e = cli_usage(cli->command, "unknown shell \"%s\"", shell);
  cli_suggest(e, shell, shells);
  return cli_fail(cli, error_help(e, "one of bash, zsh, fish"));
}

static const CliGroup *const groups[] = { &group_common, NULL };
static const char *const examples[] = {
  "for this shell|eval \"$(stagemill completion bash)\"",
  "for good|stagemill completion fish > ~/.config/fish/completions/stagemill.fish", NULL
};

const CliCommand command_completion = {
  .name = "completion",
  .section = "Help",
  .arguments = "bash | zsh | fish",
  .title = "completion script for a shell",
  .about = "Commands, options and their values, profiles, stages and files.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_text,
  .words = "bash|zsh|fish",
  .min_words = 1,
  .max_words = 1,
  .run = run,
};
