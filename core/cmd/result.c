/* Running a profile over inputs and reporting what came out: shared by the commands that run
 * something. */
#include "cmd/result.h"

#include <string.h>

#include "base/num.h"
#include "cmd/inputs.h"
#include "model/usage.h"

const char *summary_name(bool json) { return json ? "summary.json" : "summary.txt"; }

/* --------------------------------------------------------------- reporting */

void result_put_cost(const Run *run, GString *out)
{
  char events[NUM_BUF], time[NUM_BUF], memory[NUM_BUF];
  num_format_count(events, (int64_t)run_events(run));
  num_format_duration(time, usage_clock_ns() - run->started_ns);
  num_format_size(memory, usage_peak_bytes());
  g_string_append_printf(out, "%s events · %s · peak %s\n", events, time, memory);
}

void result_put_warnings(const Run *run, bool in_full, GString *out)
{
  const MillResults *r = run_results(run);
  for (uint32_t i = 0; i < r->n_notices; i++) {
    MillNoticeResult n = { .size = sizeof n };
    r->notice(r, i, &n);
    if (n.notice->level > MILL_LEVEL_WARNING) continue;
    g_string_append_printf(out, "%s[%s]: %s\n", notice_level(n.notice->level), n.code, n.what);
    if (in_full && n.effect && *n.effect) g_string_append_printf(out, "  effect: %s\n", n.effect);
    if (in_full && n.help && *n.help) g_string_append_printf(out, "  help: %s\n", n.help);
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
  for (uint32_t i = 0; i < run->plan->n_stages; i++) all_ns += run->counters[i].time_ns;
  for (uint32_t i = 0; i < run->plan->n_stages; i++) {
    const Counters *c = &run->counters[i];
    char in[NUM_BUF], left[NUM_BUF], dropped[NUM_BUF], made[NUM_BUF], time[NUM_BUF];
    g_autofree char *share = share_of(c->time_ns, all_ns);
    num_format_count(in, (int64_t)c->events_in);
    num_format_count(left, (int64_t)c->events_out);
    num_format_count(dropped, (int64_t)c->dropped);
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

/* wrote DIR/   run.json  summary.json  tables/ (6) */
static void put_written(const char *folder, const Output *output, GString *out)
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
static void choose_formats(const RunRequest *request, const Profile *p, RunOptions *options)
{
  const GPtrArray *formats = request->formats ? request->formats : p->formats;
  bool found = false;
  if (!formats) {
    g_clear_pointer(&options->formats, g_ptr_array_unref);
    return;
  }
  for (guint i = 0; i < formats->len; i++) {
    g_ptr_array_add(options->formats, formats->pdata[i]);
    found = found || !strcmp(formats->pdata[i], "json");
  }
  if (request->json && !found) g_ptr_array_add(options->formats, (gpointer) "json");
}

static void put_commands(const char *const *next, GString *out)
{
  for (const char *const *n = next; n && *n; n++)
    g_string_append_printf(out, "%s%s\n", n == next ? "next: " : "      ", *n);
}

static int show_results(const Cli *cli, const RunRequest *request, const Run *run)
{
  size_t len = 0;
  const char *summary = output_captured(run->output, summary_name(request->json), &len);
  GString *out = g_string_new(NULL);
  if (summary) g_string_append_len(out, summary, (gssize)len);
  if (!request->json) {
    if (len) g_string_append_c(out, '\n');
    if (!summary) result_put_warnings(run, false, out); /* else the summary has them */
    result_put_cost(run, out);
    put_written(run->options.output, run->output, out);
    put_commands(request->next, out);
  }
  int status = cli_print_string(cli, out);
  if (!run->options.timings) return status;
  g_autoptr(GString) timings = g_string_new(NULL);
  result_put_timings(run, timings);
  cli_say("%s", g_strchomp(timings->str));
  return status;
}

static Error *execute(const Cli *cli, const RunRequest *request, Session *s, char **out_folder)
{
  g_autoptr(Profile) profile = NULL;
  g_autoptr(GPtrArray) specs = NULL;
  RunOptions *options = &s->options;
  Error *e = setup_profile(cli, s->modules, request->profile, NULL, NULL, options, &profile);
  if (!e) e = inputs_expand(request->words, &specs);
  if (e) return e;
  g_autofree char *stem = inputs_stem(request->words->pdata[0], specs);
  *out_folder =
      request->output ? g_strdup(request->output) : g_strdup_printf("%s.%s", stem, profile->name);
  options->output = *out_folder;
  choose_formats(request, profile, options);
  g_ptr_array_add(options->capture, g_strdup(summary_name(request->json)));
  return session_run(cli, s, specs, session_use, &profile);
}

int result_run(const Cli *cli, const RunRequest *request)
{
  Session s;
  g_autofree char *folder = NULL;
  int status = EXIT_DONE;
  session_init(cli, &s);
  Error *e = execute(cli, request, &s, &folder);
  /* Under --strict and --keep-going results are there although the status is not 0. */
  if (s.run && s.run->written) status = show_results(cli, request, s.run);
  if (e) status = cli_fail(cli, e);
  session_clear(&s);
  return status;
}
