/* stagemill demo: the bundled samples analysed. */
#include <sys/stat.h>

#include "cmd/commands.h"
#include "cmd/result.h"
#include "plan/paths.h"

#define PROFILE "timeline"
#define SAMPLE "kineto"

static const CliOption options[] = {
  { "output", 'o', "DIR", MILL_OPT_PATH, NULL, "demo." PROFILE, NULL, CLI_ONCE, "folders",
    "folder to write" },
  { "force", 'f', NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "replace the folder even if it is not an earlier demo" },
  { "json", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "print summary.json instead of summary.txt" },
};
static const CliGroup own = GROUP("Output", options);

/* STAGEMILL_DATADIR, then what is installed. */
static char *find_samples(void)
{
  const char *given = paths_env("STAGEMILL_DATADIR");
  g_autofree char *installed = paths_data();
  const char *const roots[] = { given ? given : installed, installed };
  for (size_t i = 0; i < G_N_ELEMENTS(roots); i++) {
    char *path = g_build_filename(roots[i], "samples", SAMPLE, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) return path;
    g_free(path);
  }
  return NULL;
}

static int run(Cli *cli)
{
  g_autofree char *samples = find_samples();
  if (!samples) {
    g_autofree char *data = paths_data();
    Error *e = error_new(EXIT_INPUT, "RUN-91", "the bundled samples were not found");
    error_at(e, "looked in %s/samples", data);
    return cli_fail(cli, error_help(e, "set STAGEMILL_DATADIR to the folder that holds samples/"));
  }
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  g_ptr_array_add(words, samples);
  g_autofree char *info = g_strdup_printf("stagemill info %s    what is in the samples", samples);
  const char *const next[] = { info, "stagemill list profiles    other analyses",
                               "stagemill run -p " PROFILE " YOUR-TRACE.json", NULL };
  const char *output = cli_text(cli, "output");
  RunRequest request = {
    .profile = PROFILE,
    .words = words,
    .output = output ? output : "demo." PROFILE,
    .json = cli_flag(cli, "json"),
    .next = next,
  };
  return result_run(cli, &request);
}

static const CliGroup *const groups[] = { &own,           &group_limits, &group_profiles,
                                          &group_modules, &group_common, NULL };
static const char *const examples[] = { "here|stagemill demo",
                                        "elsewhere|stagemill demo -o /tmp/demo", NULL };
static const char *const files[] = { "demo." PROFILE "/|as written by stagemill run -p " PROFILE,
                                     NULL };
static const int statuses[] = { EXIT_DONE,        EXIT_USAGE,      EXIT_INPUT,
                                EXIT_PROFILE,     EXIT_STAGE,      EXIT_OUTPUT,
                                EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };

const CliCommand command_demo = {
  .name = "demo",
  .section = "Start here",
  .arguments = "[-o DIR]",
  .title = "analyse the bundled samples",
  .about = "Runs the profile \"" PROFILE
           "\" over small synthetic traces of two ranks that come with the program, and says "
           "where the result is.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses,
  .min_words = 0,
  .max_words = 0,
  .run = run,
};
