/* stagemill plan: what a run would do. */
/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/plan-show.h"
#include "cmd/result.h"
#include "plan/planner.h"
#include "sched/planning.h"

static const CliOption options[] = {
  { .name = "json", .help = "print the plan as one JSON object" },
  { .name = "dot", .help = "print the plan as a graph for dot(1)" },
};
static const CliGroup own = GROUP("Output", options);

/* Accepted, and of no effect on the plan: the arguments of run can be given as they are. */
static const CliOption ignored[] = {
  { .name = "output",
    .letter = 'o',
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .words = "folders",
    .help = "output folder, as for run; plan writes nothing" },
  { .name = "force", .letter = 'f', .help = "as in run" },
  { .name = "format",
    .value = "FORMATS",
    .type = MILL_OPT_STRING,
    .default_text = "those of the profile",
    .repeat = CLI_LIST,
    .words = "formats",
    .help = "as in run" },
  { .name = "state",
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .words = "folders",
    .help = "as in run" },
  { .name = "shard", .value = "I/N|auto", .type = MILL_OPT_STRING, .help = "as in run" },
  { .name = "no-read", .help = "as in run" },
};
static const CliGroup run_output = GROUP("Of run", ignored);

static int show(const Cli *cli, const Plan *plan, Modules *modules)
{
  GString *out = g_string_new(NULL);
  if (cli_flag(cli, "json"))
    plan_format_json(plan, modules, out);
  else if (cli_flag(cli, "dot"))
    plan_format_dot(plan, out);
  else
    plan_format(plan, modules, out);
  return cli_print_string(cli, out);
}

static void use_formats(const Cli *cli, Profile *p)
{
  const GPtrArray *formats = cli_list(cli, "format");
  if (!formats) return;
  if (p->formats) g_ptr_array_unref(p->formats);
  p->formats = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < formats->len; i++) g_ptr_array_add(p->formats, g_strdup(formats->pdata[i]));
}

/* That each of them is one sink's, with these options, as a run would find out. */
static Error *check_formats(const Session *s, const Profile *p)
{
  if (!p->formats) return NULL;
  g_autofree const char **words = g_new0(const char *, p->formats->len + 1);
  for (guint i = 0; i < p->formats->len; i++) words[i] = p->formats->pdata[i];
  Sinks *sinks = NULL;
  Error *e = sinks_new(s->modules, words, s->options.sink_set, &sinks);
  sinks_free(sinks);
  return e;
}

static Error *make(Cli *cli, Session *s, Plan **out_own, const Plan **out)
{
  g_autoptr(Profile) profile = NULL;
  Error *e =
      setup_profile(cli, s->modules, cli_text(cli, "profile"), NULL, NULL, &s->options, &profile);
  if (e) return e;
  use_formats(cli, profile);
  e = check_formats(s, profile);
  if (e) return e;
  bool cascade = cli_flag(cli, "cascade");
  if (!cli->words->len) {
    e = plan_new(g_steal_pointer(&profile), s->modules, NULL, 0, cascade, out_own);
    *out = *out_own;
    return e;
  }
  e = session_open_words(s, cli->words);
  if (!e) e = run_plan(s->run, g_steal_pointer(&profile));
  if (!e) *out = s->run->plan;
  return e;
}

static int run(Cli *cli)
{
  Session s;
  Plan *own_plan = NULL;
  const Plan *plan = NULL;
  if (!cli_text(cli, "profile")) {
    Error *e = cli_usage(cli->command, "plan: which profile?");
    return cli_fail(cli, error_help(e, "stagemill list profiles    shows them; name one with -p"));
  }
  if (cli_flag(cli, "json") && cli_flag(cli, "dot"))
    return cli_fail(cli, cli_usage(cli->command, "--json and --dot exclude each other"));
  session_init(cli, &s);
  s.options.state = NULL; /* the plan says whether a run can be shared */
  Error *e = make(cli, &s, &own_plan, &plan);
  int status = e ? EXIT_DONE : show(cli, plan, s.modules);
  if (!e && s.run) e = aside_take_errors(&s.run->aside); /* of inputs, under --keep-going */
  if (e) status = cli_fail(cli, e);
  plan_free(own_plan);
  session_clear(&s);
  return status;
}

static const CliGroup *const groups[] = {
  &group_profile, &own,          &group_edits,  &group_window, &group_of_profiles,
  &group_input,   &run_output,   &group_limits, &group_engine, &group_profiles,
  &group_modules, &group_common, NULL
};
static const char *const examples[] = {
  "without inputs|stagemill plan -p timeline",
  "for these inputs|stagemill plan -p timeline 'rank*.json' --json", NULL
};
static const int statuses[] = { EXIT_DONE,  EXIT_USAGE,  EXIT_INPUT, EXIT_PROFILE,
                                EXIT_STAGE, EXIT_OUTPUT, -1 };

const CliCommand command_plan = {
  .name = "plan",
  .section = "Analyse",
  .arguments = "-p PROFILE [INPUT...]",
  .title = "show what a run would do",
  .about = "Takes the arguments of run but runs nothing. Shows the stages, every option with the "
           "origin of its value, facts, segments, barriers, inserted sorts, stages skipped for "
           "these inputs, and the files that a run would write. Without inputs, the plan is for "
           "any input that a source can read.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "files",
  .min_words = 0,
  .max_words = -1,
  .run = run,
};
