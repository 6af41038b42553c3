/* The Mann-Whitney test each way and Holm's correction: numbers computed by hand, and how often chance is found. */
/* SPDX-License-Identifier: MIT */
#include "base/mann-whitney.h"

#include <glib.h>
#include <math.h>

#include "base/spread.h"
#include "check.h"

static bool near(double got, double wanted) { return fabs(got - wanted) <= 1e-12; }

/* Of 4 and 4 values there are 70 orders: one with all of one side first, one with a single pair turned. */
static void test_by_hand(void)
{
  static const double base[] = { 1, 2, 3, 4 }, above[] = { 5, 6, 7, 8 },
                      turned[] = { 3.5, 5, 6, 7 };
  MannWhitney low, high;
  mann_whitney(base, 4, above, 4, &low, &high);
  CHECK(near(high.p, 1 / 70.0) && near(high.least, 1 / 70.0));
  CHECK(near(low.p, 1) && near(low.least, 1 / 70.0));
  mann_whitney(above, 4, base, 4, &low, &high);
  CHECK(near(low.p, 1 / 70.0) && near(high.p, 1));
  mann_whitney(base, 4, turned, 4, &low, &high);
  CHECK(near(high.p, 2 / 70.0) && near(low.p, 69 / 70.0));
  mann_whitney(base, 3, above, 1, &low, &high); /* one value of four is the last */
  CHECK(near(high.p, 1 / 4.0) && near(high.least, 1 / 4.0));
  mann_whitney(base, 1, above, 3, &low, &high);
  CHECK(near(high.p, 1 / 4.0) && near(low.p, 1));
  mann_whitney(base, 4, NULL, 0, &low, &high);
  CHECK(low.p == 1 && high.p == 1 && low.least == 1 && high.least == 1);
}

/* Of 1, 2 and 2, 3 with places 1, 2.5, 2.5, 4: the sums of two are 3.5 (twice), 5, 5, 6.5 (twice).  Of 1, 1 and 1, 2
 * the 2 is in three of six pairs. */
static void test_ties(void)
{
  static const double base[] = { 1, 2 }, changed[] = { 2, 3 }, one[] = { 1, 1 }, other[] = { 1, 2 };
  MannWhitney low, high;
  mann_whitney(base, 2, changed, 2, &low, &high);
  CHECK(near(high.p, 2 / 6.0) && near(high.least, 2 / 6.0) && near(low.p, 1));
  mann_whitney(one, 2, other, 2, &low, &high);
  CHECK(near(high.p, 0.5) && near(high.least, 0.5) && near(low.p, 1) && near(low.least, 0.5));
  mann_whitney(one, 2, one, 2, &low, &high);
  CHECK(low.p == 1 && high.p == 1 && low.least == 1 && high.least == 1);
}

/* 30 and 30 values, all of one side above: U is 0, of a mean of 450 with a deviation of sqrt(900 * 61 / 12); the
 * place is corrected by a half. */
static void test_many(void)
{
  double base[30], changed[30];
  for (int i = 0; i < 30; i++) base[i] = i;
  for (int i = 0; i < 30; i++) changed[i] = 100 + i;
  MannWhitney low, high;
  mann_whitney(base, 30, changed, 30, &low, &high);
  double z = (450 - 0.5) / sqrt(900 * 61 / 12.0);
  CHECK(fabs(high.p / (0.5 * erfc(z / G_SQRT2)) - 1) < 1e-9 && high.least == high.p);
  CHECK(low.p > 0.999);
  for (int i = 0; i < 30; i++) base[i] = changed[i] = 5;
  mann_whitney(base, 30, changed, 30, &low, &high);
  CHECK(low.p == 1 && high.p == 1);
}

/* 0.01, 0.02, 0.04 of three: times 3, 2 and 1, and never less than the one before. */
static void test_correction(void)
{
  static const MannWhitney three[] = { { 0.04, 1e-3 }, { 0.01, 1e-3 }, { 0.02, 1e-3 } };
  double p[4];
  mann_whitney_correct(three, 3, 0.025, p);
  CHECK(near(p[1], 0.03) && near(p[2], 0.04) && near(p[0], 0.04));
  static const MannWhitney likely[] = { { 0.7, 1e-3 }, { 0.6, 1e-3 } };
  mann_whitney_correct(likely, 2, 0.025, p);
  CHECK(p[0] == 1 && p[1] == 1);
  /* The last two can never be found: 0.02 is above 0.025 / 2, and so there is one test, not four. */
  static const MannWhitney mixed[] = {
    { 0.02, 1e-4 }, { 0.01, 1e-4 }, { 0.5, 0.02 }, { 0.02, 0.02 }
  };
  mann_whitney_correct(mixed, 4, 0.025, p);
  CHECK(near(p[1], 0.02) && near(p[0], 0.02) && isnan(p[2]) && isnan(p[3]));
  static const MannWhitney none[] = { { 1 / 70.0, 1 / 70.0 }, { 1 / 70.0, 1 / 70.0 } };
  mann_whitney_correct(none, 2, 0.025, p);
  CHECK(isnan(p[0]) && isnan(p[1]));
  mann_whitney_correct(none, 1, 0.025, p);
  CHECK(near(p[0], 1 / 70.0));
  mann_whitney_correct(none, 0, 0.025, p);
}

/* 1/20 of 3 and 3, 1/70 of 4 and 4, 1/252 of 5 and 5, 1/924 of 6 and 6. */
static void test_needed(void)
{
  CHECK_INT(mann_whitney_needed(1, 0.025), 4);
  CHECK_INT(mann_whitney_needed(2, 0.025), 5);
  CHECK_INT(mann_whitney_needed(6, 0.025), 5);
  CHECK_INT(mann_whitney_needed(7, 0.025), 6);
  CHECK_INT(mann_whitney_needed(23, 0.025), 6);
  CHECK_INT(mann_whitney_needed(24, 0.025), 7);
  CHECK(mann_whitney_needed(1, 0) <= 500);
}

TEST_MAIN({ "by hand", test_by_hand }, { "ties", test_ties }, { "many values", test_many },
          { "correction", test_correction }, { "runs that are needed", test_needed })
