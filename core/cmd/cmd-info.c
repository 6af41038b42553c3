/* stagemill info: what is in these files, what is wrong with them, and which profiles fit. */
/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/standard.h"
#include "cmd/commands.h"
#include "cmd/fits.h"
#include "cmd/groups.h"
#include "cmd/result.h"
#include "cmd/screen.h"
#include "input/input-words.h"
#include "input/input.h"
#include "output/run-members.h"

#define PROFILE "info"

/* ------------------------------------------------------------------- inputs */

static void put_inputs(const Run *run, GString *out)
{
  CliGrid *grid = cli_grid_new(5);
  cli_grid_add(grid, "input", "format", "dialect", "rank", "size", NULL);
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(run->inputs, i);
    const Input *reader = inputs_reader(run->inputs, i);
    char size[NUM_BUF] = "unknown";
    g_autofree char *rank = lane->rank < 0 ? g_strdup("none")
                                           : g_strdup_printf("%" G_GINT64_FORMAT " (%s)",
                                                             lane->rank, lane->rank_origin);
    if (reader->size_bytes) num_format_size(size, reader->size_bytes);
    cli_grid_add(grid, lane->name, reader->source->family, *lane->dialect ? lane->dialect : "-",
                 rank, size, NULL);
  }
  cli_grid_write(grid, "", out);
}

/* Files in the folders that are no inputs. */
static void put_left_out(const Run *run, GString *out)
{
  if (run->inputs->left_out->len)
    g_string_append(out, "\nleft out, because no source reads them\n");
  for (guint i = 0; i < run->inputs->left_out->len; i++) {
    g_string_append(out, "  ");
    cli_append_name(out, run->inputs->left_out->pdata[i]);
    g_string_append_c(out, '\n');
  }
}

static void put_inputs_json(const Run *run, JsonWriter *out)
{
  json_put_open(out, "inputs", '[');
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(run->inputs, i);
    const Input *reader = inputs_reader(run->inputs, i);
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", lane->name);
    json_put_text(out, "source", reader->source->name);
    json_put_text(out, "format", reader->source->family);
    json_put_text(out, "dialect", lane->dialect);
    if (lane->rank >= 0) {
      json_put_int(out, "rank", lane->rank);
      json_put_text(out, "rank_from", lane->rank_origin);
    }
    json_put_text(out, "label", lane->label);
    run_members_put_tags(out, lane);
    json_put_array(out, "facts", lane->facts);
    if (reader->size_bytes) json_put_int(out, "size_bytes", (int64_t)reader->size_bytes);
    json_put_int(out, "events", (int64_t)lane->n_events);
    json_put_close(out);
  }
  json_put_close(out);
}

/* ----------------------------------------------------------------- problems */

static void put_problems(const Run *run, GString *out)
{
  const MillResults *r = run_results(run);
  bool any = false;
  for (uint32_t i = 0; i < r->n_notices; i++) {
    MillNoticeResult n = { .size = sizeof n };
    r->notice(r, i, &n);
    if (n.notice->level > MILL_LEVEL_WARNING) continue;
    if (!any) g_string_append(out, "\nproblems\n");
    any = true;
    g_string_append_printf(out, "  %s: %s\n", n.code, n.what);
    if (n.effect) g_string_append_printf(out, "    effect: %s\n", n.effect);
    if (n.help) g_string_append_printf(out, "    help:   %s\n", n.help);
  }
  if (!any) g_string_append(out, "\nno problems found\n");
}

/* ----------------------------------------------------------------- profiles */

/* In one of the two forms; the other is NULL. */
static void put_profiles(const GPtrArray *ranked, GString *text, JsonWriter *json)
{
  guint best = fits_best(ranked);
  CliGrid *grid = cli_grid_new(3);
  if (json) json_put_open(json, "profiles", '[');
  for (guint i = 0; i < ranked->len; i++) {
    const Fit *f = ranked->pdata[i];
    if (!json) {
      cli_grid_add(grid, f->name,
                   i < best  ? "fits best"
                   : f->fits ? "fits"
                             : "does not fit",
                   f->fits ? f->description : f->why, NULL);
      continue;
    }
    json_put_open(json, NULL, '{');
    json_put_text(json, "name", f->name);
    json_put_bool(json, "fits", f->fits);
    if (i < best) json_put_bool(json, "best", true);
    if (!f->fits) json_put_text(json, "reason", f->why);
    json_put_close(json);
  }
  if (json)
    json_put_close(json);
  else
    g_string_append(text, "\nprofiles\n");
  cli_grid_write(grid, "  ", text);
}

/* What to type to go on. */
static void put_next(const Cli *cli, const GPtrArray *ranked, GString *out)
{
  const Fit *first = ranked->len ? ranked->pdata[0] : NULL;
  if (!first || !first->fits) return;
  g_string_append_c(out, '\n');
  fits_put_next(first->name, cli->words, "", UINT_MAX, out);
}

/* --------------------------------------------------------------------- all */

static Error *read_inputs(Cli *cli, Session *s)
{
  g_autoptr(Profile) p = NULL;
  Error *e = setup_profile(cli, s->modules, PROFILE, NULL, NULL, NULL, &p);
  if (e) return e;
  g_ptr_array_add(s->options.formats, (gpointer)summary_format(s->modules, cli_flag(cli, "json")));
  g_ptr_array_add(s->options.capture, g_strdup(summary_name(cli_flag(cli, "json"))));
  g_ptr_array_add(s->options.sink_set,
                  summary_setting(s->modules, "lines", 0)); /* a list, not a summary */
  if (cli_has_width(standard_out()))
    g_ptr_array_add(s->options.sink_set,
                    summary_setting(s->modules, "width", cli_width(standard_out())));
  g_autoptr(GPtrArray) specs = NULL;
  e = inputs_expand(cli->words, &specs);
  return e ? e : session_run_specs(cli, s, specs, g_steal_pointer(&p));
}

static int print(const Cli *cli, const Run *run)
{
  size_t len = 0;
  Error *unseen = NULL;
  const char *summary = output_captured(run->out.output, summary_name(cli_flag(cli, "json")), &len);
  GString *out = g_string_new(NULL);
  g_autoptr(GPtrArray) ranked = fits_rank(cli, run, true, &unseen);
  if (cli_flag(cli, "json")) {
    JsonWriter json = { .text = out, .layout = JSON_COMPACT };
    json_put_open(&json, NULL, '{');
    json_put_text(&json, "schema_version", "1.0");
    put_inputs_json(run, &json);
    json_put_array(&json, "left_out", run->inputs->left_out);
    put_profiles(ranked, NULL, &json);
    json_put_raw(&json, "summary", summary ? summary : "null", summary ? len : strlen("null"));
    json_put_end(&json);
  } else {
    put_inputs(run, out);
    put_left_out(run, out);
    g_string_append_c(out, '\n');
    if (summary) g_string_append_len(out, summary, (gssize)len);
    put_problems(run, out);
    put_profiles(ranked, out, NULL);
    put_next(cli, ranked, out);
  }
  int status = cli_print_string(cli, out), incomplete = cli_fail(cli, unseen);
  return status ? status : incomplete;
}

static int run(Cli *cli)
{
  Session s;
  session_init(cli, &s);
  Error *e = read_inputs(cli, &s);
  int status = EXIT_DONE;
  if (s.run && run_results(s.run)) status = print(cli, s.run);
  if (e) status = cli_fail(cli, e);
  session_clear(&s);
  return status;
}

static const CliGroup *const groups[] = {
  &group_json, &group_input, &group_limits, &group_profiles, &group_modules, &group_common, NULL
};
static const char *const examples[] = { "one trace|stagemill info rank0.json.gz",
                                        "a folder, for a program|stagemill info runs/ --json",
                                        NULL };

const CliCommand command_info = {
  .name = "info",
  .section = "Start here",
  .arguments = "INPUT...",
  .title = "show what is in these files, and which profiles fit",
  .about = "Reads the inputs once and shows format, dialect, size, the rank and its origin, the "
           "number of events, the time span, tracks, categories and problems. Then it lists "
           "profiles: first those made for such inputs, then others whose stages all find what "
           "they need. Writes no file.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_run,
  .words = "files",
  .min_words = 1,
  .max_words = -1,
  .run = run,
};
