/* stagemill metric: one value, for scripts. */
#include <string.h>

#include "base/json-write.h"
#include "base/num.h"
#include "cli/commands.h"
#include "cli/groups.h"
#include "cli/inputs.h"
#include "cli/list.h"
#include "cli/result.h"
#include "model/shown.h"

static const CliOption options[] = {
  { "list", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "list all metrics" },
  { "rank", 0, "N", MILL_OPT_INT, "0:", NULL, NULL, CLI_ONCE, NULL,
    "of this rank, for metrics that each rank has" },
  { "json", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "value, unit and sample count as one JSON object" },
};
static const CliGroup own = GROUP("Output", options);

/* What was asked for: "ID_NAME.STAT", where ID and STAT may be missing. */
typedef struct Wanted {
  const char *word;
  char *id;          /* of the stage in the profile; NULL: the stage's own name */
  char *name, *stat; /* as results call them; stat NULL: none */
  const MillStage *stage;
  const MillMetric *metric;
} Wanted;

/* ------------------------------------------------------------- which metric */

static bool in_list(const char *list, const char *word)
{
  g_auto(GStrv) parts = g_strsplit(list ? list : "", ",", -1);
  return g_strv_contains((const char *const *)parts, word);
}

/* How much of the word the metric's name is: all of it, or what follows "ID_"; 0: it is another. */
static size_t match_name(const MillMetric *m, const char *word)
{
  size_t len = strlen(m->name), all = strlen(word);
  if (!strcmp(m->name, word) || in_list(m->aliases, word)) return all;
  bool suffix = all > len + 1 && word[all - len - 1] == '_' && !strcmp(word + all - len, m->name);
  return suffix ? len : 0;
}

static bool find_metric(Modules *modules, const char *word, Wanted *w)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE);
  size_t best = 0;
  for (guint i = 0; i < all->len; i++) {
    const MillStage *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++) {
      size_t matched = match_name(&s->metrics[m], word);
      if (matched <= best) continue;
      best = matched;
      w->stage = s;
      w->metric = &s->metrics[m];
    }
  }
  if (!best) return false;
  if (best < strlen(word)) w->id = g_strndup(word, strlen(word) - best - 1);
  w->name = g_strconcat(w->id ? w->id : "", w->id ? "_" : "", w->metric->name, NULL);
  return true;
}

static Error *unknown_metric(const Cli *cli, Modules *modules, const char *word)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE), names = g_ptr_array_new();
  g_autofree char *safe = shown(word), *name = g_strndup(word, strcspn(word, "."));
  for (guint i = 0; i < all->len; i++) {
    const MillStage *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++)
      g_ptr_array_add(names, (gpointer)s->metrics[m].name);
  }
  g_ptr_array_add(names, NULL);
  Error *e = cli_usage(cli->command, "unknown metric \"%s\"", safe);
  cli_suggest(e, name, (const char *const *)names->pdata);
  return error_help(e, "stagemill list metrics");
}

static Error *check_stat(const Cli *cli, const Wanted *w)
{
  const char *stats = w->metric->stats;
  if (w->stat ? in_list(stats, w->stat) : !stats) return NULL;
  if (!stats)
    return cli_usage(cli->command, "the metric %s has no statistics: it is one value",
                     w->metric->name);
  g_auto(GStrv) known = g_strsplit(stats, ",", -1);
  Error *e = w->stat ? cli_usage(cli->command, "the metric %s has no statistic \"%s\"",
                                 w->metric->name, w->stat)
                     : cli_usage(cli->command, "which statistic of %s?", w->metric->name);
  if (w->stat) cli_suggest(e, w->stat, (const char *const *)known);
  return error_help(e, "one of %s, as in %s.%s", stats, w->metric->name, *known);
}

/* A stage used under another id puts it before the names of its metrics. */
static Error *understand(const Cli *cli, Modules *modules, Wanted *w)
{
  const char *dot = strrchr(w->word, '.');
  g_autofree char *name = dot ? g_strndup(w->word, (size_t)(dot - w->word)) : g_strdup(w->word);
  if (!find_metric(modules, name, w)) return unknown_metric(cli, modules, w->word);
  if (dot) w->stat = g_strdup(dot + 1);
  return check_stat(cli, w);
}

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
  error_why(e, "it is the one that gives the metric %s", w->metric->name);
  return error_help(e, "write a profile that lists it, and name it with -p");
}

/* Stages behind the one that gives the metric cannot matter; nor can those before it that only
 * look, unless it needs a fact from them. */
static void drop_the_rest(Profile *p, const ProfileEntry *giver)
{
  bool behind = false;
  for (guint i = 0; i < p->entries->len; i++) {
    ProfileEntry *e = p->entries->pdata[i];
    const MillStage *s = e->module ? e->module->stage : NULL;
    bool looks = s && s->flags & MILL_READ_ONLY && !(s->provides && *s->provides);
    if (e != giver && (behind || looks)) e->enabled = false;
    behind = behind || e == giver;
  }
}

/* The profile with all that the metric needs enabled, and nothing else.  *out NULL without
 * error: it does not use the stage. */
static Error *reduce(const Cli *cli, Modules *modules, const Wanted *w, const char *name,
                     Profile **out)
{
  g_autoptr(Profile) listed = NULL, p = NULL;
  ProfileSearch search = setup_search(cli);
  Error *e = profile_load(name, &search, &listed);
  if (e) return e;
  const ProfileEntry *entry = entry_with(listed, w, true);
  if (!entry) entry = entry_with(listed, w, false);
  if (!entry) return NULL;
  e = setup_profile(cli, modules, name, entry->enabled ? NULL : entry->id, NULL, &p);
  if (e) return e;
  const ProfileEntry *giver = entry_with(p, w, true);
  if (!giver) return NULL;
  drop_the_rest(p, giver);
  *out = g_steal_pointer(&p);
  return NULL;
}

/* The first profile by name that uses the stage and can be planned for these inputs. */
static Error *choose_profile(const Cli *cli, const Lookup *l, const Wanted *w, Profile **out)
{
  ProfileSearch search = setup_search(cli);
  g_autoptr(GPtrArray) all = profile_list(&search);
  Error *first = NULL;
  for (guint i = 0; i < all->len && !*out; i++) {
    g_auto(GStrv) part = g_strsplit(all->pdata[i], "\t", -1);
    Profile *tried = NULL;
    if (g_strv_length(part) > 4) continue;
    Error *e = reduce(cli, l->modules, w, part[0], &tried);
    if (!e && !tried) continue;
    if (!e) e = result_fits(l->run, tried);
    if (!e) e = reduce(cli, l->modules, w, part[0], out);
    if (first)
      error_free(e);
    else
      first = e;
  }
  if (!*out) return first ? first : no_profile(w, NULL);
  error_free(first);
  return NULL;
}

/* ------------------------------------------------------------------ running */

static Error *execute(const Cli *cli, Lookup *l, const Wanted *w, const GPtrArray *inputs)
{
  g_autoptr(Profile) p = NULL;
  const char *given = cli_text(cli, "profile");
  Error *e = lookup_open(l, inputs);
  if (e) return e;
  e = given ? reduce(cli, l->modules, w, given, &p) : choose_profile(cli, l, w, &p);
  if (e) return e;
  if (!p) return no_profile(w, given);
  e = run_plan(l->run, g_steal_pointer(&p), cli_flag(cli, "cascade"));
  return e ? e : setup_execute(cli, l->run);
}

typedef struct Value {
  const MillMetric *metric;
  MillValue value;
  uint64_t n;
  const char *reason;
} Value;

static int64_t rank_of(const Run *run, uint32_t lane)
{
  return lane < run->lanes->len ? ((const Lane *)run->lanes->pdata[lane])->rank : -1;
}

static Error *pick(const Cli *cli, const Run *run, const Wanted *w, Value *out)
{
  const MillResults *r = run_results(run);
  int64_t rank = cli_int(cli, "rank", -1);
  guint found = 0;
  for (uint32_t i = 0; i < r->n_metrics; i++) {
    const char *name, *stat, *reason;
    MillValue value;
    uint64_t n;
    uint32_t lane;
    const MillMetric *m = r->metric(r, i, &name, &stat, &value, &n, &lane, &reason);
    if (strcmp(name, w->name) || strcmp(stat ? stat : "", w->stat ? w->stat : "")) continue;
    if (m->per == MILL_PER_LANE && rank >= 0 && rank_of(run, lane) != rank) continue;
    *out = (Value){ m, value, n, reason };
    found++;
  }
  if (found == 1) return NULL;
  if (found)
    return error_help(
        cli_usage(cli->command, "each rank has the metric %s, and there are %u", w->name, found),
        "name one with --rank");
  *out = (Value){ w->metric, mill_none(), 0, "nothing in these inputs gives it" };
  return NULL;
}

static char *value_text(const MillValue *v)
{
  char buf[NUM_BUF];
  if (v->type == MILL_TEXT || v->type == MILL_JSON) return g_strndup(v->u.text, v->len);
  if (v->type == MILL_BOOL) return g_strdup(v->u.i ? "true" : "false");
  if (v->type == MILL_REAL)
    num_format_real(buf, v->u.r);
  else
    num_format_int(buf, v->u.i);
  return g_strdup(buf);
}

static int print_json(const Wanted *w, const Value *v)
{
  GString *out = g_string_new("{");
  const MillMetric *m = v->metric;
  json_put_text(out, "name", w->name);
  if (w->stat) json_put_text(out, "stat", w->stat);
  if (v->value.type == MILL_NONE) {
    json_put_text(out, "unit", m->unit);
    json_put_text(out, "reason", v->reason);
  } else {
    g_autofree char *text = value_text(&v->value);
    json_put_key(out, "value");
    g_string_append(out, text);
    json_put_text(out, "unit", m->unit);
    json_put_int(out, "n", (int64_t)v->n);
  }
  json_put_text(out, "better",
                m->better == MILL_LOWER    ? "lower"
                : m->better == MILL_HIGHER ? "higher"
                                           : NULL);
  g_string_append(out, "}\n");
  return cli_print_string(out);
}

static int print(const Cli *cli, const Wanted *w, const Value *v)
{
  bool absent = v->value.type == MILL_NONE;
  int status = EXIT_DONE;
  if (cli_flag(cli, "json")) {
    status = print_json(w, v);
  } else if (!absent) {
    GString *out = g_string_new(NULL);
    g_autofree char *text = value_text(&v->value);
    g_string_append_printf(out, "%s\n", text);
    status = cli_print_string(out);
  }
  if (!absent || status) return status;
  Error *e = error_new(EXIT_INPUT, "RUN-94", "the metric %s does not apply", w->name);
  return cli_fail(cli, error_why(e, "%s", v->reason ? v->reason : "the stage gave no reason"));
}

static int measure(Cli *cli, Lookup *l, Wanted *w)
{
  Value value = { 0 };
  g_autoptr(GPtrArray) inputs = g_ptr_array_new();
  for (guint i = 1; i < cli->words->len; i++) g_ptr_array_add(inputs, cli->words->pdata[i]);
  Error *e = understand(cli, l->modules, w);
  if (!e) e = execute(cli, l, w, inputs);
  if (!e) e = pick(cli, l->run, w, &value);
  return e ? cli_fail(cli, e) : print(cli, w, &value);
}

static int run(Cli *cli)
{
  Lookup l;
  int status;
  bool list = cli_flag(cli, "list");
  if (!list && cli->words->len < 2)
    return cli_fail(cli, cli_usage(cli->command, "metric: a name and an input are needed"));
  lookup_init(cli, &l);
  if (list) {
    GString *out = g_string_new(NULL);
    list_metrics(l.modules, cli_flag(cli, "json"), out);
    status = cli_print_string(out);
  } else {
    Wanted w = { .word = cli->words->pdata[0] };
    status = measure(cli, &l, &w);
    g_free(w.id);
    g_free(w.name);
    g_free(w.stat);
  }
  lookup_clear(&l);
  return status;
}

static const CliGroup *const groups[] = {
  &group_profile,  &own,           &group_edits,  &group_window, &group_input, &group_limits,
  &group_profiles, &group_modules, &group_common, NULL
};
static const char *const examples[] = { "all names|stagemill metric --list",
                                        "one value|stagemill metric NAME.p99 rank0.json.gz", NULL };
static const int statuses[] = { EXIT_DONE,        EXIT_USAGE,      EXIT_INPUT, EXIT_PROFILE,
                                EXIT_STAGE,       EXIT_OUTPUT,     EXIT_LIMIT, EXIT_INTERNAL,
                                EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };

const CliCommand command_metric = {
  .name = "metric",
  .section = "Analyse",
  .arguments = "NAME[.STAT] INPUT...",
  .title = "print one value",
  .about = "Finds the stage that gives the metric, runs what it needs and nothing else, writes no "
           "file, and prints the value "
           "alone. Where the metric does not apply nothing is printed, the reason is on standard "
           "error, and the status "
           "is 3. Without -p the first profile is taken that uses the stage.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "metrics",
  .min_words = 0,
  .max_words = -1,
  .run = run,
};
