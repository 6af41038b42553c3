/* --verify: a stage's claims are checked around every call.  A broken claim is a bug in the stage, so it aborts. */
#include "run/guard.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Guard {
  MillEvent *events;
  uint32_t n_events, n_attrs;
  MillAttr *attrs;
};

static pthread_mutex_t counters_lock = PTHREAD_MUTEX_INITIALIZER;

Guard *guard_before(Run *run, const Instance *i, const Batch *b)
{
  (void)run;
  (void)i;
  Guard *g = g_new0(Guard, 1);
  g->n_events = b->pub.n_events;
  g->n_attrs = b->pub.n_attrs;
  g->events = g_memdup2(b->pub.events, g->n_events * sizeof(MillEvent));
  g->attrs = g_memdup2(b->pub.attrs, g->n_attrs * sizeof(MillAttr));
  return g;
}

/* The ids are documented in docs/write-a-stage.md. */
static void broken(const Instance *i, const char *id, const char *what, const MillEvent *e)
{
  fprintf(stderr, "error[STG-70]: stage \"%s\" %s broke its contract: %s [%s]\n", i->id, i->stage->version, what, id);
  if (e) fprintf(stderr, "  at event %llu\n", (unsigned long long)e->seq);
  fprintf(stderr, "  help: report it to the author of the stage; without --verify the run would go on\n");
  exit(70);
}

static void check_event(const Instance *i, const MillEvent *was, const MillEvent *is)
{
  struct {
    bool changed;
    uint8_t dirty;
    const char *what;
  } fields[] = {
    { was->ts_ns != is->ts_ns, MILL_DIRTY_TS, "changed ts_ns without mill_set_ts" },
    { was->dur_ns != is->dur_ns, MILL_DIRTY_DUR, "changed dur_ns without mill_set_dur" },
    { was->name != is->name, MILL_DIRTY_NAME, "changed name without mill_set_name" },
    { was->cat != is->cat, MILL_DIRTY_CAT, "changed cat without mill_set_cat" },
    { was->track != is->track, MILL_DIRTY_TRACK, "changed track without mill_set_track" },
    { was->id != is->id || was->id_kind != is->id_kind, MILL_DIRTY_ID, "changed id without mill_set_id" },
    { was->kind != is->kind, MILL_DIRTY_KIND, "changed kind without mill_set_kind" },
    { was->attrs != is->attrs || was->n_attrs != is->n_attrs, MILL_DIRTY_ATTRS, "changed attributes by hand" },
  };
  for (size_t f = 0; f < G_N_ELEMENTS(fields); f++)
    if (fields[f].changed && !(is->dirty & fields[f].dirty)) broken(i, "unmarked-change", fields[f].what, is);
  if (was->seq != is->seq || was->sub != is->sub || was->raw_off != is->raw_off || was->raw_len != is->raw_len)
    broken(i, "frozen-field", "changed a field that is the program's own", is);
  if ((i->stage->flags & MILL_READ_ONLY) && memcmp(was, is, sizeof *was))
    broken(i, "read-only", "claims MILL_READ_ONLY but changed an event", is);
  if ((is->flags & MILL_FLAG_DROPPED) && !(i->stage->flags & MILL_MAY_DROP))
    broken(i, "undeclared-drop", "dropped an event without MILL_MAY_DROP", is);
  if (is->kind >= MILL_N_KINDS) broken(i, "bad-kind", "gave an event a kind that does not exist", is);
}

static bool provides(const MillStage *s, const char *fact)
{
  for (const char *const *p = s->provides; p && *p; p++)
    if (!strcmp(*p, fact)) return true;
  return false;
}

/* slices: no begin or end may be left behind the stage that promises so. */
static void check_facts(const Instance *i, const Batch *b)
{
  if (!provides(i->stage, "slices")) return;
  for (uint32_t k = 0; k < b->pub.n_events; k++) {
    const MillEvent *e = &b->pub.events[k];
    if (!(e->flags & MILL_FLAG_DROPPED) && (e->kind == MILL_BEGIN || e->kind == MILL_END))
      broken(i, "false-fact", "provides the fact slices but let a begin or end through", e);
  }
}

void guard_after(Guard *g, const Instance *i, const Batch *b)
{
  if (b->pub.n_events != g->n_events) broken(i, "batch-size", "changed the number of events in a batch", NULL);
  for (uint32_t k = 0; k < g->n_events; k++) check_event(i, &g->events[k], &b->pub.events[k]);
  if ((i->stage->flags & MILL_READ_ONLY) && b->pub.n_attrs != g->n_attrs)
    broken(i, "read-only", "claims MILL_READ_ONLY but set an attribute", NULL);
  if (b->n_fresh && !(i->stage->flags & MILL_MAY_EMIT))
    broken(i, "undeclared-emit", "emitted an event without MILL_MAY_EMIT", NULL);
  check_facts(i, b);
  g_free(g->events);
  g_free(g->attrs);
  g_free(g);
}

void guard_add_counters(Run *run, uint32_t stage, const Counters *c)
{
  pthread_mutex_lock(&counters_lock);
  Counters *sum = &run->counters[stage];
  sum->events_in += c->events_in;
  sum->events_out += c->events_out;
  sum->dropped += c->dropped;
  sum->emitted += c->emitted;
  sum->batches += c->batches;
  sum->time_ns += c->time_ns;
  pthread_mutex_unlock(&counters_lock);
}
