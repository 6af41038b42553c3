/* Batches waiting to be used again: allocating per batch would cost a page fault every few events. */
#include "model/pool.h"

#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define KEEP_FREE 16
#define KEEP_SMALL_OWN (64u << 10)
#define KEEP_OWN \
  (4u << 20) /* a batch that once held a huge text, or all that a stage let go at once, is freed */

/* Held batches are many: from this number on they share huge pages, which saves a fault every 64
 * events.  A piece stays until the pool goes, and its batches are used again. */
#define MANY 64
#define PIECE_BYTES ((size_t)2 << 20)
#define BATCHES_A_PIECE 32u

struct BatchPool {
  pthread_mutex_t lock;
  uint32_t max_events;
  uint32_t n_free, n_taken;
  Batch *free;
  GPtrArray *pieces; /* of PIECE_BYTES */
  uint32_t n_used;   /* parts of the last one */
};

BatchPool *batch_pool_new(uint32_t max_events)
{
  BatchPool *p = g_new0(BatchPool, 1);
  pthread_mutex_init(&p->lock, NULL);
  p->max_events = max_events;
  p->pieces = g_ptr_array_new_with_free_func(free);
  return p;
}

void batch_pool_free(BatchPool *p)
{
  if (!p) return;
  for (Batch *b = p->free, *next; b; b = next) {
    next = b->next;
    batch_free(b);
  }
  g_ptr_array_unref(p->pieces);
  pthread_mutex_destroy(&p->lock);
  g_free(p);
}

uint32_t batch_pool_events(const BatchPool *p) { return p->max_events; }

/* With the lock held: space for a batch in a piece, or NULL. */
static MillEvent *take_part(BatchPool *p)
{
  if (p->n_taken < MANY || p->max_events * sizeof(MillEvent) * BATCHES_A_PIECE != PIECE_BYTES)
    return NULL;
  if (!p->pieces->len || p->n_used == BATCHES_A_PIECE) {
    void *piece = aligned_alloc(PIECE_BYTES, PIECE_BYTES);
    if (!piece) return NULL;
    madvise(piece, PIECE_BYTES, MADV_HUGEPAGE);
    g_ptr_array_add(p->pieces, piece);
    p->n_used = 0;
  }
  MillEvent *events = p->pieces->pdata[p->pieces->len - 1];
  return events + (size_t)p->n_used++ * p->max_events;
}

Batch *batch_take(BatchPool *p, uint32_t lane)
{
  pthread_mutex_lock(&p->lock);
  Batch *b = p->free;
  p->n_taken++;
  if (b) {
    p->free = b->next;
    p->n_free--;
  } else {
    MillEvent *part = take_part(p);
    if (part) b = batch_new_in(part, p->max_events);
  }
  pthread_mutex_unlock(&p->lock);
  if (!b) b = batch_new(p->max_events);
  batch_reset(b, lane);
  return b;
}

void batch_give(BatchPool *p, Batch *b)
{
  if (!b) return;
  batch_reset(b, 0);
  pthread_mutex_lock(&p->lock);
  bool keep = p->n_free < KEEP_FREE && b->own_max < KEEP_OWN &&
              MAX(b->pub.max_events, b->max_spare) <= MAX(BATCH_EVENTS, p->max_events) * 8;
  p->n_taken--;
  if (!keep && b->part && b->own_max < KEEP_SMALL_OWN) { /* its part can serve nobody else */
    batch_shrink(b, p->max_events);
    keep = true;
  }
  if (keep) {
    b->next = p->free;
    p->free = b;
    p->n_free++;
  }
  pthread_mutex_unlock(&p->lock);
  if (!keep) batch_free(b);
}
