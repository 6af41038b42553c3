/* Tests of threads for further rows. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/threads.h"

#include <stagemill/harness.h>

#include "check.h"

static const char *next_text(const char *name, uint64_t tries)
{
  const MillHost *common = harness_host()->common;
  MillValue thread = name ? mill_sym(common->intern(common, name, strlen(name))) : mill_none();
  MillValue next = mill_none();
  size_t len;
  CHECK(threads_next(common, &thread, tries, &next));
  CHECK_INT(next.type, MILL_SYM);
  return common->symbol_text(common, next.u.sym, &len);
}

static void numbers_go_up_and_names_get_one(void)
{
  MillValue seven = mill_int(7), next = mill_none();
  CHECK(threads_next(harness_host()->common, &seven, 3, &next));
  CHECK_INT(next.type, MILL_INT);
  CHECK_INT(next.u.i, 10);
  CHECK_STR(next_text("stream 7", 2), "stream 7 +2");
  CHECK_STR(next_text(NULL, 1), "+1");
}

/* Numbers of threads are their own; those of names are beyond 100. */
static uint32_t own_number(void *user, MillValue thread)
{
  (void)user;
  return thread.type == MILL_INT ? (uint32_t)thread.u.i : 100 + (uint32_t)thread.u.sym;
}

static int64_t take(ThreadSlots *t, int64_t from)
{
  const MillValue thread = mill_int(from);
  MillValue next = mill_none();
  uint32_t number;
  CHECK(threads_take(t, &thread, &next, &number));
  CHECK_INT(number, (uint32_t)next.u.i);
  return next.u.i;
}

/* In use: 1, 2, 3 and 5. */
static void threads_in_use_are_passed(void)
{
  static const uint32_t used[] = { 1, 2, 3, 5 };
  static const int64_t from[] = { 1, 1, 2, 3, 5, 4 }, taken[] = { 4, 6, 7, 8, 9, 10 };
  ThreadSlots t = { .common = harness_host()->common, .number_of = own_number };
  for (size_t i = 0; i < MILL_COUNT(used); i++) threads_slot(&t, used[i])->used = true;
  for (size_t i = 0; i < MILL_COUNT(from); i++) CHECK_INT(take(&t, from[i]), taken[i]);
  array_free(t.common, t.slots);
}

/* "a +1" is there already. */
static void names_get_a_number_that_is_free(void)
{
  const MillHost *common = harness_host()->common;
  ThreadSlots t = { .common = common, .number_of = own_number };
  const MillValue a = mill_sym(common->intern(common, "a", 1));
  MillValue taken = mill_sym(common->intern(common, "a +1", 4));
  uint32_t number;
  threads_slot(&t, own_number(NULL, taken))->used = true;
  for (uint32_t i = 2; i < 4; i++) {
    size_t len;
    CHECK(threads_take(&t, &a, &taken, &number));
    CHECK_STR(common->symbol_text(common, taken.u.sym, &len), i == 2 ? "a +2" : "a +3");
  }
  array_free(t.common, t.slots);
}

TEST_MAIN({ "threads in use are passed", threads_in_use_are_passed },
          { "names get a number that is free", names_get_a_number_that_is_free },
          { "numbers go up and names get one", numbers_go_up_and_names_get_one })
