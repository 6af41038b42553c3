/* stagemill run: a profile over inputs. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/finished.h"
#include "cmd/groups.h"

static const CliOption options[] = {
  { .name = "output",
    .letter = 'o',
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .default_text = "INPUT.PROFILE with -p",
    .words = "folders",
    .help = "folder to write; it is complete, or it does not appear" },
  { .name = "force",
    .letter = 'f',
    .help = "write into the folder, and replace files in it, even if no earlier run of this "
            "profile wrote it" },
  { .name = "sync",
    .help = "end only when the files are on the disk, so that they survive a crash of the machine; "
            "always on if an earlier folder is replaced" },
  { .name = "format",
    .value = "FORMATS",
    .type = MILL_OPT_STRING,
    .default_text = "those of the profile",
    .repeat = CLI_LIST,
    .words = "formats",
    .help = "formats to write: text, json, csv, trace (stagemill list sinks)" },
  { .name = "rows",
    .value = "N|all",
    .type = MILL_OPT_STRING,
    .default_text = "those that matter",
    .help = "rows of each table on the screen" },
  { .name = "json", .help = "print summary.json instead of summary.txt" },
};
static const CliGroup own = GROUP("Output", options);

static const CliOption shared[] = {
  { .name = "state",
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .words = "folders",
    .help = "keep in this folder what came of each input, and take from it what is there: so a run "
            "goes on after it was killed, and several processes share one" },
  { .name = "shard",
    .value = "I/N|auto",
    .type = MILL_OPT_STRING,
    .help =
        "read only this share of the inputs into --state, as process I (from 0) of N, and write "
        "no results; auto asks MPI or Slurm, auto/N also Kubernetes" },
  { .name = "no-read",
    .help = "only take what is in --state; an input that is not there is an error" },
};
static const CliGroup of_shards = GROUP("Several processes", shared);

static Error *excluded(const Cli *cli, const char *option, const char *by)
{
  return cli_usage(cli->command, "%s cannot be given together with %s", option, by);
}

/* What cannot be asked of a process that reads a share, or of one that takes what others have read. */
static Error *check_shared(const Cli *cli)
{
  bool state = cli_flag(cli, "state"), shard = cli_flag(cli, "shard");
  if (!state && (shard || cli_flag(cli, "no-read")))
    return error_help(cli_usage(cli->command, "%s needs --state", shard ? "--shard" : "--no-read"),
                      "add --state DIR, a folder that all processes see");
  if (state && cli_flag(cli, "dump-after")) return excluded(cli, "--dump-after", "--state");
  if (!shard) return NULL;
  if (cli_flag(cli, "output")) return excluded(cli, "--output", "--shard");
  if (cli_flag(cli, "json")) return excluded(cli, "--json", "--shard");
  if (cli_flag(cli, "rows")) return excluded(cli, "--rows", "--shard");
  if (cli_flag(cli, "timings")) return excluded(cli, "--timings", "--shard");
  if (cli_flag(cli, "no-read")) return excluded(cli, "--no-read", "--shard");
  return NULL;
}

static int run(Cli *cli)
{
  Error *e = check_shared(cli);
  if (e) return cli_fail(cli, e);
  const char *rows = cli_text(cli, "rows");
  bool all = rows && !strcmp(rows, "all");
  int64_t n_rows = all ? -1 : cli_number(cli, "rows", 0);
  if (rows && !all && n_rows < 1)
    return cli_fail(cli, cli_usage(cli->command, "--rows: a number from 1, or all"));
  const char *profile = cli_text(cli, "profile");
  RunRequest request = {
    .profile = profile,
    .words = cli->words,
    .output = cli_text(cli, "output"),
    .formats = cli_list(cli, "format"),
    .json = cli_flag(cli, "json"),
    .rows = n_rows,
  };
  const char *first = cli->words->len == 1 ? cli->words->pdata[0] : "";
  return !profile && finished_is(first) ? finished_show(cli, &request, first)
                                        : result_run(cli, &request);
}

static const CliGroup *const groups[] = {
  &group_profile,     &own,          &of_shards,    &group_edits,  &group_window,
  &group_of_profiles, &group_input,  &group_limits, &group_engine, &group_profiles,
  &group_modules,     &group_common, NULL
};
static const char *const examples[] = {
  "what fits best|stagemill run rank0.json.gz",
  "all ranks, 4 threads|stagemill run -p timeline 'rank{rank}.json' -o out -j 4", NULL
};
static const char *const files[] = {
  "summary.txt|the lines that are also printed",
  "summary.json|all metrics, tables and notices (stagemill schema summary)",
  "tables/*.csv|one file per table",
  "summary.md|the same for a merge request, with --format markdown",
  "results.xlsx|a workbook, with --format xlsx",
  "results.sqlite|a database, with --format sqlite",
  "plots/NAME.png|each figure, with --format plot; or .svg, .pdf",
  "metrics.prom|each number as a gauge, with --format openmetrics",
  "trace.json.gz|the events as they left the last stage, if the profile changes them",
  "run.json|what ran: versions, settings, inputs and outputs with hashes, counts",
  NULL
};

const CliCommand command_run = {
  .name = "run",
  .section = "Analyse",
  .arguments = "[-p PROFILE] INPUT... [-o DIR]",
  .title = "run a profile over inputs",
  .about = "Streams the inputs through the stages of a profile and writes tables, numbers and "
           "traces. Without -p, stagemill chooses the profile that fits the inputs best, prints "
           "its name, and writes files only with -o; \"stagemill INPUT...\" does the same. An "
           "input is a file, a folder (without its subfolders), - for standard input, a quoted "
           "pattern such as 'rank{rank}.json', or @LIST with one input per line. LABEL=PATH names "
           "an input, TAG=VALUE,...:PATH tags it. If INPUT is a folder that a run wrote, its "
           "summary is shown. stagemill finds format and compression from the content.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses_of_run,
  .words = "files",
  .min_words = 0,
  .max_words = -1,
  .run = run,
};
