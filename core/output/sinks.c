/* The sinks of a run; see sinks.h. */
#include "output/sinks.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t begin_lock = PTHREAD_MUTEX_INITIALIZER;

static const MillSinkOps *sink_ops(const Instance *i) { return i->stage->ops; }

/* ---------------------------------------------------------------- choosing */

static Error *unknown_format(const Run *run, const char *word)
{
  g_autoptr(GPtrArray) modules = modules_all(run->modules, MILL_KIND_SINK);
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (guint i = 0; i < modules->len; i++) {
    const MillStage *s = ((const Module *)modules->pdata[i])->stage;
    g_ptr_array_add(words, (gpointer)s->family);
  }
  g_ptr_array_add(words, NULL);
  g_autofree char *list = g_strjoinv(", ", (char **)words->pdata);
  Error *e = error_new(EXIT_USAGE, "RUN-06", "unknown format \"%s\"", word);
  error_suggest(e, word, (const char *const *)words->pdata);
  return error_help(e, "formats: %s", list);
}

static Error *set_options(const Run *run, Sink *sink)
{
  g_autofree char *prefix = g_strconcat(sink->stage->family, ".", NULL);
  for (guint i = 0; run->options.sink_set && i < run->options.sink_set->len; i++) {
    const char *text = run->options.sink_set->pdata[i], *equal = strchr(text, '=');
    if (!equal || !g_str_has_prefix(text, prefix)) continue;
    text += strlen(prefix);
    g_autofree char *name = g_strndup(text, (gsize)(equal - text));
    const MillOption *row = option_find(sink->stage->options, sink->stage->n_options, name);
    Error *e = row ? option_values_set(sink->options, row, equal + 1)
                   : error_new(EXIT_USAGE, "RUN-06", "format %s has no option \"%s\"",
                               sink->stage->family, name);
    if (e) return e;
  }
  return option_values_complete(sink->options);
}

/* The sink of a format mostly has its name: then the others need not be loaded. */
static const MillStage *sink_for(const Run *run, const char *format)
{
  const Module *named = modules_take(run->modules, MILL_KIND_SINK, format);
  if (named && !strcmp(named->stage->family, format)) return named->stage;
  g_autoptr(GPtrArray) modules = modules_all(run->modules, MILL_KIND_SINK);
  for (guint i = 0; i < modules->len; i++) {
    const MillStage *s = ((const Module *)modules->pdata[i])->stage;
    if (!strcmp(s->family, format)) return s;
  }
  return NULL;
}

static Error *add_sink(Run *run, const char *word)
{
  const MillStage *s = sink_for(run, word);
  if (!s) return unknown_format(run, word);
  for (guint k = 0; k < run->sinks->len; k++)
    if (((Sink *)run->sinks->pdata[k])->stage == s) return NULL;
  Sink *sink = g_new0(Sink, 1);
  sink->stage = s;
  notices_init(&sink->lane_notices, s);
  sink->options = option_values_new(s->options, s->n_options, s->options_size);
  g_ptr_array_add(run->sinks, sink);
  if (((const MillSinkOps *)s->ops)->write) run->want_raw = true;
  return set_options(run, sink);
}

static bool events_change(const Plan *plan)
{
  for (uint32_t s = 0; s < plan->n_stages; s++)
    if (plan->stages[s].used && !(plan->stages[s].stage->flags & MILL_READ_ONLY)) return true;
  return false;
}

Error *sinks_choose(Run *run)
{
  static const char *const standard[] = { "text", "json", "csv", "trace" };
  GPtrArray *formats = run->options.formats ? run->options.formats : run->plan->profile->formats;
  guint n = formats ? formats->len : events_change(run->plan) ? 4 : 3;
  for (guint i = 0; i < n; i++) {
    Error *e = add_sink(run, formats ? formats->pdata[i] : standard[i]);
    if (e) return e;
  }
  return NULL;
}

/* ----------------------------------------------------------------- running */

static Error *open_one(Run *run, Lane *lane, const Sink *sink, int place, Instance **out)
{
  Instance *i = *out = instance_new(run, lane, sink->stage, sink->stage->name);
  i->part = GINT_TO_POINTER(place);
  instance_current = i;
  int status =
      sink_ops(i)->open(sink->stage, &i->host, option_values_struct(sink->options), &i->self);
  return instance_after_call(i, "opening", status);
}

Error *sinks_open(Run *run)
{
  for (guint s = 0; s < run->sinks->len; s++) {
    Sink *sink = run->sinks->pdata[s];
    Error *e = open_one(run, NULL, sink, OUTPUT_HEAD, &sink->instance);
    if (e) return e;
  }
  return NULL;
}

Error *sinks_open_lane(Run *run, Lane *lane)
{
  for (guint s = 0; s < run->sinks->len; s++) {
    const Sink *sink = run->sinks->pdata[s];
    if (!((const MillSinkOps *)sink->stage->ops)->write || lane->sinks[s]) continue;
    Error *e = open_one(run, lane, sink, (int)lane->index, &lane->sinks[s]);
    if (e) return e;
  }
  return NULL;
}

/* The head holds members of the first lane: it is written when that lane has events, or has ended. */
static Error *begin(Run *run)
{
  Error *e = NULL;
  pthread_mutex_lock(&begin_lock);
  for (guint s = 0; s < run->sinks->len && !run->sinks_begun && !e; s++) {
    Instance *i = ((Sink *)run->sinks->pdata[s])->instance;
    e = instance_call(i, "beginning", sink_ops(i)->begin);
  }
  if (!run->sinks_begun && !e) e = output_end_place(run->output, OUTPUT_HEAD);
  run->sinks_begun = true;
  pthread_mutex_unlock(&begin_lock);
  return e;
}

static bool gives_head(const Run *run, const Lane *lane)
{
  return lane->index == 0 || lane == run->merged;
}

Error *sinks_write(Run *run, Lane *lane, Batch *b)
{
  Error *e = gives_head(run, lane) ? begin(run) : NULL;
  for (guint s = 0; s < run->sinks->len && !e; s++) {
    Instance *i = lane->sinks[s];
    if (!i) continue;
    instance_current = i;
    e = instance_after_call(i, "writing", sink_ops(i)->write(i->self, &b->pub));
  }
  return e;
}

Error *sinks_finish_lane(Run *run, Lane *lane)
{
  Error *e = gives_head(run, lane) && !lane->class->joins ? begin(run) : NULL;
  for (guint s = 0; s < run->sinks->len; s++) {
    Instance *i = lane->sinks[s];
    if (!i) continue;
    if (!e) e = instance_call(i, "finishing", sink_ops(i)->finish);
    pthread_mutex_lock(&begin_lock);
    notices_merge(&((Sink *)run->sinks->pdata[s])->lane_notices, &i->notices, 0);
    pthread_mutex_unlock(&begin_lock);
    instance_free(i);
    lane->sinks[s] = NULL;
  }
  return e;
}

Error *sinks_end(Run *run, const MillResults *results)
{
  Error *e = begin(run);
  output_begin_tail(run->output);
  for (guint s = 0; s < run->sinks->len && !e; s++) {
    Instance *i = ((Sink *)run->sinks->pdata[s])->instance;
    i->part = GINT_TO_POINTER(OUTPUT_TAIL);
    if (sink_ops(i)->results) {
      instance_current = i;
      e = instance_after_call(i, "writing results", sink_ops(i)->results(i->self, results));
    }
    if (!e) e = instance_call(i, "finishing", sink_ops(i)->finish);
  }
  return e;
}

void sinks_free(Run *run)
{
  for (guint s = 0; run->sinks && s < run->sinks->len; s++) {
    Sink *sink = run->sinks->pdata[s];
    instance_free(sink->instance);
    notices_clear(&sink->lane_notices);
    option_values_free(sink->options);
    g_free(sink);
  }
  g_clear_pointer(&run->sinks, g_ptr_array_unref);
}
