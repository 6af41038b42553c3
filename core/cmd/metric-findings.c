/* The findings of a run, or of finished results, printed; see metric.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/finding.h"
#include "cmd/finished.h"
#include "cmd/fits.h"
#include "cmd/metric.h"
#include "input/input-words.h"
#include "model/printable.h"
#include "results/load.h"

static GString *as_json(const MillResults *r)
{
  MillFindingResult f = { .size = sizeof f };
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_COMPACT };
  json_put_open(&out, NULL, '[');
  for (uint32_t i = 0; r->finding(r, i, &f); i++) finding_put(&out, &f);
  json_put_end(&out);
  return out.text;
}

/* Name, severity and text, with tabs between. */
static GString *as_text(const MillResults *r)
{
  MillFindingResult f = { .size = sizeof f };
  GString *out = g_string_new(NULL);
  for (uint32_t i = 0; r->finding(r, i, &f); i++) {
    cli_append_name(out, f.name);
    g_string_append_printf(out, "\t%s\t", finding_severity(f.severity));
    printable_append(out, f.text, strlen(f.text), "");
    g_string_append_c(out, '\n');
  }
  return out;
}

/* Nothing on standard output is for programs; a person is told what it means. */
static int print(const Cli *cli, const MillResults *r)
{
  const char *none = r->n_findings ? NULL : r->info(r, "no-findings");
  g_autofree char *safe = none ? printable(none) : NULL;
  if (safe && cli->verbose >= 0) cli_say("%s", safe);
  return cli_flag(cli, "json") ? cli_print_string(cli, as_json(r)) : cli_print_raw(as_text(r));
}

static int print_finished(const Cli *cli, const char *path)
{
  Results *r = NULL;
  Error *e = results_load(path, &r);
  const int status = e ? cli_fail(cli, e) : print(cli, results_view(r));
  results_free(r);
  return status;
}

/* As for a run without -p. */
static Error *run_best(const Cli *cli, Session *s)
{
  const char *name = NULL;
  g_autoptr(GPtrArray) specs = NULL;
  g_autoptr(Profile) profile = NULL;
  Error *e = setup_sources(cli, s->modules, &s->options);
  if (!e) e = inputs_expand(cli->words, &specs);
  if (!e) e = session_open(s, specs);
  if (e) return e;
  g_autoptr(GPtrArray) ranked = fits_rank(cli, s->run, false, &e);
  if (!e) e = fits_choose(cli, s->run, ranked, &name);
  if (!e) e = setup_profile(cli, s->modules, name, NULL, NULL, &s->options, &profile);
  return e ? e : session_run(cli, s, g_steal_pointer(&profile));
}

static Error *run_named(const Cli *cli, Session *s, const char *name)
{
  g_autoptr(Profile) profile = NULL;
  g_autoptr(GPtrArray) specs = NULL;
  Error *e = setup_profile(cli, s->modules, name, NULL, NULL, &s->options, &profile);
  if (e) return e;
  const GPtrArray *words = cli->words->len ? cli->words : profile->inputs;
  if (!words || !words->len) return cli_usage(cli->command, "metric: an input is needed");
  g_autofree char *how = g_strdup(profile->inputs_help);
  e = inputs_expand(words, &specs);
  if (!e) e = session_run_specs(cli, s, specs, g_steal_pointer(&profile));
  return inputs_say_how(cli->words, how, e);
}

static Error *check_options(const Cli *cli)
{
  static const char *const others[] = { "list", "rank", "by" };
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
    if (cli_flag(cli, others[i]))
      return cli_usage(cli->command, "--findings and --%s exclude each other", others[i]);
  return NULL;
}

int metric_findings(const Cli *cli, Session *s)
{
  const char *profile = cli_text(cli, "profile");
  Error *e = check_options(cli);
  if (!e && !profile && !cli->words->len) e = cli_usage(cli->command, "metric: an input is needed");
  if (e) return cli_fail(cli, e);
  const char *first = cli->words->len == 1 ? cli->words->pdata[0] : "";
  if (!profile && (finished_is(first) || results_is_summary(first)))
    return print_finished(cli, first);
  e = profile ? run_named(cli, s, profile) : run_best(cli, s);
  if (s->run && profile) e = fits_explain(cli, s->run, profile, e);
  int status = EXIT_DONE;
  if (s->run && s->run->out.written) {
    metric_say_warnings(cli, s->run);
    status = print(cli, run_results(s->run));
  }
  return e ? cli_fail(cli, e) : status;
}
