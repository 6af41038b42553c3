/* stagemill query: SQL over events and results. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/query-print.h"
#include "cmd/query-tables.h"
#include "cmd/query-text.h"
#include "model/log.h"
#include "model/option.h"
#include "output/present.h"
#include "results/load-file.h"

static const CliOption options[] = {
  { "file", 'f', "FILE", MILL_OPT_PATH, NULL, NULL, NULL, CLI_ONCE, "files",
    "read the SQL from this file" },
  { "format", 0, "FORMAT", MILL_OPT_CHOICE, "text|csv|json|markdown", "text", NULL, CLI_ONCE, NULL,
    "how rows are printed: text, csv, json or markdown" },
  { "output", 'o', "FILE", MILL_OPT_PATH, NULL, NULL, NULL, CLI_ONCE, "files",
    "write the rows into this database (.sqlite) instead, as the table query" },
  { "force", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "replace an existing file" },
};
static const CliGroup own = GROUP("Query", options);

typedef struct Job {
  const Cli *cli;
  QueryTables tables;
  char *text;       /* the SQL; NULL: none */
  const char *name; /* of the file that it is in, or NULL */
} Job;

/* ------------------------------------------------------------------------- words */

/* Statements have blanks, and name no file. */
static bool is_sql(const char *word)
{
  return strpbrk(word, " \t\r\n") && !g_file_test(word, G_FILE_TEST_EXISTS);
}

static Error *read_words(Job *job)
{
  const GPtrArray *words = job->cli->words;
  const char *last = words->pdata[words->len - 1];
  job->name = cli_text(job->cli, "file");
  bool sql = !job->name && is_sql(last);
  for (guint i = 0; i + sql < words->len; i++) g_ptr_array_add(job->tables.inputs, words->pdata[i]);
  if (!job->tables.inputs->len)
    return error_help(cli_usage(job->cli->command, "query needs an input before the SQL"),
                      "name a trace, or a folder of results");
  size_t len;
  g_autofree char *text = sql ? g_strdup(last) : NULL;
  Error *e = job->name ? load_file(job->name, &text, &len) : NULL;
  if (text && !e) job->text = query_text_args(text, job->tables.args);
  return e;
}

/* ----------------------------------------------------------------------- printing */

static const char *type_name(uint32_t type)
{
  static const char *const names[] = { "any", "int", "real", "text", "text", "bool" };
  return type < G_N_ELEMENTS(names) ? names[type] : names[0];
}

static void list_columns(const SqlTable *t, CliGrid *grid)
{
  for (uint32_t c = 0; c < t->n_columns; c++) {
    if (t->columns[c].flags & SQL_HIDDEN) continue;
    cli_grid_add(grid, t->name, t->columns[c].name, type_name(t->columns[c].type), NULL);
  }
}

static int print_tables(const Job *job)
{
  GString *out = g_string_new(NULL);
  CliGrid *grid = cli_grid_new(3);
  const SqlTable *t;
  cli_grid_add(grid, "table", "column", "type", NULL);
  for (guint i = 0; (t = sql_table(job->tables.sql, i)); i++) list_columns(t, grid);
  cli_grid_write(grid, "", out);
  return cli_print_string(job->cli, out);
}

/* By the sink of that format, which writes one file. */
static Error *print_by_sink(const Job *job, Results *r, int *out_status)
{
  const char *const formats[] = { cli_text(job->cli, "format"), NULL };
  g_autofree char *file = g_strdup_printf("tables/query.%s", formats[0]);
  Output *nowhere = output_nowhere();
  output_capture(nowhere, file);
  PresentJob present = {
    .modules = job->tables.session.modules, .formats = formats, .results = r, .output = nowhere
  };
  size_t len = 0;
  Error *e = present_results(&present);
  const char *text = e ? NULL : output_captured(nowhere, file, &len);
  if (text) *out_status = cli_print(text, len);
  output_free(nowhere);
  return e;
}

/* Of results, with an option for the name of its file, whose ending is this one; NULL: there is none. */
static const Descriptor *sink_of_ending(Modules *modules, const char *ending)
{
  g_autoptr(GPtrArray) sinks = modules_all(modules, MILL_KIND_SINK);
  for (guint i = 0; ending && i < sinks->len; i++) {
    const Descriptor *d = ((const Module *)sinks->pdata[i])->stage;
    const MillOption *file = option_find(d->options, d->n_options, "file");
    const char *usual = file ? strrchr(file->default_text, '.') : NULL;
    if (!d->sink_ops->write && usual && !strcmp(usual, ending)) return d;
  }
  return NULL;
}

static Error *write_results(const Job *job, const Descriptor *sink, Results *r, Output *o)
{
  const char *const formats[] = { sink->family, NULL };
  g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *name = g_path_get_basename(cli_text(job->cli, "output"));
  PresentJob present = { .modules = job->tables.session.modules,
                         .formats = formats,
                         .settings = settings,
                         .results = r,
                         .output = o };
  g_ptr_array_add(settings, g_strdup_printf("%s.file=%s", sink->family, name));
  Error *e = query_tables_spare(&job->tables, o);
  if (!e) e = present_results(&present);
  return e ? output_abort(o, e, false) : output_commit(o);
}

static Error *write_rows(const Job *job, SqlQuery *q, int *out_status)
{
  const char *path = cli_text(job->cli, "output");
  const Descriptor *sink = sink_of_ending(job->tables.session.modules, strrchr(path, '.'));
  Results *r = NULL;
  Output *o = NULL;
  if (!sink)
    return error_help(cli_usage(job->cli->command, "-o: no database has the ending of this name"),
                      "name it FILE.sqlite, or print rows with --format");
  Error *e = query_results(q, &r);
  if (!e) e = output_file(path, cli_flag(job->cli, "force"), &o);
  if (!e) e = write_results(job, sink, r, o);
  output_free(o);
  results_free(r);
  if (e) return e;
  GString *out = g_string_new("wrote ");
  cli_append_name(out, path);
  g_string_append_c(out, '\n');
  *out_status = cli_print_string(job->cli, out);
  return NULL;
}

static Error *print_rows(const Job *job, SqlQuery *q, int *out_status)
{
  const Cli *cli = job->cli;
  Results *r = NULL;
  if (cli_text(cli, "output")) return write_rows(job, q, out_status);
  if (cli_is(cli, "format", "json")) return query_print_json(q, out_status);
  Error *e = query_results(q, &r);
  if (e) return e;
  GString *out = g_string_new(NULL);
  if (cli_is(cli, "format", "csv"))
    e = print_by_sink(job, r, out_status);
  else if (cli_is(cli, "format", "markdown"))
    query_put_markdown(r, out);
  else
    query_put_text(r, out);
  if (out->len)
    *out_status = cli_print_raw(out);
  else
    g_string_free(out, TRUE);
  results_free(r);
  return e;
}

/* ------------------------------------------------------------------------ running */

/* As the SQL was written. */
static char *with_args(const Job *job, char *text)
{
  GString *out = g_string_new(text);
  g_free(text);
  for (guint i = 0; i < job->tables.args->len; i++) {
    g_autofree char *column = g_strconcat(EVENT_ARG, job->tables.args->pdata[i], NULL);
    g_autofree char *quoted = g_strconcat("\"", column, "\"", NULL);
    g_autofree char *written = query_text_shown(column);
    g_string_replace(out, quoted, written, 0);
    g_string_replace(out, column, written, 0);
  }
  return g_string_free(out, FALSE);
}

static Error *shown(const Job *job, Error *e)
{
  if (!e) return NULL;
  e->what = with_args(job, e->what);
  for (guint i = 0; e->at && i < e->at->len; i++) e->at->pdata[i] = with_args(job, e->at->pdata[i]);
  return e;
}

static Error *ask(Job *job, int *out_status)
{
  SqlQuery *q = NULL;
  if (!job->text) {
    *out_status = print_tables(job);
    return NULL;
  }
  Error *e = shown(job, sql_prepare(job->tables.sql, job->name, job->text, strlen(job->text), &q));
  if (!e) e = print_rows(job, q, out_status);
  sql_finish(q);
  if (!e) query_tables_say_warnings(&job->tables);
  return e;
}

/* What only a profile could do would be passed over; --set may also be of a source. */
static const char *option_of_profile(const Cli *cli)
{
  static const CliGroup *const of_profiles[] = { &group_window, &group_edits };
  for (size_t g = 0; g < G_N_ELEMENTS(of_profiles); g++)
    for (size_t i = 0; i < of_profiles[g]->n_options; i++) {
      const char *name = of_profiles[g]->options[i].name;
      if (strcmp(name, "set") && cli_flag(cli, name)) return name;
    }
  return NULL;
}

static Error *check_options(const Cli *cli)
{
  const char *name = cli_text(cli, "profile") ? NULL : option_of_profile(cli);
  if (name)
    return error_help(cli_usage(cli->command, "--%s needs -p", name),
                      "add -p PROFILE, or ask for it in SQL: WHERE ts BETWEEN ...");
  if (cli_text(cli, "output") && cli_text(cli, "format"))
    return cli_usage(cli->command, "--format and -o exclude each other");
  return NULL;
}

static Error *query(Job *job, int *out_status)
{
  Error *e = check_options(job->cli);
  if (!e) e = read_words(job);
  job->tables.text = job->text;
  if (!e) e = query_tables_open(&job->tables);
  if (!e) e = ask(job, out_status);
  if (job->tables.events)
    log_format(MILL_LEVEL_INFO, "RUN", "the inputs were read %u times",
               event_tables_readings(job->tables.events));
  return e;
}

static int run(Cli *cli)
{
  Job job = { .cli = cli };
  int status = EXIT_DONE;
  query_tables_init(&job.tables, cli);
  Error *e = query(&job, &status);
  if (e) status = cli_fail(cli, e);
  query_tables_clear(&job.tables);
  g_free(job.text);
  return status;
}

static const CliGroup *const groups[] = {
  &own,          &group_profile,  &group_window,  &group_edits,  &group_input, &group_limits,
  &group_engine, &group_profiles, &group_modules, &group_common, NULL
};
static const char *const examples[] = {
  "time by name|stagemill query trace.json 'SELECT name, count(*), sum(dur) FROM slice GROUP BY "
  "name ORDER BY 3 DESC LIMIT 10'",
  "tables and columns|stagemill query trace.json",
  "what rules found in two runs|stagemill query out1 out2 'SELECT run, name, share FROM _finding'",
  "a table of results|stagemill query out 'SELECT * FROM \"kernel-time\" LIMIT 5' --format json",
  NULL
};

const CliCommand command_query = {
  .name = "query",
  .section = "Analyse",
  .arguments = "INPUT... [SQL]",
  .title = "ask with SQL about events and results",
  .about =
      "Runs one SELECT of SQLite over tables that are read as they are: of folders of results "
      "their tables by name, _metric, _column, _notice, _finding and _run, those of several "
      "folders as one with the column run; of other inputs slice, counter, instant, flow and "
      "record. arg('NAME') is an attribute of an event. With -p the stages of the profile run "
      "first: what they compute are columns, and their tables are there. Without SQL, tables and "
      "columns are listed. SQL only reads; docs/query.md has examples.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_run,
  .words = "files",
  .min_words = 1,
  .max_words = -1,
  .run = run,
};
