/* Events in their place; see placed.h. */
/* SPDX-License-Identifier: MIT */
#include "host/placed.h"

#include "host/kept.h"
#include "host/memory.h"
#include "plan/facts.h"

typedef struct Waiting {
  MillEvent event; /* for its place in the order */
  uint64_t kept;
} Waiting;

bool placed_allowed(const Instance *i)
{
  const char *const *needs = i->descriptor->needs;
  return fact_in_list(needs, "order.lane") || fact_in_list(needs, "order.run");
}

GArray *placed_new(void) { return g_array_new(FALSE, FALSE, sizeof(Waiting)); }

/* One that was not read has no number yet, and comes behind all of its time and length.  The merged stream breaks
 * ties by lane, which an event does not name. */
static int compare(const Instance *i, const MillEvent *a, const MillEvent *b)
{
  return i->lane->merged ? event_compare_time(a, b) : event_compare(a, b);
}

/* The stream has come to an event behind it. */
static bool is_passed(const Instance *i, const Batch *b, const MillEvent *e)
{
  const MillBatch *p = &b->pub;
  return p->n_events && compare(i, e, &p->events[p->n_events - 1]) < 0;
}

/* How many events of the batch come before it. */
static uint32_t place_of(const Instance *i, const MillBatch *b, const MillEvent *e)
{
  uint32_t from = 0, to = b->n_events;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (compare(i, &b->events[middle], e) <= 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* -------------------------------------------------------------------- waiting */

static Error *hold(Instance *i, const Batch *b, const MillEvent *e)
{
  if (budget_exceeded(i->env->budget))
    memory_refuse_for(i, "the events that wait for their place exceed the memory limit");
  Waiting w = { *e, i->error ? 0 : kept_add(i, &b->pub, e) };
  if (!w.kept) return g_steal_pointer(&i->error);
  guint at = i->waiting->len;
  while (at && compare(i, &g_array_index(i->waiting, Waiting, at - 1).event, e) > 0) at--;
  g_array_insert_val(i->waiting, at, w);
  return NULL;
}

static void release(Instance *i, Batch *b, bool ends)
{
  guint n = 0;
  uint32_t index;
  for (; n < i->waiting->len; n++) {
    const Waiting *w = &g_array_index(i->waiting, Waiting, n);
    if (!ends && !is_passed(i, b, &w->event)) break;
    kept_emit(i, b, MILL_IN_PLACE, w->kept, &index);
  }
  if (n) g_array_remove_range(i->waiting, 0, n);
}

/* -------------------------------------------------------------------- placing */

/* It counts as emitted behind the event before it. */
static void number(Instance *i, const Batch *b, uint32_t place, MillEvent *e)
{
  const MillEvent *before = place ? &b->pub.events[place - 1] : NULL;
  if (e->seq != BATCH_NO_SEQ) return;
  if (before || i->left.known) {
    uint16_t sub = before ? before->sub : i->left.sub;
    e->seq = before ? before->seq : i->left.seq;
    e->sub = sub < UINT16_MAX ? (uint16_t)(sub + 1) : sub;
  } else {
    uint64_t first = b->pub.n_events ? b->pub.events[0].seq : i->lane->next_seq;
    e->seq = first ? first - 1 : 0;
    e->sub = UINT16_MAX;
  }
}

/* Among the first n that were emitted, which have their positions. */
static void insert(Batch *b, uint32_t n, uint32_t place, MillEvent e)
{
  uint32_t at = n;
  for (; at > 0; at--) {
    uint32_t position = MIN(b->fresh_at[at - 1], b->pub.n_events);
    bool later =
        position > place || (position == place && event_compare_time(&b->fresh[at - 1], &e) > 0);
    if (!later) break;
    b->fresh[at] = b->fresh[at - 1];
    b->fresh_at[at] = b->fresh_at[at - 1];
  }
  b->fresh[at] = e;
  b->fresh_at[at] = place;
}

Error *placed_settle(Instance *i, Batch *b, bool ends)
{
  Error *error = NULL;
  if (!i->waiting) return NULL;
  release(i, b, ends);
  batch_order_emitted(b);
  uint32_t n = 0, end = b->n_fresh;
  while (n < end && b->fresh_at[n] != BATCH_IN_PLACE) n++;
  for (uint32_t k = n; k < end && !error; k++) {
    MillEvent e = b->fresh[k];
    bool waits = !ends && !(e.flags & MILL_FLAG_DROPPED) && !is_passed(i, b, &e);
    if (waits) {
      error = hold(i, b, &e);
      continue;
    }
    uint32_t place = place_of(i, &b->pub, &e);
    number(i, b, place, &e);
    insert(b, n++, place, e);
  }
  b->n_fresh = n;
  return error;
}
