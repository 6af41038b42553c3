/* Events held at a barrier; see store.h.
 *
 * In memory: a queue of batches, with an index when they must be read in another
 * order.  Past the budget, what is held is written out as a run: in arrival order,
 * or sorted.  Sorted runs are merged on reading. */
#include "store/store.h"

#include <string.h>

#include "store/order.h"
#include "store/spill-runs.h"

#define LEAST_RUN (4u << 20) /* of bytes held: shorter runs cost more than they save */

struct Store {
  StoreEnv env;
  bool sort, ordered;
  MillEvent last; /* for finding out whether events come in order */
  bool any;
  GPtrArray *batches; /* Batch *, those in memory */
  GArray *charges;    /* uint64_t: what each was charged with */
  Batch *tail;        /* the last of them, when copies may be added to it */
  uint64_t n_memory_events, charged;
  guint next_batch;
  OrderKey *index; /* of the batches, when out of order */
  uint64_t next_key;
  SpillRuns *runs;     /* NULL: all is in memory */
  int64_t earliest_ns; /* of all that were added, when sorting */
};

Store *store_new(const StoreEnv *env, bool sort)
{
  Store *s = g_new0(Store, 1);
  s->env = *env;
  s->sort = sort;
  s->ordered = true;
  s->earliest_ns = INT64_MAX;
  s->batches = g_ptr_array_new();
  s->charges = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  return s;
}

static void uncharge(Store *s, uint64_t bytes)
{
  s->charged -= bytes;
  budget_release(s->env.budget, bytes);
}

static void drop_memory(Store *s)
{
  for (guint i = 0; i < s->batches->len; i++) batch_give(s->env.pool, s->batches->pdata[i]);
  g_ptr_array_set_size(s->batches, 0);
  g_array_set_size(s->charges, 0);
  s->tail = NULL;
  s->next_batch = 0;
  g_clear_pointer(&s->index, g_free);
  s->n_memory_events = 0;
  uncharge(s, s->charged);
}

void store_free(Store *s)
{
  if (!s) return;
  drop_memory(s);
  spill_runs_free(s->runs);
  g_ptr_array_unref(s->batches);
  g_array_unref(s->charges);
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

static bool has_texts(const Batch *b)
{
  for (uint32_t i = 0; i < b->pub.n_attrs; i++) {
    uint32_t type = b->pub.attrs[i].type;
    if ((type & MILL_ATTR_TYPE) >= MILL_TEXT && !(type & MILL_ATTR_OWN) &&
        (type & MILL_ATTR_TYPE) != MILL_BOOL)
      return true;
  }
  return false;
}

static bool raw_in_block(const MillEvent *e)
{
  return e->raw_len && !(e->flags & MILL_FLAG_OWN_RAW);
}

/* How many bytes of the block are those of events, and how far apart the first and last are. */
static uint64_t live_bytes(const Batch *b, uint64_t *out_span)
{
  uint64_t live = 0, first = UINT64_MAX, end = 0;
  for (uint32_t i = 0; i < b->pub.n_events; i++) {
    const MillEvent *e = &b->pub.events[i];
    if (!raw_in_block(e)) continue;
    live += e->raw_len;
    first = MIN(first, e->raw_off);
    end = MAX(end, (uint64_t)e->raw_off + e->raw_len);
  }
  *out_span = live ? end - first : 0;
  return live;
}

/* Without raw bytes and texts nothing refers to the block any more. */
static void forget_block(Batch *b)
{
  block_unref(b->block);
  b->block = NULL;
  b->pub.raw_ = "";
}

static void forget_raw(Batch *b)
{
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    b->pub.events[i].raw_len = b->pub.events[i].raw_off = 0;
}

/* Keeping a batch, or the block of input it points into, for a few events would cost more than
 * copying them. */
static bool worth_copying(const Store *s, Batch *b)
{
  uint64_t span;
  if (!s->env.with_raw) forget_raw(b);
  uint64_t live = live_bytes(b, &span);
  if (b->block && !live && !has_texts(b)) forget_block(b);
  if (b->pub.n_events * 4 < batch_pool_events(s->env.pool)) return true;
  return b->block && (!live || live * 2 < span);
}

static uint64_t cost_of(const Store *s, const Batch *b)
{
  return batch_bytes(b) + (s->sort ? b->pub.n_events * 2 * sizeof(OrderKey) : 0);
}

static void charge_last(Store *s)
{
  guint last = s->batches->len - 1;
  uint64_t *charge = &g_array_index(s->charges, uint64_t, last),
           cost = cost_of(s, s->batches->pdata[last]);
  if (cost <= *charge) return;
  s->charged += cost - *charge;
  budget_charge(s->env.budget, cost - *charge);
  *charge = cost;
}

static void hold(Store *s, Batch *b)
{
  uint64_t nothing = 0;
  g_ptr_array_add(s->batches, b);
  g_array_append_val(s->charges, nothing);
}

static void copy_to_tail(Store *s, const MillBatch *from, const MillEvent *e)
{
  if (!s->tail || batch_is_full(s->tail, batch_pool_events(s->env.pool))) {
    if (s->tail) charge_last(s);
    s->tail = batch_take(s->env.pool, from->lane);
    hold(s, s->tail);
  }
  s->n_memory_events++;
  batch_copy_event(s->tail, from, e, s->env.with_raw);
}

static Error *spill_event(Store *s, uint32_t batch, uint32_t event)
{
  const Batch *from = s->batches->pdata[batch];
  return spill_runs_add(s->runs, &from->pub, &from->pub.events[event]);
}

static Error *spill_batches(Store *s)
{
  Error *e = NULL;
  for (guint b = 0; b < s->batches->len && !e; b++)
    for (uint32_t i = 0; i < ((const Batch *)s->batches->pdata[b])->pub.n_events && !e; i++)
      e = spill_event(s, b, i);
  return e;
}

static Error *spill_sorted(Store *s)
{
  g_autofree OrderKey *index = order_index((Batch *const *)s->batches->pdata, s->batches->len,
                                           s->n_memory_events, s->earliest_ns);
  Error *e = NULL;
  for (uint64_t i = 0; i < s->n_memory_events && !e; i++)
    e = spill_event(s, index[i].batch, index[i].event);
  return e;
}

/* Writes all that is in memory as one run. */
static Error *spill_memory(Store *s)
{
  if (!s->n_memory_events) return NULL;
  if (!s->runs) s->runs = spill_runs_new(s->env.spill, s->env.pool, s->env.with_raw);
  spill_runs_begin(s->runs);
  Error *e = s->sort && !s->ordered ? spill_sorted(s) : spill_batches(s);
  if (!e) e = spill_runs_end(s->runs);
  drop_memory(s);
  return e;
}

static Error *after_adding(Store *s)
{
  charge_last(s);
  bool enough = s->charged >= MIN(LEAST_RUN, s->env.budget->limit_bytes / 16);
  return enough && budget_is_tight(s->env.budget) ? spill_memory(s) : NULL;
}

Error *store_add(Store *s, Batch *b)
{
  if (!b->pub.n_events) {
    batch_give(s->env.pool, b);
    return NULL;
  }
  if (s->sort) watch_order(s, b->pub.events, b->pub.n_events);
  if (worth_copying(s, b)) {
    for (uint32_t i = 0; i < b->pub.n_events; i++) copy_to_tail(s, &b->pub, &b->pub.events[i]);
    batch_give(s->env.pool, b);
  } else {
    hold(s, b);
    s->tail = NULL;
    s->n_memory_events += b->pub.n_events;
  }
  return after_adding(s);
}

Error *store_append(Store *s, const MillBatch *from, const MillEvent *e)
{
  if (s->sort) watch_order(s, e, 1);
  copy_to_tail(s, from, e);
  return after_adding(s);
}

/* Stores that wait leave the memory to those that are being filled. */
Error *store_close(Store *s)
{
  bool merges = s->runs && s->sort && !s->ordered;
  Error *e = merges || budget_is_tight(s->env.budget) ? spill_memory(s) : NULL;
  if (e) return e;
  s->tail = NULL;
  if (s->runs && s->sort && !s->ordered) return spill_runs_reduce(s->runs);
  if (s->sort && !s->ordered)
    s->index = order_index((Batch *const *)s->batches->pdata, s->batches->len, s->n_memory_events,
                           s->earliest_ns);
  return NULL;
}

/* ----------------------------------------------------------------- reading */

static void next_indexed(Store *s, Batch **out)
{
  if (s->next_key >= s->n_memory_events) return;
  Batch *b = batch_take(s->env.pool, ((Batch *)s->batches->pdata[0])->pub.lane);
  for (; s->next_key < s->n_memory_events && !batch_is_full(b, batch_pool_events(s->env.pool));
       s->next_key++) {
    const OrderKey *k = &s->index[s->next_key];
    const Batch *from = s->batches->pdata[k->batch];
    batch_copy_event(b, &from->pub, &from->pub.events[k->event], s->env.with_raw);
  }
  *out = b;
}

static void next_in_memory(Store *s, bool keep, Batch **out)
{
  if (s->next_batch >= s->batches->len) return;
  guint i = s->next_batch++;
  *out = s->batches->pdata[i];
  if (keep) return;
  s->batches->pdata[i] = NULL;
  uncharge(s, g_array_index(s->charges, uint64_t, i));
}

Error *store_next(Store *s, bool keep, Batch **out)
{
  bool merged = s->sort && !s->ordered;
  *out = NULL;
  if (s->runs) {
    Error *e = spill_runs_next(s->runs, merged, keep, out);
    if (e || *out || merged) return e;
  }
  if (s->index)
    next_indexed(s, out);
  else
    next_in_memory(s, keep, out);
  return NULL;
}

/* With keep, a batch that the store still holds stays where it is. */
void store_give(Store *s, Batch *b, bool keep)
{
  bool held = keep && !s->index && s->next_batch && s->next_batch <= s->batches->len &&
              s->batches->pdata[s->next_batch - 1] == b;
  if (!held) batch_give(s->env.pool, b);
}

void store_rewind(Store *s)
{
  s->next_batch = 0;
  s->next_key = 0;
  if (s->runs) spill_runs_rewind(s->runs);
}

uint64_t store_spilled_bytes(const Store *s) { return s->runs ? spill_runs_bytes(s->runs) : 0; }
