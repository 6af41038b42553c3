/* Batches on their way to the sinks; see writer.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/writer.h"

#include <pthread.h>

#include "base/thread.h"

#define QUEUE 4u /* batches that may wait: one would be enough if all took the same time */

struct Writer {
  Run *run;
  Lane *lane;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Batch *queue[QUEUE];
  uint32_t head, n;
  bool ended, failed; /* failed: later batches are dropped */
  Error *error;
};

/* The next batch, which stays in the queue; NULL: there are no more. */
static Batch *wait_for_batch(Writer *w, bool *out_failed)
{
  pthread_mutex_lock(&w->lock);
  while (!w->n && !w->ended) pthread_cond_wait(&w->changed, &w->lock);
  Batch *b = w->n ? w->queue[w->head] : NULL;
  *out_failed = w->failed;
  pthread_mutex_unlock(&w->lock);
  return b;
}

static void pass(Writer *w, Error *e)
{
  pthread_mutex_lock(&w->lock);
  w->head = (w->head + 1) % QUEUE;
  w->n--;
  w->failed = w->failed || e;
  w->error = error_join(w->error, e);
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static void *write_all(void *data)
{
  Writer *w = data;
  bool failed;
  for (Batch *b; (b = wait_for_batch(w, &failed));) {
    Error *e = failed ? NULL : sinks_write(w->run->out.sinks, w->lane->info, w->lane->sinks, b);
    batch_give(w->run->pools.batches, b);
    pass(w, e);
  }
  return NULL;
}

static void free_writer(Writer *w)
{
  pthread_mutex_destroy(&w->lock);
  pthread_cond_destroy(&w->changed);
  g_free(w);
}

Writer *writer_new(Run *run, Lane *lane)
{
  Writer *w = g_new0(Writer, 1);
  w->run = run;
  w->lane = lane;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  if (!thread_start(&w->thread, write_all, w)) return w;
  free_writer(w);
  return NULL;
}

Error *writer_add(Writer *w, Batch *b)
{
  pthread_mutex_lock(&w->lock);
  while (w->n == QUEUE) pthread_cond_wait(&w->changed, &w->lock);
  Error *e = g_steal_pointer(&w->error);
  if (!e) w->queue[(w->head + w->n++) % QUEUE] = b;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
  if (e) batch_give(w->run->pools.batches, b);
  return e;
}

Error *writer_end(Writer *w)
{
  pthread_mutex_lock(&w->lock);
  w->ended = true;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  Error *e = w->error;
  free_writer(w);
  return e;
}
