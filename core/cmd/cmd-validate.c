/* stagemill validate: profiles, without running anything. */
#include "cmd/commands.h"
#include "cmd/describe.h"
#include "cmd/setup.h"
#include "plan/planner.h"

static void put_errors(JsonWriter *out, const Error *e)
{
  json_put_open(out, "errors", '[');
  for (; e; e = e->next) describe_error_json(out, e);
  json_put_close(out);
}

/* Down to the plan for every input that some source can read. */
static Error *check(const Cli *cli, Modules *modules, const char *name)
{
  g_autoptr(Profile) profile = NULL;
  Plan *plan = NULL;
  Error *e = setup_profile(cli, modules, name, NULL, NULL, NULL, &profile);
  if (!e) e = plan_new(g_steal_pointer(&profile), modules, NULL, 0, false, &plan);
  plan_free(plan);
  return e;
}

static int run(Cli *cli)
{
  Modules *modules = setup_modules(cli);
  GString *out = g_string_new(NULL);
  bool as_json = cli_flag(cli, "json");
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  int status = EXIT_DONE;
  if (as_json) json_put_open(&json, NULL, '[');
  for (guint i = 0; i < cli->words->len; i++) {
    Error *e = check(cli, modules, cli->words->pdata[i]);
    if (e && !status) status = e->status;
    if (as_json) {
      json_put_open(&json, NULL, '{');
      json_put_text(&json, "profile", cli->words->pdata[i]);
      json_put_bool(&json, "valid", !e);
      put_errors(&json, e);
      json_put_close(&json);
      error_free(e);
    } else if (e) {
      cli_fail(cli, e);
    } else {
      cli_append_name(out, cli->words->pdata[i]);
      g_string_append(out, ": valid\n");
    }
  }
  if (as_json) json_put_end(&json);
  int printed = cli_print_string(cli, out);
  return setup_modules_end(cli, modules, status ? status : printed);
}

static const CliGroup *const groups[] = { &group_json, &group_profiles, &group_modules,
                                          &group_common, NULL };
static const char *const examples[] = { "a file|stagemill validate ./mine.json",
                                        "all installed ones|stagemill validate timeline kernels",
                                        NULL };
static const int statuses[] = { EXIT_DONE,  EXIT_USAGE, EXIT_PROFILE, EXIT_STAGE, EXIT_OUTPUT,
                                EXIT_LIMIT, -1 };

const CliCommand command_validate = {
  .name = "validate",
  .section = "Extend",
  .arguments = "PROFILE...",
  .title = "check profiles",
  .about =
      "Checks JSON, shape, stages, options and facts, in this order, and shows all problems "
      "of a phase, each with line and column. A name without a slash is looked up as run does; a "
      "file of the current folder is ./NAME.json.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "profiles",
  .min_words = 1,
  .max_words = -1,
  .run = run,
};
