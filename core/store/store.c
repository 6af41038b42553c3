/* Events held at a barrier; see store.h.
 *
 * In memory: a queue of packs, with an index when they must be read in another order.  Past the budget, what is
 * held is written out as a run: in arrival order, or sorted.  Sorted runs are merged on reading. */
/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <glib.h>

#include "store/gather.h"
#include "store/order.h"

#define LEAST_RUN (4u << 20) /* of bytes held: shorter runs cost more than they save */

struct Store {
  StoreEnv env;
  bool sort, ordered;
  MillEvent last; /* for finding out whether events come in order */
  bool any;
  GPtrArray *packs; /* Pack *, those in memory; NULL: read */
  Packing *packing; /* what comes after them */
  uint32_t lane;
  uint64_t n_memory_events, charged;
  guint next_pack;
  uint32_t next_event; /* of it */
  OrderKey *index;     /* of the packs, when out of order */
  uint32_t *left;      /* of each pack, events that were not read, when they need not be kept */
  uint64_t next_key;
  SpillRuns *runs;     /* NULL: all is in memory */
  bool in_memory;      /* what was spilled has been read */
  int64_t earliest_ns; /* of all that were added, when sorting */
  Gather *gather;
};

Store *store_new(const StoreEnv *env, bool sort)
{
  Store *s = g_new0(Store, 1);
  s->env = *env;
  s->sort = sort;
  s->ordered = true;
  s->earliest_ns = INT64_MAX;
  s->packs = g_ptr_array_new();
  s->packing = packing_new(env->with_raw);
  return s;
}

static uint64_t cost_of(const Store *s, const Pack *p)
{
  return pack_size(p) + (s->sort ? p->n_events * 2 * sizeof(OrderKey) : 0);
}

static void drop_pack(Store *s, guint index)
{
  Pack *p = s->packs->pdata[index];
  if (!p) return;
  s->charged -= cost_of(s, p);
  budget_release(s->env.budget, cost_of(s, p));
  g_free(p);
  s->packs->pdata[index] = NULL;
}

static void drop_memory(Store *s)
{
  for (guint i = 0; i < s->packs->len; i++) drop_pack(s, i);
  g_ptr_array_set_size(s->packs, 0);
  s->next_pack = 0;
  g_clear_pointer(&s->index, g_free);
  g_clear_pointer(&s->left, g_free);
  s->n_memory_events = 0;
}

void store_free(Store *s)
{
  if (!s) return;
  drop_memory(s);
  spill_runs_free(s->runs);
  packing_free(s->packing);
  gather_free(s->gather);
  g_ptr_array_unref(s->packs);
  g_free(s);
}

/* ------------------------------------------------------------------ adding */

static void watch_order(Store *s, const MillEvent *e, uint32_t n)
{
  const MillEvent *last = s->any ? &s->last : NULL;
  for (uint32_t i = 0; s->ordered && i < n; last = &e[i++])
    if (last && event_compare(last, &e[i]) > 0) s->ordered = false;
  for (uint32_t i = 0; i < n; i++)
    if (e[i].ts_ns < s->earliest_ns && !(e[i].flags & MILL_FLAG_NO_TS)) s->earliest_ns = e[i].ts_ns;
  s->last = e[n - 1];
  s->any = true;
}

static void finish_pack(Store *s)
{
  Pack *p = packing_finish(s->packing, s->lane);
  if (!p) return;
  g_ptr_array_add(s->packs, p);
  s->n_memory_events += p->n_events;
  s->charged += cost_of(s, p);
  budget_charge(s->env.budget, cost_of(s, p));
}

static Error *spill_packs(Store *s)
{
  Error *e = NULL;
  for (guint i = 0; i < s->packs->len && !e; i++)
    e = spill_runs_add_pack(s->runs, s->packs->pdata[i]);
  return e;
}

static Error *spill_sorted(Store *s)
{
  const Pack *const *packs = (const Pack *const *)s->packs->pdata;
  g_autofree OrderKey *index =
      order_index(packs, s->packs->len, s->n_memory_events, s->earliest_ns);
  Error *e = NULL;
  for (uint64_t i = 0; i < s->n_memory_events && !e; i++)
    e = spill_runs_add(s->runs, (Held){ packs[index[i].pack], index[i].event });
  return e;
}

/* Writes all that is in memory as one run. */
static Error *spill_memory(Store *s)
{
  finish_pack(s);
  if (!s->n_memory_events) return NULL;
  if (!s->runs) s->runs = spill_runs_new(s->env.spill, s->env.with_raw);
  spill_runs_begin(s->runs);
  Error *e = s->sort && !s->ordered ? spill_sorted(s) : spill_packs(s);
  if (!e) e = spill_runs_end(s->runs);
  drop_memory(s);
  return e;
}

static Error *add_event(Store *s, const Batch *from, const MillEvent *e)
{
  s->lane = from->pub.lane;
  packing_add(s->packing, from, e);
  if (!packing_is_full(s->packing, batch_pool_events(s->env.pool))) return NULL;
  finish_pack(s);
  bool enough = s->charged >= MIN(LEAST_RUN, s->env.budget->limit_bytes / 16);
  return enough && budget_is_tight(s->env.budget) ? spill_memory(s) : NULL;
}

Error *store_add(Store *s, Batch *b)
{
  Error *e = NULL;
  if (s->sort && b->pub.n_events) watch_order(s, b->pub.events, b->pub.n_events);
  for (uint32_t i = 0; i < b->pub.n_events && !e; i++) e = add_event(s, b, &b->pub.events[i]);
  batch_give(s->env.pool, b);
  return e;
}

Error *store_append(Store *s, const Batch *from, const MillEvent *e)
{
  if (s->sort) watch_order(s, e, 1);
  return add_event(s, from, e);
}

/* Stores that wait leave the memory to those that are being filled. */
Error *store_close(Store *s)
{
  bool merges = s->runs && s->sort && !s->ordered;
  Error *e = merges || budget_is_tight(s->env.budget) ? spill_memory(s) : NULL;
  finish_pack(s);
  g_clear_pointer(&s->packing, packing_free);
  if (e) return e;
  if (s->runs && s->sort && !s->ordered) return spill_runs_reduce(s->runs);
  if (s->sort && !s->ordered)
    s->index = order_index((const Pack *const *)s->packs->pdata, s->packs->len, s->n_memory_events,
                           s->earliest_ns);
  return NULL;
}

/* ----------------------------------------------------------------- reading */

static bool is_merged(const Store *s) { return s->sort && !s->ordered; }

static Held peek_indexed(const Store *s)
{
  if (s->next_key >= s->n_memory_events) return (Held){ 0 };
  const OrderKey *k = &s->index[s->next_key];
  return (Held){ s->packs->pdata[k->pack], k->event };
}

static Held peek_in_memory(const Store *s)
{
  if (s->next_pack >= s->packs->len) return (Held){ 0 };
  return (Held){ s->packs->pdata[s->next_pack], s->next_event };
}

static void count_left(Store *s)
{
  s->left = g_new(uint32_t, s->packs->len);
  for (guint i = 0; i < s->packs->len; i++)
    s->left[i] = ((const Pack *)s->packs->pdata[i])->n_events;
}

static void pass_indexed(Store *s, bool keep)
{
  uint32_t pack = s->index[s->next_key++].pack;
  if (keep) return;
  if (!s->left) count_left(s);
  if (!--s->left[pack]) drop_pack(s, pack);
}

static void pass_in_memory(Store *s, bool keep)
{
  const Pack *p = s->packs->pdata[s->next_pack];
  if (++s->next_event < p->n_events) return;
  s->next_event = 0;
  if (!keep) drop_pack(s, s->next_pack);
  s->next_pack++;
}

Error *store_peek(Store *s, bool keep, Held *out)
{
  *out = (Held){ 0 };
  if (s->runs && !s->in_memory) {
    Error *e = spill_runs_peek(s->runs, is_merged(s), keep, out);
    if (e || out->pack) return e;
    s->in_memory = true;
  }
  *out = s->index ? peek_indexed(s) : peek_in_memory(s);
  return NULL;
}

Error *store_pass(Store *s, bool keep)
{
  if (s->runs && !s->in_memory) return spill_runs_pass(s->runs, is_merged(s), keep);
  if (s->index)
    pass_indexed(s, keep);
  else
    pass_in_memory(s, keep);
  return NULL;
}

Error *store_next(Store *s, bool keep, bool with_bytes, Batch **out)
{
  Error *e = NULL;
  Held h;
  if (!s->gather) s->gather = gather_new(s->env.pool, s->env.blocks);
  while (!e && !gather_is_full(s->gather)) {
    e = store_peek(s, keep, &h);
    if (e || !h.pack) break;
    gather_add(s->gather, h.pack, h.index);
    e = store_pass(s, keep);
  }
  *out = NULL;
  return e ? e : gather_end(s->gather, with_bytes, out);
}

void store_rewind(Store *s)
{
  s->next_pack = 0;
  s->next_event = 0;
  s->next_key = 0;
  s->in_memory = false;
  if (s->runs) spill_runs_rewind(s->runs);
}

uint64_t store_spilled_bytes(const Store *s) { return s->runs ? spill_runs_bytes(s->runs) : 0; }
