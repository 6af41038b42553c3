/* From options to what the engine takes: modules, profile, run. */
/* SPDX-License-Identifier: MIT */
#include "cmd/setup.h"

#include <string.h>
#include <unistd.h>

#include "base/memory-growth.h"
#include "base/num.h"
#include "cmd/arguments.h"
#include "cmd/groups.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "input/input-words.h"
#include "model/printable.h"

Modules *setup_modules(const Cli *cli)
{
  ModuleSearch search = {
    .paths = cli_list(cli, "stage-path"),
    .no_user = cli_flag(cli, "no-user-stages"),
    .no_env = cli_flag(cli, "no-env-stages"),
    .allow_unsafe = cli_flag(cli, "allow-unsafe-stages"),
    .try_first = true,
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

GPtrArray *setup_profiles(const Cli *cli, Error **out_unseen)
{
  ProfileSearch search = setup_search(cli);
  return profile_list(&search, out_unseen);
}

/* ------------------------------------------------------------------ profile */

/* Stages that take the parameter and are off until it is given: a window costs nothing when it
 * is not used. */
static void enable_users(const Profile *p, const char *param, GPtrArray *enable)
{
  const ProfileParam *asked = profile_param(p, param);
  for (guint i = 0; i < p->entries->len; i++) {
    const ProfileEntry *entry = p->entries->pdata[i];
    if (entry->enabled) continue;
    if (asked && asked->sets && !strcmp(asked->sets, entry->id)) g_ptr_array_add(enable, entry->id);
    for (guint k = 0; k < entry->with->len; k++) {
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
  return error_help(e, "give a --to that is not before --from");
}

/* Each value of an option for the parameter of the same name, which enables its users. */
static void add_param(const Cli *cli, const Profile *p, const CliOption *o, GPtrArray *params,
                      GPtrArray *enable)
{
  const GPtrArray *given = g_hash_table_lookup(cli->values, o);
  for (guint i = 0; given && i < given->len; i++)
    g_ptr_array_add(params, g_strdup_printf("%s=%s", o->name, (const char *)given->pdata[i]));
  if (given) enable_users(p, o->name, enable);
}

static void add_params(const Cli *cli, const Profile *p, GPtrArray *params, GPtrArray *enable)
{
  for (size_t i = 0; i < group_window.n_options; i++)
    add_param(cli, p, &group_window.options[i], params, enable);
  for (guint i = 0; cli->of_profiles && i < cli->of_profiles->len; i++)
    add_param(cli, p, cli->of_profiles->pdata[i], params, enable);
}

Error *setup_sources(const Cli *cli, Modules *modules, RunOptions *options)
{
  g_autoptr(Profile) p = NULL;
  Error *e = profile_of_sources(modules, cli_list(cli, "set"), &p);
  if (!e) session_use_edges(options, p);
  return e;
}

/* "sink/csv.a=b" and "csv.a=b" of a format that is asked for, as "csv.a=b". */
static Error *read_sink_setting(const Cli *cli, const char *text, const GPtrArray *formats,
                                GPtrArray *out)
{
  static const char kind[] = "sink/";
  const char *plain = g_str_has_prefix(text, kind) ? text + strlen(kind) : text;
  size_t name = strcspn(plain, "=");
  for (guint i = 0; plain[name] && i < formats->len; i++) {
    size_t len = strlen(formats->pdata[i]);
    if (len >= name || strncmp(plain, formats->pdata[i], len) || plain[len] != '.') continue;
    g_ptr_array_add(out, (gpointer)plain);
    return NULL;
  }
  g_autofree char *safe = printable(text);
  Error *e = cli_usage(cli->command, "--set: no format of this run has the option \"%s\"", safe);
  return error_help(e, "write it as FORMAT.OPTION=VALUE, with FORMAT in --format");
}

Error *setup_sinks(const Cli *cli, const GPtrArray *formats, GPtrArray *out)
{
  const GPtrArray *given = cli_list(cli, "set");
  Error *e = NULL;
  for (guint i = 0; given && i < given->len && !e; i++)
    e = read_sink_setting(cli, given->pdata[i], formats, out);
  return e;
}

Error *setup_profile(const Cli *cli, Modules *modules, const char *name, const char *also,
                     const GPtrArray *settings, RunOptions *options, Profile **out)
{
  Profile *loaded = NULL;
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load_or_stage(name, &search, modules, &loaded);
  return e ? e : setup_loaded(cli, modules, loaded, also, settings, options, out);
}

Error *setup_loaded(const Cli *cli, Modules *modules, Profile *loaded, const char *also,
                    const GPtrArray *settings, RunOptions *options, Profile **out)
{
  g_autoptr(Profile) p = loaded;
  g_autoptr(GPtrArray) params = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) set = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) enable = g_ptr_array_new();
  Error *e = check_span(cli);
  if (e) return e;
  add_params(cli, p, params, enable);
  g_auto(GStrv) more = g_strsplit(also ? also : "", ",", -1);
  for (char **id = more; *id; id++) g_ptr_array_add(enable, *id);
  for (guint i = 0; settings && i < settings->len; i++)
    g_ptr_array_add(set, g_strdup(settings->pdata[i]));
  const GPtrArray *given = cli_list(cli, "set");
  for (guint i = 0; given && i < given->len; i++) g_ptr_array_add(set, g_strdup(given->pdata[i]));
  const GPtrArray *asked = cli_list(cli, "enable");
  for (guint i = 0; asked && i < asked->len; i++) g_ptr_array_add(enable, asked->pdata[i]);
  const ProfileSearch search = setup_search(cli);
  ProfileEdits edits = { .params = params,
                         .search = &search,
                         .set = set,
                         .enable = enable->len ? enable : NULL,
                         .disable = cli_list(cli, "disable"),
                         .only = cli_list(cli, "only") };
  e = profile_resolve(p, modules, &edits);
  if (e) return e;
  p->join_ranks = p->join_ranks || cli_flag(cli, "join-ranks");
  if (options) session_use_edges(options, p);
  *out = g_steal_pointer(&p);
  return NULL;
}

/* ---------------------------------------------------------------------- run */

static uint32_t online_processors(void)
{
  return (uint32_t)CLAMP(sysconf(_SC_NPROCESSORS_ONLN), 1, 4096);
}

uint32_t setup_jobs(const Cli *cli)
{
  return (uint32_t)cli_number(cli, "jobs", online_processors());
}

int64_t setup_timeout_s(const Cli *cli)
{
  return (cli_number(cli, "timeout", 0) + 999999999) / 1000000000;
}

static HoldMode hold_mode(const Cli *cli)
{
  if (cli_is(cli, "hold", "always")) return HOLD_ALWAYS;
  return cli_is(cli, "hold", "never") ? HOLD_NEVER : HOLD_AUTO;
}

static RunOptions read_options(const Cli *cli)
{
  return (RunOptions){
    .jobs = setup_jobs(cli),
    .max_memory_bytes = (uint64_t)cli_number(cli, "max-memory", 0),
    .timeout_s = setup_timeout_s(cli),
    .batch_events = (uint32_t)cli_number(cli, "batch-size", 0),
    .hold = hold_mode(cli),
    .dump_after = cli_list(cli, "dump-after"),
    .strict = cli_flag(cli, "strict"),
    .recover = cli_flag(cli, "recover"),
    .keep_going = cli_flag(cli, "keep-going"),
    .verify = cli_flag(cli, "verify"),
    .isolate = cli_list(cli, "isolate"),
    .isolate_limit_ns = cli_number(cli, "isolate-limit", 0),
    .timings = cli_flag(cli, "timings"),
    .cascade = cli_flag(cli, "cascade"),
    .force = cli_flag(cli, "force"),
    .sync = cli_flag(cli, "sync"),
    .source = cli_text(cli, "source"),
    .rank_regex = cli_text(cli, "rank-regex"),
    .state = cli_text(cli, "state"),
    .no_read = cli_flag(cli, "no-read"),
    .command_line = cli->argv,
  };
}

void session_init(const Cli *cli, Session *s)
{
  const RunOptions options = read_options(cli);
  if (options.max_memory_bytes) memory_growth_limit(options.max_memory_bytes);
  session_begin(s, setup_modules(cli), &options);
}

Error *session_open_words(Session *s, const GPtrArray *words)
{
  g_autoptr(GPtrArray) specs = NULL;
  Error *e = inputs_expand(words, &specs);
  return e ? e : session_open(s, specs);
}

Error *session_run(const Cli *cli, Session *s, Profile *profile)
{
  s->options.arguments = arguments_of_results(cli, s->options.sink_set);
  Error *e = session_plan(s, profile);
  if (e) return e;
  progress_start(s->run, cli_text(cli, "progress"));
  signals_watch(s->run);
  e = session_execute(s);
  signals_watch(NULL);
  progress_stop();
  return e;
}

Error *session_run_specs(const Cli *cli, Session *s, GPtrArray *specs, Profile *profile)
{
  Error *e = session_open(s, specs);
  if (!e) return session_run(cli, s, profile);
  profile_free(profile);
  return e;
}
