/* Which metric a word of the command line means; see metric.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/metric.h"

#include <string.h>

#include "base/num.h"
#include "model/printable.h"

bool metric_lists(const char *list, const char *word)
{
  g_auto(GStrv) parts = g_strsplit(list ? list : "", ",", -1);
  return g_strv_contains((const char *const *)parts, word);
}

/* How much of the word the metric's name is: all of it, or what follows "ID_"; 0: it is another. */
static size_t match_name(const MillMetric *m, const char *word)
{
  size_t len = strlen(m->name), all = strlen(word);
  if (!strcmp(m->name, word) || metric_lists(m->aliases, word)) return all;
  bool suffix = all > len + 1 && word[all - len - 1] == '_' && !strcmp(word + all - len, m->name);
  return suffix ? len : 0;
}

static bool find_metric(Modules *modules, const char *word, Wanted *w)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE);
  size_t best = 0;
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++) {
      size_t matched = match_name(&s->metrics[m], word);
      if (matched && matched == best) w->rival = all->pdata[i];
      if (matched <= best) continue;
      w->rival = NULL;
      w->module = all->pdata[i];
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

GPtrArray *metric_words(Modules *modules)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE);
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++) {
      g_auto(GStrv) stats = g_strsplit(s->metrics[m].stats ? s->metrics[m].stats : "", ",", -1);
      g_ptr_array_add(names, g_strdup(s->metrics[m].name));
      for (char **stat = stats; *stat; stat++)
        g_ptr_array_add(names, g_strconcat(s->metrics[m].name, ".", *stat, NULL));
    }
  }
  g_ptr_array_add(names, NULL);
  return names;
}

static void add_names(GPtrArray *names, const MillMetric *m)
{
  g_autofree char **aliases = g_strsplit(m->aliases ? m->aliases : "", ",", -1);
  g_ptr_array_add(names, g_strdup(m->name));
  for (char **alias = aliases; *alias; alias++) g_ptr_array_add(names, *alias);
}

static Error *unknown_metric(const Cli *cli, Modules *modules, const char *word)
{
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_STAGE);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *safe = printable(word), *name = g_strndup(word, strcspn(word, "."));
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (uint32_t m = 0; m < s->n_metrics; m++) add_names(names, &s->metrics[m]);
  }
  g_ptr_array_add(names, NULL);
  Error *unseen = modules_unseen(modules);
  if (unseen) return unseen;
  Error *e = cli_usage(cli->command, "unknown metric \"%s\"", safe);
  error_suggest(e, name, (const char *const *)names->pdata);
  return error_help(e, "stagemill list metrics");
}

/* "p99.9": any percentile, where the metric lists "p*". */
static bool is_percentile(const char *stat)
{
  double p;
  return *stat == 'p' && g_ascii_isdigit(stat[1]) && num_real(stat + 1, strlen(stat + 1), &p) &&
         p <= 100;
}

static Error *unknown_stat(const Cli *cli, const Wanted *w, const char *stat)
{
  const MillMetric *m = w->metric;
  if (!m->stats)
    return cli_usage(cli->command, "the metric %s has no statistics: it is one value", w->word);
  g_auto(GStrv) known = g_strsplit(m->stats, ",", -1);
  g_autofree char *safe = printable(stat);
  Error *e = cli_usage(cli->command, "the metric %s has no statistic \"%s\"", w->word, safe);
  error_suggest(e, stat, (const char *const *)known);
  return error_help(e, "one of %s, as in %s.%s", m->stats, w->word, *known);
}

/* Without a statistic, the first one that the metric declares. */
static Error *find_stat(const Cli *cli, const char *stat, Wanted *w)
{
  const char *stats = w->metric->stats;
  if (!stat) {
    if (stats) w->stat = g_strndup(stats, strcspn(stats, ","));
    return NULL;
  }
  bool declared = strcmp(stat, "p*") && metric_lists(stats, stat);
  w->extra_stat = !declared && metric_lists(stats, "p*") && is_percentile(stat);
  if (!declared && !w->extra_stat) return unknown_stat(cli, w, stat);
  w->stat = g_strdup(stat);
  return NULL;
}

static Error *two_metrics(const Cli *cli, const Wanted *w)
{
  Error *e = cli_usage(cli->command, "the metric %s is declared by two stages: \"%s\" and \"%s\"",
                       w->word, w->module->stage->name, w->rival->stage->name);
  error_at(e, "file: %s", w->module->path);
  error_at(e, "file: %s", w->rival->path);
  return error_help(e, "remove one of them from the searched folders");
}

/* A stage used under another id puts it before the names of its metrics.  What follows a dot may be a
 * statistic, which may have a dot of its own (p99.9); before the first there may be a vendor. */
Error *metric_find(const Cli *cli, Modules *modules, const char *word, Wanted *out)
{
  g_autofree char *name = g_strdup(word);
  for (char *dot = name + strlen(name); dot; dot = strrchr(name, '.')) {
    *dot = '\0';
    if (!find_metric(modules, name, out)) continue;
    size_t len = strlen(name);
    out->word = g_steal_pointer(&name);
    if (out->rival) return two_metrics(cli, out);
    return find_stat(cli, word[len] ? word + len + 1 : NULL, out);
  }
  out->word = g_strndup(word, strcspn(word, "."));
  return unknown_metric(cli, modules, word);
}

const char *wanted_id(const Wanted *w) { return w->id ? w->id : w->stage->name; }

void wanted_clear(Wanted *w)
{
  g_free(w->id);
  g_free(w->word);
  g_free(w->name);
  g_free(w->stat);
}
