/* stagemill report: more formats for a finished run. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/preview.h"
#include "cmd/result.h"
#include "cmd/setup.h"
#include "model/printable.h"
#include "output/report.h"
#include "plan/sink-roles.h"

static const CliOption options[] = {
  { .name = "format",
    .value = "FORMATS",
    .type = MILL_OPT_STRING,
    .default_text = "the page",
    .repeat = CLI_LIST,
    .words = "formats",
    .help = "formats to write (stagemill list sinks), except those made of events" },
  { .name = "term",
    .help = "show all figures, or only FIGURE, as characters in the size of the terminal; write no "
            "file" },
  { .name = "output",
    .letter = 'o',
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .default_text = "the folder of the run",
    .words = "folders",
    .help = "another folder to write; it is complete, or it does not appear" },
  { .name = "force",
    .letter = 'f',
    .help = "also replace files with these names that no run wrote" },
  { .name = "sync", .help = "end only when the files are on the disk" },
  { .name = "set",
    .value = "NAME=VALUE",
    .type = MILL_OPT_STRING,
    .repeat = CLI_MANY,
    .help =
        "set an option of a format (FORMAT.OPTION=VALUE); it wins over the options of the run" },
  { .name = "jobs",
    .letter = 'j',
    .value = "N",
    .type = MILL_OPT_INT,
    .range = "1:4096",
    .default_text = "online processors",
    .env = "STAGEMILL_JOBS",
    .help = "number of threads; results do not depend on it" },
  { .name = "timeout",
    .value = "TIME",
    .type = MILL_OPT_DURATION,
    .range = "1s:",
    .default_text = "none",
    .help = "end with status 8 after this time: 10min" },
};
static const CliGroup own = GROUP("Output", options);

static GPtrArray *read_formats(const Cli *cli, Modules *modules)
{
  const GPtrArray *given = cli_list(cli, "format");
  GPtrArray *formats = g_ptr_array_new();
  for (guint i = 0; given && i < given->len; i++) g_ptr_array_add(formats, given->pdata[i]);
  if (!given) g_ptr_array_add(formats, (gpointer)format_of_role(modules, MILL_PAGE));
  return formats;
}

static Error *report(const Cli *cli, Modules *modules, GString *out)
{
  g_autoptr(GPtrArray) formats = read_formats(cli, modules), settings = g_ptr_array_new();
  Error *e = setup_sinks(cli, formats, settings);
  if (e) return e;
  g_ptr_array_add(formats, NULL);
  ReportJob job = { .modules = modules,
                    .folder = cli->words->pdata[0],
                    .output = cli_text(cli, "output"),
                    .formats = (const char *const *)formats->pdata,
                    .settings = settings,
                    .force = cli_flag(cli, "force"),
                    .sync = cli_flag(cli, "sync") };
  Output *written;
  e = report_run(&job, &written);
  if (!e || e->kind == ERROR_UNWRITTEN_FORMAT)
    result_put_written(job.output ? job.output : job.folder, written, out);
  output_free(written);
  return e;
}

/* --------------------------------------------------------- on the terminal */

static Error *check_term(const Cli *cli)
{
  static const char *const of_files[] = { "format", "output", "force", "sync", "set" };
  for (size_t i = 0; i < G_N_ELEMENTS(of_files); i++)
    if (cli_flag(cli, of_files[i]))
      return cli_usage(cli->command, "--%s and --term exclude each other: --term writes no file",
                       of_files[i]);
  return NULL;
}

static Error *show(const Cli *cli, Modules *modules, GString *out)
{
  PreviewJob job = { .cli = cli,
                     .modules = modules,
                     .folder = cli->words->pdata[0],
                     .figure = cli->words->len > 1 ? cli->words->pdata[1] : NULL };
  Error *e = check_term(cli);
  return e ? e : preview_figures(&job, out);
}

static Error *no_figure_to_name(const Cli *cli)
{
  g_autofree char *safe = printable(cli->words->pdata[1]);
  Error *e = cli_usage(cli->command, "report: unexpected argument \"%s\"", safe);
  return error_help(e, "a figure can be named only with --term");
}

static Error *show_or_write(const Cli *cli, Modules *modules, GString *out)
{
  if (cli_flag(cli, "term")) return show(cli, modules, out);
  return cli->words->len > 1 ? no_figure_to_name(cli) : report(cli, modules, out);
}

/* What was written is said beside an error, too.  Takes the text. */
static int print(const Cli *cli, const Error *e, GString *out)
{
  if (!e && cli_flag(cli, "term")) return cli_print_raw(out); /* as wide as they are: unfolded */
  if (!e || out->len) return cli_print_string(cli, out);
  g_string_free(out, TRUE);
  return EXIT_DONE;
}

static int run(Cli *cli)
{
  Modules *modules = setup_modules(cli);
  GString *out = g_string_new(NULL);
  Error *e = show_or_write(cli, modules, out);
  int status = print(cli, e, out);
  if (e) status = cli_fail(cli, e);
  modules_free(modules);
  return status;
}

static const CliGroup *const groups[] = { &own, &group_modules, &group_common, NULL };
static const char *const examples[] = {
  "tables for a spreadsheet|stagemill report out --format csv",
  "a figure on the terminal|stagemill report out --term kernel-time", NULL
};
static const char *const files[] = { "run.json|unchanged, except that its outputs list the new "
                                     "files",
                                     NULL };
static const int statuses[] = { EXIT_DONE,        EXIT_USAGE,      EXIT_INPUT,  EXIT_PROFILE,
                                EXIT_STAGE,       EXIT_OUTPUT,     EXIT_HELPER, EXIT_LIMIT,
                                EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };

const CliCommand command_report = {
  .name = "report",
  .section = "Present",
  .arguments = "DIR [--format FORMATS] [-o DIR] | DIR --term [FIGURE]",
  .title = "write a finished run in other formats",
  .about =
      "Reads summary.json and run.json of the folder, not the inputs, and writes the given formats "
      "into the folder: the same files that the run itself would have written. Either all new "
      "files appear or none. Other files stay; a file that no run wrote is replaced only with -f. "
      "With --term, shows the figures as characters.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses,
  .words = "folders figures",
  .min_words = 1,
  .max_words = 2,
  .run = run,
};
