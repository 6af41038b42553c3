/* Help pages, made from the command and option tables. */
/* SPDX-License-Identifier: MIT */
#include "cmd/help.h"

#include <string.h>
#include <unistd.h>

#include "base/hash-seed.h"
#include "base/standard.h"
#include "cmd/groups.h"
#include "cmd/of-profiles.h"

enum { LONGEST_LEFT = 26 };

const CliStatus cli_statuses[] = {
  { EXIT_DONE, "done",
    "Done. Warnings about the data do not change this status, except with --strict." },
  { EXIT_REGRESSION, "regression",
    "A metric became worse, or a rule is broken; all results are written." },
  { EXIT_USAGE, "usage",
    "A command or option is unknown, an argument is missing, or a value has the wrong form." },
  { EXIT_INPUT, "input",
    "An input is missing, unreadable, unsupported or malformed; or a metric does not apply to it. "
    "Nothing is written. With --strict, a warning also gives this status, and then the results are "
    "written." },
  { EXIT_PROFILE, "profile", "The profile is invalid, or it does not fit the inputs." },
  { EXIT_STAGE, "stage", "A stage could not be loaded, or it failed." },
  { EXIT_OUTPUT, "output",
    "Results could not be written: the output exists, there is no permission, or the disk is "
    "full." },
  { EXIT_HELPER, "helper",
    "A format lacks what it needs, such as cairo in a build without pictures; or --format names a "
    "format that has nothing to write." },
  { EXIT_LIMIT, "limits", "The memory cap or the time limit was reached." },
  { EXIT_INTERNAL, "internal error",
    "A bug in the program or in a stage; the message says what to attach to a report." },
  { EXIT_INTERRUPTED, "interrupted", "SIGINT (Ctrl-C). Temporary output was removed." },
  { EXIT_TERMINATED, "terminated",
    "SIGTERM. Temporary output was removed, as after SIGHUP (129), SIGQUIT (131) and SIGXCPU "
    "(152)." },
  { -1, NULL, NULL },
};

const CliVariable cli_variables[] = {
  { "STAGEMILL_STAGE_PATH", "folders with stages, searched after --stage-path" },
  { "STAGEMILL_PROFILE_PATH", "folders with profiles, searched after --profile-path" },
  { "STAGEMILL_LOG", "log levels, as --log-level" },
  { "STAGEMILL_JOBS", "number of threads, as --jobs" },
  { "STAGEMILL_MAX_MEMORY", "memory for held events, as --max-memory" },
  { "STAGEMILL_DATADIR", "folder with profiles/ and samples/ instead of the installed one" },
  { HASH_SEED_VARIABLE,
    "any text: gives hash tables the same order in every run; no result depends on it" },
  { "PATH", "folders with programs that formats of other vendors need" },
  { "SOURCE_DATE_EPOCH",
    "time of day to write into outputs that contain one, in seconds since 1970" },
  { "NO_COLOR", "not empty: no colour" },
  { "FORCE_COLOR", "not empty: colour even without a terminal" },
  { "COLUMNS", "width of the printed text, in columns, instead of the terminal's" },
  { "TERM", "\"dumb\": no colour, no progress lines" },
  { "TMPDIR", "folder for temporary files of commands that write no output folder" },
  { "XDG_DATA_HOME",
    "its folder stagemill/ holds the user's modules, and profiles/ in it profiles" },
  { "XDG_CONFIG_HOME",
    "its folder stagemill/profiles/ holds the user's profiles, which win over those above" },
  { NULL, NULL },
};

char *help_term(const CliOption *o, const char *without_letter)
{
  char letter[5] = { '-', o->letter, ',', ' ', 0 };
  return g_strdup_printf("%s--%s%s%s", o->letter ? letter : without_letter, o->name,
                         o->value ? " " : "", o->value ? o->value : "");
}

GString *help_text(const CliOption *o)
{
  GString *text = g_string_new(o->help);
  if (o->repeat == CLI_MANY) g_string_append(text, "; can be repeated");
  if (o->repeat == CLI_LIST) g_string_append(text, "; comma separated, can be repeated");
  return text;
}

static void put_pair(GString *out, const char *left, const char *right)
{
  cli_pair(out, left, right, LONGEST_LEFT);
}

static void put_option(GString *out, const CliOption *o)
{
  g_autofree char *left = help_term(o, "    ");
  g_autoptr(GString) right = help_text(o);
  if (o->default_text) g_string_append_printf(right, " [default: %s", o->default_text);
  if (o->env) g_string_append_printf(right, "%s%s", o->default_text ? "; " : " [", o->env);
  if (o->default_text || o->env) g_string_append_c(right, ']');
  put_pair(out, left, right->str);
}

static void put_those_of_profiles(const Cli *cli, const CliCommand *command, GString *out)
{
  g_autoptr(GPtrArray) options = options_of_profiles(cli, command);
  if (options->len) g_string_append_printf(out, "\n%s\n", group_of_profiles.title);
  for (guint i = 0; i < options->len; i++) put_option(out, options->pdata[i]);
}

static void put_group(GString *out, const CliGroup *group)
{
  g_string_append_printf(out, "\n%s\n", group->title);
  for (size_t i = 0; i < group->n_options; i++) put_option(out, &group->options[i]);
}

static void put_examples(GString *out, const CliCommand *c)
{
  for (const char *const *e = c->examples; e && *e; e++) {
    const char *bar = strchr(*e, '|');
    int left = MAX(62, (int)strlen(bar + 1)), right = (int)(bar - *e);
    if (left + right + 3 > cli_width(standard_out())) /* then what it does comes first */
      g_string_append_printf(out, "  %.*s:\n      %s\n", right, *e, bar + 1);
    else
      g_string_append_printf(out, "  %-62s %.*s\n", bar + 1, right, *e);
  }
}

void help_command(const Cli *cli, const CliCommand *c, GString *out)
{
  g_string_append_printf(out, "stagemill %s - %s\n\n", c->name, c->title);
  g_string_append_printf(out, "Usage: stagemill %s%s%s\n\nExamples\n", c->name,
                         *c->arguments ? " " : "", c->arguments);
  put_examples(out, c);
  g_string_append_c(out, '\n');
  cli_wrap(out, c->about, 0);
  for (const CliGroup *const *g = c->groups; *g; g++)
    if (*g == &group_of_profiles)
      put_those_of_profiles(cli, c, out);
    else
      put_group(out, *g);
  if (c->files) g_string_append(out, "\nFiles written\n");
  for (const char *const *f = c->files; f && *f; f++) {
    const char *bar = strchr(*f, '|');
    g_autofree char *left = g_strndup(*f, (size_t)(bar - *f));
    put_pair(out, left, bar + 1);
  }
  g_autoptr(GString) statuses = g_string_new("Exit status:");
  for (const int *s = c->statuses; *s >= 0; s++)
    for (const CliStatus *row = cli_statuses; row->title; row++)
      if (row->status == *s)
        g_string_append_printf(statuses, "%s %d %s", s == c->statuses ? "" : ",", *s, row->title);
  g_string_append(statuses, " (see stagemill help exit)");
  g_string_append_c(out, '\n');
  cli_wrap(out, statuses->str, 0);
}

/* The names of a section's commands in the order of the table. */
static void put_section(const Cli *cli, const char *section, GString *out)
{
  g_string_append_printf(out, "%-16s", section);
  bool first = true;
  for (const CliCommand *const *c = cli->commands; *c; c++)
    if (!strcmp((*c)->section, section)) {
      g_string_append_printf(out, "%s%s", first ? "" : "  ", (*c)->name);
      first = false;
    }
  g_string_append_c(out, '\n');
}

/* Two beside each other where there is room. */
static void put_common(GString *out)
{
  static const char *const rows[][4] = {
    { "-p, --profile NAME", "analysis to run", "-o, --output DIR", "where to write" },
    { "-j, --jobs N", "parallel inputs", "-f, --force", "replace an earlier run" },
    { "    --json", "result as JSON", "-q, -v", "say less, say more" },
    { "    --color WHEN", "auto, always, never", "-h, -V", "help, version" },
  };
  bool wide = cli_width(standard_out()) >= 80;
  g_string_append(out, "\nCommon options\n");
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *const *r = rows[i];
    if (wide)
      g_string_append_printf(out, "  %-18s  %-20s  %-16s  %s\n", r[0], r[1], r[2], r[3]);
    else
      g_string_append_printf(out, "  %-18s  %s\n  %-18s  %s\n", r[0], r[1], r[2], r[3]);
  }
}

void help_program(const Cli *cli, GString *out)
{
  g_string_append_printf(
      out,
      "stagemill %s - stream accelerator and LLM traces through analysis stages\n\n"
      "Usage: stagemill COMMAND [OPTIONS]\n"
      "       stagemill FILE... [OPTIONS]\n\n"
      "Start here\n"
      "  FILE...        Run what fits these files best: stagemill rank0.json.gz\n"
      "  demo           Analyse the bundled sample (takes a second)\n"
      "  info           What is in these files, and which profiles fit\n"
      "  list profiles  Ready-made analyses\n\n",
      STAGEMILL_VERSION);
  put_section(cli, "Analyse", out);
  put_section(cli, "Compare", out);
  put_section(cli, "Present", out);
  put_section(cli, "Extend", out);
  put_section(cli, "Help", out);
  put_common(out);
  g_string_append(out, "\nExamples\n"
                       "  stagemill run -p kernels rank0.json.gz -o out\n"
                       "  stagemill convert 'rank*/trace.json.gz' -o merged.json.gz\n"
                       "  stagemill metric NAME trace.json     (stagemill list metrics)\n\n"
                       "Exit status: 0 done, 1 regression, 2 usage, 3 input, 4 profile, 5 stage, 6 "
                       "output (help exit)\n"
                       "Manual: man stagemill · stagemill help COMMAND\n");
}

void help_exit(GString *out)
{
  g_string_append(out, "Exit statuses, the same in every command:\n\n");
  for (const CliStatus *s = cli_statuses; s->title; s++) {
    g_autofree char *left = g_strdup_printf("%3d  %s", s->status, s->title);
    put_pair(out, left, s->text);
  }
}
