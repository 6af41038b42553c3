/* stagemill check: the gate. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/gate-text.h"
#include "cmd/groups.h"
#include "cmd/lists.h"
#include "cmd/metric.h"
#include "cmd/result.h"
#include "cmd/sides.h"
#include "model/usage.h"
#include "output/derived.h"

#define CHECK_PROFILE "check"

static const CliOption options[] = {
  { .name = "rules",
    .value = "FILE",
    .type = MILL_OPT_PATH,
    .words = "files",
    .help = "the rules: limits of changes and values (stagemill schema rules)" },
  { .name = "inconclusive",
    .value = "HOW",
    .type = MILL_OPT_CHOICE,
    .range = "pass|fail",
    .default_text = "pass",
    .help = "fail: an inconclusive rule also gives status 1" },
};
static const CliGroup judged = GROUP("Judgement", options);

static const CliOption output[] = {
  { .name = "output",
    .letter = 'o',
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .words = "folders",
    .help = "folder to write, complete or not at all" },
  { .name = "force",
    .letter = 'f',
    .help = "check runs of different profiles; write into the folder even if no earlier check "
            "wrote it" },
  { .name = "sync", .help = "end only when the files are on the disk" },
  { .name = "json", .help = "print check.json instead of check.txt" },
};
static const CliGroup own = GROUP("Output", output);

enum { FILES = 4 };
typedef struct Job {
  const Cli *cli;
  Sides sides;
  Rules *rules;
  Gate *gate;
  GString *texts[FILES]; /* as the files are */
  int64_t started_ns;
} Job;
static const char *const names[FILES] = { "check.json", "check.txt", "check.md", "check.xml" };

static void make_texts(Job *job)
{
  static void (*const puts[FILES])(const Gate *, const GateTitle *,
                                   GString *) = { gate_put_json, gate_put_text, gate_put_markdown,
                                                  gate_put_junit };
  const MillResults *base = results_view(job->sides.list[0].runs->pdata[0]);
  GateTitle title = { job->sides.list, job->sides.n, base->info(base, "profile") };
  for (int i = 0; i < FILES; i++) {
    job->texts[i] = g_string_new(NULL);
    puts[i](job->gate, &title, job->texts[i]);
  }
}

static Error *write_folder(const Job *job, GString *out)
{
  const Cli *cli = job->cli;
  const char *folder = cli_text(cli, "output");
  static const char *const formats[] = { NULL };
  DerivedFile files[FILES];
  Output *written = NULL;
  if (!folder) return NULL;
  g_autoptr(GPtrArray) settings = g_ptr_array_new();
  g_autoptr(GPtrArray) arguments = arguments_of_results(cli, settings);
  g_autoptr(GPtrArray) inputs = g_ptr_array_new();
  for (int i = 0; i < FILES; i++)
    files[i] = (DerivedFile){ names[i], job->texts[i]->str, job->texts[i]->len };
  g_ptr_array_extend(inputs, job->sides.files, NULL, NULL);
  g_ptr_array_add(inputs, (gpointer)cli_text(cli, "rules"));
  DerivedJob derived = { .profile = CHECK_PROFILE,
                         .folder = folder,
                         .inputs = inputs,
                         .command_line = cli->argv,
                         .arguments = arguments,
                         .started_ns = job->started_ns,
                         .jobs = setup_jobs(cli),
                         .force = cli_flag(cli, "force"),
                         .sync = cli_flag(cli, "sync"),
                         .formats = formats,
                         .settings = settings,
                         .files = files,
                         .n_files = FILES };
  Error *e = derived_write(&derived, &written);
  if (!e && !cli_flag(cli, "json")) {
    g_string_append_c(out, '\n');
    result_put_written(folder, written, out);
  }
  output_free(written);
  return e;
}

static Error *check(Job *job, GString *out)
{
  const Cli *cli = job->cli;
  const char *rules = cli_text(cli, "rules");
  if (!rules)
    return error_help(cli_usage(cli->command, "check: --rules FILE is needed"),
                      "stagemill schema rules    says what is in such a file");
  Error *e = sides_check_options(cli);
  if (e) return e;
  Error *broken = rules_load(rules, &job->rules);
  if (!job->rules) return broken;
  e = sides_open(cli, cli->words, cli_flag(cli, "force"), &job->sides);
  if (e) return error_join(broken, e);
  Modules *modules = setup_modules(cli);
  const ProfileSearch search = setup_search(cli);
  g_autoptr(GPtrArray) metrics = metric_words(modules), findings = list_rule_names(&search);
  modules_free(modules);
  const GateWords known = { (const char *const *)metrics->pdata,
                            (const char *const *)findings->pdata };
  e = gate_new(job->rules, job->sides.list, job->sides.n, &known, &job->gate);
  e = error_join(broken, e);
  if (e) return e;
  make_texts(job);
  const GString *text = job->texts[cli_flag(cli, "json") ? 0 : 1];
  g_string_append_len(out, text->str, (gssize)text->len);
  return write_folder(job, out);
}

/* The first line that has the verdict. */
static const GateLine *line_with(const Gate *gate, GateVerdict verdict)
{
  for (guint i = 0; i < gate->lines->len; i++) {
    const GateLine *l = &g_array_index(gate->lines, GateLine, i);
    bool counts = verdict != GATE_NOT_APPLICABLE || !l->rule->optional;
    if (l->verdict == verdict && counts) return l;
  }
  return NULL;
}

static Error *judge(const Job *job)
{
  const uint64_t *n = job->gate->counts;
  const char *how = cli_text(job->cli, "inconclusive");
  GateVerdict verdict = gate_verdict(job->gate);
  if (how && !strcmp(how, "fail") && n[GATE_INCONCLUSIVE] && !n[GATE_REGRESSION])
    verdict = GATE_INCONCLUSIVE;
  else if (verdict != GATE_REGRESSION && verdict != GATE_NOT_APPLICABLE)
    return NULL;
  const GateLine *l = line_with(job->gate, verdict);
  bool absent = verdict == GATE_NOT_APPLICABLE;
  Error *e = absent ? error_new(EXIT_INPUT, "RUN-45", "the rule for %s does not apply", l->name)
                    : error_new(EXIT_REGRESSION, "RUN-44", "the rule for %s is broken", l->name);
  if (*l->group) error_at(e, "%s", l->group);
  if (l->reason) error_why(e, "%s", l->reason);
  if (n[verdict] > 1)
    error_why(e, "and %" G_GUINT64_FORMAT " more: %s", n[verdict] - 1, gate_verdict_name(verdict));
  if (absent) error_help(e, "\"optional\": true in the rule allows it");
  return e;
}

static int run(Cli *cli)
{
  Job job = { .cli = cli, .started_ns = usage_clock_ns() };
  GString *out = g_string_new(NULL);
  int status = EXIT_DONE;
  Error *e = check(&job, out);
  if (!e) status = cli_print_string(cli, g_steal_pointer(&out));
  if (!e && !status) e = judge(&job);
  if (e) status = cli_fail(cli, e);
  if (out) g_string_free(out, TRUE);
  for (int i = 0; i < FILES; i++)
    if (job.texts[i]) g_string_free(job.texts[i], TRUE);
  gate_free(job.gate);
  rules_free(job.rules);
  sides_clear(&job.sides);
  return status;
}

static const CliGroup *const groups[] = { &own, &judged, SIDES_GROUPS, NULL };
static const char *const examples[] = {
  "a gate for CI|stagemill check baseline candidate --rules gate.json -o gate",
  "repeated runs|stagemill check 'base/run*' 'new/run*' --rules gate.json", NULL
};
static const char *const files[] = { "check.json|the verdict, and every rule with its numbers "
                                     "(stagemill schema check)",
                                     "check.txt|the lines that are also printed",
                                     "check.md|the same as a Markdown table",
                                     "check.xml|JUnit: a test for each rule",
                                     "run.json|what was checked",
                                     NULL };
static const int statuses[] = { EXIT_DONE,     EXIT_REGRESSION,  EXIT_USAGE,      EXIT_INPUT,
                                EXIT_PROFILE,  EXIT_STAGE,       EXIT_OUTPUT,     EXIT_LIMIT,
                                EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };

const CliCommand command_check = {
  .name = "check",
  .section = "Compare",
  .arguments = "BASE NEW... --rules FILE [-o DIR]",
  .title = "apply rules to runs: did a metric become worse than allowed?",
  .about =
      "Applies rules to the metrics and findings of runs; name the runs as for compare. "
      "regression: the metric became worse by more than max_change and ignore_below and, with four "
      "or more runs a side, the interval of the change does not include 0; or the value is beyond "
      "max or min; or a finding has a share above max_share. inconclusive: beyond the limit, with "
      "an interval that includes 0, or fewer runs than min_runs. The command applies all rules and "
      "writes all files first. Then the status is 1 for a regression, else 3 if a rule does not "
      "apply, else 0.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses,
  .words = "folders",
  .min_words = 2,
  .max_words = -1,
  .run = run,
};
