/* Running a profile over inputs and reporting what came out: shared by the commands that run
 * something. */
/* SPDX-License-Identifier: MIT */
#include "cmd/result.h"

#include <string.h>

#include "base/num.h"
#include "base/standard.h"
#include "cmd/first-lines.h"
#include "cmd/fits.h"
#include "input/input-words.h"
#include "cmd/screen.h"
#include "model/usage.h"
#include "plan/paths.h"
#include "sched/shared.h"

/* --------------------------------------------------------------- reporting */

void result_put_cost(const Run *run, GString *out)
{
  char events[NUM_BUF], time[NUM_BUF], memory[NUM_BUF];
  num_format_count(events, (int64_t)inputs_n_events(run->inputs));
  num_format_duration(time, usage_clock_ns() - run->control.started_ns);
  num_format_size(memory, usage_peak_bytes());
  g_string_append_printf(out, "%s event%s · %s · peak %s\n", events,
                         inputs_n_events(run->inputs) == 1 ? "" : "s", time, memory);
}

static void put_help(const char *help, GString *out)
{
  g_auto(GStrv) lines = g_strsplit(help, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    g_string_append_printf(out, "%s%s\n", i ? "        " : "  help: ", lines[i]);
}

void result_put_warnings(const MillResults *r, uint32_t first, bool in_full, GString *out)
{
  for (uint32_t i = first; i < r->n_notices; i++) {
    MillNoticeResult n = { .size = sizeof n };
    r->notice(r, i, &n);
    if (n.notice->level > MILL_LEVEL_WARNING) continue;
    g_string_append_printf(out, "%s[%s]: %s\n", notice_level(n.notice->level), n.code, n.what);
    if (in_full && n.effect && *n.effect) g_string_append_printf(out, "  effect: %s\n", n.effect);
    if (n.help && *n.help) put_help(n.help, out);
  }
}

static char *share_of(uint64_t part, uint64_t whole)
{
  uint64_t tenths = whole ? part * 1000 / whole : 0;
  return g_strdup_printf("%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT " %%", tenths / 10,
                         tenths % 10);
}

void result_put_timings(const Run *run, GString *out)
{
  CliGrid *grid = cli_grid_new(7);
  uint64_t all_ns = 0;
  cli_grid_add(grid, "stage", "events in", "out", "dropped", "created", "time", "share", NULL);
  for (uint32_t i = 0; i < run->plan->n_stages; i++) all_ns += run->totals.counters[i].time_ns;
  for (uint32_t i = 0; i < run->plan->n_stages; i++) {
    const Counters *c = &run->totals.counters[i];
    char in[NUM_BUF], left[NUM_BUF], dropped[NUM_BUF], made[NUM_BUF], time[NUM_BUF];
    g_autofree char *share = share_of(c->time_ns, all_ns);
    num_format_count(in, (int64_t)c->events_in);
    num_format_count(left, (int64_t)c->events_out);
    num_format_count(dropped, (int64_t)counters_dropped(c));
    num_format_count(made, (int64_t)c->emitted);
    num_format_duration(time, (int64_t)c->time_ns);
    cli_grid_add(grid, run->plan->stages[i].id, in, left, dropped, made, time, share, NULL);
  }
  cli_grid_write(grid, "", out);
}

/* Of names that begin alike up to a slash, how many there are; 0: the first has none. */
static unsigned count_below(const char *const *names, size_t *out_len)
{
  unsigned n = 0;
  *out_len = strcspn(*names, "/");
  if (!(*names)[*out_len]) return 0;
  while (names[n] && !strncmp(names[n], *names, *out_len + 1)) n++;
  return n;
}

void result_put_written(const char *folder, const Output *output, GString *out)
{
  g_autofree const char **names = output_names(output);
  g_string_append(out, "wrote ");
  cli_append_name(out, folder);
  g_string_append(out, g_str_has_suffix(folder, "/") ? " " : "/ ");
  for (const char **at = names; *at;) {
    size_t len;
    unsigned below = count_below(at, &len);
    g_autofree char *name = g_strndup(*at, len);
    g_string_append(out, "  ");
    cli_append_name(out, name);
    if (below) g_string_append_printf(out, "/ (%u)", below);
    at += MAX(below, 1u);
  }
  g_string_append_c(out, '\n');
}

/* ------------------------------------------------------------------ running */

/* With --json the JSON summary is among the formats, whatever else is. */
static void choose_formats(const RunRequest *request, const Profile *p, Modules *modules,
                           RunOptions *options)
{
  const GPtrArray *formats = request->formats ? request->formats : p->formats;
  const char *document = summary_format(modules, true);
  bool found = false;
  options->formats_asked = request->formats && !request->pass_missing;
  if (!formats) {
    g_clear_pointer(&options->formats, g_ptr_array_unref);
    return;
  }
  for (guint i = 0; i < formats->len; i++) {
    g_ptr_array_add(options->formats, formats->pdata[i]);
    found = found || !strcmp(formats->pdata[i], document);
  }
  if (request->json && !found) g_ptr_array_add(options->formats, (gpointer)document);
}

/* A run of which nobody said what profile it takes. */
typedef struct FirstContact {
  const Cli *cli;
  const RunRequest *request;
  Session *session;
  char *chosen, *others; /* names; NULL before it was chosen */
} FirstContact;

static void put_chosen(const FirstContact *f, GString *out)
{
  g_string_append_printf(out, "profile %s was chosen%s\n", f->chosen,
                         *f->others ? "; others fit, too: stagemill info FILE" : "");
  if (!f->request->output)
    fits_put_next(f->chosen, f->request->words, "    writes all results",
                  (unsigned)cli_width(standard_out()), out);
}

static void say_chosen(const FirstContact *f)
{
  g_autoptr(GString) text = g_string_new(NULL);
  put_chosen(f, text);
  cli_say("%s", g_strchomp(text->str));
}

/* Where a warning says what to do, there is more to read. */
static void put_next(const Cli *cli, const Run *run, GString *out)
{
  const MillResults *r = run_results(run);
  MillNoticeResult n = { .size = sizeof n };
  for (uint32_t i = 0; r->notice(r, i, &n); i++) {
    if (n.notice->level > MILL_LEVEL_WARNING || !n.help || !*n.help) continue;
    g_autofree char *command = g_strconcat("stagemill explain ", n.code, NULL),
                    *hint = cli_hint(cli, command);
    g_string_append_printf(out, "next: %s\n", hint);
    return;
  }
}

/* The JSON was written before them. */
static void say_late_warnings(const Run *run)
{
  g_autoptr(GString) text = g_string_new(NULL);
  result_put_warnings(run_results(run), run->out.n_early_notices, false, text);
  if (text->len) cli_say("%s", g_strchomp(text->str));
}

static int show_shard(const Cli *cli, const Run *run)
{
  GString *out = g_string_new(NULL);
  Error *e = shared_say((Run *)run, out);
  if (e) {
    g_string_free(out, TRUE);
    return cli_fail(cli, e);
  }
  g_string_append_c(out, '\n');
  return cli_print_string(cli, out);
}

static int show_results(const Cli *cli, const RunRequest *request, const FirstContact *first,
                        const Run *run)
{
  size_t len = 0;
  const char *summary = output_captured(run->out.output, summary_name(request->json), &len);
  GString *out = g_string_new(NULL);
  bool fitted = summary && !request->json && screen_differs(run_results(run), request->rows);
  Error *e = fitted ? screen_summary(run, request->rows, out) : NULL;
  if (e) {
    g_string_free(out, TRUE);
    return cli_fail(cli, e);
  }
  if (summary && !fitted) g_string_append_len(out, summary, (gssize)len);
  if (cli->brief) {
    g_autofree char *shown = g_strdup(out->str);
    g_string_truncate(out, 0);
    first_lines_put(run->options.output, run->out.output, run_results(run), shown, out);
  } else if (!request->json) {
    if (len) g_string_append_c(out, '\n');
    result_put_warnings(run_results(run), summary ? run->out.n_early_notices : 0, false,
                        out); /* the summary has the others */
    result_put_cost(run, out);
    if (first->chosen) put_chosen(first, out);
    if (run->options.output) result_put_written(run->options.output, run->out.output, out);
    put_next(cli, run, out);
  }
  int status = cli_print_string(cli, out);
  if (request->json && first->chosen && cli->verbose >= 0) say_chosen(first);
  if (request->json) say_late_warnings(run);
  if (!run->options.timings) return status;
  g_autoptr(GString) timings = g_string_new(NULL);
  result_put_timings(run, timings);
  cli_say("%s", g_strchomp(timings->str));
  return status;
}

/* Without an output only what is printed is made. */
static void set_formats(const RunRequest *request, const Profile *p, Modules *modules,
                        RunOptions *options)
{
  if (request->output || (request->profile && !request->is_shown_only))
    choose_formats(request, p, modules, options);
  else
    g_ptr_array_add(options->formats, (gpointer)summary_format(modules, request->json));
}

static void print_summary(const RunRequest *request, Modules *modules, RunOptions *options)
{
  g_ptr_array_add(options->capture, g_strdup(summary_name(request->json)));
  if (request->json) summary_keep_whole(modules, options->sink_set);
}

static Error *choose_best(FirstContact *f, Profile **out)
{
  const Session *s = f->session;
  const char *name = NULL;
  Error *e = NULL;
  g_autoptr(GPtrArray) ranked =
      fits_rank(f->cli, s->run, false, &e); /* one may be where nobody can look */
  if (!e) e = fits_choose(f->cli, s->run, ranked, &name);
  if (!e) e = setup_profile(f->cli, s->modules, name, NULL, NULL, &f->session->options, out);
  if (e) return e;
  f->chosen = g_strdup(name);
  f->others = fits_names(ranked, name);
  set_formats(f->request, *out, s->modules, &f->session->options);
  return e;
}

static Error *no_words(const Cli *cli)
{
  return cli_usage(cli->command, "%s: an argument is missing", cli->command->name);
}

static Error *execute_best(const Cli *cli, const RunRequest *request, FirstContact *f)
{
  g_autoptr(GPtrArray) specs = NULL;
  g_autoptr(Profile) profile = NULL;
  RunOptions *options = &f->session->options;
  if (!request->words->len) return no_words(cli);
  if (request->formats && !request->output)
    return error_help(cli_usage(cli->command, "--format writes files and needs -o"),
                      "add -o DIR, or -p PROFILE for a folder named after it");
  Error *e = setup_sources(cli, f->session->modules, options);
  if (!e) e = inputs_expand(request->words, &specs);
  if (e) return e;
  options->output = request->output;
  print_summary(request, f->session->modules, options);
  e = session_open(f->session, specs);
  if (!e) e = choose_best(f, &profile);
  return e ? e : session_run(cli, f->session, g_steal_pointer(&profile));
}

static Error *execute(const Cli *cli, const RunRequest *request, Session *s, char **out_folder)
{
  g_autoptr(Profile) profile = NULL;
  g_autoptr(GPtrArray) specs = NULL;
  RunOptions *options = &s->options;
  Error *e =
      setup_profile(cli, s->modules, request->profile, NULL, request->settings, options, &profile);
  if (e) return e;
  const GPtrArray *words = request->words->len ? request->words : profile->inputs;
  if (!words || !words->len) return no_words(cli);
  g_autofree char *how = g_strdup(profile->inputs_help);
  e = inputs_say_how(request->words, how, inputs_expand(words, &specs));
  if (e) return e;
  g_autofree char *stem = inputs_stem(words->pdata[0], specs);
  *out_folder =
      request->output ? g_strdup(request->output) : g_strdup_printf("%s.%s", stem, profile->name);
  options->output = request->is_shown_only || options->shard.n ? NULL : *out_folder;
  set_formats(request, profile, s->modules, options);
  print_summary(request, s->modules, options);
  e = session_run_specs(cli, s, specs, g_steal_pointer(&profile));
  return inputs_say_how(request->words, how, e);
}

int result_run(const Cli *cli, const RunRequest *request)
{
  Session s;
  g_autofree char *folder = NULL;
  int status = EXIT_DONE;
  session_init(cli, &s);
  const char *shard = cli_text(cli, "shard");
  Error *e = shard ? shard_parse(shard, paths_env, &s.options.shard) : NULL;
  FirstContact first = { .cli = cli, .request = request, .session = &s };
  if (!e)
    e = request->profile ? execute(cli, request, &s, &folder) : execute_best(cli, request, &first);
  if (s.run && request->profile) e = fits_explain(cli, s.run, request->profile, e);
  /* Under --strict and --keep-going results are there although the status is not 0. */
  if (s.run && s.run->out.written) status = show_results(cli, request, &first, s.run);
  if (!e && s.run && shared_is_shard(s.run)) status = show_shard(cli, s.run);
  if (e) status = cli_fail(cli, e);
  session_clear(&s);
  g_free(first.chosen);
  g_free(first.others);
  return status;
}
