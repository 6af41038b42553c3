/* One piece of work after the other, in another thread; see worker.h. */
/* SPDX-License-Identifier: MIT */
#include "base/worker.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread.h"

struct Worker {
  void (*work)(void *data);
  void *data;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool has_work, ends;
};

static _Atomic int64_t n_allowed;

void worker_allow(uint32_t n) { atomic_store(&n_allowed, n); }

static void *run(void *data)
{
  Worker *s = data;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (!s->has_work && !s->ends) pthread_cond_wait(&s->changed, &s->lock);
    if (!s->has_work) break;
    pthread_mutex_unlock(&s->lock);
    s->work(s->data);
    pthread_mutex_lock(&s->lock);
    s->has_work = false;
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static void let_go(Worker *s)
{
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->changed);
  g_free(s);
  atomic_fetch_add(&n_allowed, 1);
}

Worker *worker_new(void (*work)(void *data), void *data)
{
  if (atomic_fetch_sub(&n_allowed, 1) <= 0) {
    atomic_fetch_add(&n_allowed, 1);
    return NULL;
  }
  Worker *s = g_new0(Worker, 1);
  s->work = work;
  s->data = data;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  if (!thread_start(&s->thread, run, s)) return s;
  let_go(s);
  return NULL;
}

/* With the lock held. */
static void wait_idle(Worker *s)
{
  while (s->has_work) pthread_cond_wait(&s->changed, &s->lock);
}

void worker_start(Worker *s)
{
  pthread_mutex_lock(&s->lock);
  wait_idle(s);
  s->has_work = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

void worker_wait(Worker *s)
{
  pthread_mutex_lock(&s->lock);
  wait_idle(s);
  pthread_mutex_unlock(&s->lock);
}

void worker_free(Worker *s)
{
  if (!s) return;
  pthread_mutex_lock(&s->lock);
  s->ends = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  let_go(s);
}
