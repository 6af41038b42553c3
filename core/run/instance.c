/* Instances: making, freeing, and turning a failed call into an error. */
#include "run/instance.h"

#include "run/input.h"
#include "run/run.h"

static void close_self(Instance *i)
{
  if (!i->self) return;
  switch (i->stage->kind) {
  case MILL_KIND_STAGE: {
    const MillStageOps *ops = i->stage->ops;
    if (ops->close) ops->close(i->self);
    break;
  }
  case MILL_KIND_SOURCE: {
    const MillSourceOps *ops = i->stage->ops;
    if (ops->close) ops->close(i->self);
    break;
  }
  default: {
    const MillSinkOps *ops = i->stage->ops;
    if (ops->close) ops->close(i->self);
  }
  }
}

Instance *instance_new(Run *run, Lane *lane, const MillStage *stage, const char *id)
{
  Instance *i = g_new0(Instance, 1);
  host_init(&i->host);
  i->run = run;
  i->lane = lane;
  i->input = lane ? lane->input : NULL;
  i->tracks = lane ? lane->tracks : NULL;
  i->stage = stage;
  i->id = id;
  i->stage_index = -1;
  notices_init(&i->notices, stage);
  i->reported = reported_new(stage);
  return i;
}

void instance_end_call(Instance *i)
{
  if (!i->scratch) return;
  g_slist_free_full(i->scratch, g_free);
  i->scratch = NULL;
}

static void drop_all_kept(Instance *i)
{
  if (!i->kept) return;
  while (g_hash_table_size(i->kept)) {
    GHashTableIter iter;
    gpointer handle;
    g_hash_table_iter_init(&iter, i->kept);
    g_hash_table_iter_next(&iter, &handle, NULL);
    i->host.drop_kept(&i->host, GPOINTER_TO_SIZE(handle));
  }
  g_hash_table_unref(i->kept);
}

void instance_close(Instance *i)
{
  close_self(i);
  i->self = NULL;
}

void instance_free(Instance *i)
{
  if (!i) return;
  close_self(i);
  drop_all_kept(i);
  instance_end_call(i);
  error_free(i->error);
  notices_clear(&i->notices);
  reported_free(i->reported);
  g_clear_pointer(&i->matches, g_hash_table_unref);
  g_free(i);
}

/* A source that gives up where `read` failed need not say why. */
static void tell_unread(Instance *i)
{
  const Reader *r = i->stage->kind == MILL_KIND_SOURCE && i->input ? input_reader(i->input) : NULL;
  if (r && reader_why(r)) mill_fail(&i->host, MILL_BAD_INPUT, reader_why(r), NULL);
}

Error *instance_error(Instance *i, const char *doing, int status)
{
  if (!i->error) tell_unread(i);
  Error *e = i->error;
  i->error = NULL;
  if (!e) {
    bool source = i->stage->kind == MILL_KIND_SOURCE;
    e = error_new(source ? EXIT_INPUT : EXIT_STAGE, "STG-10",
                  "%s \"%s\" failed without saying why (status %d)", source ? "source" : "stage",
                  i->id, status);
    error_help(e, "report it to the author: %s %s", i->stage->name, i->stage->version);
  }
  return error_cause(e, "%s, while %s", i->id, doing);
}
