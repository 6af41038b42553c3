/* How numbers are spread, against numbers computed by hand. */
/* SPDX-License-Identifier: MIT */
#include "base/spread.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 * fmax(1, fabs(b)); }

static void test_quantiles(void)
{
  static const double v[] = { 1, 2, 4, 8 };
  static const struct {
    double q, wanted;
  } table[] = { { 0, 1 }, { 0.25, 1.75 }, { 0.5, 3 }, { 0.75, 5 }, { 0.9, 6.8 }, { 1, 8 } };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    CHECK(near(spread_quantile(v, 4, table[i].q), table[i].wanted));
  CHECK(spread_quantile(v, 1, 0.5) == 1 && spread_quantile(v, 1, 1) == 1);
  static const double huge[] = { -1.7e308, 1.7e308 };
  CHECK(spread_quantile(huge, 2, 0.5) == 0);
  CHECK(near(spread_quantile(huge, 2, 0.75), 0.85e308));
}

static void test_moments(void)
{
  static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
  CHECK(spread_mean(v, 8) == 5);
  CHECK(near(spread_sd(v, 8), sqrt(32.0 / 7)));
  CHECK(spread_sd(v, 1) == 0 && spread_sd(v, 0) == 0);
  static const double huge[] = { 1.7e308, 1.7e308 };
  CHECK(spread_mean(huge, 2) == 1.7e308 && spread_sd(huge, 2) == 0);
}

static void test_box(void)
{
  /* quartiles 2.25 and 4.75: whiskers reach from -1.5 to 8.5 */
  double v[] = { 100, 5, 1, 3, 2, 4 };
  SpreadBox b;
  spread_sort(v, 6);
  spread_box(v, 6, &b);
  CHECK(b.q1 == 2.25 && b.median == 3.5 && b.q3 == 4.75);
  CHECK(b.low == 1 && b.high == 5 && b.first == 0 && b.end == 5);
  CHECK(near(b.mean, 115.0 / 6));
  /* what is just at 1.5 times is within */
  double edge[] = { 0, 4, 4, 6, 6, 9 };
  spread_box(edge, 6, &b);
  CHECK(b.q1 == 4 && b.q3 == 6 && b.low == 4 && b.high == 9 && b.first == 1 && b.end == 6);
  spread_box(v, 1, &b);
  CHECK(b.low == 1 && b.q1 == 1 && b.median == 1 && b.q3 == 1 && b.high == 1 && b.mean == 1);
}

static void test_density(void)
{
  static const double two[] = { 0, 1 };
  double d[SPREAD_POINTS];
  spread_density(two, 2, d);
  /* bandwidth 2^(-1/5) * sqrt(1/2) */
  double h = pow(2, -0.2) * sqrt(0.5), unit = 1 / (2 * h * sqrt(2 * acos(-1)));
  CHECK(near(d[0], unit * (1 + exp(-0.5 / (h * h)))));
  CHECK(near(d[99], d[0]));
  double x = 33.0 / 99;
  CHECK(
      near(d[33], unit * (exp(-0.5 * x * x / (h * h)) + exp(-0.5 * (1 - x) * (1 - x) / (h * h)))));
  static const double same[] = { 3, 3, 3 };
  spread_density(same, 3, d);
  CHECK(d[0] == 0 && d[50] == 0 && d[99] == 0);
  spread_density(same, 1, d);
  CHECK(d[0] == 0);
}

/* Many values are counted into bins first: the density is the same as far as a picture shows. */
static void test_many(void)
{
  enum { N = 20000 };
  double *v = malloc(2 * N * sizeof *v), few[SPREAD_POINTS], many[SPREAD_POINTS], largest = 0;
  for (size_t i = 0; i < N; i++) v[i] = pow((double)i / N, 3) * 1e6;
  spread_density(v, N, many);
  double h = pow(N, -0.2) * spread_sd(v, N), step = (v[N - 1] - v[0]) / 99;
  for (size_t k = 0; k < SPREAD_POINTS; k++) {
    few[k] = 0;
    for (size_t i = 0; i < N; i++)
      few[k] += exp(-0.5 * pow((v[0] + step * (double)k - v[i]) / h, 2));
    few[k] /= N * h * sqrt(2 * acos(-1));
    largest = fmax(largest, few[k]);
  }
  for (size_t k = 0; k < SPREAD_POINTS; k++) CHECK(fabs(many[k] - few[k]) < 1e-4 * largest);
  free(v);
}

TEST_MAIN({ "quantiles", test_quantiles }, { "mean and deviation", test_moments },
          { "boxes", test_box }, { "densities", test_density }, { "many values", test_many })
