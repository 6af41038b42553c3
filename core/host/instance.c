/* Instances: making, freeing, calling, and turning a failed call into an error. */
/* SPDX-License-Identifier: MIT */
#include "host/instance.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/process.h"
#include "host/kept.h"
#include "host/memory.h"
#include "host/slots.h"
#include "host/tables.h"
#include "host/verify-lent.h"
#include "host/verify-world.h"
#include "host/verify.h"
#include "model/log.h"
#include "plan/module.h"

_Thread_local const Instance *instance_current;

/* -------------------------------------------------------- making and freeing */

/* A stage of scope event sees lanes, also where they are one stream. */
static uint32_t level_of(const LaneInfo *lane, const Descriptor *d)
{
  if (!lane) return MILL_RUN;
  bool of_events = d->kind == MILL_KIND_STAGE && d->scope == MILL_SCOPE_EVENT;
  return lane->merged && !of_events ? MILL_MERGED : MILL_LANE;
}

Instance *instance_new(const HostEnv *env, LaneInfo *lane, const Descriptor *d, const char *id)
{
  Instance *i = g_new0(Instance, 1);
  i->process = process_id();
  i->descriptor = d;
  host_tables_init(i);
  i->env = env;
  i->lane = lane;
  i->level = level_of(lane, d);
  i->tracks = lane ? lane->tracks : NULL;
  i->id = id;
  notices_init(&i->notices, d);
  i->reported = reported_new(d);
  i->reported->budget = env->budget;
  i->reported->file = env->rows_file;
  if (lane) reported_leave_lead(i->reported, env->n_lead);
  return i;
}

static void (*close_of(const Descriptor *d))(void *self)
{
  switch (d->kind) {
  case MILL_KIND_STAGE: return d->stage_ops->close;
  case MILL_KIND_SOURCE: return d->source_ops->close;
  default: return d->sink_ops->close;
  }
}

enum { LOST_MUCH = 64 << 10 };

/* The program frees them, so the results are right: the author should know, and hear of it where it grows. */
static void tell_lost(const Instance *i)
{
  size_t bytes, n = memory_lost(i, &bytes);
  uint32_t level = bytes >= LOST_MUCH ? MILL_LEVEL_WARNING : MILL_LEVEL_INFO;
  if (!n || !log_enabled(level, i->descriptor->tag)) return;
  g_autofree char *text = g_strdup_printf(
      "lost %zu piece%s of memory from resize, %zu bytes: nothing of the instance points there "
      "[lost-memory]",
      n, n == 1 ? "" : "s", bytes);
  log_text(level, i->descriptor->tag, text);
}

Error *instance_close(Instance *i)
{
  void (*close)(void *self) = close_of(i->descriptor);
  Error *e = i->away ? i->away->close(i) : NULL;
  bool verify = i->self && i->env->verify && !checks_are_off;
  if (verify) memory_find_lost(i);
  if (i->self && close) {
    instance_enter(i, PHASE_CLOSE);
    close(i->self);
    e = instance_leave(i, "closing", 0);
  }
  if (verify) tell_lost(i);
  i->self = NULL;
  memory_free_all(i);
  if (verify) e = error_join(e, g_steal_pointer(&i->error));
  kept_free_all(i);
  g_clear_pointer(&i->waiting, g_array_unref);
  g_clear_pointer(&i->matches, g_hash_table_unref);
  i->last_pattern = NULL;
  i->last_matches = NULL;
  return e;
}

void instance_free(Instance *i)
{
  if (!i) return;
  error_free(instance_close(i));
  error_free(i->error);
  notices_clear(&i->notices);
  reported_free(i->reported);
  g_free(i->world);
  lent_free(i);
  g_free(i);
}

/* ----------------------------------------------------------------- calling */

/* A source that gives up where `read` failed need not say why. */
static void report_unread(Instance *i)
{
  const SourceEnv *env = &i->source_env;
  const Reader *r = env->input ? env->reader(env->input) : NULL;
  if (r && reader_why(r)) mill_fail(&i->common, MILL_BAD_INPUT, reader_why(r), NULL);
}

static Error *silent_failure(const Instance *i, int status)
{
  const Descriptor *d = i->descriptor;
  Error *e = error_new(d->kind == MILL_KIND_SOURCE ? EXIT_INPUT : EXIT_STAGE, "STG-10",
                       "%s \"%s\" failed without a reason (status %d)", module_kind_name(d->kind),
                       i->id, status);
  error_of_kind(e, ERROR_BROKEN_RULE);
  return error_help(e, "report it to the author: %s %s", d->name, d->version);
}

static Error *take_error(Instance *i, const char *doing, int status)
{
  if (!i->error) report_unread(i);
  Error *e = g_steal_pointer(&i->error);
  i->n_failed = 0;
  return error_cause(e ? e : silent_failure(i, status), "%s, while %s", i->id, doing);
}

void instance_enter(Instance *i, uint32_t phase)
{
  i->phase = phase;
  if (i->env->verify) {
    i->thread = pthread_self();
    world_before(i);
  }
  instance_current = i;
  slot_set(i);
}

/* Only reading and looking through a folder answer with numbers of their own. */
static void check_status(Instance *i, int status)
{
  bool answers = i->phase & (PHASE_READ | PHASE_FORKED | PHASE_EXPAND);
  if (status > 0 && !answers && i->env->verify)
    verify_broken(i, "positive-status", "returned a positive status", NULL);
}

/* A child that a module forked shares the files of the run: it must not go on with any of them. */
static void check_process(const Instance *i)
{
  char text[512];
  if (process_id() == i->process) return;
  snprintf(text, sizeof text,
           "error[STG-73]: %s \"%s\" forked, and its child went on with the run\n"
           "  help: report it to the author: a module starts no processes\n",
           module_kind_name(i->descriptor->kind), i->id);
  if (write(STDERR_FILENO, text, strlen(text)) < 0) process_end(EXIT_STAGE);
  process_end(EXIT_STAGE);
}

Error *instance_leave(Instance *i, const char *doing, int status)
{
  check_process(i);
  check_status(i, status);
  if (i->env->verify) {
    world_after(i);
    lent_check(i);
    if (host_tables_changed(i))
      verify_broken(i, "read-only-memory", "wrote into a host table", NULL);
  }
  memory_end_call(i);
  Error *e = status < 0 || i->error ? take_error(i, doing, status) : NULL;
  instance_current = NULL;
  slot_set(NULL);
  i->phase = 0;
  i->summary = NULL;
  return e;
}

Error *instance_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *self))
{
  if (!op) return NULL;
  if (i->lost) return NULL;
  if (i->away) return i->away->call(i, phase, doing, op);
  instance_enter(i, phase);
  return instance_leave(i, doing, op(i->self));
}

static Error *call_with_batch(Instance *i, BatchCall call, Batch *b)
{
  static const char *const doing[] = { "observing", "processing", "flushing" };
  const MillStageOps *ops = i->descriptor->stage_ops;
  int status;
  instance_enter(i, call == CALL_OBSERVE ? PHASE_OBSERVE : PHASE_PROCESS);
  switch (call) {
  case CALL_OBSERVE: status = ops->observe(i->self, &b->pub); break;
  case CALL_PROCESS: status = ops->process(i->self, &b->pub); break;
  default: status = ops->flush ? ops->flush(i->self, &b->pub) : 0;
  }
  return instance_leave(i, doing[call], status);
}

Error *instance_batch(Instance *i, BatchCall call, Batch *b)
{
  bool verify = i->env->verify;
  if (i->lost) return NULL;
  /* Here, too, for a stage that is away: what it gives is checked in this process. */
  if (verify && call != CALL_OBSERVE) verify_order_in(i, b->pub.events, b->pub.n_events);
  if (i->away) return i->away->batch(i, call, b);
  if (verify) verify_before(i, b);
  Error *e = call_with_batch(i, call, b);
  if (!verify) return e;
  return error_join(e, call == CALL_OBSERVE ? verify_after_observe(i, b) : verify_after(i, b));
}

Error *instance_write(Instance *i, Batch *b)
{
  if (i->env->verify) verify_before(i, b);
  instance_enter(i, PHASE_WRITE);
  Error *e = instance_leave(i, "writing", i->descriptor->sink_ops->write(i->self, &b->pub));
  return i->env->verify ? error_join(e, verify_after_observe(i, b)) : e;
}

static uint32_t open_phase(const Instance *i)
{
  return i->level == MILL_RUN ? PHASE_OPEN_RUN : PHASE_OPEN;
}

Error *instance_open_stage(Instance *i, const void *options)
{
  const Descriptor *d = i->descriptor;
  if (i->away) return i->away->open(i, options);
  instance_enter(i, open_phase(i));
  if (i->env->verify) lent_options(i, options);
  int status = d->stage_ops->open(d->given, &i->host.stage, i->level, options, &i->self);
  return instance_leave(i, "opening", status);
}

Error *instance_open_source(Instance *i, const void *options)
{
  const Descriptor *d = i->descriptor;
  instance_enter(i, PHASE_OPEN);
  if (i->env->verify) lent_options(i, options);
  int status = d->source_ops->open(d->given, &i->host.source, options, &i->self);
  return instance_leave(i, "opening", status);
}

Error *instance_open_sink(Instance *i, const void *options)
{
  const Descriptor *d = i->descriptor;
  instance_enter(i, open_phase(i));
  if (i->env->verify) lent_options(i, options);
  int status = d->sink_ops->open(d->given, &i->host.sink, i->level, options, &i->self);
  return instance_leave(i, "opening", status);
}

Error *instance_save(Instance *i, int (*op)(void *self), Summary *out)
{
  if (!op) return NULL;
  i->summary = out;
  out->budget = i->env->budget;
  Error *e = instance_call(i, PHASE_SAVE, "saving its state", op);
  if (!e && i->env->saved) i->env->saved(i->env->run, out);
  return e;
}

/* What a stage reads of a summary must be what it wrote. */
static Error *check_reading(const Instance *i, const Summary *from)
{
  bool unread = i->env->verify && !from->broken && summary_more(from);
  if (!from->broken && !unread) return NULL;
  Error *e = error_new(EXIT_STAGE, "STG-11", "stage \"%s\" %s", i->id,
                       unread ? "reads less of its summary than it wrote"
                              : "reads its summary in another order than it wrote it");
  return error_of_kind(e, ERROR_BROKEN_RULE);
}

Error *instance_load(Instance *i, uint32_t phase, const char *doing, int (*op)(void *self),
                     Summary *from)
{
  if (!op) return NULL;
  summary_rewind(from);
  i->summary = from;
  Error *e = instance_call(i, phase, doing, op);
  return e ? e : check_reading(i, from);
}
