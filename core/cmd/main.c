/* stagemill: finds the command, reads its arguments, runs it. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory-growth.h"
#include "base/standard.h"
#include "cmd/commands.h"
#include "cmd/complete.h"
#include "cmd/help.h"
#include "cmd/log-file.h"
#include "cmd/parse.h"
#include "cmd/progress.h"
#include "cmd/setup.h"
#include "cmd/signals.h"
#include "model/log.h"

static const CliCommand *const commands[] = {
  &command_demo,    &command_info,    &command_run,        &command_plan,  &command_metric,
  &command_query,   &command_convert, &command_compare,    &command_check, &command_report,
  &command_list,    &command_show,    &command_validate,   &command_new, &command_test,   &command_schema,
  &command_explain, &command_doctor,  &command_completion, &command_help,  NULL,
};

/* "info", "OVC=debug": the general level and those of single tags. */
static Error *read_levels(const Cli *cli, LogConfig *config, GString *levels)
{
  const GPtrArray *given = cli_list(cli, "log-level");
  const char *env = given ? NULL : cli_text(cli, "log-level");
  g_auto(GStrv) from_env = g_strsplit(env ? env : "", ",", -1);
  guint n = given ? given->len : g_strv_length(from_env);
  for (guint i = 0; i < n; i++) {
    const char *part = given ? given->pdata[i] : from_env[i], *equals = strchr(part, '=');
    uint32_t level;
    if (!log_level_parse(equals ? equals + 1 : part, &level)) {
      Error *e = cli_usage(cli->command, "%s: \"%s\" is not a log level",
                           given ? "--log-level" : "STAGEMILL_LOG", part);
      return error_help(
          e, "error, warning, info, debug or trace; for one stage by its tag: OVC=debug");
    }
    if (equals)
      g_string_append_printf(levels, "%s%s", levels->len ? "," : "", part);
    else
      config->level = level;
  }
  return NULL;
}

static Error *start_log(Cli *cli, FILE **out_file)
{
  static GString *levels; /* lives as long as the log */
  LogConfig config = { .level = MILL_LEVEL_WARNING };
  levels = g_string_new(NULL);
  Error *e = read_levels(cli, &config, levels);
  if (e) return e;
  int more = cli_count(cli, "verbose");
  if (cli_flag(cli, "quiet") && more)
    return cli_usage(cli->command, "--quiet and --verbose exclude each other");
  cli->verbose = cli_flag(cli, "quiet") ? -1 : more;
  if (cli->verbose)
    config.level =
        (uint32_t)CLAMP(MILL_LEVEL_WARNING + cli->verbose, MILL_LEVEL_ERROR, MILL_LEVEL_TRACE);
  const char *path = cli_text(cli, "log-file");
  e = path ? log_file_open(cli, path, out_file) : NULL;
  if (e) return e;
  config.file = *out_file;
  config.json = cli_is(cli, "log-format", "json");
  config.colour = cli->colour_err;
  config.before = progress_hide;
  config.levels = levels->len ? levels->str : NULL;
  log_configure(&config);
  return NULL;
}

static int show_version(void)
{
  g_autofree char *text = g_strdup_printf("stagemill %s (ABI %u.%u)\n", STAGEMILL_VERSION,
                                          MILL_ABI_MAJOR, MILL_ABI_MINOR);
  return cli_print(text, strlen(text));
}

static int show_help(const Cli *cli, const CliCommand *command)
{
  GString *text = g_string_new(NULL);
  if (command)
    help_command(cli, command, text);
  else
    help_program(cli, text);
  return cli_print_string(NULL, text);
}

/* Nothing was asked for. */
static int say_help(const Cli *cli)
{
  g_autoptr(GString) text = g_string_new(NULL);
  help_program(cli, text);
  cli_put(text->str);
  return EXIT_USAGE;
}

static int run_command(Cli *cli, int argc, char **argv)
{
  Error *e = cli_parse(cli, argc, argv);
  if (e) return cli_fail(cli, e);
  if (cli_flag(cli, "help")) return show_help(cli, cli->command);
  if (cli_flag(cli, "version")) return show_version();
  cli->colour_out = cli_colour(standard_out(), cli_text(cli, "color"));
  cli->colour_err = cli_colour(STDERR_FILENO, cli_text(cli, "color"));
  signals_limit(setup_timeout_s(cli)); /* a log file may be a pipe that nobody reads */
  FILE *log_file = NULL;
  e = start_log(cli, &log_file);
  if (e) return cli_fail(cli, e);
  int status = cli->command->run(cli);
  return log_file_end(cli, log_file, status);
}

/* What is not a command may name inputs: it is there, or has what no command has. */
static bool may_be_input(const char *word)
{
  return *word == '-' || strpbrk(word, "./=:*?[@") || g_file_test(word, G_FILE_TEST_EXISTS);
}

static int dispatch(Cli *cli, int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : "";
  if (!strcmp(word, "-h") || !strcmp(word, "--help")) return show_help(cli, NULL);
  if (!strcmp(word, "-V") || !strcmp(word, "--version")) return show_version();
  if (argc < 2) return say_help(cli);
  if (!strcmp(word, "__complete")) return complete(cli, argc - 2, argv + 2);
  cli->command = cli_find_command(cli, word);
  if (cli->command) return run_command(cli, argc - 2, argv + 2);
  if (!may_be_input(word)) return cli_fail(NULL, cli_unknown_command(cli, word));
  cli->command = &command_run;
  return run_command(cli, argc - 1, argv + 1);
}

/* All files of a joined rank are open at once: as many as the user may have, not as many as a shell starts with. */
static void allow_open_files(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* A process that --isolate makes inherits locks as they are, and another thread may be within GLib's own allocator; the
 * C library makes those of malloc anew.  GLib reads before main which of the two it takes, so the program begins again. */
static void use_malloc_alone(char **argv)
{
  bool is_asked = false;
  for (char **word = argv; *word; word++)
    is_asked = is_asked || g_str_has_prefix(*word, "--isolate");
  if (!is_asked || g_getenv("G_SLICE")) return;
  if (!setenv("G_SLICE", "always-malloc", 1)) execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
  use_malloc_alone(argv);
  signals_install(); /* before anything asks for memory */
  memory_growth_begin();
  allow_open_files();
  Cli cli;
  cli_init(&cli, commands);
  standard_fill();
  for (int i = 0; i < argc; i++) g_ptr_array_add(cli.argv, i ? argv[i] : (gpointer) "stagemill");
  int status = dispatch(&cli, argc, argv);
  cli_clear(&cli);
  signals_end(status);
  return status;
}
