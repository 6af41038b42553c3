/* Events held at a barrier; see store.h.
 *
 * In memory: a queue of batches, with an index when they must be read in another
 * order.  Past the budget, what is held is written out as a run: in arrival order,
 * or sorted.  Sorted runs are merged on reading. */
#include "run/store.h"

#include <string.h>

#include "run/order.h"
#include "run/spill.h"

typedef struct RunCursor { /* a sorted run being merged */
  uint64_t offset, end;
  Batch *batch;
  uint32_t at;
} RunCursor;

struct Store {
  StoreEnv env;
  bool sort, ordered;
  MillEvent last; /* for finding out whether events come in order */
  bool any;
  GPtrArray *batches; /* Batch *, those in memory */
  uint64_t n_memory_events, charged, n_events;
  guint next_batch;
  OrderKey *index; /* of the batches, when out of order */
  uint64_t next_key;
  Spill *spill;
  GArray *run_ends; /* uint64_t offsets */
  uint64_t spill_at;
  RunCursor *cursors;
  uint32_t *heap, n_heap; /* indexes of cursors, least event first */
};

Store *store_new(const StoreEnv *env, bool sort)
{
  Store *s = g_new0(Store, 1);
  s->env = *env;
  s->sort = sort;
  s->ordered = true;
  s->batches = g_ptr_array_new();
  s->run_ends = g_array_new(FALSE, FALSE, sizeof(uint64_t));
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
  s->next_batch = 0;
  g_clear_pointer(&s->index, g_free);
  s->n_memory_events = 0;
  uncharge(s, s->charged);
}

static void drop_cursors(Store *s)
{
  for (guint i = 0; s->cursors && i < s->run_ends->len; i++) batch_give(s->env.pool, s->cursors[i].batch);
  g_clear_pointer(&s->cursors, g_free);
  g_clear_pointer(&s->heap, g_free);
}

void store_free(Store *s)
{
  if (!s) return;
  drop_cursors(s);
  drop_memory(s);
  spill_free(s->spill);
  g_ptr_array_unref(s->batches);
  g_array_unref(s->run_ends);
  g_free(s);
}

/* ------------------------------------------------------------------ adding */

static void watch_order(Store *s, const Batch *b)
{
  if (!b->pub.n_events) return;
  const MillEvent *e = b->pub.events, *last = s->any ? &s->last : NULL;
  for (uint32_t i = 0; s->ordered && i < b->pub.n_events; last = &e[i++])
    if (last && event_compare(last, &e[i]) > 0) s->ordered = false;
  s->last = e[b->pub.n_events - 1];
  s->any = true;
}

/* Keeping the input block alive for a few events would cost more than copying them. */
static bool worth_copying(const Store *s, const Batch *b)
{
  uint64_t live = 0;
  if (!b->block) return false;
  if (!s->env.with_raw) return true;
  for (uint32_t i = 0; i < b->pub.n_events; i++) live += b->pub.events[i].raw_len;
  uint64_t first = b->pub.events[0].raw_off, end = first;
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    if (!(b->pub.events[i].flags & MILL_FLAG_OWN_RAW)) {
      first = MIN(first, b->pub.events[i].raw_off);
      end = MAX(end, (uint64_t)b->pub.events[i].raw_off + b->pub.events[i].raw_len);
    }
  return live * 2 < end - first;
}

static bool has_texts(const Batch *b)
{
  for (uint32_t i = 0; i < b->pub.n_attrs; i++) {
    uint32_t type = b->pub.attrs[i].type;
    if ((type & MILL_ATTR_TYPE) >= MILL_TEXT && !(type & MILL_ATTR_OWN) && (type & MILL_ATTR_TYPE) != MILL_BOOL)
      return true;
  }
  return false;
}

/* Without raw bytes and texts nothing refers to the block any more. */
static void forget_raw(Batch *b)
{
  for (uint32_t i = 0; i < b->pub.n_events; i++) b->pub.events[i].raw_len = b->pub.events[i].raw_off = 0;
  block_unref(b->block);
  b->block = NULL;
  b->pub.raw = "";
}

static Batch *make_holdable(Store *s, Batch *b)
{
  if (b->block && !s->env.with_raw && !has_texts(b)) forget_raw(b);
  if (!worth_copying(s, b)) return b;
  Batch *copy = batch_take(s->env.pool, b->pub.lane);
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    batch_copy_event(copy, &b->pub, &b->pub.events[i], s->env.with_raw);
  batch_give(s->env.pool, b);
  return copy;
}

static Error *spill_range(Store *s, const OrderKey *index, uint64_t n)
{
  Batch *image = batch_take(s->env.pool, 0);
  Error *e = NULL;
  uint64_t i = 0;
  uint32_t batch = 0, event = 0;
  while (i < n && !e) {
    batch_reset(image, ((Batch *)s->batches->pdata[0])->pub.lane);
    for (; i < n && image->pub.n_events < batch_pool_events(s->env.pool); i++) {
      if (index) {
        batch = index[i].batch;
        event = index[i].event;
      }
      const Batch *from = s->batches->pdata[batch];
      while (!index && event == from->pub.n_events) {
        from = s->batches->pdata[++batch];
        event = 0;
      }
      batch_copy_event(image, &from->pub, &from->pub.events[event++], s->env.with_raw);
    }
    e = spill_write(s->spill, image);
  }
  batch_give(s->env.pool, image);
  return e;
}

/* Writes all that is in memory as one run. */
static Error *spill_memory(Store *s)
{
  if (!s->n_memory_events) {
    drop_memory(s);
    return NULL;
  }
  Error *e = s->spill ? NULL : spill_new(s->env.spill_folder, &s->spill);
  if (e) return e;
  g_autofree OrderKey *index =
      s->sort && !s->ordered
          ? order_index((Batch *const *)s->batches->pdata, s->batches->len, s->n_memory_events)
          : NULL;
  e = spill_range(s, index, s->n_memory_events);
  uint64_t end = spill_size(s->spill);
  g_array_append_val(s->run_ends, end);
  drop_memory(s);
  return e;
}

Error *store_add(Store *s, Batch *b)
{
  if (!b->pub.n_events) {
    batch_give(s->env.pool, b);
    return NULL;
  }
  if (s->sort) watch_order(s, b);
  b = make_holdable(s, b);
  g_ptr_array_add(s->batches, b);
  s->n_memory_events += b->pub.n_events;
  s->n_events += b->pub.n_events;
  uint64_t bytes = batch_bytes(b) + (s->sort ? b->pub.n_events * 2 * sizeof(OrderKey) : 0);
  s->charged += bytes;
  budget_charge(s->env.budget, bytes);
  return budget_exceeded(s->env.budget) ? spill_memory(s) : NULL;
}

Error *store_close(Store *s)
{
  if (s->run_ends->len && s->sort && !s->ordered) {
    Error *e = spill_memory(s);
    if (e) return e;
  } else if (s->sort && !s->ordered) {
    s->index = order_index((Batch *const *)s->batches->pdata, s->batches->len, s->n_memory_events);
  }
  return NULL;
}

/* ----------------------------------------------------------------- reading */

static const MillEvent *cursor_event(const Store *s, uint32_t c)
{
  return &s->cursors[c].batch->pub.events[s->cursors[c].at];
}

static bool cursor_before(const Store *s, uint32_t a, uint32_t b)
{
  int order = event_compare(cursor_event(s, a), cursor_event(s, b));
  return order < 0 || (order == 0 && a < b);
}

static void sift_down(Store *s, uint32_t i)
{
  for (;;) {
    uint32_t least = i, left = 2 * i + 1, right = left + 1;
    if (left < s->n_heap && cursor_before(s, s->heap[left], s->heap[least])) least = left;
    if (right < s->n_heap && cursor_before(s, s->heap[right], s->heap[least])) least = right;
    if (least == i) return;
    uint32_t swap = s->heap[i];
    s->heap[i] = s->heap[least];
    s->heap[least] = swap;
    i = least;
  }
}

static Error *load_cursor(Store *s, RunCursor *c)
{
  batch_give(s->env.pool, c->batch);
  c->batch = NULL;
  c->at = 0;
  return spill_read(s->spill, &c->offset, c->end, s->env.pool, &c->batch);
}

static Error *open_cursors(Store *s)
{
  guint n = s->run_ends->len;
  s->cursors = g_new0(RunCursor, n);
  s->heap = g_new(uint32_t, n);
  s->n_heap = 0;
  for (guint i = 0; i < n; i++) {
    s->cursors[i].offset = i ? g_array_index(s->run_ends, uint64_t, i - 1) : 0;
    s->cursors[i].end = g_array_index(s->run_ends, uint64_t, i);
    Error *e = load_cursor(s, &s->cursors[i]);
    if (e) return e;
    if (s->cursors[i].batch) s->heap[s->n_heap++] = i;
  }
  for (uint32_t i = s->n_heap / 2; i-- > 0;) sift_down(s, i);
  return NULL;
}

static Error *next_merged(Store *s, Batch **out)
{
  Error *e = s->cursors ? NULL : open_cursors(s);
  if (e || !s->n_heap) return e;
  Batch *b = batch_take(s->env.pool, s->cursors[s->heap[0]].batch->pub.lane);
  while (s->n_heap && b->pub.n_events < batch_pool_events(s->env.pool) && !e) {
    RunCursor *c = &s->cursors[s->heap[0]];
    batch_copy_event(b, &c->batch->pub, &c->batch->pub.events[c->at++], s->env.with_raw);
    if (c->at == c->batch->pub.n_events) {
      e = load_cursor(s, c);
      if (!c->batch) s->heap[0] = s->heap[--s->n_heap];
    }
    if (s->n_heap) sift_down(s, 0);
  }
  if (e) {
    batch_give(s->env.pool, b);
    return e;
  }
  *out = b;
  return NULL;
}

static void next_indexed(Store *s, Batch **out)
{
  if (s->next_key >= s->n_memory_events) return;
  Batch *b = batch_take(s->env.pool, ((Batch *)s->batches->pdata[0])->pub.lane);
  for (; s->next_key < s->n_memory_events && b->pub.n_events < batch_pool_events(s->env.pool); s->next_key++) {
    const OrderKey *k = &s->index[s->next_key];
    const Batch *from = s->batches->pdata[k->batch];
    batch_copy_event(b, &from->pub, &from->pub.events[k->event], s->env.with_raw);
  }
  *out = b;
}

static void next_in_memory(Store *s, bool keep, Batch **out)
{
  if (s->next_batch >= s->batches->len) return;
  *out = s->batches->pdata[s->next_batch++];
  if (keep) return;
  s->batches->pdata[s->next_batch - 1] = NULL;
  uint64_t bytes = batch_bytes(*out) + (s->sort ? (*out)->pub.n_events * 2 * sizeof(OrderKey) : 0);
  uncharge(s, MIN(bytes, s->charged));
}

Error *store_next(Store *s, bool keep, Batch **out)
{
  *out = NULL;
  if (s->run_ends->len && s->sort && !s->ordered) return next_merged(s, out);
  if (s->run_ends->len) {
    uint64_t end = g_array_index(s->run_ends, uint64_t, s->run_ends->len - 1);
    Error *e = spill_read(s->spill, &s->spill_at, end, s->env.pool, out);
    if (e || *out) return e;
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
  s->spill_at = 0;
  drop_cursors(s);
}

bool store_was_ordered(const Store *s)
{
  return s->ordered;
}

uint64_t store_events(const Store *s)
{
  return s->n_events;
}

uint64_t store_spilled_bytes(const Store *s)
{
  return s->spill ? spill_size(s->spill) : 0;
}
