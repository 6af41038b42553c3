/* From options to what the engine takes: modules, profile, run. */
#include "cmd/setup.h"

#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/inputs.h"

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

GPtrArray *setup_profiles(const Cli *cli)
{
  ProfileSearch search = setup_search(cli);
  return profile_list(&search);
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

Error *setup_profile(const Cli *cli, Modules *modules, const char *name, const char *also,
                     const GPtrArray *settings, RunOptions *options, Profile **out)
{
  g_autoptr(Profile) p = NULL;
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
  add_settings(cli_list(cli, "set"), p, modules, set, options);
  const GPtrArray *asked = cli_list(cli, "enable");
  for (guint i = 0; asked && i < asked->len; i++) g_ptr_array_add(enable, asked->pdata[i]);
  ProfileEdits edits = { .set = set,
                         .enable = enable->len ? enable : NULL,
                         .disable = cli_list(cli, "disable"),
                         .only = cli_list(cli, "only") };
  e = profile_resolve(p, modules, &edits);
  if (e) return e;
  *out = g_steal_pointer(&p);
  return NULL;
}

/* ---------------------------------------------------------------------- run */

static uint32_t online_processors(void)
{
  return (uint32_t)CLAMP(sysconf(_SC_NPROCESSORS_ONLN), 1, 4096);
}

static RunOptions read_options(const Cli *cli)
{
  return (RunOptions){
    .jobs = (uint32_t)cli_number(cli, "jobs", online_processors()),
    .max_memory_bytes = (uint64_t)cli_number(cli, "max-memory", 0),
    .timeout_s = (cli_number(cli, "timeout", 0) + 999999999) / 1000000000,
    .batch_events = (uint32_t)cli_number(cli, "batch-size", 0),
    .dump_after = cli_list(cli, "dump-after"),
    .strict = cli_flag(cli, "strict"),
    .recover = cli_flag(cli, "recover"),
    .keep_going = cli_flag(cli, "keep-going"),
    .verify = cli_flag(cli, "verify"),
    .timings = cli_flag(cli, "timings"),
    .force = cli_flag(cli, "force"),
    .source = cli_text(cli, "source"),
    .rank_regex = cli_text(cli, "rank-regex"),
    .command_line = cli->argv,
    .sink_set = g_ptr_array_new_with_free_func(g_free),
    .capture = g_ptr_array_new_with_free_func(g_free),
    .formats = g_ptr_array_new(),
  };
}

void session_init(const Cli *cli, Session *s)
{
  *s = (Session){ .modules = setup_modules(cli), .options = read_options(cli) };
}

/* The run owns the specs from here on, even when it fails. */
Error *session_open(Session *s, GPtrArray *specs)
{
  g_ptr_array_set_free_func(specs, NULL);
  return run_new(s->modules, specs, &s->options, &s->run);
}

Error *session_open_words(Session *s, const GPtrArray *words)
{
  g_autoptr(GPtrArray) specs = NULL;
  Error *e = inputs_expand(words, &specs);
  return e ? e : session_open(s, specs);
}

void session_clear(Session *s)
{
  run_free(s->run);
  g_ptr_array_unref(s->options.sink_set);
  g_ptr_array_unref(s->options.capture);
  g_clear_pointer(&s->options.formats, g_ptr_array_unref);
  modules_free(s->modules);
}

Error *setup_execute(const Cli *cli, Run *run)
{
  progress_start(run, cli_text(cli, "progress"));
  signals_watch(run);
  Error *e = run_execute(run);
  signals_watch(NULL);
  progress_stop();
  return e;
}
