/* Traces as the sides of a comparison; see compare-traces.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/compare-traces.h"

#include <string.h>

#include "base/folder.h"
#include "cmd/finished.h"
#include "cmd/fits.h"
#include "cmd/result.h"
#include "input/input-words.h"
#include "input/patterns.h"
#include "results/load.h"

#define PROFILE "torch-why"
#define SMALLEST_CHANGE "why-verdict.min_change" /* percent; a parameter of its verdict */
static const char *const sides[] = { "base=", "new=" };

/* ------------------------------------------------------------------- words */

static bool is_labelled(const char *word)
{
  for (size_t i = 0; i < G_N_ELEMENTS(sides); i++)
    if (g_str_has_prefix(word, sides[i])) return true;
  return false;
}

static bool any_labelled(const GPtrArray *words)
{
  bool any = false;
  for (guint i = 0; i < words->len; i++) any = any || is_labelled(words->pdata[i]);
  return any;
}

/* Repeats of a side have tags, as the same rank is in each of them. */
static char *with_tag(const GPtrArray *words, guint index)
{
  const char *word = words->pdata[index];
  unsigned before = 0, all = 0;
  for (guint i = 0; i < words->len && is_labelled(word); i++) {
    const char *other = words->pdata[i];
    const bool same_side = is_labelled(other) && *other == *word;
    all += same_side;
    before += same_side && i < index;
  }
  return all > 1 ? g_strdup_printf("run=%u:%s", before + 1, word) : g_strdup(word);
}

/* The first is the base; labels that were given stay. */
static GPtrArray *with_labels(const GPtrArray *words)
{
  const bool any = any_labelled(words);
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < words->len; i++)
    g_ptr_array_add(out,
                    any ? with_tag(words, i) : g_strconcat(sides[i > 0], words->pdata[i], NULL));
  return out;
}

/* ------------------------------------------------------------- finished runs */

static bool has_runs(const char *folder)
{
  bool any = false;
  g_autoptr(GPtrArray) names = folder_names(folder);
  for (guint i = 0; names && i < names->len && !any; i++) {
    g_autofree char *inside = g_build_filename(folder, names->pdata[i], SUMMARY_NAME, NULL);
    any = g_file_test(inside, G_FILE_TEST_EXISTS);
  }
  return any;
}

static bool may_be_run(const char *word)
{
  g_autofree char *name = g_path_get_basename(word), *inside = NULL;
  if (patterns_has(word) && !g_file_test(word, G_FILE_TEST_EXISTS)) return true;
  if (!g_file_test(word, G_FILE_TEST_IS_DIR)) return g_str_has_prefix(name, SUMMARY_NAME);
  inside = g_build_filename(word, SUMMARY_NAME, NULL);
  return g_file_test(inside, G_FILE_TEST_EXISTS) || has_runs(word);
}

/* ------------------------------------------------------------------ looking */

/* The profile is not for others than these. */
static bool suit(const Cli *cli, Session *s, const GPtrArray *words)
{
  g_autoptr(GPtrArray) specs = NULL;
  g_autoptr(Profile) profile = NULL;
  Error *e = setup_sources(cli, s->modules, &s->options);
  if (!e) e = inputs_expand(words, &specs);
  if (!e) e = session_open(s, specs);
  if (!e) e = setup_profile(cli, s->modules, PROFILE, NULL, NULL, &s->options, &profile);
  const bool suits = !e && s->run->inputs->lanes->len && !fits_suits(s->run, profile).is_for_others;
  error_free(e);
  return suits;
}

bool traces_are_sides(const Cli *cli)
{
  if (cli_text(cli, "profile")) return false;
  if (any_labelled(cli->words)) return true;
  for (guint i = 0; i < cli->words->len; i++)
    if (may_be_run(cli->words->pdata[i])) return false;
  g_autoptr(GPtrArray) words = with_labels(cli->words);
  Session s;
  session_init(cli, &s);
  const bool are = suit(cli, &s, words);
  session_clear(&s);
  return are;
}

/* ---------------------------------------------------------------- comparing */

static Error *check_options(const Cli *cli)
{
  static const char *const of_runs[] = { "fail-on", "all", "confidence" };
  for (size_t i = 0; i < G_N_ELEMENTS(of_runs); i++) {
    if (!cli_list(cli, of_runs[i]) && !cli_flag(cli, of_runs[i])) continue;
    Error *e =
        cli_usage(cli->command, "--%s is for finished runs, and the sides are traces", of_runs[i]);
    return error_help(e, "run a profile on each side first: stagemill run -p torch A -o before");
  }
  if (any_labelled(cli->words) || cli->words->len == 2) return NULL;
  return error_help(cli_usage(cli->command, "of more than two traces the sides are not clear"),
                    "name them: base=A1 base=A2 new=B1 new=B2");
}

/* "5%" is 5 for the rule, which refuses what is no number. */
static GPtrArray *settings_of(const Cli *cli)
{
  const char *text = cli_text(cli, "min-change");
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  if (!text) return out;
  size_t len = strlen(text);
  len -= len && text[len - 1] == '%';
  g_ptr_array_add(out, g_strdup_printf(SMALLEST_CHANGE "=%.*s", (int)MIN(len, 64), text));
  return out;
}

int traces_compare(const Cli *cli, int64_t rows)
{
  Error *e = check_options(cli);
  if (e) return cli_fail(cli, e);
  g_autoptr(GPtrArray) words = with_labels(cli->words), settings = settings_of(cli);
  const RunRequest request = { .profile = PROFILE,
                               .words = words,
                               .output = cli_text(cli, "output"),
                               .formats = cli_list(cli, "format"),
                               .settings = settings,
                               .is_shown_only = !cli_text(cli, "output"),
                               .json = cli_flag(cli, "json"),
                               .rows = rows };
  return result_run(cli, &request);
}
