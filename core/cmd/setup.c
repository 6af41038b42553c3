/* From options to what the engine takes: modules, profile, run. */
#include "cmd/setup.h"

#include <string.h>
#include <unistd.h>

#include "base/num.h"
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

int setup_modules_end(const Cli *cli, Modules *modules, int status)
{
  Error *e = status == EXIT_DONE ? modules_unseen(modules) : NULL;
  modules_free(modules);
  return e ? cli_fail(cli, e) : status;
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

/* As the stages count it: 0 is an open end. */
static Error *check_span(const Cli *cli)
{
  int64_t from_ns, to_ns;
  const char *from = cli_text(cli, "from"), *to = cli_text(cli, "to");
  if (!from || !num_duration(from, strlen(from), &from_ns)) return NULL;
  if (!to || !num_duration(to, strlen(to), &to_ns) || to_ns <= 0 || to_ns >= from_ns) return NULL;
  Error *e =
      cli_usage(cli->command, "the window ends before it begins: --from %s --to %s", from, to);
  return error_help(e, "give a --to that is not below --from");
}

/* The window options set parameters of the same names. */
static Error *add_window(const Cli *cli, const Profile *p, GPtrArray *set, GPtrArray *enable)
{
  for (size_t i = 0; i < group_window.n_options; i++) {
    const char *name = group_window.options[i].name, *text = cli_text(cli, name);
    if (!text) continue;
    if (!profile_param(p, name)) {
      Error *e = cli_usage(cli->command, "--%s: the profile \"%s\" has no parameter \"%s\"", name,
                           p->name, name);
      return error_help(e, "stagemill show profile/%s    lists its parameters", p->name);
    }
    g_ptr_array_add(set, g_strdup_printf("%s=%s", name, text));
    enable_users(p, name, enable);
  }
  return NULL;
}

/* What the profile and --set say to sinks and sources. */
static void add_edges(const Profile *p, RunOptions *options)
{
  profile_settings(p->sinks, options->sink_set);
  profile_settings(p->sources, options->source_set);
  for (guint i = 0; i < p->sources->len; i++)
    g_ptr_array_add(options->sources, g_strdup(((const ProfileEntry *)p->sources->pdata[i])->id));
}

Error *setup_sources(const Cli *cli, Modules *modules, RunOptions *options)
{
  g_autoptr(Profile) p = NULL;
  Error *e = profile_of_sources(modules, cli_list(cli, "set"), &p);
  if (!e) add_edges(p, options);
  return e;
}

Error *setup_profile(const Cli *cli, Modules *modules, const char *name, const char *also,
                     const GPtrArray *settings, RunOptions *options, Profile **out)
{
  Profile *loaded = NULL;
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load(name, &search, &loaded);
  return e ? e : setup_loaded(cli, modules, loaded, also, settings, options, out);
}

Error *setup_loaded(const Cli *cli, Modules *modules, Profile *loaded, const char *also,
                    const GPtrArray *settings, RunOptions *options, Profile **out)
{
  g_autoptr(Profile) p = loaded;
  g_autoptr(GPtrArray) set = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) enable = g_ptr_array_new();
  Error *e = check_span(cli);
  if (!e) e = add_window(cli, p, set, enable);
  if (e) return e;
  if (also) g_ptr_array_add(enable, (gpointer)also);
  for (guint i = 0; settings && i < settings->len; i++)
    g_ptr_array_add(set, g_strdup(settings->pdata[i]));
  const GPtrArray *given = cli_list(cli, "set");
  for (guint i = 0; given && i < given->len; i++) g_ptr_array_add(set, g_strdup(given->pdata[i]));
  const GPtrArray *asked = cli_list(cli, "enable");
  for (guint i = 0; asked && i < asked->len; i++) g_ptr_array_add(enable, asked->pdata[i]);
  ProfileEdits edits = { .set = set,
                         .enable = enable->len ? enable : NULL,
                         .disable = cli_list(cli, "disable"),
                         .only = cli_list(cli, "only") };
  e = profile_resolve(p, modules, &edits);
  if (e) return e;
  if (options) add_edges(p, options);
  *out = g_steal_pointer(&p);
  return NULL;
}

/* ---------------------------------------------------------------------- run */

static uint32_t online_processors(void)
{
  return (uint32_t)CLAMP(sysconf(_SC_NPROCESSORS_ONLN), 1, 4096);
}

int64_t setup_timeout_s(const Cli *cli)
{
  return (cli_number(cli, "timeout", 0) + 999999999) / 1000000000;
}

static RunOptions read_options(const Cli *cli)
{
  return (RunOptions){
    .jobs = (uint32_t)cli_number(cli, "jobs", online_processors()),
    .max_memory_bytes = (uint64_t)cli_number(cli, "max-memory", 0),
    .timeout_s = setup_timeout_s(cli),
    .batch_events = (uint32_t)cli_number(cli, "batch-size", 0),
    .dump_after = cli_list(cli, "dump-after"),
    .strict = cli_flag(cli, "strict"),
    .recover = cli_flag(cli, "recover"),
    .keep_going = cli_flag(cli, "keep-going"),
    .verify = cli_flag(cli, "verify"),
    .timings = cli_flag(cli, "timings"),
    .cascade = cli_flag(cli, "cascade"),
    .force = cli_flag(cli, "force"),
    .sync = cli_flag(cli, "sync"),
    .source = cli_text(cli, "source"),
    .rank_regex = cli_text(cli, "rank-regex"),
    .command_line = cli->argv,
    .sink_set = g_ptr_array_new_with_free_func(g_free),
    .source_set = g_ptr_array_new_with_free_func(g_free),
    .sources = g_ptr_array_new_with_free_func(g_free),
    .capture = g_ptr_array_new_with_free_func(g_free),
    .formats = g_ptr_array_new(),
  };
}

void session_init(const Cli *cli, Session *s)
{
  *s = (Session){ .modules = setup_modules(cli), .options = read_options(cli) };
}

Error *session_open_words(Session *s, const GPtrArray *words)
{
  g_autoptr(GPtrArray) specs = NULL;
  Error *e = inputs_expand(words, &specs);
  if (e) return e;
  g_ptr_array_set_free_func(specs, NULL);
  return run_new(s->modules, specs, &s->options, &s->run);
}

void session_clear(Session *s)
{
  run_free(s->run);
  g_ptr_array_unref(s->options.sink_set);
  g_ptr_array_unref(s->options.source_set);
  g_ptr_array_unref(s->options.sources);
  g_ptr_array_unref(s->options.capture);
  g_clear_pointer(&s->options.formats, g_ptr_array_unref);
  modules_free(s->modules);
}

typedef struct Watched { /* a run with progress, and with signals that end it */
  const Cli *cli;
  ChooseProfile choose;
  void *context;
} Watched;

static Error *choose(void *data, Run *run, Profile **out)
{
  const Watched *w = data;
  return w->choose(w->context, run, out);
}

static void begin(void *data, Run *run)
{
  const Watched *w = data;
  progress_start(run, cli_text(w->cli, "progress"));
  signals_watch(run);
}

static void end(void *data, Run *run)
{
  (void)data;
  (void)run;
  signals_watch(NULL);
  progress_stop();
}

Error *session_run(const Cli *cli, Session *s, GPtrArray *specs, ChooseProfile choose_profile,
                   void *context)
{
  Watched w = { cli, choose_profile, context };
  g_ptr_array_set_free_func(specs, NULL); /* the run owns them from here on, even when it fails */
  RunJob job = { .modules = s->modules,
                 .inputs = specs,
                 .options = &s->options,
                 .context = &w,
                 .choose = choose,
                 .begin = begin,
                 .end = end };
  return run_profile(&job, &s->run);
}

Error *session_use(void *profile, Run *run, Profile **out)
{
  (void)run;
  *out = g_steal_pointer((Profile **)profile);
  return NULL;
}
