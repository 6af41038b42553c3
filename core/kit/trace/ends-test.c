/* Tests of the ends of open slices. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/ends.h"

#include <stagemill/harness.h>

#include "check.h"

static void the_earliest_end_decides(void)
{
  const MillHost *common = harness_host()->common;
  Ends e = { 0 };
  CHECK(!ends_conflict(&e, 5));
  CHECK(ends_push(common, &e, 100));
  CHECK(ends_push(common, &e, 50));
  CHECK(ends_push(common, &e, 70));
  CHECK(!ends_conflict(&e, 50));
  CHECK(ends_conflict(&e, 51));
  int64_t latest_ns = -1;
  CHECK(ends_latest_before(&e, 50, 49, &latest_ns));
  CHECK_INT(latest_ns, -1);
  CHECK(ends_latest_before(&e, 100, 70, &latest_ns));
  CHECK_INT(latest_ns, 70);
  CHECK(!ends_latest_before(&e, 100, 69, &latest_ns));
  CHECK(ends_push(common, &e, 50));
  ends_forget(&e, 49);
  CHECK_INT(e.n, 3);
  ends_forget(&e, 70);
  CHECK_INT(e.n, 1);
  CHECK(!ends_conflict(&e, 100));
  CHECK(ends_conflict(&e, INT64_MAX));
  array_free(common, e.at_ns);
}

/* 7 i modulo 1009 runs through all of 1 to 1008, a prime: they leave in order. */
static void many_leave_in_order(void)
{
  Ends e = { 0 };
  for (int64_t i = 1; i < 1009; i++) CHECK(ends_push(harness_host()->common, &e, i * 7 % 1009));
  for (int64_t i = 1; i < 1009; i++) {
    CHECK_INT(e.at_ns[0], i);
    ends_forget(&e, i);
  }
  CHECK_INT(e.n, 0);
  array_free(harness_host()->common, e.at_ns);
}

TEST_MAIN({ "the earliest end decides", the_earliest_end_decides },
          { "many leave in order", many_leave_in_order })
