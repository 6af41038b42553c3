/* The host table, part two: changing, emitting and keeping events. */
#include <string.h>

#include "sched/run.h"

/* A kept event: one block of memory that holds the event, its attributes and its bytes. */
typedef struct Kept {
  MillEvent event;
  MillBatch view;
  Budget *budget; /* which it is charged to */
  uint64_t bytes;
  MillAttr attrs[];
} Kept;

static MillEvent *host_event(const MillHost *h, MillBatch *b, uint32_t index)
{
  (void)h;
  return batch_event(batch_of(b), index);
}

static int host_set(const MillHost *h, MillBatch *b, uint32_t index, MillSym key, MillValue value)
{
  MillEvent *e = batch_event(batch_of(b), index);
  if (!e)
    return mill_fail(h, MILL_STAGE_FAILED, "set an attribute of an event that does not exist",
                     NULL);
  batch_set_attr(batch_of(b), e, key, value);
  return 0;
}

static uint32_t host_emit(const MillHost *h, MillBatch *b, uint32_t after, const MillEvent *e)
{
  Instance *i = instance_of(h);
  uint32_t index = batch_emit(batch_of(b), after, e);
  if (after == MILL_AT_END && i->lane) {
    MillEvent *fresh = batch_event(batch_of(b), index);
    fresh->seq = i->lane->next_seq++;
    fresh->sub = 0;
  }
  return index;
}

static Kept *pack(const Batch *one, Budget *budget)
{
  const MillBatch *b = &one->pub;
  size_t attrs = b->n_attrs * sizeof(MillAttr), bytes = sizeof(Kept) + attrs + one->own_len;
  Kept *k = g_malloc(bytes);
  k->event = b->events[0];
  k->bytes = bytes;
  k->budget = budget;
  budget_charge(budget, bytes);
  if (attrs) memcpy(k->attrs, b->attrs, attrs);
  char *own = (char *)k->attrs + attrs;
  memcpy(own, b->own, one->own_len);
  k->view = (MillBatch){ sizeof(MillBatch), b->lane,    &k->event,  1,  1,
                         k->attrs,          b->n_attrs, b->n_attrs, "", own };
  return k;
}

static void kept_free(gpointer data)
{
  Kept *k = data;
  budget_release(k->budget, k->bytes);
  g_free(k);
}

static uint64_t host_keep(const MillHost *h, const MillBatch *b, uint32_t index)
{
  Instance *i = instance_of(h);
  const MillEvent *e = batch_event((Batch *)batch_of_const(b), index);
  if (!e) {
    mill_fail(h, MILL_STAGE_FAILED, "kept an event that does not exist", NULL);
    return 0;
  }
  if (budget_exceeded(&i->run->budget)) {
    mill_fail(h, MILL_LIMIT, "the events that this stage keeps exceed the memory limit",
              "give more memory with --max-memory, or cut the input with --from and --to");
    return 0;
  }
  Batch *one = batch_take(i->run->batches, b->lane);
  batch_copy_event(one, b, e, i->run->want_raw);
  Kept *k = pack(one, &i->run->budget);
  batch_give(i->run->batches, one);
  if (!i->kept) i->kept = g_hash_table_new_full(NULL, NULL, NULL, kept_free);
  uint64_t handle = ++i->next_kept;
  g_hash_table_insert(i->kept, GSIZE_TO_POINTER(handle), k);
  return handle;
}

static void host_drop_kept(const MillHost *h, uint64_t handle)
{
  Instance *i = instance_of(h);
  if (i->kept) g_hash_table_remove(i->kept, GSIZE_TO_POINTER(handle));
}

static uint32_t host_emit_kept(const MillHost *h, MillBatch *b, uint32_t after, uint64_t handle)
{
  Instance *i = instance_of(h);
  const Kept *k = i->kept ? g_hash_table_lookup(i->kept, GSIZE_TO_POINTER(handle)) : NULL;
  if (!k) {
    mill_fail(h, MILL_STAGE_FAILED, "emitted a kept event that it does not keep", NULL);
    return MILL_NO_EVENT;
  }
  uint32_t index = batch_emit_copy(batch_of(b), after, &k->view, &k->event);
  host_drop_kept(h, handle);
  return index;
}

void host_init_events(MillHost *h)
{
  h->event = host_event;
  h->set = host_set;
  h->emit = host_emit;
  h->keep = host_keep;
  h->emit_kept = host_emit_kept;
  h->drop_kept = host_drop_kept;
}
