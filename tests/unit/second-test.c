/* A second thread: each piece of work once, in order, and no more threads than are allowed. */
#include "base/second.h"

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
  second_allow(1);
  Second *s = second_new(take, &sum);
  if (!CHECK(s != NULL)) return;
  for (int i = 0; i < 5000; i++) {
    second_wait(s);
    sum.todo = i;
    second_start(s);
  }
  second_wait(s);
  CHECK_INT(sum.next, 5000);
  CHECK_INT(sum.wrong, 0);
  second_free(s);
}

/* What was started is done, though nobody waits. */
static void test_free(void)
{
  for (int i = 0; i < 200; i++) {
    Sum sum = { 0 };
    second_allow(1);
    Second *s = second_new(take, &sum);
    second_start(s);
    second_free(s);
    CHECK_INT(sum.next, 1);
  }
}

static void test_number(void)
{
  Sum sums[3] = { 0 };
  second_allow(0);
  CHECK(second_new(take, &sums[0]) == NULL);
  second_allow(2);
  Second *one = second_new(take, &sums[0]), *two = second_new(take, &sums[1]);
  CHECK(one && two);
  CHECK(second_new(take, &sums[2]) == NULL);
  second_free(two);
  two = second_new(take, &sums[2]);
  CHECK(two != NULL);
  second_free(one);
  second_free(two);
  second_allow(0);
}

TEST_MAIN({ "in order", test_order }, { "what was started", test_free },
          { "as many as are allowed", test_number })
