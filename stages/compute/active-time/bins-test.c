/* Tests of active-time/bins.c: bins that widen. */
/* SPDX-License-Identifier: MIT */
#include "bins.h"

#include <stagemill/harness.h>

#include "check.h"

static int64_t busy(const Bins *b)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < b->n; i++) sum += b->busy_ns[i];
  return sum;
}

/* 2,000 ns fit into bins of 1; one more makes 1,001 bins of 2: 11 is the second half of the one from 10. */
static void bins_double_when_they_do_not_reach(void)
{
  Bins b = { 0 };
  bins_add(&b, 11, 12);
  CHECK_INT(b.n, 1);
  CHECK(bins_at(&b, 0).start_ns == 11 && bins_at(&b, 0).percent == 100);
  bins_add(&b, 13, 2011);
  CHECK_INT(b.n, 2000);
  CHECK(bins_at(&b, 1).percent == 0 && bins_at(&b, 1999).end_ns == 2011);
  bins_add(&b, 2011, 2012);
  CHECK_INT(b.n, 1001);
  CHECK(bins_at(&b, 0).start_ns == 10 && bins_at(&b, 0).percent == 50);
  CHECK(bins_at(&b, 1).percent == 50 && bins_at(&b, 2).percent == 100);
  CHECK_INT(busy(&b), 2000);
}

static void empty_intervals_are_nothing(void)
{
  Bins b = { 0 };
  bins_add(&b, 5, 5);
  bins_add(&b, 5, 4);
  CHECK_INT(b.n, 0);
}

/* -5..3 in bins of 2: the one from -6 is half full. */
static void times_before_0_are_binned_alike(void)
{
  Bins b = { 0 };
  bins_add(&b, -5, 3);
  bins_add(&b, 1997, 1998);
  CHECK_INT(b.n, 1002);
  CHECK(bins_at(&b, 0).start_ns == -6 && bins_at(&b, 0).percent == 50);
  CHECK(bins_at(&b, 4).start_ns == 2 && bins_at(&b, 4).percent == 50);
}

/* 0..10 and 990..1000: 32 bins of 32, the last from 992 on. */
static void bins_are_no_more_than_asked_for(void)
{
  Bins b = { 0 };
  bins_add(&b, 0, 10);
  bins_add(&b, 990, 1000);
  CHECK_INT(b.n, 1000);
  bins_fit(&b, 1000);
  CHECK_INT(b.n, 1000);
  bins_fit(&b, 32);
  CHECK_INT(b.n, 32);
  CHECK(bins_at(&b, 0).percent == 31.25 && bins_at(&b, 30).percent == 6.25);
  CHECK(bins_at(&b, 31).start_ns == 992 && bins_at(&b, 31).percent == 25);
  CHECK_INT(busy(&b), 20);
}

/* -1..1 are two bins, whatever their width. */
static void two_bins_always_do(void)
{
  Bins b = { 0 };
  bins_add(&b, -1, 1);
  bins_fit(&b, 1);
  CHECK_INT(b.n, 2);
}

static void all_of_int64_fits(void)
{
  Bins b = { 0 };
  bins_add(&b, INT64_MIN, INT64_MIN + 1);
  bins_add(&b, INT64_MAX - 1, INT64_MAX);
  CHECK(b.n == 1024);
  CHECK_INT(busy(&b), 2);
  CHECK_INT(bins_at(&b, 1023).end_ns, INT64_MAX);
  CHECK_INT(bins_at(&b, 0).start_ns, INT64_MIN);
  b = (Bins){ 0 };
  bins_add(&b, INT64_MIN, INT64_MAX);
  CHECK(b.n == 1024 && bins_at(&b, 5).percent == 100);
}

TEST_MAIN({ "bins double when they do not reach", bins_double_when_they_do_not_reach },
          { "empty intervals are nothing", empty_intervals_are_nothing },
          { "times before 0 are binned alike", times_before_0_are_binned_alike },
          { "bins are no more than asked for", bins_are_no_more_than_asked_for },
          { "two bins always do", two_bins_always_do }, { "all of int64 fits", all_of_int64_fits })
