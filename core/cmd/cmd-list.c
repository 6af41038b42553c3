/* stagemill list: what was found. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/describe.h"
#include "cmd/groups.h"
#include "cmd/lists.h"
#include "cmd/setup.h"

static void list_stages_json(GPtrArray *all, GString *out)
{
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  json_put_open(&json, NULL, '[');
  for (guint i = 0; i < all->len; i++) describe_stage_json(&json, all->pdata[i]);
  json_put_end(&json);
}

static void list_stages(const Cli *cli, Modules *modules, uint32_t kind, GString *out)
{
  g_autoptr(GPtrArray) all = modules_all(modules, kind);
  if (cli_flag(cli, "json")) {
    list_stages_json(all, out);
    return;
  }
  bool sources = kind == MILL_KIND_SOURCE; /* their family is their name */
  CliGrid *grid = cli_grid_new(sources ? 4 : 5);
  const char *word = kind == MILL_KIND_SINK ? "format" : "family";
  if (sources)
    cli_grid_add(grid, "name", "version", "found in", "what it does", NULL);
  else
    cli_grid_add(grid, "name", word, "version", "found in", "what it does", NULL);
  for (guint i = 0; i < all->len; i++) {
    const Module *m = all->pdata[i];
    g_autofree char *origin =
        g_strdup_printf("%s%s", m->origin, m->shadows ? ", hides another" : "");
    if (sources)
      cli_grid_add(grid, m->stage->name, m->stage->version, origin, m->stage->title, NULL);
    else
      cli_grid_add(grid, m->stage->name, m->stage->family, m->stage->version, origin,
                   m->stage->title, NULL);
  }
  cli_grid_write(grid, "", out);
}

static void put_metric_row(GString *out, const Descriptor *s, const MillMetric *m)
{
  const char *better = describe_better(m);
  g_autofree char *inputs = describe_metric_inputs(s, m);
  g_string_append_printf(out, "| `%s`", m->name);
  if (m->aliases) g_string_append_printf(out, " (`%s`)", m->aliases);
  g_string_append_printf(out, " | %s | %s | %s | %s | %s | %s | %s |\n", describe_metric_unit(m),
                         better ? better : "-", m->stats ? m->stats : "-",
                         m->headline ? m->headline : "-", inputs, s->name, m->help ? m->help : "");
}

/* The page docs/metrics.md. */
static void list_metrics_markdown(Modules *modules, GString *out)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE);
  g_string_append(
      out,
      "# Metrics\n\nMade by `stagemill list metrics --markdown` from what the stages declare. "
      "Without a statistic, `stagemill metric NAME[.STATISTIC]`\nprints the first one; `p*` is any "
      "percentile. `stagemill compare` judges runs by their headline statistics.\n\n| metric | "
      "unit | better | statistics | headline | inputs | stage | definition "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++) put_metric_row(out, s, &s->metrics[m]);
  }
}

/* Folders that could not be looked at. */
static Error *list_profiles(const Cli *cli, GString *out)
{
  Error *unseen = NULL;
  g_autoptr(GPtrArray) all = setup_profiles(cli, &unseen);
  bool as_json = cli_flag(cli, "json");
  CliGrid *grid = cli_grid_new(3);
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  if (as_json) json_put_open(&json, NULL, '[');
  cli_grid_add(grid, "name", "found in", "what it does", NULL);
  for (guint i = 0; i < all->len; i++) {
    const ProfileFound *p = all->pdata[i];
    g_autofree char *origin = g_strdup_printf("%s%s", p->origin, p->shadowed ? ", hidden" : "");
    if (!as_json) {
      cli_grid_add(grid, p->name, origin, p->description, NULL);
      continue;
    }
    json_put_open(&json, NULL, '{');
    json_put_text(&json, "name", p->name);
    json_put_text(&json, "path", p->path);
    json_put_text(&json, "origin", p->origin);
    json_put_text(&json, "description", p->description);
    json_put_bool(&json, "shadowed", p->shadowed);
    json_put_close(&json);
  }
  if (as_json) json_put_end(&json);
  cli_grid_write(grid, "", as_json ? NULL : out);
  return unseen;
}

static void list_rules_found(const Cli *cli, GString *out)
{
  const ProfileSearch search = setup_search(cli);
  list_rules(&search, cli_flag(cli, "json"), out);
}

static int run(Cli *cli)
{
  static const char *const kinds[] = { "stages",  "sources", "sinks", "profiles",
                                       "metrics", "facts",   "rules" };
  const char *what = cli->words->pdata[0];
  guint kind = 0;
  while (strcmp(kinds[kind], what)) kind++;
  bool markdown = cli_flag(cli, "markdown");
  if (markdown && (kind != 4 || cli_flag(cli, "json")))
    return cli_fail(cli, cli_usage(cli->command, "--markdown works only with \"list metrics\""));
  Modules *modules = setup_modules(cli);
  GString *out = g_string_new(NULL);
  Error *unseen = NULL;
  if (kind < 3)
    list_stages(cli, modules, kind + MILL_KIND_STAGE, out);
  else if (kind == 3)
    unseen = list_profiles(cli, out);
  else if (kind == 5)
    list_facts(modules, cli_flag(cli, "json"), out);
  else if (kind == 6)
    list_rules_found(cli, out);
  else if (markdown)
    list_metrics_markdown(modules, out);
  else
    list_metrics(modules, cli_flag(cli, "json"), out);
  int status = cli_print_string(cli, out), incomplete = cli_fail(cli, unseen);
  return setup_modules_end(cli, modules, status ? status : incomplete);
}

static const CliOption options[] = {
  { .name = "json", .help = "one JSON document on standard output" },
  { .name = "markdown", .help = "metrics as a table in Markdown" },
};
static const CliGroup own = GROUP("Output", options);
static const CliGroup *const groups[] = { &own, &group_profiles, &group_modules, &group_common,
                                          NULL };
static const char *const examples[] = { "ready-made analyses|stagemill list profiles",
                                        "for programs|stagemill list stages --json", NULL };

const CliCommand command_list = {
  .name = "list",
  .section = "Extend",
  .arguments = "stages | sources | sinks | profiles | metrics | facts | rules",
  .title = "list what was found",
  .about = "Shows names, the folders in which they were found, and one line of description each. "
           "\"stagemill doctor\" lists what was found but refused.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_modules,
  .words = "stages|sources|sinks|profiles|metrics|facts|rules",
  .min_words = 1,
  .max_words = 1,
  .run = run,
};
