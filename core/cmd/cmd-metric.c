/* stagemill metric: one value, for scripts. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/fits.h"
#include "cmd/groups.h"
#include "cmd/lists.h"
#include "cmd/metric.h"
#include "cmd/result.h"
#include "input/input-words.h"
#include "model/lane-groups.h"
#include "model/lane-names.h"
#include "model/log.h"
#include "model/printable.h"
#include "plan/facts.h"
#include "sched/planning.h"

static const CliOption options[] = {
  { .name = "list", .help = "list all metrics" },
  { .name = "rank",
    .value = "N",
    .type = MILL_OPT_INT,
    .range = "0:",
    .help = "only this rank, for a metric of each rank" },
  { .name = "by",
    .value = "TAG",
    .repeat = CLI_LIST,
    .help =
        "print one line for each value of the tag: the value of the tag, a tab, the value of the "
        "metric; auto: of the tags that tell inputs apart; none: one value over all inputs, as "
        "without --by" },
  { .name = "json", .help = "print value, unit and sample count as one JSON object" },
  { .name = "findings", .help = "print what the rules of the profile find, instead of a metric" },
};
static const CliGroup own = GROUP("Output", options);

/* ------------------------------------------------------------ which profile */

static ProfileEntry *entry_with(const Profile *p, const Wanted *w, bool only_enabled)
{
  for (guint i = 0; i < p->entries->len; i++) {
    ProfileEntry *e = p->entries->pdata[i];
    if (strcmp(e->use, w->stage->name) || strcmp(e->id, w->id ? w->id : e->use)) continue;
    if (e->enabled || !only_enabled) return e;
  }
  return NULL;
}

static Error *no_profile(const Wanted *w, const char *profile)
{
  Error *e =
      profile
          ? error_new(EXIT_PROFILE, "RUN-93", "the profile \"%s\" does not use the stage \"%s\"",
                      profile, w->stage->name)
          : error_new(EXIT_PROFILE, "RUN-93", "no profile uses the stage \"%s\"", w->stage->name);
  error_why(e, "the metric %s comes from this stage", w->word);
  return error_help(e, "write a profile that lists it, and name it with -p");
}

/* It makes something that one of these stages asks for. */
static bool serves(const Descriptor *s, const GPtrArray *stages)
{
  for (const char *const *fact = s->provides; fact && *fact; fact++)
    for (guint i = 0; i < stages->len; i++) {
      const Descriptor *other = stages->pdata[i];
      if (fact_in_list(other->needs, *fact) || fact_in_list(other->wants, *fact)) return true;
    }
  return false;
}

/* Stages after the one that gives the metric cannot matter; nor can those before it that only
 * look, unless it or what it depends on asks for a fact from them. */
static void drop_the_rest(Profile *p, const ProfileEntry *giver)
{
  g_autoptr(GPtrArray) kept = g_ptr_array_new();
  bool after = true;
  for (guint i = p->entries->len; i-- > 0;) {
    ProfileEntry *e = p->entries->pdata[i];
    const Descriptor *s = e->module ? e->module->stage : NULL;
    bool looks = s && s->flags & MILL_READ_ONLY && !serves(s, kept);
    if (e == giver)
      after = false;
    else if (after || looks)
      e->enabled = false;
    if (e->enabled && s) g_ptr_array_add(kept, (gpointer)s);
  }
}

/* --by, and statistics that are not always reported, are options of the stage. */
static GPtrArray *settings_for(const Cli *cli, const Wanted *w)
{
  const GPtrArray *by = cli_list(cli, "by");
  GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < w->stage->n_options; i++) {
    const MillOption *row = &w->stage->options[i];
    if (row->flags & MILL_OPTION_STATS && w->extra_stat)
      g_ptr_array_add(settings,
                      g_strdup_printf("stage/%s.%s=%s", wanted_id(w), row->name, w->stat));
    if (!(row->flags & MILL_OPTION_GROUP_BY)) continue;
    GString *set = g_string_new(NULL);
    g_string_append_printf(set, "stage/%s.%s=", wanted_id(w), row->name);
    for (guint k = 0; by && k < by->len; k++)
      g_string_append_printf(set, "%s%s", k ? "," : "", (const char *)by->pdata[k]);
    g_ptr_array_add(settings, g_string_free(set, FALSE));
  }
  return settings;
}

/* The profile with all that the metric needs enabled, and nothing else; out_options (or NULL) get what it says of
 * sources.  *out NULL without error: it does not use the stage. */
static Error *reduce(const Cli *cli, Modules *modules, const Wanted *w, const char *name,
                     RunOptions *out_options, Profile **out)
{
  g_autoptr(Profile) listed = NULL, p = NULL; /* loaded once: it may come through a pipe */
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load_or_stage(name, &search, modules, &listed);
  if (e) return e;
  const ProfileEntry *entry = entry_with(listed, w, true);
  if (!entry) entry = entry_with(listed, w, false);
  if (!entry) return NULL;
  g_autoptr(GPtrArray) settings = settings_for(cli, w);
  e = setup_loaded(cli, modules, g_steal_pointer(&listed), entry->enabled ? NULL : entry->id,
                   settings, out_options, &p);
  if (e) return e;
  const ProfileEntry *giver = entry_with(p, w, true);
  if (!giver) return NULL;
  drop_the_rest(p, giver);
  *out = g_steal_pointer(&p);
  return NULL;
}

/* Inputs of which a profile can make nothing are not the profile's fault, when nobody named it. */
static Error *not_for_these(const Run *run, const Wanted *w, Error *e)
{
  if (e->kind != ERROR_MISSING_FACT && e->kind != ERROR_WRONG_INPUT) return e;
  Error *inapplicable = error_new(EXIT_INPUT, "RUN-94", "the metric %s does not apply", w->word);
  g_autofree char *inputs = fits_inputs(run);
  if (e->kind == ERROR_WRONG_INPUT)
    error_why(inapplicable, "stage \"%s\" finds no data in inputs of %s", w->stage->name, inputs);
  else
    error_why(inapplicable, "%s", e->what);
  if (e->help->len) error_help(inapplicable, "%s", (const char *)e->help->pdata[0]);
  error_free(e);
  return inapplicable;
}

/* A profile that uses the stage, or the stage alone where there is none. */
typedef struct Candidate {
  const char *name;
  Suits suits;
  bool enabled; /* the stage is, without --enable */
} Candidate;

/* As inputs without a profile get theirs, so that both give the same number. */
static int by_suits(gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;
  int order = fits_compare(&x->suits, &y->suits);
  if (order) return order;
  if (x->enabled != y->enabled) return x->enabled ? -1 : 1;
  return strcmp(x->name, y->name);
}

static GArray *find_candidates(const Cli *cli, const Run *run, const Wanted *w,
                               const GPtrArray *profiles)
{
  ProfileSearch search = setup_search(cli);
  GArray *candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
  for (guint i = 0; i < profiles->len; i++) {
    const ProfileFound *found = profiles->pdata[i];
    g_autoptr(Profile) p = NULL;
    g_autoptr(Error) e = found->shadowed ? NULL : profile_load(found->name, &search, &p);
    if (e)
      log_format(MILL_LEVEL_WARNING, "RUN", "profile %s was left out: %s", found->name, e->what);
    if (!p || !entry_with(p, w, false)) continue;
    Candidate c = { found->name, fits_suits(run, p), entry_with(p, w, true) != NULL };
    g_array_append_val(candidates, c);
  }
  Candidate alone = { .name = w->stage->name };
  if (!candidates->len) g_array_append_val(candidates, alone);
  g_array_sort(candidates, by_suits);
  return candidates;
}

/* The one made for these inputs, of those that use the stage and can be planned. */
static Error *choose_profile(const Cli *cli, Modules *modules, const Run *run, const Wanted *w,
                             Profile **out)
{
  Error *first = NULL, *unseen = NULL;
  g_autoptr(GPtrArray) all = setup_profiles(cli, &unseen);
  if (unseen) return unseen; /* it may be in that folder */
  g_autoptr(GArray) candidates = find_candidates(cli, run, w, all);
  for (guint i = 0; i < candidates->len && !*out; i++) {
    const Candidate *c = &g_array_index(candidates, Candidate, i);
    Profile *tried = NULL;
    Error *e = reduce(cli, modules, w, c->name, NULL, &tried);
    if (!e && !tried) continue;
    if (!e) e = run_fits(run, tried); /* takes it */
    if (!e) e = reduce(cli, modules, w, c->name, NULL, out);
    if (first)
      error_free(e);
    else
      first = e;
  }
  if (!*out) return first ? not_for_these(run, w, first) : no_profile(w, NULL);
  error_free(first);
  return NULL;
}

/* ------------------------------------------------------------------ running */

static bool folds_by_tags(const Descriptor *s)
{
  for (uint32_t i = 0; i < s->n_options; i++)
    if (s->options[i].flags & MILL_OPTION_GROUP_BY) return true;
  return false;
}

static bool is_pair(const GPtrArray *inputs)
{
  if (inputs->len != 2) return false;
  const char *a = inputs->pdata[0], *b = inputs->pdata[1];
  return (g_str_has_prefix(a, "off=") && g_str_has_prefix(b, "on=")) ||
         (g_str_has_prefix(a, "on=") && g_str_has_prefix(b, "off="));
}

static Error *check_inputs(const Cli *cli, const Wanted *w, const GPtrArray *inputs)
{
  const MillMetric *m = w->metric;
  if (cli_list(cli, "by") && !folds_by_tags(w->stage))
    return cli_usage(cli->command, "the metric %s cannot be split by tags", w->word);
  if (m->inputs == MILL_INPUTS_ONE && inputs->len != 1)
    return cli_usage(cli->command, "the metric %s takes exactly one input", w->word);
  if (m->inputs == MILL_INPUTS_PAIR && !is_pair(inputs))
    return cli_usage(cli->command, "the metric %s takes exactly two inputs: off=PATH on=PATH",
                     w->word);
  return NULL;
}

static Error *no_words(const Cli *cli)
{
  return cli_usage(cli->command, "metric: a name and an input are needed");
}

/* The first profile by name that gives the metric and has inputs of its own; NULL: there is none. */
static Error *find_with_inputs(const Cli *cli, const Wanted *w, char **out_name)
{
  Error *unseen = NULL;
  ProfileSearch search = setup_search(cli);
  g_autoptr(GPtrArray) all = setup_profiles(cli, &unseen);
  if (unseen) return unseen; /* it may be in that folder */
  for (guint i = 0; i < all->len && !*out_name; i++) {
    const ProfileFound *found = all->pdata[i];
    g_autoptr(Profile) p = NULL;
    Error *e = found->shadowed ? NULL : profile_load(found->name, &search, &p);
    if (e)
      log_format(MILL_LEVEL_WARNING, "RUN", "profile %s was left out: %s", found->name, e->what);
    if (e) error_free(e);
    if (p && p->inputs && entry_with(p, w, true)) *out_name = g_strdup(found->name);
  }
  return NULL;
}

/* No input was named: those that the profile has. */
static Error *execute_own(const Cli *cli, Session *s, const Wanted *w, const GPtrArray *none)
{
  g_autoptr(GPtrArray) specs = NULL;
  g_autoptr(Profile) profile = NULL;
  g_autofree char *name = g_strdup(cli_text(cli, "profile"));
  Error *e = name ? NULL : find_with_inputs(cli, w, &name);
  if (e) return e;
  if (!name) return no_words(cli);
  e = reduce(cli, s->modules, w, name, &s->options, &profile);
  if (!e && !profile) return no_profile(w, name);
  if (!e && !profile->inputs) return no_words(cli);
  if (!e) e = check_inputs(cli, w, profile->inputs);
  if (e) return e;
  g_autofree char *how = g_strdup(profile->inputs_help);
  e = inputs_expand(profile->inputs, &specs);
  if (!e) e = session_run_specs(cli, s, specs, g_steal_pointer(&profile));
  return inputs_say_how(none, how, e);
}

/* The profile that was named comes before the inputs: it may say how to read them.  Without one
 * they are opened first, and what is in them decides. */
static Error *execute(const Cli *cli, Session *s, const Wanted *w, const GPtrArray *inputs)
{
  g_autoptr(GPtrArray) specs = NULL;
  g_autoptr(Profile) profile = NULL;
  const char *given = cli_text(cli, "profile");
  Error *e = check_inputs(cli, w, inputs);
  if (!e) e = inputs_expand(inputs, &specs);
  if (!e && given) e = reduce(cli, s->modules, w, given, &s->options, &profile);
  if (!e && given && !profile) e = no_profile(w, given);
  if (!e && !given) e = setup_sources(cli, s->modules, &s->options);
  if (!e) e = session_open(s, specs);
  if (!e && !given) e = choose_profile(cli, s->modules, s->run, w, &profile);
  return e ? e : session_run(cli, s, g_steal_pointer(&profile));
}

/* Sources may name tags while they read: what was asked for is known to be wrong only now. */
static Error *check_tags(const Cli *cli, const Run *run)
{
  const GPtrArray *by = cli_list(cli, "by");
  g_autofree char **known = lane_names_groups(run->inputs->lanes);
  g_autofree char *all = g_strjoinv(", ", known);
  for (guint i = 0; by && i < by->len; i++) {
    const char *tag = by->pdata[i];
    if (!lane_groups_is_tag(tag) || g_strv_contains((const char *const *)known, tag)) continue;
    g_autofree char *safe = printable(tag);
    Error *e = cli_usage(cli->command, "no input has the tag \"%s\"", safe);
    error_suggest(e, tag, (const char *const *)known);
    return error_help(e, "tags: %s", all);
  }
  return NULL;
}

static int measure(Cli *cli, Session *s, Wanted *w)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new();
  for (guint i = 1; i < cli->words->len; i++) g_ptr_array_add(inputs, cli->words->pdata[i]);
  Error *e = metric_find(cli, s->modules, cli->words->pdata[0], w);
  if (!e) e = inputs->len ? execute(cli, s, w, inputs) : execute_own(cli, s, w, inputs);
  /* Under --keep-going there is a value although the status is not 0. */
  bool measured = !e || (s->options.keep_going && s->run && s->run->out.written);
  Error *unknown = measured ? check_tags(cli, s->run) : NULL;
  if (unknown) return cli_fail(cli, error_join(unknown, e));
  int status = measured ? metric_print(cli, s->run, w) : EXIT_DONE;
  return e ? cli_fail(cli, e) : status;
}

static int run(Cli *cli)
{
  Session s;
  int status;
  bool list = cli_flag(cli, "list");
  const bool findings = cli_flag(cli, "findings");
  if (!list && !findings && cli->words->len == 0) return cli_fail(cli, no_words(cli));
  session_init(cli, &s);
  s.options.no_findings = !findings;
  if (findings) {
    status = metric_findings(cli, &s);
  } else if (list) {
    GString *out = g_string_new(NULL);
    list_metrics(s.modules, cli_flag(cli, "json"), out);
    status = cli_print_string(cli, out);
    if (!status) status = cli_fail(cli, modules_unseen(s.modules));
  } else {
    Wanted w = { 0 };
    status = measure(cli, &s, &w);
    wanted_clear(&w);
  }
  session_clear(&s);
  return status;
}

static const CliGroup *const groups[] = {
  &group_profile,     &own,          &group_edits,  &group_window,
  &group_of_profiles, &group_input,  &group_limits, &group_profiles,
  &group_modules,     &group_common, NULL
};
static const char *const examples[] = { "all names|stagemill metric --list",
                                        "what costs time|stagemill metric --findings rank0.json.gz",
                                        "one value|stagemill metric NAME.p99 rank0.json.gz", NULL };

const CliCommand command_metric = {
  .name = "metric",
  .section = "Analyse",
  .arguments = "NAME[.STAT] [INPUT...] | --findings INPUT...",
  .title = "print one value",
  .about =
      "Runs only the stage that computes the metric and the stages that it needs, and prints only "
      "the value. Writes no file. If the metric does not apply, standard output is empty, the "
      "reason is on standard error, and the status is 3. Without -p, the first profile that uses "
      "the stage is chosen, or the stage alone if there is none. With no input, the profile's "
      "inputs are used. With --findings, all of the profile runs (without -p, the one that fits "
      "best), or INPUT is a folder of finished results or their summary.json, also as .gz, and the "
      "command prints what its rules found: name, severity and text, a line each; with --json the "
      "array of summary.json. If they found nothing, the status is 0.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses_of_run,
  .words = "metrics files",
  .min_words = 0,
  .max_words = -1,
  .run = run,
};
