/* stagemill compare: what changed between runs, by how much, and whether it is real. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/noise.h"
#include "base/num.h"
#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/compare-traces.h"
#include "cmd/first-lines.h"
#include "cmd/groups.h"
#include "cmd/result.h"
#include "cmd/screen.h"
#include "cmd/sides.h"
#include "compare/compare.h"
#include "model/usage.h"
#include "output/derived.h"
#include "output/present.h"
#include "plan/sink-roles.h"

static const CliOption options[] = {
  { .name = "output",
    .letter = 'o',
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .words = "folders",
    .help = "folder to write; it is complete, or it does not appear" },
  { .name = "force",
    .letter = 'f',
    .help = "compare runs of different profiles; write into the folder even if no earlier "
            "comparison wrote it" },
  { .name = "sync", .help = "end only when the files are on the disk" },
  { .name = "format",
    .value = "FORMATS",
    .type = MILL_OPT_STRING,
    .default_text = "text,json,csv",
    .repeat = CLI_LIST,
    .words = "formats",
    .help = "formats to write (stagemill list sinks), except those made of events" },
  { .name = "rows",
    .value = "N|all",
    .type = MILL_OPT_STRING,
    .default_text = "those that matter",
    .help = "rows of each table on the screen" },
  { .name = "json", .help = "print summary.json instead of summary.txt" },
};
static const CliGroup own = GROUP("Output", options);

static const CliOption judging[] = {
  { .name = "min-change",
    .value = "PERCENT",
    .type = MILL_OPT_STRING,
    .default_text = "1%",
    .help = "a smaller change counts as the same" },
  { .name = "confidence",
    .value = "PERCENT",
    .type = MILL_OPT_STRING,
    .default_text = "95%",
    .help = "confidence of the intervals of changes; intervals need repeated runs" },
  { .name = "all", .help = "also show what did not change" },
  { .name = "fail-on",
    .value = "WHAT",
    .type = MILL_OPT_CHOICE,
    .range = "regression|changed",
    .help = "end with status 1 if a headline metric became worse (regression; needs four runs a "
            "side), or if anything changed (changed)" },
};
static const CliGroup judged = GROUP("Judgement", judging);

/* ------------------------------------------------------------------ options */

/* "5%" as a part, below `most`. */
static Error *read_percent(const Cli *cli, const char *name, double most, double *io_part)
{
  const char *text = cli_text(cli, name);
  double percent;
  if (!text) return NULL;
  size_t len = strlen(text);
  if (len && text[len - 1] == '%' && num_real(text, len - 1, &percent) && percent >= 0 &&
      percent < most) {
    *io_part = percent / 100;
    return NULL;
  }
  Error *e = cli_usage(cli->command, "--%s: \"%s\" is not a percentage from 0%%", name, text);
  return error_help(e, "write it as --%s 5%%", name);
}

static Error *read_options(const Cli *cli, CompareOptions *out)
{
  *out = (CompareOptions){ .min_change = 0.01,
                           .confidence = NOISE_CONFIDENCE,
                           .all = cli_flag(cli, "all"),
                           .gates = !g_strcmp0(cli_text(cli, "fail-on"), "regression") };
  Error *e = sides_check_options(cli);
  if (!e) e = read_percent(cli, "min-change", 1e9, &out->min_change);
  if (!e) e = read_percent(cli, "confidence", 100, &out->confidence);
  if (e || !cli_list(cli, "format") || cli_text(cli, "output")) return e;
  return error_help(cli_usage(cli->command, "--format writes files and needs -o"), "add -o DIR");
}

/* 0: those that matter, -1: all. */
static Error *read_rows(const Cli *cli, int64_t *out)
{
  const char *rows = cli_text(cli, "rows");
  bool all = rows && !strcmp(rows, "all");
  *out = all ? -1 : 0;
  if (!rows || all) return NULL;
  if (num_int(rows, strlen(rows), out) && *out >= 1) return NULL;
  return cli_usage(cli->command, "--rows: a number from 1, or all");
}

/* ------------------------------------------------------------------ showing */

typedef struct Job {
  const Cli *cli;
  Modules *modules;
  Sides sides;
  Results *results;
  GPtrArray *formats;  /* const char *, ending in NULL */
  GPtrArray *settings; /* char *, of cli */
  char *lines;         /* one of them that is not */
  CompareCounts counts;
  int64_t started_ns;
} Job;

/* What is printed is made for the screen; the files do not depend on any. */
static Error *print_summary(const Job *job, GString *out)
{
  const Cli *cli = job->cli;
  int64_t rows;
  Error *e = read_rows(cli, &rows);
  return e ? e
           : screen_results(job->modules, job->results, job->settings, rows, cli_flag(cli, "json"),
                            out);
}

static bool is_written(const Error *e) { return !e || e->kind == ERROR_UNWRITTEN_FORMAT; }

static Error *write_folder(const Job *job, GString *out)
{
  const Cli *cli = job->cli;
  const char *folder = cli_text(cli, "output");
  Output *written = NULL;
  if (!folder) return NULL;
  g_autoptr(GPtrArray) arguments = arguments_of_results(cli, job->settings);
  DerivedJob derived = { .profile = COMPARE_PROFILE,
                         .folder = folder,
                         .inputs = job->sides.files,
                         .command_line = cli->argv,
                         .arguments = arguments,
                         .started_ns = job->started_ns,
                         .jobs = setup_jobs(cli),
                         .force = cli_flag(cli, "force"),
                         .sync = cli_flag(cli, "sync"),
                         .pass_missing = cli->pass_missing || !cli_list(cli, "format"),
                         .modules = job->modules,
                         .formats = (const char *const *)job->formats->pdata,
                         .settings = job->settings,
                         .results = job->results };
  Error *e = derived_write(&derived, &written);
  if (is_written(e) && cli->brief) {
    g_autofree char *shown = g_strdup(out->str);
    g_string_truncate(out, 0);
    first_lines_put(folder, written, results_view(job->results), shown, out);
  } else if (is_written(e) && !cli_flag(cli, "json")) {
    g_string_append_c(out, '\n');
    result_put_written(folder, written, out);
  }
  output_free(written);
  return e;
}

/* ------------------------------------------------------------------ running */

static bool fails(const Job *job)
{
  const char *on = cli_text(job->cli, "fail-on");
  const uint64_t *n = job->counts.rows;
  if (!on) return false;
  if (!strcmp(on, "regression")) return job->counts.headlines[HEADLINE_WORSE] > 0;
  return n[COMPARE_REGRESSION] + n[COMPARE_CHANGED] + n[COMPARE_IMPROVED] + n[COMPARE_APPEARED] +
             n[COMPARE_VANISHED] >
         0;
}

static Error *failure(const Job *job)
{
  bool any = !strcmp(cli_text(job->cli, "fail-on"), "changed");
  uint64_t n = job->counts.headlines[HEADLINE_WORSE];
  Error *e =
      any ? error_new(EXIT_REGRESSION, "RUN-43", "something changed")
          : error_new(EXIT_REGRESSION, "RUN-43",
                      "%" G_GUINT64_FORMAT " headline metric%s became worse", n, n == 1 ? "" : "s");
  return error_why(e, "--fail-on %s was given", cli_text(job->cli, "fail-on"));
}

enum { MOST_LINES = 40 }; /* of the summary: there is more to see than of a run */

/* With -p, --set is of the profile; what of it concerns sinks is taken apart as in a run. */
static Error *choose_formats(Job *job)
{
  const GPtrArray *given = cli_list(job->cli, "format");
  g_autoptr(GPtrArray) usual = usual_formats(job->modules, false);
  const char *page = format_of_role(job->modules, MILL_PAGE);
  for (guint i = 0; given && i < given->len; i++) g_ptr_array_add(job->formats, given->pdata[i]);
  for (guint i = 0; !given && i < usual->len; i++)
    if (strcmp(usual->pdata[i], page)) g_ptr_array_add(job->formats, usual->pdata[i]);
  job->lines = summary_setting(job->modules, "lines", MOST_LINES);
  g_ptr_array_add(job->settings, job->lines);
  Error *e =
      cli_text(job->cli, "profile") ? NULL : setup_sinks(job->cli, job->formats, job->settings);
  g_ptr_array_add(job->formats, NULL);
  return e ? e
           : present_check(job->modules, (const char *const *)job->formats->pdata, job->settings);
}

static Error *compare(Job *job, GString *out)
{
  CompareOptions judgement;
  Error *e = read_options(job->cli, &judgement);
  if (!e) e = choose_formats(job);
  if (!e) e = sides_open(job->cli, job->cli->words, cli_flag(job->cli, "force"), &job->sides);
  if (e) return e;
  job->results = compare_sides(job->sides.list, job->sides.n, &judgement, &job->counts);
  e = print_summary(job, out);
  if (!e) e = write_folder(job, out);
  return e;
}

static int run_traces(const Cli *cli)
{
  int64_t rows;
  Error *e = read_rows(cli, &rows);
  return e ? cli_fail(cli, e) : traces_compare(cli, rows);
}

static int run(Cli *cli)
{
  if (traces_are_sides(cli)) return run_traces(cli);
  Job job = { .cli = cli,
              .modules = setup_modules(cli),
              .formats = g_ptr_array_new(),
              .settings = g_ptr_array_new(),
              .started_ns = usage_clock_ns() };
  GString *out = g_string_new(NULL);
  Error *e = compare(&job, out);
  int status = EXIT_DONE;
  bool done = is_written(e);
  if (done) status = cli_print_string(cli, g_steal_pointer(&out));
  if (done && !status && fails(&job)) e = error_join(failure(&job), e);
  if (e) status = cli_fail(cli, e);
  if (out) g_string_free(out, TRUE);
  results_free(job.results);
  sides_clear(&job.sides);
  g_ptr_array_unref(job.formats);
  g_ptr_array_unref(job.settings);
  g_free(job.lines);
  modules_free(job.modules);
  return status;
}

static const CliGroup *const groups[] = { &own, &judged, SIDES_GROUPS, NULL };
static const char *const examples[] = {
  "two finished runs|stagemill compare before after",
  "two traces, or folders of ranks: why is a step slower?|stagemill compare A.json.gz B.json.gz",
  "repeated recordings of each|stagemill compare base=A1 base=A2 new=B1 new=B2",
  "repeated runs, for a gate|stagemill compare 'base/run*' 'new/run*' --fail-on regression", NULL
};
static const char *const files[] = {
  "summary.txt|the lines that are also printed",
  "summary.json|findings, metrics and tables (stagemill schema summary)",
  "tables/*.csv|one file per table, with the rows that differ", "run.json|what was compared", NULL
};
static const int statuses[] = {
  EXIT_DONE,        EXIT_REGRESSION, EXIT_USAGE,  EXIT_INPUT, EXIT_PROFILE,
  EXIT_STAGE,       EXIT_OUTPUT,     EXIT_HELPER, EXIT_LIMIT, EXIT_INTERNAL,
  EXIT_INTERRUPTED, EXIT_TERMINATED, -1
};

const CliCommand command_compare = {
  .name = "compare",
  .section = "Compare",
  .arguments = "BASE NEW... [-o DIR]",
  .title = "show what changed between runs, and by how much",
  .about =
      "Sides that are traces of devices, or folders of them, are compared at once: how much longer "
      "a step of the new one is, and which work, waiting or idle time makes it so. Else the first "
      "side is compared with each other side: metrics by name, statistic and group, rows of tables "
      "by their keys. A side is a folder that stagemill run wrote, its summary.json, or a folder "
      "or "
      "quoted pattern of such folders; several runs of a side are repeats of one measurement. With "
      "-p a side is an input, and stagemill runs the profile on it first. The change is between "
      "the "
      "medians of the runs. From four runs a side on, an interval from the Mann-Whitney test "
      "separates a real change (improved, regression) from noise (neutral). In many rows some look "
      "worse by chance. Therefore the headline metrics, such as p50 and p99 of latencies, "
      "throughput and times, decide together whether runs became worse, corrected for their "
      "number. "
      "Nothing is written unless -o is given.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses,
  .words = "folders",
  .min_words = 2,
  .max_words = -1,
  .run = run,
};
