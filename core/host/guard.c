/* --verify: a stage's claims are checked around every call.  A broken claim is a bug in the stage and ends the run. */
#include "host/guard.h"

#include <pthread.h>
#include <string.h>

#include "plan/facts.h"

struct Guard { /* the batch before the call */
  MillEvent *events;
  uint32_t n_events, n_attrs;
  MillAttr *attrs;
};

static pthread_mutex_t counters_lock = PTHREAD_MUTEX_INITIALIZER;

/* The merged stream breaks ties by lane, which an event does not name. */
static int compare(const Instance *i, const MillEvent *a, const MillEvent *b)
{
  return i->lane && i->lane == i->run->merged ? event_compare_time(a, b) : event_compare(a, b);
}

/* The first event that comes too late, over all batches of an instance, or NULL. */
static const MillEvent *find_disorder(const Instance *i, const MillEvent *events, uint32_t n,
                                      GuardSide *side)
{
  for (uint32_t k = 0; k < n; k++) {
    const MillEvent *e = &events[k];
    if (side->any && compare(i, &side->last, e) > 0) return e;
    side->last = *e;
    side->any = true;
  }
  return NULL;
}

Guard *guard_before(const Batch *b)
{
  Guard *g = g_new0(Guard, 1);
  g->n_events = b->pub.n_events;
  g->n_attrs = b->pub.n_attrs;
  g->events = g_memdup2(b->pub.events, g->n_events * sizeof(MillEvent));
  g->attrs = g_memdup2(b->pub.attrs, g->n_attrs * sizeof(MillAttr));
  return g;
}

static void guard_free(Guard *g)
{
  g_free(g->events);
  g_free(g->attrs);
  g_free(g);
}

/* One bug may show in every event: the first is told.  The ids are documented in docs/write-a-stage.md. */
void guard_broken(Instance *i, const char *id, const char *what, const MillEvent *e)
{
  if (i->guard_broken) return;
  i->guard_broken = true;
  Error *error = error_new(EXIT_INTERNAL, "STG-70", "stage \"%s\" %s broke its contract: %s [%s]",
                           i->id, i->stage->version, what, id);
  if (e)
    error_at(error, "event %" G_GUINT64_FORMAT " of %s", e->seq,
             i->lane ? i->lane->name : "the run");
  error_help(error, "report it to the author of the stage; without --verify the run would go on");
  i->error = error_join(i->error, error);
}

static void check_kind(Instance *i, const MillEvent *e)
{
  if (e->kind >= MILL_N_KINDS)
    guard_broken(i, "bad-kind", "gave an event a kind that does not exist", e);
}

static void check_event(Instance *i, const MillEvent *was, const MillEvent *is)
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
    { was->id != is->id || was->id_kind != is->id_kind, MILL_DIRTY_ID,
      "changed id without mill_set_id" },
    { was->kind != is->kind, MILL_DIRTY_KIND, "changed kind without mill_set_kind" },
    { was->attrs != is->attrs || was->n_attrs != is->n_attrs, MILL_DIRTY_ATTRS,
      "changed attributes by hand" },
  };
  for (size_t f = 0; f < G_N_ELEMENTS(fields); f++)
    if (fields[f].changed && !(is->dirty & fields[f].dirty))
      guard_broken(i, "unmarked-change", fields[f].what, is);
  if (was->seq != is->seq || was->sub != is->sub || was->raw_off != is->raw_off ||
      was->raw_len != is->raw_len)
    guard_broken(i, "frozen-field", "changed a field that is the program's own", is);
  if ((i->stage->flags & MILL_READ_ONLY) && memcmp(was, is, sizeof *was))
    guard_broken(i, "read-only", "claims MILL_READ_ONLY but changed an event", is);
  if ((is->flags & MILL_FLAG_DROPPED) && !(i->stage->flags & MILL_MAY_DROP))
    guard_broken(i, "undeclared-drop", "dropped an event without MILL_MAY_DROP", is);
  if (was->dirty & ~is->dirty)
    guard_broken(i, "unmarked-change", "took back the mark of a change", is);
  check_kind(i, is);
}

/* Values that `set` did not write: the event is not marked, yet they differ. */
static void check_attrs(Instance *i, const Guard *g, const Batch *b, uint32_t k)
{
  const MillEvent *e = &g->events[k];
  if (b->pub.events[k].dirty & MILL_DIRTY_ATTRS || !e->n_attrs) return;
  if (memcmp(&g->attrs[e->attrs], &b->pub.attrs[e->attrs], e->n_attrs * sizeof(MillAttr)))
    guard_broken(i, "unmarked-change", "changed an attribute by hand", &b->pub.events[k]);
}

/* slices: no begin or end may be left behind the stage that promises so. */
static void check_facts(Instance *i, const Batch *b)
{
  if (!fact_in_list(i->stage->provides, "slices")) return;
  for (uint32_t k = 0; k < b->pub.n_events; k++) {
    const MillEvent *e = &b->pub.events[k];
    if (!(e->flags & MILL_FLAG_DROPPED) && (e->kind == MILL_BEGIN || e->kind == MILL_END))
      guard_broken(i, "false-fact", "provides the fact slices but let a begin or end through", e);
  }
}

Error *guard_after(Guard *g, Instance *i, const Batch *b)
{
  if (!i->guard_in.disorder)
    i->guard_in.disorder = find_disorder(i, g->events, g->n_events, &i->guard_in) != NULL;
  if (b->pub.n_events != g->n_events)
    guard_broken(i, "batch-size", "changed the number of events in a batch", NULL);
  for (uint32_t k = 0; k < g->n_events && !i->guard_broken; k++) {
    check_event(i, &g->events[k], &b->pub.events[k]);
    check_attrs(i, g, b, k);
  }
  if (b->n_fresh && !(i->stage->flags & MILL_MAY_EMIT))
    guard_broken(i, "undeclared-emit", "emitted an event without MILL_MAY_EMIT", NULL);
  for (uint32_t k = 0; k < b->n_fresh; k++) check_kind(i, &b->fresh[k]);
  guard_free(g);
  return g_steal_pointer(&i->error);
}

static bool same_bytes(const void *a, const void *b, size_t len)
{
  return len == 0 || memcmp(a, b, len) == 0;
}

Error *guard_after_observe(Guard *g, Instance *i, const Batch *b)
{
  bool same = b->pub.n_events == g->n_events && b->pub.n_attrs == g->n_attrs && !b->n_fresh &&
              same_bytes(b->pub.events, g->events, g->n_events * sizeof(MillEvent)) &&
              same_bytes(b->pub.attrs, g->attrs, g->n_attrs * sizeof(MillAttr));
  if (!same) guard_broken(i, "observe-changes", "changed a batch while observing", NULL);
  guard_free(g);
  return g_steal_pointer(&i->error);
}

/* Once the input was out of order, nothing was promised about the output, unless by `provides`. */
static void check_order(Instance *i, const Batch *b)
{
  bool promised = fact_in_list(i->stage->provides, "order.lane");
  if (!promised && (i->guard_in.disorder || fact_in_list(i->stage->spoils, "order.lane"))) return;
  const MillEvent *late = find_disorder(i, b->pub.events, b->pub.n_events, &i->guard_out);
  if (late && promised)
    guard_broken(i, "false-fact", "provides the fact order.lane but gave events out of order",
                 late);
  if (late)
    guard_broken(i, "false-order",
                 "gave events out of order but does not spoil the fact order.lane", late);
}

Error *guard_settled(Instance *i, const Batch *b)
{
  check_facts(i, b);
  check_order(i, b);
  return g_steal_pointer(&i->error);
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
