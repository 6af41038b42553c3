/* Changes between repeated measurements: known tables, numbers computed by hand, and how often noise is taken for a
 * regression. */
/* SPDX-License-Identifier: MIT */
#include "base/noise.h"

#include <math.h>

#include "base/spread.h"
#include "check.h"
#include "made-noise.h"

static bool near(double got, double wanted) { return fabs(got - wanted) <= 1e-12 * fabs(wanted); }

/* Two-sided critical values of U as textbooks print them: the largest that is still significant. */
static void test_known_tables(void)
{
  static const struct {
    size_t n, m;
    double confidence;
    int critical; /* -1: none */
  } rows[] = {
    { 3, 3, 0.95, -1 },   { 3, 4, 0.95, -1 },    { 3, 5, 0.95, 0 },  { 4, 4, 0.95, 0 },
    { 4, 10, 0.95, 5 },   { 5, 5, 0.95, 2 },     { 6, 6, 0.95, 5 },  { 7, 7, 0.95, 8 },
    { 8, 10, 0.95, 17 },  { 10, 8, 0.95, 17 },   { 9, 9, 0.95, 17 }, { 10, 10, 0.95, 23 },
    { 12, 15, 0.95, 49 }, { 20, 20, 0.95, 127 }, { 4, 4, 0.99, -1 }, { 5, 5, 0.99, 0 },
    { 10, 10, 0.99, 16 }, { 20, 20, 0.99, 105 }, { 1, 1, 0.95, -1 }, { 1, 50, 0.95, 0 },
    { 5, 5, 0.90, 4 },    { 10, 10, 0.90, 27 },  { 4, 4, 0.5, 5 },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint64_t wanted = rows[i].critical < 0 ? NOISE_UNBOUNDED : (uint64_t)rows[i].critical;
    if (!CHECK_INT(noise_outside(rows[i].n, rows[i].m, rows[i].confidence), wanted))
      printf("\n    %zu and %zu at %g", rows[i].n, rows[i].m, rows[i].confidence);
  }
  CHECK_INT(noise_outside(0, 5, 0.95), NOISE_UNBOUNDED);
}

/* Of 4 and 4 values there are 70 orders: one with U = 0, one with 1, two with 2, three with 3, five with 4. */
static void test_counts_by_hand(void)
{
  CHECK_INT(noise_outside(4, 4, 1 - 2 * 1.001 / 70), 0);
  CHECK_INT(noise_outside(4, 4, 1 - 2 * 0.999 / 70), NOISE_UNBOUNDED);
  CHECK_INT(noise_outside(4, 4, 1 - 2 * 2.001 / 70), 1);
  CHECK_INT(noise_outside(4, 4, 1 - 2 * 4.001 / 70), 2);
  CHECK_INT(noise_outside(4, 4, 1 - 2 * 7.001 / 70), 3);
  CHECK_INT(noise_outside(4, 4, 1 - 2 * 12.001 / 70), 4);
}

/* Where the exact distribution ends, the normal one goes on, by n m / 2 - 1/2 - 1.959964 sqrt(n m (n + m + 1) / 12):
 * of 51 and 51 that is 1300 - 292.8; of 1,000 and 1,000 499999.5 - 25309.3. */
static void test_many_runs(void)
{
  CHECK_INT(noise_outside(50, 50, 0.95), 965);
  CHECK_INT(noise_outside(51, 51, 0.95), 1007);
  CHECK_INT(noise_outside(1000, 1000, 0.95), 474690);
  CHECK_INT(noise_outside(1, 51, 0.95), NOISE_UNBOUNDED);
}

/* 110, 120 against 100, 200: 0.55, 0.6, 1.1, 1.2; the medians are 115 and 150. */
static void test_ratios(void)
{
  static const double base[] = { 100, 200 }, changed[] = { 110, 120 };
  NoiseChange c = noise_change(base, 2, changed, 2, NOISE_UNBOUNDED);
  CHECK(c.relative && !c.bounded);
  CHECK(near(c.change, -35.0 / 150));
  c = noise_change(base, 2, changed, 2, 1);
  CHECK(c.bounded);
  CHECK(near(c.low, 0.6 - 1) && near(c.high, 1.1 - 1));
  c = noise_change(base, 2, changed, 2, 0);
  CHECK(near(c.low, 0.55 - 1) && near(c.high, 1.2 - 1));
  CHECK(!noise_change(base, 2, changed, 2, 2).bounded);
}

static void test_one_run(void)
{
  static const double base = 80, changed = 100;
  NoiseChange c = noise_change(&base, 1, &changed, 1, noise_outside(1, 1, 0.95));
  CHECK(c.relative && !c.bounded);
  CHECK(c.change == 0.25);
}

/* Differences of -1, 0, 2 from 1, 4: -5, -4, -2, -2, -1, 1; of the medians 0 and 2.5. */
static void test_differences(void)
{
  static const double base[] = { 1, 4 }, changed[] = { -1, 0, 2 };
  NoiseChange c = noise_change(base, 2, changed, 3, 1);
  CHECK(!c.relative && c.bounded);
  CHECK(c.change == -2.5 && c.low == -4 && c.high == -1);
  static const double zero[] = { 0, 0, 0 };
  c = noise_change(zero, 3, zero, 3, 0);
  CHECK(!c.relative && c.change == 0 && c.low == 0 && c.high == 0 && !signbit(c.low));
}

/* 12 values of 1, 8 of 10, against 9 of 1, 11 of 10: most changes are 0, and so is the interval that the test gives;
 * the medians differ by 900 %. */
static void test_median_beyond(void)
{
  double base[20], changed[20];
  for (int i = 0; i < 20; i++) base[i] = i < 12 ? 1 : 10;
  for (int i = 0; i < 20; i++) changed[i] = i < 9 ? 1 : 10;
  NoiseChange c = noise_change(base, 20, changed, 20, noise_outside(20, 20, 0.95));
  CHECK(c.bounded && c.change == 9 && c.low == 0 && c.high == 9);
  c = noise_change(changed, 20, base, 20, noise_outside(20, 20, 0.95));
  CHECK(c.bounded && c.change == -0.9 && c.low == -0.9 && c.high == 0);
}

static void test_extremes(void)
{
  static const double small = 1e-300, large = 1e300, least = -1.7e308, most = 1.7e308;
  CHECK(isinf(noise_change(&small, 1, &large, 1, NOISE_UNBOUNDED).change));
  CHECK(near(noise_change(&large, 1, &small, 1, NOISE_UNBOUNDED).change, -1));
  CHECK(isinf(noise_change(&least, 1, &most, 1, NOISE_UNBOUNDED).change));
  CHECK(!isnan(noise_change(&most, 1, &least, 1, NOISE_UNBOUNDED).change));
}

/* ---------------------------------------------------------------- at random */

/* All changes made and sorted, against those found without. */
static void test_against_all_pairs(void)
{
  noise_seed = 7;
  for (int round = 0; round < 300; round++) {
    size_t n = 1 + (size_t)(noise_uniform() * 9), m = 1 + (size_t)(noise_uniform() * 9);
    double base[10], changed[10], pairs[100];
    double shift = round % 2 ? 0 : -0.5; /* half of the rounds have values of both signs */
    for (size_t i = 0; i < n; i++) base[i] = floor((noise_uniform() + shift) * 50) + (round % 2);
    for (size_t i = 0; i < m; i++) changed[i] = floor((noise_uniform() + shift) * 50) + (round % 2);
    spread_sort(base, n);
    spread_sort(changed, m);
    bool relative = base[0] > 0 && changed[0] > 0;
    for (size_t i = 0; i < n * m; i++)
      pairs[i] = relative ? changed[i % m] / base[i / m] - 1 : changed[i % m] - base[i / m];
    spread_sort(pairs, n * m);
    uint64_t outside = (uint64_t)(noise_uniform() * (double)(n * m)) / 2;
    NoiseChange c = noise_change(base, n, changed, m, outside);
    CHECK_INT(c.relative, relative);
    if (!c.bounded) continue;
    CHECK(c.low == fmin(pairs[outside], c.change));
    CHECK(c.high == fmax(pairs[n * m - 1 - outside], c.change));
  }
}

/* Of 1,000 comparisons of 10 and 10 runs with 3 % noise: how many are beyond the limit, with an interval above 0. */
static int count_regressions(double slower, double limit)
{
  uint64_t outside = noise_outside(10, 10, NOISE_CONFIDENCE);
  int found = 0;
  for (int round = 0; round < 1000; round++) {
    double base[10], changed[10];
    for (int i = 0; i < 10; i++) base[i] = 100 * (1 + 0.03 * noise_normal());
    for (int i = 0; i < 10; i++) changed[i] = slower * 100 * (1 + 0.03 * noise_normal());
    spread_sort(base, 10);
    spread_sort(changed, 10);
    NoiseChange c = noise_change(base, 10, changed, 10, outside);
    found += c.change > limit && c.low > 0;
  }
  return found;
}

static void test_gate(void)
{
  noise_seed = 20;
  int noise = count_regressions(1, 0), planted = count_regressions(1.1, 0.05);
  printf("\n    regressions in 1,000: %d of noise, %d of 10 %%", noise, planted);
  CHECK(noise <= 35);
  CHECK(noise >= 5); /* the test is not blind */
  CHECK(planted >= 950);
}

TEST_MAIN({ "tables of critical values", test_known_tables },
          { "orders counted by hand", test_counts_by_hand }, { "many runs", test_many_runs },
          { "ratios", test_ratios }, { "one run", test_one_run },
          { "differences", test_differences }, { "extreme values", test_extremes },
          { "the median lies beyond", test_median_beyond }, { "all pairs", test_against_all_pairs },
          { "noise and a planted change", test_gate })
