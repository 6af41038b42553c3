/* Batches waiting to be used again: allocating per batch would cost a page fault every few events. */
/* SPDX-License-Identifier: MIT */
#include "model/pool.h"

#include <glib.h>
#include <pthread.h>

#define KEEP_FREE 16
#define KEEP_OWN \
  (4u << 20) /* a batch that once held a huge text, or all that a stage let go at once, is freed */

struct BatchPool {
  pthread_mutex_t lock;
  uint32_t max_events;
  uint32_t n_free;
  Batch *free;
};

BatchPool *batch_pool_new(uint32_t max_events)
{
  BatchPool *p = g_new0(BatchPool, 1);
  pthread_mutex_init(&p->lock, NULL);
  p->max_events = max_events;
  return p;
}

void batch_pool_free(BatchPool *p)
{
  if (!p) return;
  for (Batch *b = p->free, *next; b; b = next) {
    next = b->next;
    batch_free(b);
  }
  pthread_mutex_destroy(&p->lock);
  g_free(p);
}

uint32_t batch_pool_events(const BatchPool *p) { return p->max_events; }

Batch *batch_take(BatchPool *p, uint32_t lane)
{
  pthread_mutex_lock(&p->lock);
  Batch *b = p->free;
  if (b) {
    p->free = b->next;
    p->n_free--;
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
  if (keep) {
    b->next = p->free;
    p->free = b;
    p->n_free++;
  }
  pthread_mutex_unlock(&p->lock);
  if (!keep) batch_free(b);
}
