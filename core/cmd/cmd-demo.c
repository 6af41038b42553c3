/* stagemill demo: the bundled samples analysed. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/parse.h"
#include "cmd/result.h"
#include "plan/paths.h"
#include "plan/sink-roles.h"

#define FOLDER "demo"
#define MOST_INPUTS 2

/* One analysis: the name of its folder, the profile, and inputs among the samples. */
typedef struct Demo {
  const char *name, *profile;
  const char *inputs[MOST_INPUTS];
} Demo;
static const Demo demos[] = {
  { "aiu", "aiu", { "aiu/rank*.json" } },
  { "serving", "serving", { "serving" } },
  { "kernels", "kernels", { "kineto" } },
  { "eplb", "eplb", { "off=eplb/off.csv", "on=eplb/on.csv" } },
};

/* Two of the serving runs against one another. */
static const char compared_profile[] = "serving";
static const char *const compared[] = { "serving/tp4-seqs8", "serving/ep4-seqs8" };

static const CliOption options[] = {
  { .name = "output",
    .letter = 'o',
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .default_text = FOLDER,
    .words = "folders",
    .help = "folder to write" },
  { .name = "force",
    .letter = 'f',
    .help = "replace folders in it even if no earlier demo wrote them" },
};
static const CliGroup own = GROUP("Output", options);

/* STAGEMILL_DATADIR, then what is installed. */
static char *find_samples(void)
{
  const char *given = paths_env("STAGEMILL_DATADIR");
  g_autofree char *installed = paths_data();
  const char *const roots[] = { given ? given : installed, installed };
  for (size_t i = 0; i < G_N_ELEMENTS(roots); i++) {
    char *path = g_build_filename(roots[i], "samples", NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) return path;
    g_free(path);
  }
  return NULL;
}

/* "off=eplb/off.csv": the label stays before the path. */
static char *sample(const char *samples, const char *input)
{
  const char *equals = strchr(input, '=');
  g_autofree char *path = g_build_filename(samples, equals ? equals + 1 : input, NULL);
  return equals ? g_strdup_printf("%.*s=%s", (int)(equals - input), input, path)
                : g_steal_pointer(&path);
}

/* What a run writes, and pictures: char *. */
static GPtrArray *formats_of_demo(const Cli *cli)
{
  Modules *modules = setup_modules(cli);
  GPtrArray *formats = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) usual = usual_formats(modules, false);
  for (guint i = 0; i < usual->len; i++) g_ptr_array_add(formats, g_strdup(usual->pdata[i]));
  g_ptr_array_add(formats, g_strdup(format_of_role(modules, MILL_DRAWS)));
  modules_free(modules);
  return formats;
}

static int run_demo(const Cli *cli, const char *samples, const char *into, const Demo *demo,
                    const GPtrArray *formats)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *folder = g_build_filename(into, demo->name, NULL);
  for (size_t i = 0; i < MOST_INPUTS && demo->inputs[i]; i++)
    g_ptr_array_add(words, sample(samples, demo->inputs[i]));
  RunRequest request = {
    .profile = demo->profile,
    .words = words,
    .output = folder,
    .formats = formats,
    .pass_missing = true,
    .rows = -1, /* there is no --rows to ask for more */
  };
  return result_run(cli, &request);
}

/* As the command itself, in a command line of its own. */
static int compare_demo(const Cli *outer, const char *samples, const char *into, GPtrArray *formats)
{
  g_autofree char *base = sample(samples, compared[0]), *new = sample(samples, compared[1]),
                  *folder = g_build_filename(into, "compare", NULL);
  g_ptr_array_add(formats, NULL);
  g_autofree char *list = g_strjoinv(",", (char **)formats->pdata);
  char *words[] = {
    "-p", (char *)compared_profile, base, new, "-o", folder, "--format", list, "--rows", "3"
  };
  Cli cli;
  cli_init(&cli, outer->commands);
  cli.command = &command_compare;
  cli.pass_missing = true;
  cli.brief = outer->brief;
  g_ptr_array_add(cli.argv, (gpointer) "stagemill");
  g_ptr_array_add(cli.argv, (gpointer)command_compare.name);
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) g_ptr_array_add(cli.argv, words[i]);
  Error *e = cli_parse(&cli, G_N_ELEMENTS(words), words);
  int status = e ? cli_fail(&cli, e) : command_compare.run(&cli);
  cli_clear(&cli);
  return status;
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
  const char *output = cli_text(cli, "output"), *into = output ? output : FOLDER;
  g_autoptr(GPtrArray) formats = formats_of_demo(cli);
  int status = EXIT_DONE;
  cli->brief = cli->verbose <= 0;
  for (size_t i = 0; i < G_N_ELEMENTS(demos) && !status; i++) {
    status = run_demo(cli, samples, into, &demos[i], formats);
    if (!status && !cli->brief) status = cli_print("\n", 1);
  }
  return status ? status : compare_demo(cli, samples, into, formats);
}

static const CliGroup *const groups[] = { &own,           &group_limits, &group_profiles,
                                          &group_modules, &group_common, NULL };
static const char *const examples[] = { "here|stagemill demo",
                                        "elsewhere|stagemill demo -o /tmp/demo",
                                        "with the summaries|stagemill demo -v", NULL };
static const char *const files[] = { FOLDER "/NAME/|as written by stagemill run -p NAME",
                                     FOLDER "/compare/|as written by stagemill compare", NULL };
static const int statuses[] = { EXIT_DONE,        EXIT_USAGE,      EXIT_INPUT,
                                EXIT_PROFILE,     EXIT_STAGE,      EXIT_OUTPUT,
                                EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };

const CliCommand command_demo = {
  .name = "demo",
  .section = "Start here",
  .arguments = "[-o DIR]",
  .title = "analyse the bundled samples",
  .about = "Runs the profiles aiu, serving, kernels and eplb over the small bundled samples, "
           "compares two of the serving runs, and prints of each which page to open, and what was "
           "found first. With -v it prints the summaries.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses,
  .min_words = 0,
  .max_words = 0,
  .run = run,
};
