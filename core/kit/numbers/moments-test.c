/* Tests of exact sums. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/moments.h"
#include "kit/state/state.h"

#include <math.h>
#include <stagemill/harness.h>

#include "check.h"

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 * fabs(b); }

static Moments moments_of(const int64_t *values, size_t n)
{
  Moments m = { 0 };
  for (size_t i = 0; i < n; i++) moments_add(&m, values[i]);
  return m;
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5; squares of distances 9+1+1+1+0+0+4+16 = 32: 32/8 = 4, 32/7. */
static void the_textbook_example(void)
{
  const int64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
  Moments m = moments_of(values, 8);
  double mean = 0, population = 0, sample = 0;
  CHECK(moments_mean(&m, &mean) && mean == 5.0);
  CHECK(moments_std_population(&m, &population) && population == 2.0);
  CHECK(moments_std_sample(&m, &sample) && near(sample, sqrt(32.0 / 7)));
  CHECK_INT(moments_sum(&m), 40);
  CHECK_INT(m.min, 2);
  CHECK_INT(m.max, 9);
}

static void too_few_values_have_no_deviation(void)
{
  double out = -1;
  Moments m = { 0 };
  CHECK(!moments_mean(&m, &out) && !moments_std_population(&m, &out));
  moments_add(&m, -3);
  CHECK(!moments_std_sample(&m, &out));
  CHECK(out == -1);
  CHECK(moments_std_population(&m, &out) && out == 0);
  CHECK_INT(m.max, -3);
}

/* Around 10^15 doubles would lose the difference of 1: the deviation of x, x + 1 is 1/2 whatever
 * x is. */
static void large_offsets_lose_nothing(void)
{
  const int64_t values[] = { 1000000000000000, 1000000000000001 };
  Moments m = moments_of(values, 2);
  double out = 0;
  CHECK(moments_std_population(&m, &out) && out == 0.5);
}

/* n * squares is beyond 128 bits, the squares are not: 3 * 2^62 and 3 * 0, mean 2^61, deviation
 * 2^61. */
static void sums_of_large_values_still_have_a_deviation(void)
{
  const int64_t big = INT64_C(1) << 62;
  const int64_t values[] = { big, big, big, 0, 0, 0 };
  Moments m = moments_of(values, 6);
  double out = 0;
  CHECK(moments_mean(&m, &out) && out == ldexp(1, 61));
  CHECK(moments_std_population(&m, &out) && near(out, ldexp(1, 61)));
}

static void too_large_values_have_none(void)
{
  Moments m = { 0 };
  double out = 0;
  for (int i = 0; i < 9; i++) moments_add(&m, INT64_MIN); /* 9 * 2^126 is beyond 2^128 */
  CHECK(m.overflow && !moments_std_population(&m, &out));
  CHECK_INT(moments_sum(&m), INT64_MIN);
  CHECK(moments_mean(&m, &out) && out == -ldexp(1, 63));
}

static void merging_and_saving_keep_all(void)
{
  const int64_t left[] = { -5, 7 }, right[] = { 100 }, all[] = { -5, 7, 100 };
  Moments a = moments_of(left, 2), b = moments_of(right, 1), c = moments_of(all, 3), none = { 0 };
  Moments loaded = { 0 };
  moments_merge(&a, &b);
  moments_merge(&a, &none);
  moments_merge(&none, &a);
  state_save(harness_host(), &moments_state, &none);
  CHECK(state_load(harness_host(), &moments_state, &loaded));
  CHECK(loaded.n == c.n && loaded.sum == c.sum && loaded.squares == c.squares);
  CHECK(loaded.min == c.min && loaded.max == c.max && loaded.overflow == c.overflow);
  CHECK(!harness_host()->get_more(harness_host()));
}

TEST_MAIN({ "the textbook example", the_textbook_example },
          { "too few values have no deviation", too_few_values_have_no_deviation },
          { "large offsets lose nothing", large_offsets_lose_nothing },
          { "sums of large values", sums_of_large_values_still_have_a_deviation },
          { "too large values have none", too_large_values_have_none },
          { "merging and saving keep all", merging_and_saving_keep_all })
