/* What the SQL of `query` reads: folders of results, or events of inputs; see query-tables.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/query-tables.h"

#include <string.h>

#include "base/trees.h"
#include "cmd/groups.h"
#include "cmd/progress.h"
#include "cmd/query-text.h"
#include "cmd/result.h"
#include "cmd/signals.h"
#include "input/input-words.h"
#include "model/printable.h"
#include "results/load.h"
#include "sched/execute.h"
#include "sched/lanes.h"
#include "sched/new-run.h"
#include "sched/planning.h"
#include "sched/reading.h"

/* ----------------------------------------------------------------------- results */

static bool holds_results(const char *word)
{
  g_autofree char *inside = g_build_filename(word, SUMMARY_NAME, NULL);
  return results_is_summary(g_file_test(word, G_FILE_TEST_IS_DIR) ? inside : word);
}

static const LaneInfo *lane_of_results(const void *results, uint32_t index)
{
  return results_lane(results, index);
}

/* The folder that a summary is in, unless the file has a name of its own. */
static char *run_name(const char *word)
{
  g_autofree char *path = g_canonicalize_filename(word, NULL);
  g_autofree char *base = g_path_get_basename(path), *folder = g_path_get_dirname(path);
  return g_str_has_prefix(base, SUMMARY_NAME) ? g_path_get_basename(folder)
                                              : g_steal_pointer(&base);
}

static bool any_twice(const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    for (guint k = 0; k < i; k++)
      if (!strcmp(names->pdata[i], names->pdata[k])) return true;
  return false;
}

/* Short where that tells them apart, else as they were typed. */
static Error *name_runs(QueryTables *t)
{
  if (any_twice(t->inputs))
    return cli_usage(t->cli->command, "query: one folder of results is named twice");
  for (guint i = 0; i < t->inputs->len; i++)
    g_ptr_array_add(t->names, run_name(t->inputs->pdata[i]));
  if (!any_twice(t->names)) return NULL;
  g_ptr_array_set_size(t->names, 0);
  for (guint i = 0; i < t->inputs->len; i++)
    g_ptr_array_add(t->names, g_strdup(t->inputs->pdata[i]));
  return NULL;
}

static Error *no_results(const QueryTables *t, const char *word)
{
  g_autofree char *safe = printable(word);
  Error *e = cli_usage(t->cli->command, "query: %s holds no results, and other inputs do", safe);
  return error_help(e, "ask about results and about events one after the other");
}

static Error *load_results(QueryTables *t)
{
  Error *e = NULL;
  for (guint i = 0; i < t->inputs->len && !e; i++) {
    const char *word = t->inputs->pdata[i];
    Results *r = NULL;
    e = holds_results(word) ? results_load(word, &r) : no_results(t, word);
    if (r) g_ptr_array_add(t->results, r);
  }
  return e;
}

/* Of one folder as it is, of several with the column `run`. */
static Error *open_results(QueryTables *t)
{
  Error *e = name_runs(t);
  if (!e) e = load_results(t);
  if (e) return e;
  g_autofree SqlResults *runs = g_new(SqlResults, t->results->len);
  for (guint i = 0; i < t->results->len; i++) {
    Results *r = t->results->pdata[i];
    const char *name = t->results->len > 1 ? t->names->pdata[i] : NULL;
    runs[i] = (SqlResults){ name, results_view(r), lane_of_results, r };
  }
  return sql_add_runs(t->sql, runs, t->results->len);
}

/* ------------------------------------------------------------------------ events */

static Error *stopped(void *context)
{
  const QueryTables *t = context;
  const Run *run = t->session.run;
  return run && run_cancelled(run) ? run_stopped(run) : NULL;
}

static bool is_stopped(void *context)
{
  const QueryTables *t = context;
  return t->session.run && run_cancelled(t->session.run);
}

/* A table knows why it failed; else somebody ended it. */
static Error *why(void *context)
{
  QueryTables *t = context;
  Error *e = t->events ? event_tables_take_error(t->events) : NULL;
  return e ? e : stopped(context);
}

static Error *read_once(const char *name)
{
  Error *e =
      error_new(EXIT_INPUT, "RUN-04", "%s can be read once, and the SQL reads it twice", name);
  error_why(e, "a join, or a table that is named twice, needs a second reading");
  return error_help(e, "write it into a file first");
}

static Error *check_again(const QueryTables *t)
{
  const GPtrArray *list = t->session.run->inputs->list;
  for (guint i = 0; i < list->len; i++) {
    const Input *in = list->pdata[i];
    bool again = g_file_test(in->spec->path, G_FILE_TEST_IS_REGULAR) ||
                 g_file_test(in->spec->path, G_FILE_TEST_IS_DIR);
    if (!again) return read_once(in->lane->name);
  }
  return NULL;
}

/* No stages: what the inputs have. */
static Error *plan_nothing(const QueryTables *t, Run *run)
{
  g_autoptr(Profile) none = NULL;
  Error *e = profile_of_sources(t->session.modules, cli_list(t->cli, "set"), &none);
  run->options.formats = t->session.options.formats;
  if (e) return e;
  none->join_ranks = cli_flag(t->cli, "join-ranks");
  return run_plan(run, g_steal_pointer(&none));
}

/* The same inputs once more; names of its events live until the end. */
static Error *open_again(QueryTables *t, Run **out)
{
  g_autoptr(GPtrArray) specs = NULL;
  Error *e = check_again(t);
  if (!e) e = inputs_expand(t->inputs, &specs);
  if (e) return e;
  g_ptr_array_set_free_func(specs, NULL);
  e = run_new(t->session.modules, specs, &t->session.options, out);
  if (e) return e;
  g_ptr_array_add(t->runs, *out);
  return plan_nothing(t, *out);
}

static Error *give_run(void *context, Run **out)
{
  QueryTables *t = context;
  bool first = !t->read || t->session.options.keep_events;
  t->read = true;
  if (!first) return open_again(t, out);
  *out = t->session.run;
  return NULL;
}

/* Names of attributes that some stage set, sorted. */
static Error *find_computed(QueryTables *t)
{
  Run *run = t->session.run;
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
    g_ptr_array_add(t->more, g_strdup(g_tree_node_key(n)));
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
static Error *run_profile(QueryTables *t)
{
  Run *run = t->session.run;
  t->wanted = event_tables_new(&(EventSource){ 0 }, t->args, NULL);
  bool all = !t->text || query_text_has_word(t->text, "args");
  event_tables_read_all(t->wanted, run->plan, all);
  progress_start(run, cli_text(t->cli, "progress"));
  Error *e = run_execute(run);
  progress_stop();
  if (!e) e = find_computed(t);
  return e ? e : sql_add_results(t->sql, run_results(run), lane_of_run, run);
}

static Error *plan(QueryTables *t)
{
  const Cli *cli = t->cli;
  const char *name = cli_text(cli, "profile");
  Profile *p = NULL;
  if (!name) return plan_nothing(t, t->session.run);
  Error *e = setup_profile(cli, t->session.modules, name, NULL, NULL, &t->session.options, &p);
  if (!e) e = session_plan(&t->session, p);
  return e ? e : run_profile(t);
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

static Error *open_events(QueryTables *t)
{
  EventSource source = { give_run, stopped, t, 0 };
  t->session.options.keep_events = cli_text(t->cli, "profile") != NULL;
  Error *e = setup_sources(t->cli, t->session.modules, &t->session.options);
  if (!e) e = session_open_words(&t->session, t->inputs);
  if (e) return e;
  signals_watch(t->session.run);
  e = plan(t);
  if (e) return e;
  source.n_rows = count_about(t->session.run->inputs);
  t->events = event_tables_new(&source, t->args, t->more);
  return event_tables_add(t->events, t->sql);
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

void query_tables_say_warnings(const QueryTables *t)
{
  const Run *run = t->session.run;
  GString *text = g_string_new(NULL);
  Results *r = results_new();
  if (run && run_results(run))
    result_put_warnings(run_results(run), 0, false, text);
  else if (run)
    add_notices(run, r);
  result_put_warnings(results_view(r), 0, false, text);
  if (text->len && t->cli->verbose >= 0) cli_say("%s", g_strchomp(text->str));
  results_free(r);
  g_string_free(text, TRUE);
}

/* -------------------------------------------------------------------------- all */

void query_tables_init(QueryTables *t, const Cli *cli)
{
  *t = (QueryTables){ .cli = cli,
                      .inputs = g_ptr_array_new(),
                      .args = g_ptr_array_new_with_free_func(g_free),
                      .more = g_ptr_array_new_with_free_func(g_free),
                      .results = g_ptr_array_new_with_free_func((GDestroyNotify)results_free),
                      .names = g_ptr_array_new_with_free_func(g_free),
                      .runs = g_ptr_array_new_with_free_func((GDestroyNotify)run_free) };
  session_init(cli, &t->session);
}

void query_tables_clear(QueryTables *t)
{
  signals_watch(NULL);
  sql_close(t->sql);
  g_ptr_array_unref(t->results);
  g_ptr_array_unref(t->names);
  g_ptr_array_unref(t->runs);
  session_clear(&t->session);
  event_tables_free(t->events);
  event_tables_free(t->wanted);
  g_ptr_array_unref(t->inputs);
  g_ptr_array_unref(t->args);
  g_ptr_array_unref(t->more);
}

static Error *open_sql(QueryTables *t)
{
  const RunOptions *o = &t->session.options;
  uint64_t limit = o->max_memory_bytes ? o->max_memory_bytes : budget_default();
  const SqlLimits limits = { .max_bytes = limit / 2,
                             .max_kept_bytes = limit / 2,
                             .folder = g_get_tmp_dir(),
                             .stopped = is_stopped,
                             .context = t };
  return sql_open(t->session.modules, &limits, why, &t->sql);
}

Error *query_tables_open(QueryTables *t)
{
  Error *e = open_sql(t);
  if (e) return e;
  return holds_results(t->inputs->pdata[0]) ? open_results(t) : open_events(t);
}

Error *query_tables_spare(const QueryTables *t, Output *o)
{
  const Run *run = t->session.run;
  Error *e = NULL;
  for (guint i = 0; t->results->len && !e && i < t->inputs->len; i++)
    e = output_spare(o, t->inputs->pdata[i]);
  for (guint i = 0; run && !e && i < run->inputs->list->len; i++)
    e = output_spare(o, ((const Input *)run->inputs->list->pdata[i])->spec->path);
  return e;
}
