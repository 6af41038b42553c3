/* Instances: making, freeing, calling, and turning a failed call into an error. */
#include "host/instance.h"

#include "input/input.h"
#include "sched/run.h"

_Thread_local const Instance *instance_current;

/* -------------------------------------------------------- making and freeing */

Instance *instance_new(Run *run, Lane *lane, const MillStage *stage, const char *id)
{
  Instance *i = g_new0(Instance, 1);
  host_init(&i->host);
  i->run = run;
  i->lane = lane;
  i->tracks = lane ? lane->tracks : NULL;
  i->stage = stage;
  i->id = id;
  notices_init(&i->notices, stage);
  i->reported = reported_new(stage);
  return i;
}

static void close_self(Instance *i)
{
  const void *ops = i->stage->ops;
  void (*close)(void *self) = i->stage->kind == MILL_KIND_STAGE ? ((const MillStageOps *)ops)->close
                              : i->stage->kind == MILL_KIND_SOURCE
                                  ? ((const MillSourceOps *)ops)->close
                                  : ((const MillSinkOps *)ops)->close;
  if (i->self && close) close(i->self);
  i->self = NULL;
}

void instance_end_call(Instance *i)
{
  if (!i->scratch) return;
  g_slist_free_full(i->scratch, g_free);
  i->scratch = NULL;
}

void instance_close(Instance *i)
{
  close_self(i);
  instance_end_call(i);
  g_clear_pointer(&i->kept, g_hash_table_unref);
  g_clear_pointer(&i->matches, g_hash_table_unref);
}

void instance_free(Instance *i)
{
  if (!i) return;
  instance_close(i);
  error_free(i->error);
  notices_clear(&i->notices);
  reported_free(i->reported);
  summary_clear(&i->result);
  g_free(i);
}

/* ----------------------------------------------------------------- failing */

/* A source that gives up where `read` failed need not say why. */
static void tell_unread(Instance *i)
{
  const Reader *r =
      i->stage->kind == MILL_KIND_SOURCE && i->lane ? input_reader(i->lane->input) : NULL;
  if (r && reader_why(r)) mill_fail(&i->host, MILL_BAD_INPUT, reader_why(r), NULL);
}

Error *instance_error(Instance *i, const char *doing, int status)
{
  if (!i->error) tell_unread(i);
  Error *e = g_steal_pointer(&i->error);
  if (!e) {
    bool source = i->stage->kind == MILL_KIND_SOURCE;
    e = error_new(source ? EXIT_INPUT : EXIT_STAGE, "STG-10",
                  "%s \"%s\" failed without saying why (status %d)", source ? "source" : "stage",
                  i->id, status);
    error_help(e, "report it to the author: %s %s", i->stage->name, i->stage->version);
  }
  return error_cause(e, "%s, while %s", i->id, doing);
}

/* ----------------------------------------------------------------- calling */

static const MillStageOps *stage_ops(const Instance *i) { return i->stage->ops; }

Error *instance_after_call(Instance *i, const char *doing, int status)
{
  instance_current = NULL;
  i->summary = NULL;
  instance_end_call(i);
  return status < 0 || i->error ? instance_error(i, doing, status) : NULL;
}

Error *instance_call(Instance *i, const char *doing, int (*op)(void *self))
{
  if (!op) return NULL;
  instance_current = i;
  return instance_after_call(i, doing, op(i->self));
}

Error *instance_settle(Instance *i) { return instance_call(i, "settling", stage_ops(i)->settle); }

Error *instance_report(Instance *i) { return instance_call(i, "reporting", stage_ops(i)->report); }

Error *instance_save(Instance *i, uint32_t what, Summary *out)
{
  if (!stage_ops(i)->save) return NULL;
  i->summary = out;
  instance_current = i;
  return instance_after_call(i, "saving its state", stage_ops(i)->save(i->self, what));
}

/* What a stage reads of a summary must be what it wrote. */
static Error *check_reading(const Instance *i, const Summary *from)
{
  if (!from->broken) return NULL;
  return error_new(EXIT_STAGE, "STG-11",
                   "stage \"%s\" does not read its summary in the order it wrote it", i->id);
}

Error *instance_merge(Instance *i, uint32_t what, Summary *from)
{
  if (!stage_ops(i)->merge) return NULL;
  summary_rewind(from);
  i->summary = from;
  instance_current = i;
  Error *e = instance_after_call(i, "merging", stage_ops(i)->merge(i->self, what));
  return e ? e : check_reading(i, from);
}

Error *instance_adopt(Instance *i, Summary *settled)
{
  if (!stage_ops(i)->adopt) return NULL;
  summary_rewind(settled);
  i->summary = settled;
  Error *e = instance_call(i, "adopting", stage_ops(i)->adopt);
  return e ? e : check_reading(i, settled);
}
