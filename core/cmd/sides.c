/* The sides of a comparison; see sides.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/sides.h"

#include <string.h>

#include "base/folder.h"
#include "cmd/groups.h"
#include "cmd/screen.h"
#include "input/input-words.h"
#include "input/patterns.h"
#include "model/printable.h"
#include "results/load.h"

/* ------------------------------------------------------------------ options */

static const CliGroup *const run_groups[] = { SIDES_RUN_GROUPS, NULL };

static const CliOption *given_of(const Cli *cli, const CliGroup *group)
{
  for (size_t i = 0; i < group->n_options; i++) {
    const CliOption *o = &group->options[i];
    if (g_hash_table_contains(cli->values, o) && strcmp(o->name, "jobs")) return o;
  }
  return NULL;
}

static const CliOption *given_of_profile(const Cli *cli)
{
  for (guint i = 0; cli->of_profiles && i < cli->of_profiles->len; i++)
    if (g_hash_table_contains(cli->values, cli->of_profiles->pdata[i]))
      return cli->of_profiles->pdata[i];
  return NULL;
}

static Error *needs_profile(const Cli *cli, const CliOption *o)
{
  Error *e = cli_usage(cli->command, "--%s needs -p", o->name);
  return error_help(e, "add -p PROFILE, and give inputs instead of finished runs");
}

const CliOption *sides_option_of_run(const Cli *cli)
{
  const CliOption *given = given_of_profile(cli);
  for (const CliGroup *const *g = run_groups; *g && !given; g++) given = given_of(cli, *g);
  return given;
}

Error *sides_check_options(const Cli *cli)
{
  const CliOption *o = cli_text(cli, "profile") ? NULL : sides_option_of_run(cli);
  return o ? needs_profile(cli, o) : NULL;
}

/* -------------------------------------------------------------- finished runs */

static Error *no_run(const char *word)
{
  g_autofree char *safe = printable(word);
  Error *e = error_new(EXIT_INPUT, "RUN-41", "%s holds no finished run", safe);
  error_why(e, "there is no " SUMMARY_NAME " in it, nor in a folder below it");
  return error_help(e,
                    "make one with stagemill run -p PROFILE INPUT... -o DIR, or add -p PROFILE to "
                    "compare inputs");
}

/* Folders in this one that hold a summary. */
static Error *add_runs_in(const char *folder, GPtrArray *paths)
{
  guint before = paths->len;
  g_autoptr(GPtrArray) names = folder_names(folder);
  for (guint i = 0; names && i < names->len; i++) {
    g_autofree char *inside = g_build_filename(folder, names->pdata[i], SUMMARY_NAME, NULL);
    if (g_file_test(inside, G_FILE_TEST_EXISTS)) g_ptr_array_add(paths, g_steal_pointer(&inside));
  }
  return paths->len > before ? NULL : no_run(folder);
}

static Error *add_path(const char *path, GPtrArray *paths)
{
  g_autofree char *inside = g_build_filename(path, SUMMARY_NAME, NULL);
  if (!g_file_test(path, G_FILE_TEST_IS_DIR))
    g_ptr_array_add(paths, g_strdup(path)); /* a summary, or an error when it is read */
  else if (g_file_test(inside, G_FILE_TEST_EXISTS))
    g_ptr_array_add(paths, g_steal_pointer(&inside));
  else
    return add_runs_in(path, paths);
  return NULL;
}

static Error *find_paths(const char *word, GPtrArray *paths)
{
  g_autoptr(GPtrArray) found = NULL;
  if (g_file_test(word, G_FILE_TEST_EXISTS) || !patterns_has(word)) return add_path(word, paths);
  Error *e = patterns_match(word, &found);
  for (guint i = 0; !e && i < found->len; i++)
    e = add_path(((const PatternMatch *)found->pdata[i])->path, paths);
  return e;
}

static Error *load_side(const char *word, CompareSide *side, GPtrArray *files)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  Error *e = find_paths(word, paths);
  for (guint i = 0; i < paths->len && !e; i++) {
    Results *r;
    e = results_load(paths->pdata[i], &r);
    if (e) break;
    g_ptr_array_add(side->runs, r);
    g_ptr_array_add(files, g_strdup(paths->pdata[i]));
  }
  return e;
}

/* ---------------------------------------------------------------- run first */

/* Its summary is all that is kept: in memory, as nothing has to be written. */
static Error *run_one(const Cli *cli, const char *word, Session *s, Results **out)
{
  g_autoptr(GPtrArray) specs = NULL, words = g_ptr_array_new();
  g_autoptr(Profile) profile = NULL;
  size_t len;
  g_ptr_array_add(words, (gpointer)word);
  Error *e =
      setup_profile(cli, s->modules, cli_text(cli, "profile"), NULL, NULL, &s->options, &profile);
  if (!e) e = inputs_expand(words, &specs);
  if (!e) {
    g_ptr_array_add(s->options.formats, (gpointer)summary_format(s->modules, true));
    g_ptr_array_add(s->options.capture, g_strdup(SUMMARY_NAME));
    summary_keep_whole(s->modules, s->options.sink_set);
    e = session_run_specs(cli, s, specs, g_steal_pointer(&profile));
  }
  if (e) return e;
  const char *text = output_captured(s->run->out.output, SUMMARY_NAME, &len);
  return results_load_text(word, text, len, out);
}

static Error *run_side(const Cli *cli, const char *word, CompareSide *side, GPtrArray *files)
{
  Session s;
  Results *r = NULL;
  session_init(cli, &s);
  Error *e = run_one(cli, word, &s, &r);
  session_clear(&s);
  if (e) return e;
  g_ptr_array_add(side->runs, r);
  g_ptr_array_add(files, g_strdup(word));
  return NULL;
}

/* -------------------------------------------------------------------- names */

/* The last so many names of a path. */
static const char *last_names(const char *path, unsigned n)
{
  const char *at = path + strlen(path);
  while (n && at > path)
    if (*--at == '/') n--;
  return *at == '/' && at[1] ? at + 1 : at;
}

static bool is_alone(char *const *paths, guint n, guint index, unsigned n_names)
{
  const char *own = last_names(paths[index], n_names);
  for (guint i = 0; i < n; i++)
    if (i != index && !strcmp(last_names(paths[i], n_names), own)) return false;
  return true;
}

/* The shortest end of the path that no other side has; where the same path comes again, a number tells. */
static char *name_side(char *const *paths, guint n, guint index)
{
  unsigned names = 1, before = 0;
  while (names < 64 && !is_alone(paths, n, index, names)) names++;
  if (names < 64) return g_strdup(last_names(paths[index], names));
  for (guint i = 0; i < index; i++) before += !strcmp(paths[i], paths[index]);
  const char *name = last_names(paths[index], 1);
  return before ? g_strdup_printf("%s (%u)", name, before + 1) : g_strdup(name);
}

static char *plain_path(const char *word)
{
  static const char inside[] = "/" SUMMARY_NAME;
  char *path = g_canonicalize_filename(word, NULL);
  if (g_str_has_suffix(path, inside)) path[strlen(path) - strlen(inside)] = 0;
  return path;
}

static void name_sides(const GPtrArray *words, Sides *s)
{
  g_auto(GStrv) paths = g_new0(char *, words->len + 1);
  for (guint i = 0; i < words->len; i++) paths[i] = plain_path(words->pdata[i]);
  for (guint i = 0; i < words->len; i++) s->list[i].name = name_side(paths, words->len, i);
}

/* ----------------------------------------------------------------- profiles */

static const char *profile_of(Results *run)
{
  const MillResults *r = results_view(run);
  const char *profile = r->info(r, "profile");
  return profile ? profile : "";
}

static Error *check_profiles(const Sides *s)
{
  const char *first = profile_of(s->list[0].runs->pdata[0]);
  for (guint i = 0; i < s->n; i++)
    for (guint k = 0; k < s->list[i].runs->len; k++) {
      const CompareSide *side = &s->list[i];
      const char *own = profile_of(side->runs->pdata[0]), *other = profile_of(side->runs->pdata[k]);
      bool within = strcmp(own, other) != 0;
      if (!within && !strcmp(own, first)) continue;
      Error *e = within
                     ? error_new(EXIT_INPUT, "RUN-42", "the runs of %s are of different profiles",
                                 side->name)
                     : error_new(EXIT_INPUT, "RUN-40", "the sides are runs of different profiles");
      error_why(e, "\"%s\" and \"%s\"", within ? own : first, other);
      return error_help(e, "add --force to compare metrics and tables of the same names");
    }
  return NULL;
}

/* -------------------------------------------------------------------- whole */

static void side_clear(CompareSide *side)
{
  g_free(side->name);
  g_ptr_array_unref(side->runs);
}

Error *sides_open(const Cli *cli, const GPtrArray *words, bool force, Sides *out)
{
  bool run_first = cli_text(cli, "profile") != NULL;
  Error *e = NULL;
  *out = (Sides){ .list = g_new0(CompareSide, words->len),
                  .n = words->len,
                  .files = g_ptr_array_new_with_free_func(g_free) };
  name_sides(words, out);
  for (guint i = 0; i < words->len; i++)
    out->list[i].runs = g_ptr_array_new_with_free_func((GDestroyNotify)results_free);
  for (guint i = 0; i < words->len && !e; i++)
    e = run_first ? run_side(cli, words->pdata[i], &out->list[i], out->files)
                  : load_side(words->pdata[i], &out->list[i], out->files);
  if (!e && !force) e = check_profiles(out);
  return e;
}

void sides_clear(Sides *s)
{
  for (guint i = 0; i < s->n; i++) side_clear(&s->list[i]);
  g_free(s->list);
  if (s->files) g_ptr_array_unref(s->files);
}
