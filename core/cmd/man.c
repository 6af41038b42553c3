/* Man pages: of the program and its commands from the option tables, of stages from their
 * descriptors, and the two file formats from texts that are part of the program. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/describe.h"
#include "cmd/groups.h"
#include "cmd/help.h"
#include "cmd/parse.h"
#include "cmd/setup.h"

static void put_option(Page *p, const CliOption *o)
{
  g_autofree char *term = help_term(o, "");
  g_autoptr(GString) text = help_text(o);
  if (o->default_text) g_string_append_printf(text, " (default: %s)", o->default_text);
  if (o->env) g_string_append_printf(text, " (environment: %s)", o->env);
  page_item(p, term, text->str);
}

/* The page is made before there is any profile. */
static void put_those_of_profiles(Page *p)
{
  page_text(p, "A profile may turn its parameters into options. \"stagemill show PROFILE\" and the "
               "help of this command list them.");
}

static void put_bar_item(Page *p, const char *text)
{
  const char *bar = strchr(text, '|');
  g_autofree char *term = g_strndup(text, (size_t)(bar - text));
  page_item(p, term, bar + 1);
}

static void put_statuses(Page *p, const int *only)
{
  page_heading(p, "Exit status");
  for (const CliStatus *s = cli_statuses; s->title; s++) {
    const int *wanted = only;
    while (wanted && *wanted >= 0 && *wanted != s->status) wanted++;
    if (wanted && *wanted < 0) continue;
    g_autofree char *term = g_strdup_printf("%d", s->status);
    page_itemf(p, term, "%s: %s", s->title, s->text);
  }
}

static void put_environment(Page *p)
{
  page_heading(p, "Environment");
  for (const CliVariable *v = cli_variables; v->name; v++) page_item(p, v->name, v->effect);
}

static void man_command(const CliCommand *c, GString *out)
{
  Page p = { PAGE_MAN, out };
  g_autofree char *name = g_strdup_printf("stagemill-%s", c->name),
                  *usage = g_strdup_printf("stagemill %s %s", c->name, c->arguments);
  page_head(&p, name, 1, c->title);
  page_heading(&p, "Synopsis");
  page_text(&p, g_strchomp(usage));
  page_heading(&p, "Description");
  page_text(&p, c->about);
  for (const CliGroup *const *g = c->groups; *g; g++) {
    g_autofree char *heading = g_strdup_printf("Options: %s", (*g)->title);
    page_heading(&p, heading);
    if (*g == &group_of_profiles) put_those_of_profiles(&p);
    for (size_t i = 0; i < (*g)->n_options; i++) put_option(&p, &(*g)->options[i]);
  }
  if (c->files) page_heading(&p, "Files written");
  for (const char *const *f = c->files; f && *f; f++) put_bar_item(&p, *f);
  put_statuses(&p, c->statuses);
  put_environment(&p);
  page_heading(&p, "Examples");
  for (const char *const *e = c->examples; *e; e++) page_code(&p, strchr(*e, '|') + 1);
  page_heading(&p, "See also");
  page_text(&p, "stagemill(1), stagemill-profiles(5), stagemill-results(5)");
}

static void man_program(const Cli *cli, GString *out)
{
  Page p = { PAGE_MAN, out };
  page_head(&p, "stagemill", 1, "stream accelerator and LLM traces through analysis stages");
  page_heading(&p, "Synopsis");
  page_text(&p, "stagemill COMMAND [OPTIONS]");
  page_heading(&p, "Description");
  page_text(&p, "Reads traces of accelerators and of LLM training and serving, sends their events "
                "through the stages of a profile, and writes tables, numbers and traces. Memory "
                "does not grow with the size of the input, unless a stage must hold events; then "
                "--max-memory limits it. Results are the same bytes for any number of threads.");
  page_heading(&p, "Commands");
  for (const CliCommand *const *c = cli->commands; *c; c++) {
    g_autofree char *term = g_strdup_printf("stagemill-%s(1)", (*c)->name);
    page_item(&p, term, (*c)->title);
  }
  put_statuses(&p, NULL);
  put_environment(&p);
  page_heading(&p, "See also");
  page_text(
      &p, "stagemill-profiles(5), stagemill-results(5), and one page per stage: stagemill-NAME(7)");
}

/* Paragraphs are apart by an empty line; one that begins with "# " is a heading, with four
 * blanks code. */
static void man_text(const char *name, const char *title, const char *text, GString *out)
{
  Page p = { PAGE_MAN, out };
  g_auto(GStrv) parts = g_strsplit(text, "\n\n", -1);
  page_head(&p, name, 5, title);
  for (char **part = parts; *part; part++) {
    if (g_str_has_prefix(*part, "# "))
      page_heading(&p, g_strchomp(*part + 2));
    else if (g_str_has_prefix(*part, "    "))
      page_code(&p, g_strchomp(*part));
    else
      page_text(&p, g_strstrip(*part));
  }
}

static Error *man_stage(const Cli *cli, const char *name, GString *out)
{
  Modules *modules = setup_modules(cli);
  Error *e = NULL;
  const Module *m =
      modules_get(modules, MILL_KIND_STAGE, name); /* a source may be called like it */
  if (!m) m = modules_find(modules, 0, name, &e);
  if (m && !e) {
    Page p = { PAGE_MAN, out };
    g_autofree char *page = g_strdup_printf("stagemill-%s", m->stage->name);
    page_head(&p, page, 7, m->stage->title);
    describe_stage(&p, m);
  }
  modules_free(modules);
  return e;
}

Error *man_page(const Cli *cli, const char *what, const char *name, GString *out)
{
  static const struct {
    const char *word, *page, *title, *file;
  } texts[] = { { "profiles", "stagemill-profiles", "the format of profiles", "profiles.txt" },
                { "results", "stagemill-results", "the files that a run leaves", "results.txt" } };
  const CliCommand *command = cli_find_command(cli, what);
  if (!strcmp(what, "stage") && name) return man_stage(cli, name, out);
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (strcmp(what, texts[i].word)) continue;
    man_text(texts[i].page, texts[i].title, embedded_find(texts[i].file)->text, out);
    return NULL;
  }
  if (!strcmp(what, "stagemill"))
    man_program(cli, out);
  else if (command)
    man_command(command, out);
  else
    return cli_unknown_command(cli, what);
  return NULL;
}
