/* Which instance each thread is inside of: seen by all others, and gone when it leaves. */
/* SPDX-License-Identifier: MIT */
#include "host/slots.h"

#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { THREADS = 6 };
static pthread_barrier_t inside, looked;

static const Instance *fake(uintptr_t number) { return (const Instance *)(number * 64); }

static void *work(void *data)
{
  slot_set(data);
  pthread_barrier_wait(&inside);
  pthread_barrier_wait(&looked);
  slot_set(NULL);
  return NULL;
}

static unsigned count(const Instance *i)
{
  unsigned n = 0;
  for (unsigned k = 0; k < SLOTS; k++) n += slot_at(k) == i;
  return n;
}

static void test_threads(void)
{
  pthread_t threads[THREADS];
  CHECK(!pthread_barrier_init(&inside, NULL, THREADS + 1));
  CHECK(!pthread_barrier_init(&looked, NULL, THREADS + 1));
  for (uintptr_t t = 0; t < THREADS; t++)
    CHECK_INT(pthread_create(&threads[t], NULL, work, (void *)fake(t + 1)), 0);
  pthread_barrier_wait(&inside);
  for (uintptr_t t = 0; t < THREADS; t++) CHECK_INT(count(fake(t + 1)), 1);
  CHECK_INT(count(NULL), SLOTS - THREADS);
  pthread_barrier_wait(&looked);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  CHECK_INT(count(NULL), SLOTS);
}

/* One call inside of another thread's is its own; the last one counts. */
static void test_one_thread(void)
{
  slot_set(fake(1));
  slot_set(fake(2));
  CHECK(count(fake(1)) == 0 && count(fake(2)) == 1);
  slot_set(NULL);
  CHECK_INT(count(NULL), SLOTS);
}

TEST_MAIN({ "threads", test_threads }, { "one thread", test_one_thread })
