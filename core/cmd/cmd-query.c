/* stagemill query: SQL over events and results. */
#include <string.h>

#include "base/trees.h"
#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/event-tables.h"
#include "cmd/groups.h"
#include "cmd/progress.h"
#include "cmd/query-print.h"
#include "cmd/query-text.h"
#include "cmd/result.h"
#include "cmd/signals.h"
#include "input/input-words.h"
#include "model/log.h"
#include "model/option.h"
#include "output/present.h"
#include "results/load-file.h"
#include "results/load.h"
#include "sched/execute.h"
#include "sched/lanes.h"
#include "sched/new-run.h"
#include "sched/planning.h"
#include "sched/reading.h"

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
  Session session;
  GPtrArray *inputs;   /* const char *: words that are no SQL */
  char *text;          /* the SQL; NULL: none */
  const char *name;    /* of the file that it is in, or NULL */
  GPtrArray *args;     /* char *: attributes that it asks for */
  GPtrArray *more;     /* the same of those that stages computed */
  Results *results;    /* that were loaded */
  GPtrArray *runs;     /* Run *: of later readings, whose names rows have */
  bool read;           /* the first reading has the run of the session */
  EventTables *wanted; /* what the stages' run is asked for: it has their names */
  EventTables *events;
  Sql *sql;
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
  for (guint i = 0; i + sql < words->len; i++) g_ptr_array_add(job->inputs, words->pdata[i]);
  if (!job->inputs->len)
    return error_help(cli_usage(job->cli->command, "query needs an input before the SQL"),
                      "name a trace, or a folder of results");
  size_t len;
  g_autofree char *text = sql ? g_strdup(last) : NULL;
  Error *e = job->name ? load_file(job->name, &text, &len) : NULL;
  if (text && !e) job->text = query_text_args(text, job->args);
  return e;
}

/* ----------------------------------------------------------------------- results */

static bool holds_results(const char *word)
{
  g_autofree char *inside = g_build_filename(word, SUMMARY_NAME, NULL);
  g_autofree char *base = g_path_get_basename(word);
  return g_file_test(inside, G_FILE_TEST_EXISTS) || !strcmp(base, SUMMARY_NAME);
}

static const LaneInfo *lane_of_results(const void *results, uint32_t index)
{
  return results_lane(results, index);
}

static Error *too_many(const Job *job)
{
  Error *e = cli_usage(job->cli->command, "query reads one folder of results at a time");
  return error_help(e, "stagemill compare shows what changed between runs");
}

static Error *open_results(Job *job)
{
  if (job->inputs->len > 1) return too_many(job);
  Error *e = results_load(job->inputs->pdata[0], &job->results);
  return e ? e
           : sql_add_results(job->sql, results_view(job->results), lane_of_results, job->results);
}

/* ------------------------------------------------------------------------ events */

static Error *stopped(void *context)
{
  const Job *job = context;
  const Run *run = job->session.run;
  return run && run_cancelled(run) ? run_stopped(run) : NULL;
}

static bool is_stopped(void *context)
{
  const Job *job = context;
  return job->session.run && run_cancelled(job->session.run);
}

/* A table knows why it failed; else somebody ended it. */
static Error *why(void *context)
{
  Job *job = context;
  Error *e = job->events ? event_tables_take_error(job->events) : NULL;
  return e ? e : stopped(context);
}

static Error *read_once(const char *name)
{
  Error *e =
      error_new(EXIT_INPUT, "RUN-04", "%s can be read once, and the SQL reads it twice", name);
  error_why(e, "a join, or a table that is named twice, needs a second reading");
  return error_help(e, "write it into a file first");
}

static Error *check_again(const Job *job)
{
  const GPtrArray *list = job->session.run->inputs->list;
  for (guint i = 0; i < list->len; i++) {
    const Input *in = list->pdata[i];
    bool again = g_file_test(in->spec->path, G_FILE_TEST_IS_REGULAR) ||
                 g_file_test(in->spec->path, G_FILE_TEST_IS_DIR);
    if (!again) return read_once(in->lane->name);
  }
  return NULL;
}

/* No stages: what the inputs have. */
static Error *plan_nothing(const Job *job, Run *run)
{
  g_autoptr(Profile) none = NULL;
  Error *e = profile_of_sources(job->session.modules, cli_list(job->cli, "set"), &none);
  run->options.formats = job->session.options.formats;
  if (e) return e;
  none->join_ranks = cli_flag(job->cli, "join-ranks");
  return run_plan(run, g_steal_pointer(&none));
}

/* The same inputs once more; names of its events live until the end. */
static Error *open_again(Job *job, Run **out)
{
  g_autoptr(GPtrArray) specs = NULL;
  Error *e = check_again(job);
  if (!e) e = inputs_expand(job->inputs, &specs);
  if (e) return e;
  g_ptr_array_set_free_func(specs, NULL);
  e = run_new(job->session.modules, specs, &job->session.options, out);
  if (e) return e;
  g_ptr_array_add(job->runs, *out);
  return plan_nothing(job, *out);
}

static Error *give_run(void *context, Run **out)
{
  Job *job = context;
  bool first = !job->read || job->session.options.keep_events;
  job->read = true;
  if (!first) return open_again(job, out);
  *out = job->session.run;
  return NULL;
}

/* Names of attributes that some stage set, sorted. */
static Error *find_computed(Job *job)
{
  Run *run = job->session.run;
  Reading *r = reading_new(run, NULL, NULL);
  GTree *names = text_set_new();
  const MillBatch *b;
  const LaneInfo *lane;
  Error *e;
  while (!(e = reading_next(r, &b, &lane)) && b)
    for (uint32_t i = 0; i < b->n_attrs; i++) {
      if (!(b->attrs[i].type & MILL_ATTR_SET)) continue;
      const char *name = symbols_text(run->pools.symbols, b->attrs[i].key, NULL);
      if (!text_set_has(names, name)) text_set_add(names, g_strdup(name));
    }
  for (GTreeNode *n = g_tree_node_first(names); n; n = g_tree_node_next(n))
    g_ptr_array_add(job->more, g_strdup(g_tree_node_key(n)));
  g_tree_unref(names);
  reading_free(r);
  return e;
}

static const LaneInfo *lane_of_run(const void *run, uint32_t index)
{
  const Inputs *in = ((const Run *)run)->inputs;
  return index < in->lanes->len ? inputs_lane(in, index) : NULL;
}

/* What stages left of the events, and what they reported. */
static Error *run_profile(Job *job)
{
  Run *run = job->session.run;
  job->wanted = event_tables_new(&(EventSource){ 0 }, job->args, NULL);
  bool all = !job->text || query_text_has_word(job->text, "args");
  event_tables_read_all(job->wanted, run->plan, all);
  progress_start(run, cli_text(job->cli, "progress"));
  Error *e = run_execute(run);
  progress_stop();
  if (!e) e = find_computed(job);
  return e ? e : sql_add_results(job->sql, run_results(run), lane_of_run, run);
}

static Error *plan(Job *job)
{
  const Cli *cli = job->cli;
  const char *name = cli_text(cli, "profile");
  Profile *p = NULL;
  if (!name) return plan_nothing(job, job->session.run);
  Error *e = setup_profile(cli, job->session.modules, name, NULL, NULL, &job->session.options, &p);
  if (!e) e = session_plan(&job->session, p);
  return e ? e : run_profile(job);
}

/* By the bytes of the inputs, which SQLite's planner asks for before anything is read. */
static uint64_t count_about(const Inputs *in)
{
  enum { BYTES_OF_EVENT = 256, COMPRESSED = 10, UNKNOWN = 1000000 };
  uint64_t bytes = 0;
  for (guint i = 0; i < in->list->len; i++) {
    const Input *one = in->list->pdata[i];
    if (!one->size_bytes) return UNKNOWN;
    bytes += one->size_bytes * (one->compressed ? COMPRESSED : 1);
  }
  return bytes / BYTES_OF_EVENT + 1;
}

static Error *open_events(Job *job)
{
  EventSource source = { give_run, stopped, job, 0 };
  job->session.options.keep_events = cli_text(job->cli, "profile") != NULL;
  Error *e = setup_sources(job->cli, job->session.modules, &job->session.options);
  if (!e) e = session_open_words(&job->session, job->inputs);
  if (e) return e;
  signals_watch(job->session.run);
  e = plan(job);
  if (e) return e;
  source.n_rows = count_about(job->session.run->inputs);
  job->events = event_tables_new(&source, job->args, job->more);
  return event_tables_add(job->events, job->sql);
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
  for (guint i = 0; (t = sql_table(job->sql, i)); i++) list_columns(t, grid);
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
    .modules = job->session.modules, .formats = formats, .results = r, .output = nowhere
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

static Error *spare_inputs(const Job *job, Output *o)
{
  const Run *run = job->session.run;
  Error *e = job->results ? output_spare(o, job->inputs->pdata[0]) : NULL;
  for (guint i = 0; run && !e && i < run->inputs->list->len; i++)
    e = output_spare(o, ((const Input *)run->inputs->list->pdata[i])->spec->path);
  return e;
}

static Error *write_results(const Job *job, const Descriptor *sink, Results *r, Output *o)
{
  const char *const formats[] = { sink->family, NULL };
  g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *name = g_path_get_basename(cli_text(job->cli, "output"));
  PresentJob present = { .modules = job->session.modules,
                         .formats = formats,
                         .settings = settings,
                         .results = r,
                         .output = o };
  g_ptr_array_add(settings, g_strdup_printf("%s.file=%s", sink->family, name));
  Error *e = spare_inputs(job, o);
  if (!e) e = present_results(&present);
  return e ? output_abort(o, e, false) : output_commit(o);
}

static Error *write_rows(const Job *job, SqlQuery *q, int *out_status)
{
  const char *path = cli_text(job->cli, "output");
  const Descriptor *sink = sink_of_ending(job->session.modules, strrchr(path, '.'));
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

/* ----------------------------------------------------------------------- warnings */

static const char *input_name(const void *inputs, uint32_t lane)
{
  const Inputs *in = inputs;
  return lane < in->lanes->len ? lane_info_input(inputs_lane(in, lane)) : "";
}

/* What sources counted in the first reading: each sees the same. */
static void add_notices(const Run *run, Results *r)
{
  const Inputs *in = run->inputs;
  g_autoptr(GPtrArray) sources = inputs_sources(in);
  results_add_notices(r, &run->aside.notices, input_name, in);
  for (guint i = 0; i < sources->len; i++) {
    const Notices *counted = sources_notices(in->env.sources, sources->pdata[i]);
    if (counted) results_add_notices(r, counted, input_name, in);
  }
}

/* On standard error: the rows are for programs, too. */
static void say_warnings(const Job *job)
{
  const Run *run = job->session.run;
  GString *text = g_string_new(NULL);
  Results *r = results_new();
  if (run && run_results(run))
    result_put_warnings(run_results(run), 0, false, text);
  else if (run)
    add_notices(run, r);
  result_put_warnings(results_view(r), 0, false, text);
  if (text->len && job->cli->verbose >= 0) cli_say("%s", g_strchomp(text->str));
  results_free(r);
  g_string_free(text, TRUE);
}

/* ------------------------------------------------------------------------ running */

static Error *open_sql(Job *job)
{
  const RunOptions *o = &job->session.options;
  uint64_t limit = o->max_memory_bytes ? o->max_memory_bytes : budget_default();
  const SqlLimits limits = { .max_bytes = limit / 2,
                             .max_kept_bytes = limit / 2,
                             .folder = g_get_tmp_dir(),
                             .stopped = is_stopped,
                             .context = job };
  return sql_open(job->session.modules, &limits, why, &job->sql);
}

/* As the SQL was written. */
static char *with_args(const Job *job, char *text)
{
  GString *out = g_string_new(text);
  g_free(text);
  for (guint i = 0; i < job->args->len; i++) {
    g_autofree char *column = g_strconcat(EVENT_ARG, job->args->pdata[i], NULL);
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
  Error *e = shown(job, sql_prepare(job->sql, job->name, job->text, strlen(job->text), &q));
  if (!e) e = print_rows(job, q, out_status);
  sql_finish(q);
  if (!e) say_warnings(job);
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
  if (!e) e = open_sql(job);
  if (!e) e = holds_results(job->inputs->pdata[0]) ? open_results(job) : open_events(job);
  if (!e) e = ask(job, out_status);
  if (job->events)
    log_format(MILL_LEVEL_INFO, "RUN", "the inputs were read %u times",
               event_tables_readings(job->events));
  return e;
}

static void job_clear(Job *job)
{
  signals_watch(NULL);
  sql_close(job->sql);
  results_free(job->results);
  g_ptr_array_unref(job->runs);
  session_clear(&job->session);
  event_tables_free(job->events);
  event_tables_free(job->wanted);
  g_ptr_array_unref(job->inputs);
  g_ptr_array_unref(job->args);
  g_ptr_array_unref(job->more);
  g_free(job->text);
}

static int run(Cli *cli)
{
  Job job = { .cli = cli,
              .inputs = g_ptr_array_new(),
              .args = g_ptr_array_new_with_free_func(g_free),
              .more = g_ptr_array_new_with_free_func(g_free),
              .runs = g_ptr_array_new_with_free_func((GDestroyNotify)run_free) };
  int status = EXIT_DONE;
  session_init(cli, &job.session);
  Error *e = query(&job, &status);
  if (e) status = cli_fail(cli, e);
  job_clear(&job);
  return status;
}

static const CliGroup *const groups[] = {
  &own,          &group_profile,  &group_window,  &group_edits,  &group_input, &group_limits,
  &group_engine, &group_profiles, &group_modules, &group_common, NULL
};
static const char *const examples[] = {
  "time by name|stagemill query trace.json 'SELECT name, count(*), sum(dur) FROM slice GROUP BY "
  "name "
  "ORDER BY 3 DESC LIMIT 10'",
  "tables and columns|stagemill query trace.json",
  "a table of results|stagemill query out 'SELECT * FROM \"kernel-time\" LIMIT 5' --format json",
  NULL
};

const CliCommand command_query = {
  .name = "query",
  .section = "Analyse",
  .arguments = "INPUT... [SQL]",
  .title = "ask with SQL about events and results",
  .about =
      "Runs one SELECT of SQLite over tables that are read as they are: of a folder of results its "
      "tables by name, _metric, _column, _notice and _run; of other inputs slice, counter, "
      "instant, "
      "flow and record. arg('NAME') is an attribute of an event. With -p the stages of the profile "
      "run first: what they compute are columns, and their tables are there. Without SQL, tables "
      "and columns are listed. SQL only reads; docs/query.md has examples.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_run,
  .words = "files",
  .min_words = 1,
  .max_words = -1,
  .run = run,
};
