/* stagemill convert: trace to trace, by the shipped profile of that name. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/json-write.h"
#include "base/standard.h"
#include "cmd/commands.h"
#include "cmd/convert-names.h"
#include "cmd/groups.h"
#include "cmd/result.h"
#include "input/input-words.h"
#include "input/input.h"
#include "model/printable.h"
#include "plan/sink-roles.h"

#define PROFILE "convert"
#define SORT "sort"   /* the profile's id of the stage that asks for order */
#define ALIGN "align" /* and of the one that puts ranks on one clock */
#define PIPELINE \
  "pipeline"           /* and of the one for this layout, which the sink knows by the same word */
#define GROUPS "by"    /* the profile's parameter with the tags that tell runs apart */
#define MAX_PARTS 1000 /* that the sink makes of a trace */

static const CliOption options[] = {
  { .name = "output",
    .letter = 'o',
    .value = "FILE",
    .type = MILL_OPT_PATH,
    .words = "files",
    .help = "the trace to write: .json, .json.gz, .json.zst, or - for standard output; {rank} "
            "makes one file per rank, {TAG} one for each value of the tag, as in "
            "'{threads}thread_{channels}ch.json'; pipes, devices and the targets of links are "
            "written in place" },
  { .name = "force", .letter = 'f', .help = "replace an existing file" },
  { .name = "sync",
    .help = "end only when the trace is on the disk, so that it survives a crash of the machine; "
            "always on if a file is replaced" },
  { .name = "split-size",
    .value = "SIZE",
    .type = MILL_OPT_SIZE,
    .range = "1:",
    .help = "start a new part after this many bytes of text: out.json.gz becomes out-001.json.gz, "
            "out-002.json.gz and so on; each part is a whole trace" },
  { .name = "split-time",
    .value = "DURATION",
    .type = MILL_OPT_DURATION,
    .range = "1ns:",
    .help = "start a new part after this time; an event is in the part in which it begins" },
  { .name = "layout",
    .value = "LAYOUT",
    .type = MILL_OPT_CHOICE,
    .range = "unique|" PIPELINE,
    .default_text = "unique",
    .help =
        "unique: each rank has its own ids and processes, and all events are kept; pipeline: as "
        "aorta's merge, which keeps only device work, runtime calls, annotations and arrows" },
  { .name = "sort", .help = "sort the events of each input by time" },
  { .name = "align",
    .help = "put all ranks on one clock with the help of the collectives that they share, and "
            "print the residual" },
  { .name = "json", .help = "print what was done as one JSON object" },
};
static const CliGroup own = GROUP("Output", options);

/* ------------------------------------------------------------ output = input */

static Error *same_file(const char *output, const GPtrArray *specs)
{
  struct stat out, in;
  if (!strcmp(output, "-") || stat(output, &out)) return NULL;
  for (guint i = 0; i < specs->len; i++) {
    const char *path = ((const InputSpec *)specs->pdata[i])->path;
    if (!strcmp(path, "-") || stat(path, &in) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
      continue;
    Error *e = error_new(EXIT_OUTPUT, "OUT-11", "the output is one of the inputs");
    error_at(e, "%s and %s are the same file", output, path);
    return error_help(e, "write to another name, then rename it");
  }
  return NULL;
}

static bool is_pipeline(const Cli *cli) { return cli_is(cli, "layout", PIPELINE); }

static bool is_split(const Cli *cli)
{
  return cli_text(cli, "split-size") || cli_text(cli, "split-time");
}

static Error *same_files(const Cli *cli, const char *output, const GPtrArray *specs)
{
  Error *e = is_split(cli) ? NULL : same_file(output, specs);
  for (unsigned i = 1; i <= MAX_PARTS && is_split(cli) && !e; i++) {
    g_autofree char *name = name_of_part(output, i);
    e = same_file(name, specs);
  }
  return e;
}

/* With tags the names are known only with the inputs. */
static Error *check_written(const Cli *cli, const NamePattern *p, const Run *run)
{
  g_autoptr(GPtrArray) specs = g_ptr_array_new(), names = NULL;
  Error *e = names_of_run(cli, p, run, &names);
  for (guint i = 0; i < run->inputs->list->len; i++)
    g_ptr_array_add(specs, ((const Input *)run->inputs->list->pdata[i])->spec);
  for (guint i = 0; !e && i < names->len; i++) e = same_files(cli, names->pdata[i], specs);
  return e;
}

/* ------------------------------------------------------------------- endings */

/* Pipes, devices and links have names of their own. */
static bool is_special(const char *output)
{
  struct stat st;
  return !strcmp(output, "-") || (!lstat(output, &st) && !S_ISREG(st.st_mode));
}

/* Viewers and our own sources go by the content, but people and the sink by the name. */
static Error *check_ending(const Cli *cli, const char *output)
{
  static const char *const endings[] = { ".json", ".json.gz", ".json.zst" };
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(output, endings[i])) return NULL;
  if (is_special(output) || g_str_has_suffix(output, "/")) return NULL;
  g_autofree char *safe = printable(output);
  Error *e = cli_usage(cli->command, "convert writes .json, .json.gz and .json.zst");
  error_at(e, "-o %s", safe);
  return error_help(e, "add one of these endings to the name, or write - for standard output");
}

/* ---------------------------------------------------------------- splitting */

static Error *check_split(const Cli *cli, const char *output)
{
  if (!is_split(cli)) return NULL;
  if (cli_text(cli, "split-size") && cli_text(cli, "split-time"))
    return cli_usage(cli->command, "--split-size and --split-time exclude each other");
  if (is_pipeline(cli))
    return cli_usage(cli->command, "a trace in the layout pipeline cannot be split into parts");
  if (strcmp(output, "-") != 0) return NULL;
  return cli_usage(cli->command, "standard output cannot be split into parts");
}

/* How far one rank has come says nothing of another. */
static Error *check_split_ranks(const Cli *cli, const NamePattern *p, const Run *run)
{
  if (!is_split(cli) || run->inputs->lanes->len < 2 || name_pattern_has(p, NAME_RANK)) return NULL;
  Error *e = cli_usage(cli->command, "several ranks in one trace cannot be split into parts");
  return error_help(e, "put {rank} into the name, so that each rank gets its own parts");
}

static void set_split(const Cli *cli, const char *format, GPtrArray *sink_set)
{
  static const char *const names[] = { "split-size", "split-time" };
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    const char *value = cli_text(cli, names[i]);
    if (value) g_ptr_array_add(sink_set, g_strdup_printf("%s.%s=%s", format, names[i], value));
  }
}

/* ------------------------------------------------------------------ running */

/* Names of the files are known once the inputs are. */
static Error *check_names(const Cli *cli, const NamePattern *p, const Run *run)
{
  Error *e = check_split_ranks(cli, p, run);
  return e || !p->tags->len ? e : check_written(cli, p, run);
}

/* Ids of the profile's stages that the options ask for. */
static char *asked_stages(const Cli *cli)
{
  GString *ids = g_string_new(NULL);
  if (cli_flag(cli, "align")) g_string_append(ids, ALIGN ",");
  if (cli_flag(cli, "sort")) g_string_append(ids, SORT ",");
  if (is_pipeline(cli)) g_string_append(ids, PIPELINE ",");
  g_string_truncate(ids, ids->len ? ids->len - 1 : 0);
  return g_string_free(ids, FALSE);
}

/* What tags tell apart are runs of their own, in other stages as in files. */
static Error *load_profile(const Cli *cli, const NamePattern *p, Session *s, Profile **out)
{
  ProfileSearch search = setup_search(cli);
  Profile *loaded = NULL;
  g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *groups = name_pattern_groups(p), *ids = asked_stages(cli);
  Error *e = profile_load(PROFILE, &search, &loaded);
  if (e) return e;
  if (*groups && profile_param(loaded, GROUPS))
    g_ptr_array_add(settings, g_strconcat(GROUPS "=", groups, NULL));
  return setup_loaded(cli, s->modules, loaded, *ids ? ids : NULL, settings, &s->options, out);
}

static void set_sink(const Cli *cli, const char *output, const char *format, GPtrArray *sink_set)
{
  const char *layout = cli_text(cli, "layout"), *name = output + names_folder_len(output);
  g_ptr_array_add(sink_set, g_strdup_printf("%s.file=%s", format, name));
  if (layout) g_ptr_array_add(sink_set, g_strdup_printf("%s.layout=%s", format, layout));
  set_split(cli, format, sink_set);
}

/* target: the output up to its first component with a tag, or its first part. */
static Error *execute(const Cli *cli, const char *output, const NamePattern *p, const char *target,
                      Session *s)
{
  g_autoptr(Profile) profile = NULL;
  g_autoptr(GPtrArray) specs = NULL;
  RunOptions *o = &s->options;
  Error *e = inputs_expand(cli->words, &specs);
  if (!e) e = same_files(cli, output, specs);
  if (!e) e = load_profile(cli, p, s, &profile);
  if (e) return e;
  const char *format = format_of_role(s->modules, MILL_CONVERTS);
  g_ptr_array_add(o->formats, (gpointer)format);
  set_sink(cli, output, format, o->sink_set);
  o->output_file = target;
  e = session_open(s, specs);
  if (!e && is_pipeline(cli)) inputs_order_by_rank(s->run->inputs);
  if (!e) e = check_names(cli, p, s->run);
  return e ? e : session_run(cli, s, g_steal_pointer(&profile));
}

static void put_written(const Cli *cli, const char *output, GString *out)
{
  g_autofree char *first = is_split(cli) ? name_of_part(output, 1) : g_strdup(output);
  g_string_append(out, "wrote ");
  cli_append_name(out, first);
  g_string_append(out, is_split(cli) ? " and on\n" : "\n");
  if (g_str_has_suffix(output, ".zst"))
    g_string_append(out, "viewers cannot open .zst: unpack it, or write .json.gz\n");
}

/* ------------------------------------------------------------ what stages found */

typedef void (*PutMetric)(void *to, const MillMetricResult *metric);

static void each_metric(const Run *run, PutMetric put, void *to)
{
  const MillResults *r = run_results(run);
  for (uint32_t i = 0; i < r->n_metrics; i++) {
    MillMetricResult m = { .size = sizeof m };
    if (r->metric(r, i, &m) && m.lane == MILL_NO_LANE && !*m.group) put(to, &m);
  }
}

static double number_of(const MillValue *v)
{
  return v->type == MILL_REAL ? v->u.r : (double)v->u.i;
}

typedef struct Sentences {
  GString *text;
  const MillMetric *last; /* of which the last one tells */
} Sentences;

/* One for each metric, whatever its statistics: "rank_sync_residual is 63 ns (rms), 120 ns (max)". */
static void put_sentence(void *to, const MillMetricResult *m)
{
  Sentences *s = to;
  bool more = s->last && !strcmp(s->last->name, m->metric->name),
       known = m->value.type != MILL_NONE;
  s->last = m->metric;
  if (more && !known) return;
  if (more)
    g_string_overwrite(s->text, s->text->len - 1, ", ");
  else
    g_string_append_printf(s->text, "%s is ", m->metric->name);
  if (!known) {
    g_string_append_printf(s->text, "not known: %s\n", m->reason);
    return;
  }
  g_string_append_printf(s->text, "%.0f %s", number_of(&m->value), m->metric->unit);
  if (*m->stat) g_string_append_printf(s->text, " (%s)", m->stat);
  g_string_append_c(s->text, '\n');
}

static void put_sentences(const Run *run, GString *out)
{
  Sentences s = { out, NULL };
  each_metric(run, put_sentence, &s);
}

static void put_member(void *to, const MillMetricResult *m)
{
  g_autofree char *key = g_strdup_printf("%s%s%s", m->metric->name, *m->stat ? "." : "", m->stat);
  json_put_real(to, key, m->value.type == MILL_NONE ? NAN : number_of(&m->value)); /* null */
}

/* Also by another name: /dev/stdout, or a pipe of the user. */
static bool is_stdout(const char *output)
{
  struct stat out, named;
  char made[32];
  return !strcmp(output, "-") || (!fstat(standard_out(), &out) && !stat(standard_path(output, made), &named) &&
                                  out.st_dev == named.st_dev && out.st_ino == named.st_ino);
}

/* On standard error when standard output is the trace. */
static int put_result(const Cli *cli, const Run *run, const char *output)
{
  bool to_stdout = is_stdout(output);
  GString *out = g_string_new(NULL);
  if (cli_flag(cli, "json")) {
    JsonWriter json = { .text = out, .layout = JSON_COMPACT };
    json_put_open(&json, NULL, '{');
    json_put_text(&json, "schema_version", "1.0");
    json_put_text(&json, "output", output);
    json_put_int(&json, "inputs", run->inputs->list->len);
    json_put_uint(&json, "events_read", inputs_n_events(run->inputs));
    if (cli_flag(cli, "align")) {
      json_put_open(&json, "metrics", '{');
      each_metric(run, put_member, &json);
      json_put_end(&json);
    }
    json_put_end(&json);
  } else {
    result_put_warnings(run_results(run), 0, false, out);
    if (cli_flag(cli, "align")) put_sentences(run, out);
    result_put_cost(run, out);
    if (!to_stdout) put_written(cli, output, out);
  }
  if (run->options.timings) result_put_timings(run, out);
  if (!to_stdout) return cli_print_string(cli, out);
  bool has_news = run_results(run)->n_notices || cli_flag(cli, "align");
  if (cli->verbose >= 0 && has_news) cli_say("%s", g_strchomp(out->str));
  g_string_free(out, TRUE);
  return EXIT_DONE;
}

/* Whoever read our standard output has had enough: no failure of ours. */
static bool reader_is_gone(const char *output, const Error *e)
{
  struct pollfd out = { .fd = standard_out() };
  return e && e->status == EXIT_OUTPUT && !strcmp(output, "-") && poll(&out, 1, 0) == 1 &&
         out.revents & POLLERR;
}

static int run(Cli *cli)
{
  const char *output = cli_text(cli, "output");
  if (!output)
    return cli_fail(cli, cli_usage(cli->command, "convert needs an output: name it with -o"));
  if (is_stdout(output) && cli_flag(cli, "json"))
    return cli_fail(cli, cli_usage(cli->command, "--json and -o - exclude each other"));
  g_autoptr(NamePattern) pattern = NULL;
  Error *e = check_ending(cli, output);
  if (!e) e = names_read(cli, output, &pattern);
  if (!e) e = check_split(cli, output);
  if (e) return cli_fail(cli, e);
  size_t folder = names_folder_len(output);
  g_autofree char *target = is_split(cli) && !pattern->tags->len
                                ? name_of_part(output, 1)
                                : g_strndup(output, folder + strcspn(output + folder, "/"));
  Session s;
  session_init(cli, &s);
  e = execute(cli, output, pattern, target, &s);
  if (reader_is_gone(output, e)) g_clear_pointer(&e, error_free);
  int status = e                    ? cli_fail(cli, e)
               : run_results(s.run) ? put_result(cli, s.run, output)
                                    : EXIT_DONE;
  session_clear(&s);
  return status;
}

static const CliGroup *const groups[] = {
  &own,          &group_window,   &group_edits,   &group_input,  &group_limits,
  &group_engine, &group_profiles, &group_modules, &group_common, NULL
};
static const char *const examples[] = {
  "merge ranks|stagemill convert 'rank*/trace.json.gz' -o merged.json.gz",
  "put ranks on one clock|stagemill convert rank*.json --align -o merged.json.gz",
  "merge each configuration|stagemill convert SWEEP -o '{threads}thread_{channels}ch.json'",
  "cut steps, sort|stagemill convert a.json --steps 10-20 --sort -o b.json", NULL
};
static const char *const files[] = {
  "FILE|the trace for viewers; unchanged events are copied byte for byte", NULL
};

const CliCommand command_convert = {
  .name = "convert",
  .section = "Analyse",
  .arguments = "INPUT... -o FILE",
  .title = "trace to trace: filter, cut, split, repair, merge",
  .about =
      "Reads traces, sends them through the stages of the profile \"convert\" and writes them. All "
      "stages are off until an option of the window, --sort, --align or --enable turns them on "
      "(stagemill plan -p convert). Several inputs become one trace; with {rank} in the name, one "
      "per rank; with another tag, one for each of its values.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses_of_run,
  .words = "files",
  .min_words = 1,
  .max_words = -1,
  .run = run,
};
