/* A second thread: each piece of work once, in order, and no more threads than are allowed. */
/* SPDX-License-Identifier: MIT */
#include "base/worker.h"

#include <glib.h>

#include "check.h"

typedef struct Sum {
  int next, wrong;
  int todo;
} Sum;

static void take(void *data)
{
  Sum *s = data;
  s->wrong += s->todo != s->next++;
}

static void test_order(void)
{
  Sum sum = { 0 };
  worker_allow(1);
  Worker *s = worker_new(take, &sum);
  if (!CHECK(s != NULL)) return;
  for (int i = 0; i < 5000; i++) {
    worker_wait(s);
    sum.todo = i;
    worker_start(s);
  }
  worker_wait(s);
  CHECK_INT(sum.next, 5000);
  CHECK_INT(sum.wrong, 0);
  worker_free(s);
}

/* What was started is done, though nobody waits. */
static void test_free(void)
{
  for (int i = 0; i < 200; i++) {
    Sum sum = { 0 };
    worker_allow(1);
    Worker *s = worker_new(take, &sum);
    worker_start(s);
    worker_free(s);
    CHECK_INT(sum.next, 1);
  }
}

static void test_number(void)
{
  Sum sums[3] = { 0 };
  worker_allow(0);
  CHECK(worker_new(take, &sums[0]) == NULL);
  worker_allow(2);
  Worker *one = worker_new(take, &sums[0]), *two = worker_new(take, &sums[1]);
  CHECK(one && two);
  CHECK(worker_new(take, &sums[2]) == NULL);
  worker_free(two);
  two = worker_new(take, &sums[2]);
  CHECK(two != NULL);
  worker_free(one);
  worker_free(two);
  worker_allow(0);
}

TEST_MAIN({ "in order", test_order }, { "what was started", test_free },
          { "as many as are allowed", test_number })
