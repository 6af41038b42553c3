/* The sinks of a run; see sinks.h. */
/* SPDX-License-Identifier: MIT */
#include "output/sinks.h"

#include <string.h>

#include "base/worker.h"
#include "model/engine.h"

/* ---------------------------------------------------------------- choosing */

static Error *unknown_format(Modules *all, const char *word)
{
  g_autoptr(GPtrArray) modules = modules_all(all, MILL_KIND_SINK);
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (guint i = 0; i < modules->len; i++)
    g_ptr_array_add(words, (gpointer)((const Module *)modules->pdata[i])->stage->family);
  g_ptr_array_add(words, NULL);
  g_autofree char *list = g_strjoinv(", ", (char **)words->pdata);
  Error *e = error_new(EXIT_USAGE, "RUN-06", "unknown format \"%s\"", word);
  error_suggest(e, word, (const char *const *)words->pdata);
  g_autoptr(GPtrArray) refused = modules_refused(all);
  if (refused->len) error_help(e, "stagemill doctor    lists the modules that were refused");
  return error_help(e, "formats: %s", list);
}

static Error *two_sinks(const Module *first, const Module *second, const char *format)
{
  Error *e =
      error_new(EXIT_PROFILE, "RUN-13", "two sinks write the format \"%s\": \"%s\" and \"%s\"",
                format, first->stage->name, second->stage->name);
  error_at(e, "file: %s", first->path);
  error_at(e, "file: %s", second->path);
  return error_help(e, "remove one of them from the searched folders");
}

/* The only sink of that format; none: *out is NULL. It may be in a file of any name. */
static Error *sink_for(Modules *all, const char *format, const Descriptor **out)
{
  g_autoptr(GPtrArray) modules = modules_sinks(all, 0, format);
  *out = NULL;
  if (modules->len > 1) return two_sinks(modules->pdata[0], modules->pdata[1], format);
  if (modules->len) *out = ((const Module *)modules->pdata[0])->stage;
  return modules_unseen(all); /* a module that cannot be read may be a sink of this format */
}

static Error *add_sink(Sinks *s, Modules *modules, const char *word, const GPtrArray *settings)
{
  const Descriptor *d;
  Error *e = sink_for(modules, word, &d);
  if (e || !d) return e ? e : unknown_format(modules, word);
  for (guint k = 0; k < s->list->len; k++)
    if (((Sink *)s->list->pdata[k])->descriptor == d) return NULL;
  Sink *sink = g_new0(Sink, 1);
  sink->descriptor = d;
  notices_init(&sink->lane_notices, d);
  sink->options = option_values_new(d->options, d->n_options, d->options_size);
  g_ptr_array_add(s->list, sink);
  e = option_values_set_named(sink->options, d->options, d->n_options, d->family, settings);
  return e ? e : option_values_complete(sink->options);
}

Error *sinks_new(Modules *modules, const char *const *formats, const GPtrArray *settings,
                 Sinks **out)
{
  Sinks *s = *out = g_new0(Sinks, 1);
  Error *e = NULL;
  s->list = g_ptr_array_new();
  notices_init(&s->missing, engine_stage());
  pthread_mutex_init(&s->begin_lock, NULL);
  for (const char *const *word = formats; *word && !e; word++)
    e = add_sink(s, modules, *word, settings);
  return e;
}

static const MillSinkOps *ops_at(const Sinks *s, guint index)
{
  return ((const Sink *)s->list->pdata[index])->descriptor->sink_ops;
}

bool sinks_write_events(const Sinks *s)
{
  for (guint i = 0; i < s->list->len; i++)
    if (ops_at(s, i)->write) return true;
  return false;
}

bool sinks_read_raw(const Sinks *s)
{
  for (guint i = 0; i < s->list->len; i++)
    if (((const Sink *)s->list->pdata[i])->descriptor->flags & MILL_READS_RAW) return true;
  return false;
}

/* "$option" stands for the attribute that this option names; NULL if it names none. */
static const char *read_name(const Sink *sink, const char *name)
{
  const Descriptor *d = sink->descriptor;
  const MillOption *row = *name == '$' ? option_find(d->options, d->n_options, name + 1) : NULL;
  if (*name != '$') return name;
  if (!row || row->type != MILL_OPT_STRING) return NULL;
  const char *values = option_values_struct(sink->options), *named;
  memcpy(&named, values + row->offset, sizeof named);
  return named && *named ? named : NULL;
}

void sinks_each_read(const Sinks *s, void (*take)(void *context, MillRead read), void *context)
{
  for (guint i = 0; i < s->list->len; i++) {
    const Sink *sink = s->list->pdata[i];
    for (uint32_t r = 0; r < sink->descriptor->n_reads; r++) {
      MillRead read = sink->descriptor->reads[r];
      read.name = read_name(sink, read.name);
      if (read.name) take(context, read);
    }
  }
}

/* ----------------------------------------------------------------- running */

static Error *write_output(void *of_sink, const char *name, int position, const char *join,
                           const void *bytes, size_t len)
{
  Sink *sink = of_sink;
  atomic_store(&sink->wrote, true);
  return output_write_of(sink->output, sink->descriptor->name, name, position, join, bytes, len);
}

static Error *place_output(void *of_sink, const char *name, const char **out_path)
{
  Sink *sink = of_sink;
  atomic_store(&sink->wrote, true);
  return output_place_of(sink->output, sink->descriptor->name, name, out_path);
}

static Error *open_one(const Sinks *s, LaneInfo *lane, Sink *sink, int position, Instance **out)
{
  Instance *i = *out = instance_new(s->env, lane, sink->descriptor, sink->descriptor->name);
  i->sink_env = (SinkEnv){
    .output = sink, .position = position, .write = write_output, .place = place_output
  };
  return instance_open_sink(i, option_values_struct(sink->options));
}

Error *sinks_open(Sinks *s, const HostEnv *env, Output *output)
{
  Error *e = NULL;
  s->env = env;
  s->output = output;
  for (guint i = 0; i < s->list->len && !e; i++) {
    Sink *sink = s->list->pdata[i];
    sink->output = output;
    e = open_one(s, NULL, sink, OUTPUT_HEAD, &sink->instance);
  }
  return e;
}

Error *sinks_open_lane(Sinks *s, LaneInfo *lane, Instance **instances)
{
  Error *e = NULL;
  for (guint i = 0; i < s->list->len && !lane->side && !e; i++)
    if (ops_at(s, i)->write && !instances[i])
      e = open_one(s, lane, s->list->pdata[i], (int)lane->index, &instances[i]);
  return e;
}

/* The head holds members of the first lane, so it is written when that lane has events, or has
 * ended. */
static Error *begin(Sinks *s)
{
  Error *e = NULL;
  pthread_mutex_lock(&s->begin_lock);
  for (guint i = 0; i < s->list->len && !s->begun && !e; i++)
    e = instance_call(((Sink *)s->list->pdata[i])->instance, PHASE_BEGIN, "beginning",
                      ops_at(s, i)->begin_run);
  if (!s->begun && !e) e = output_end_position(s->output, OUTPUT_HEAD);
  s->begun = true;
  pthread_mutex_unlock(&s->begin_lock);
  return e;
}

static bool gives_head(const LaneInfo *lane) { return lane->index == 0 || lane->merged; }

Error *sinks_write(Sinks *s, const LaneInfo *lane, Instance **instances, Batch *b)
{
  Error *e = NULL;
  if (!sinks_write_events(s)) return NULL;
  if (gives_head(lane)) e = begin(s);
  for (guint k = 0; k < s->list->len && !e; k++) {
    Instance *i = instances[k];
    if (!i) continue;
    e = instance_write(i, b);
  }
  return e;
}

Error *sinks_finish_lane(Sinks *s, const LaneInfo *lane, bool goes_on, Instance **instances)
{
  Error *e = gives_head(lane) && !goes_on ? begin(s) : NULL;
  for (guint k = 0; k < s->list->len; k++) {
    Instance *i = instances[k];
    if (!i) continue;
    if (!e) e = instance_call(i, PHASE_WRITE, "finishing", ops_at(s, k)->finish);
    e = error_join(e, instance_close(i));
    pthread_mutex_lock(&s->begin_lock);
    notices_merge(&((Sink *)s->list->pdata[k])->lane_notices, &i->notices, 0);
    pthread_mutex_unlock(&s->begin_lock);
    instance_free(i);
    instances[k] = NULL;
  }
  return e;
}

void sinks_free_lane(const Sinks *s, Instance **instances)
{
  for (guint k = 0; instances && k < s->list->len; k++) instance_free(instances[k]);
}

/* Leaves the call of the sink, and checks the files that the sink wrote itself. */
static Error *leave_results(const Sink *sink, const char *doing, int status)
{
  Error *e = instance_leave(sink->instance, doing, status);
  return e ? e : output_check_placed(sink->output, sink->descriptor->name);
}

static Error *end_one(Sink *sink, const MillResults *results)
{
  Instance *i = sink->instance;
  const MillSinkOps *ops = sink->descriptor->sink_ops;
  Error *e = NULL;
  i->sink_env.position = OUTPUT_TAIL;
  if (ops->results) {
    instance_enter(i, PHASE_RESULTS);
    e = leave_results(sink, "writing results", ops->results(i->self, results));
  }
  if (!e && ops->finish_run) {
    instance_enter(i, PHASE_RESULTS);
    e = leave_results(sink, "finishing", ops->finish_run(i->self));
  }
  return error_join(e, instance_close(i));
}

static bool may_be_missing(const Sinks *s, const Error *e)
{
  return e->status == EXIT_HELPER && !s->asked;
}

/* A program is missing: if the user did not ask for this sink, the other sinks go on, with a
 * warning. */
static Error *pass_missing(Sinks *s, const Sink *sink, Error *e)
{
  if (!e || !may_be_missing(s, e)) return e;
  engine_note(&s->missing, ENGINE_HELPER_MISSING, 0, "format", sink->descriptor->family, "what",
              e->what, NULL);
  error_free(e);
  return NULL;
}

/* Sinks that end at the same time: each is called by one thread, and none waits for another. */
typedef struct Ending {
  const Sinks *sinks;
  const MillResults *results;
  Error **errors; /* one for each sink */
  atomic_uint next;
  atomic_bool failed;
} Ending;

static void end_next(void *data)
{
  Ending *x = data;
  const GPtrArray *list = x->sinks->list;
  for (guint k; !atomic_load(&x->failed) && (k = atomic_fetch_add(&x->next, 1)) < list->len;) {
    x->errors[k] = end_one(list->pdata[k], x->results);
    if (x->errors[k] && !may_be_missing(x->sinks, x->errors[k])) atomic_store(&x->failed, true);
  }
}

/* The first error in the order of sinks: the one that there is with one thread, too, since sinks before it have ended. */
static Error *first_error(Sinks *s, Error **errors)
{
  Error *first = NULL;
  for (guint k = 0; k < s->list->len; k++) {
    if (first)
      error_free(errors[k]);
    else
      first = pass_missing(s, s->list->pdata[k], errors[k]);
  }
  return first;
}

Error *sinks_end(Sinks *s, const MillResults *results)
{
  Error *e = begin(s);
  if (e) return e;
  g_autofree Error **errors = g_new0(Error *, s->list->len);
  Ending all = { .sinks = s, .results = results, .errors = errors };
  output_begin_tail(s->output);
  Worker *other = s->list->len > 1 ? worker_new(end_next, &all) : NULL;
  if (other) worker_start(other);
  end_next(&all);
  worker_free(other);
  return first_error(s, errors);
}

static Error *wrote_nothing(const Descriptor *d)
{
  Error *e = error_new(EXIT_HELPER, "RUN-35", "the format \"%s\" wrote nothing", d->family);
  error_why(e, "these results have no table for it; all other files are written");
  error_help(e, "stagemill show %s    says what it is made of", d->name);
  return error_of_kind(e, ERROR_UNWRITTEN_FORMAT);
}

Error *sinks_unwritten(const Sinks *s)
{
  Error *errors = NULL;
  for (guint k = 0; s->asked && k < s->list->len; k++) {
    const Sink *sink = s->list->pdata[k];
    if (!atomic_load(&sink->wrote)) errors = error_join(errors, wrote_nothing(sink->descriptor));
  }
  return errors;
}

void sinks_each_notices(const Sinks *s, void (*take)(void *context, const Notices *sum),
                        void *context)
{
  for (guint k = 0; k < s->list->len; k++) {
    Sink *sink = s->list->pdata[k];
    if (sink->instance) notices_merge(&sink->lane_notices, &sink->instance->notices, 0);
    take(context, &sink->lane_notices);
    if (!sink->instance) continue;
    notices_clear(&sink->instance->notices);
    notices_init(&sink->instance->notices, sink->descriptor);
  }
}

void sinks_each_late(const Sinks *s, void (*take)(void *context, const Notices *sum), void *context)
{
  for (guint k = 0; k < s->list->len; k++) {
    const Sink *sink = s->list->pdata[k];
    if (sink->instance) take(context, &sink->instance->notices);
  }
  take(context, &s->missing);
}

void sinks_free(Sinks *s)
{
  if (!s) return;
  for (guint k = 0; k < s->list->len; k++) {
    Sink *sink = s->list->pdata[k];
    instance_free(sink->instance);
    notices_clear(&sink->lane_notices);
    option_values_free(sink->options);
    g_free(sink);
  }
  g_ptr_array_unref(s->list);
  notices_clear(&s->missing);
  pthread_mutex_destroy(&s->begin_lock);
  g_free(s);
}
