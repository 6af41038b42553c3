/* From options to what the engine takes: modules, profile, run. */
#include "cli/setup.h"

#include <string.h>
#include <unistd.h>

#include "cli/groups.h"

Modules *setup_modules(const Cli *cli)
{
  ModuleSearch search = {
    .paths = cli_list(cli, "stage-path"),
    .no_user = cli_flag(cli, "no-user-stages"),
    .no_env = cli_flag(cli, "no-env-stages"),
    .allow_unsafe = cli_flag(cli, "allow-unsafe-stages"),
  };
  return modules_new(&search);
}

ProfileSearch setup_search(const Cli *cli)
{
  return (ProfileSearch){ .paths = cli_list(cli, "profile-path") };
}

/* ------------------------------------------------------------------ profile */

/* Stages that take the parameter and are off until it is given: a window costs nothing when it
 * is not used. */
static void enable_users(const Profile *p, const char *param, GPtrArray *enable)
{
  for (guint i = 0; i < p->entries->len; i++) {
    const ProfileEntry *entry = p->entries->pdata[i];
    for (guint k = 0; !entry->enabled && k < entry->with->len; k++) {
      const char *text = ((const ProfileSetting *)entry->with->pdata[k])->text;
      if (text && *text == '$' && !strcmp(text + 1, param)) g_ptr_array_add(enable, entry->id);
    }
  }
}

/* The window options set parameters of the same names. */
static Error *add_window(const Cli *cli, const Profile *p, GPtrArray *set, GPtrArray *enable)
{
  if (!cli_has(cli->command, "from")) return NULL;
  for (size_t i = 0; i < group_window.n_options; i++) {
    const char *name = group_window.options[i].name, *text = cli_text(cli, name);
    if (!text) continue;
    if (!named_find(p->params, name)) {
      Error *e = cli_usage(cli->command, "--%s: the profile \"%s\" has no parameter \"%s\"", name,
                           p->name, name);
      return error_help(e, "stagemill show profile/%s    lists its parameters", p->name);
    }
    g_ptr_array_add(set, g_strdup_printf("%s=%s", name, text));
    enable_users(p, name, enable);
  }
  return NULL;
}

/* "trace.file=x" is an option of the sink of that format unless a stage of the profile has that
 * id. */
static bool names_sink(const char *setting, const Profile *p, Modules *modules)
{
  const char *equals = strchr(setting, '=');
  g_autofree char *left = g_strndup(setting, equals ? (size_t)(equals - setting) : strlen(setting));
  char *dot = strrchr(left, '.');
  if (!dot) return false;
  *dot = '\0';
  if (named_find(p->entries, left)) return false;
  g_autoptr(GPtrArray) sinks = modules_all(modules, MILL_KIND_SINK);
  for (guint i = 0; i < sinks->len; i++)
    if (!strcmp(((const Module *)sinks->pdata[i])->stage->family, left)) return true;
  return false;
}

static void add_settings(const GPtrArray *from, const Profile *p, Modules *modules, GPtrArray *set,
                         RunOptions *options)
{
  for (guint i = 0; from && i < from->len; i++) {
    const char *text = from->pdata[i];
    bool sink = options && names_sink(text, p, modules);
    g_ptr_array_add(sink ? options->sink_set : set, g_strdup(text));
  }
}

Error *setup_profile_with(const Cli *cli, Modules *modules, const char *name, const char *also,
                          const GPtrArray *settings, RunOptions *options, Profile **out)
{
  g_autoptr(Profile) p = NULL;
  bool edits_given = cli_has(cli->command, "set");
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load(name, &search, &p);
  if (e) return e;
  g_autoptr(GPtrArray) set = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) enable = g_ptr_array_new();
  e = add_window(cli, p, set, enable);
  if (e) return e;
  if (also) g_ptr_array_add(enable, (gpointer)also);
  for (guint i = 0; settings && i < settings->len; i++)
    g_ptr_array_add(set, g_strdup(settings->pdata[i]));
  if (edits_given) add_settings(cli_list(cli, "set"), p, modules, set, options);
  ProfileEdits edits = { .set = set };
  const GPtrArray *asked = edits_given ? cli_list(cli, "enable") : NULL;
  for (guint i = 0; asked && i < asked->len; i++) g_ptr_array_add(enable, asked->pdata[i]);
  if (enable->len) edits.enable = enable;
  if (edits_given) {
    edits.disable = cli_list(cli, "disable");
    edits.only = cli_list(cli, "only");
  }
  e = profile_resolve(p, modules, &edits);
  if (e) return e;
  *out = g_steal_pointer(&p);
  return NULL;
}

Error *setup_profile(const Cli *cli, Modules *modules, const char *name, const char *also,
                     RunOptions *options, Profile **out)
{
  return setup_profile_with(cli, modules, name, also, NULL, options, out);
}

/* ---------------------------------------------------------------------- run */

static bool flag(const Cli *cli, const char *name)
{
  return cli_has(cli->command, name) && cli_flag(cli, name);
}

static const char *text(const Cli *cli, const char *name)
{
  return cli_has(cli->command, name) ? cli_text(cli, name) : NULL;
}

static uint32_t online_processors(void)
{
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > 4096 ? 4096 : (uint32_t)n;
}

RunOptions setup_options(const Cli *cli)
{
  bool limits = cli_has(cli->command, "jobs"), engine = cli_has(cli->command, "batch-size");
  RunOptions o = {
    .jobs = limits ? (uint32_t)cli_int(cli, "jobs", online_processors()) : 1,
    .max_memory_bytes = limits ? (uint64_t)cli_size(cli, "max-memory", 0) : 0,
    .timeout_s = limits ? (cli_duration(cli, "timeout", 0) + 999999999) / 1000000000 : 0,
    .batch_events = engine ? (uint32_t)cli_int(cli, "batch-size", 0) : 0,
    .dump_after = engine ? cli_list(cli, "dump-after") : NULL,
    .strict = flag(cli, "strict"),
    .recover = flag(cli, "recover"),
    .keep_going = flag(cli, "keep-going"),
    .verify = flag(cli, "verify"),
    .timings = flag(cli, "timings"),
    .force = flag(cli, "force"),
    .source = text(cli, "source"),
    .rank_regex = text(cli, "rank-regex"),
    .command_line = cli->argv,
    .sink_set = g_ptr_array_new_with_free_func(g_free),
    .capture = g_ptr_array_new_with_free_func(g_free),
    .formats = NULL,
  };
  return o;
}

void setup_options_clear(RunOptions *o)
{
  g_clear_pointer(&o->sink_set, g_ptr_array_unref);
  g_clear_pointer(&o->capture, g_ptr_array_unref);
}

Error *setup_execute(const Cli *cli, Run *run)
{
  Progress *progress = progress_start(run, cli_text(cli, "progress"));
  signals_watch(run);
  Error *e = run_execute(run);
  signals_watch(NULL);
  progress_stop(progress);
  return e;
}
