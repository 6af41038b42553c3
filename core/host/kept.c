/* Events that a stage keeps beyond their batch: deep copies, charged to the memory limit. */
/* SPDX-License-Identifier: MIT */
#include "host/kept.h"

#include <string.h>

#define AROUND \
  64u /* what each takes beside itself: its place in the table, and the allocator's own */

/* One block of memory that holds the event, its attributes and its bytes. */
typedef struct Kept {
  MillEvent event;
  MillBatch view;
  Budget *budget; /* which it is charged to */
  uint64_t bytes;
  MillAttr attrs[];
} Kept;

static Kept *pack(const Batch *one, Budget *budget)
{
  const MillBatch *b = &one->pub;
  size_t attrs = b->n_attrs * sizeof(MillAttr), bytes = sizeof(Kept) + attrs + one->own_len;
  Kept *k = g_malloc(bytes);
  k->event = b->events[0];
  k->bytes = bytes;
  k->budget = budget;
  budget_take(budget, USE_KEPT, bytes + AROUND);
  if (attrs) memcpy(k->attrs, b->attrs, attrs);
  char *own = (char *)k->attrs + attrs;
  memcpy(own, b->own_, one->own_len);
  k->view = (MillBatch){ .size = sizeof(MillBatch),
                         .lane = b->lane,
                         .events = &k->event,
                         .n_events = 1,
                         .max_events = 1,
                         .attrs = k->attrs,
                         .n_attrs = b->n_attrs,
                         .max_attrs = b->n_attrs,
                         .raw_ = "",
                         .own_ = own };
  return k;
}

static void kept_free(gpointer data)
{
  Kept *k = data;
  budget_give(k->budget, USE_KEPT, k->bytes + AROUND);
  g_free(k);
}

/* The bytes of held events are where they were read. */
static Error *fetch_bytes(const MillBatch *b, const MillEvent *e)
{
  Batch *whole = (Batch *)batch_of_const(b);
  if (!e->raw_len || e->flags & MILL_FLAG_OWN_RAW || !whole->block || whole->block->bytes)
    return NULL;
  Error *error = block_read_again(whole->block);
  whole->pub.raw_ = whole->block->bytes;
  return error;
}

uint64_t kept_add(Instance *i, const MillBatch *b, const MillEvent *e)
{
  Error *error = i->env->with_raw ? fetch_bytes(b, e) : NULL;
  if (error) {
    i->error = error_join(i->error, error);
    return 0;
  }
  Batch *one = batch_take(i->env->batches, b->lane);
  batch_copy_event(one, b, e, i->env->with_raw);
  Kept *k = pack(one, i->env->budget);
  batch_give(i->env->batches, one);
  if (!i->kept) i->kept = g_hash_table_new_full(NULL, NULL, NULL, kept_free);
  uint64_t handle = ++i->next_kept;
  g_hash_table_insert(i->kept, GSIZE_TO_POINTER(handle), k);
  return handle;
}

static const Kept *find(const Instance *i, uint64_t handle)
{
  return i->kept ? g_hash_table_lookup(i->kept, GSIZE_TO_POINTER(handle)) : NULL;
}

uint64_t kept_bytes(const Instance *i, uint64_t handle)
{
  const Kept *k = find(i, handle);
  return k ? k->bytes : 0;
}

bool kept_emit(Instance *i, Batch *b, uint32_t after, uint64_t handle, uint32_t *out_index)
{
  const Kept *k = find(i, handle);
  if (!k) return false;
  *out_index = batch_emit_copy(b, after, &k->view, &k->event);
  kept_drop(i, handle);
  return true;
}

void kept_drop(Instance *i, uint64_t handle)
{
  if (i->kept) g_hash_table_remove(i->kept, GSIZE_TO_POINTER(handle));
}

void kept_free_all(Instance *i) { g_clear_pointer(&i->kept, g_hash_table_unref); }
