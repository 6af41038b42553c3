/* What changed between two sets of repeated measurements; see noise.h. */
/* SPDX-License-Identifier: MIT */
#include "base/noise.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/spread.h"

#define MOST_EXACT 50

/* ------------------------------------------------- Mann-Whitney distribution */

/* In how many orders of n and m values U, the pairs in the wrong order, is 0, 1, ... up to most.  A row for each
 * n: taking one more value of the other side, either no row changes or its last value stands before them all. */
static double *count_orders(size_t n, size_t m, size_t most)
{
  size_t width = most + 1;
  double *orders = g_new0(double, (n + 1) * width);
  for (size_t i = 0; i <= n; i++)
    orders[i * width] = 1; /* without other values there are no pairs */
  for (size_t j = 1; j <= m; j++)
    for (size_t i = 1; i <= n; i++)
      for (size_t u = j; u <= most; u++) orders[i * width + u] += orders[(i - 1) * width + u - j];
  memmove(orders, orders + n * width, width * sizeof *orders);
  return orders;
}

static double count_all(size_t n, size_t m)
{
  double all = 1;
  for (size_t i = 1; i <= n; i++) all = all * (double)(m + i) / (double)i;
  return all;
}

/* The largest U that is still in the tail: there are as many changes below the lower end. */
static uint64_t outside_exact(size_t n, size_t m, double tail)
{
  size_t most = n * m / 2, u = 0;
  double all = count_all(n, m), sum = 0;
  g_autofree double *orders = count_orders(n, m, most);
  while (u <= most && (sum + orders[u]) / all <= tail) sum += orders[u++];
  return u ? u - 1 : NOISE_UNBOUNDED;
}

/* By halving: it is needed once. */
static double normal_quantile(double tail)
{
  double low = 0, high = 40;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (0.5 * erfc(middle * G_SQRT2 / 2) > tail)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static uint64_t outside_normal(double n, double m, double tail)
{
  double spread = sqrt(n * m * (n + m + 1) / 12);
  double u = floor(n * m / 2 - 0.5 - normal_quantile(tail) * spread);
  return u >= 0 ? (uint64_t)u : NOISE_UNBOUNDED;
}

uint64_t noise_outside(size_t n_base, size_t n_new, double confidence)
{
  double tail = (1 - confidence) / 2;
  if (!n_base || !n_new) return NOISE_UNBOUNDED;
  if (n_base > MOST_EXACT || n_new > MOST_EXACT)
    return outside_normal((double)n_base, (double)n_new, tail);
  return outside_exact(n_base, n_new, tail);
}

/* ---------------------------------------------------------- pairwise changes */

typedef struct Pairs {
  const double *base, *changed;
  size_t n_base, n_changed;
  bool relative;
} Pairs;

static double pair_at(const Pairs *p, size_t base, size_t changed)
{
  return p->relative ? p->changed[changed] / p->base[base] : p->changed[changed] - p->base[base];
}

/* From a larger base there are more that are small enough: each index goes one way. */
static uint64_t count_up_to(const Pairs *p, double limit)
{
  uint64_t n = 0;
  size_t c = 0;
  for (size_t b = 0; b < p->n_base; b++) {
    while (c < p->n_changed && pair_at(p, b, c) <= limit) c++;
    n += c;
  }
  return n;
}

/* Doubles as integers of the same order, and back. */
static int64_t rank_of(double value)
{
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits ^ ((bits >> 63) & INT64_MAX);
}

static double value_of(int64_t rank)
{
  double value;
  rank ^= (rank >> 63) & INT64_MAX;
  memcpy(&value, &rank, sizeof value);
  return value;
}

/* The pairwise change at this position in their order, without making them all. */
static double change_at(const Pairs *p, uint64_t position)
{
  int64_t low = rank_of(pair_at(p, p->n_base - 1, 0));
  int64_t high = rank_of(pair_at(p, 0, p->n_changed - 1));
  while (low < high) {
    int64_t middle = (low & high) + ((low ^ high) >> 1);
    if (count_up_to(p, value_of(middle)) > position)
      high = middle;
    else
      low = middle + 1;
  }
  return value_of(low) + 0.0; /* never -0 */
}

/* Of the medians: what stands between them in a table. */
static double median_change(const Pairs *p)
{
  double base = spread_quantile(p->base, p->n_base, 0.5);
  double change = spread_quantile(p->changed, p->n_changed, 0.5) - base;
  return p->relative ? change / base : change;
}

NoiseChange noise_change(const double *base, size_t n_base, const double *changed, size_t n_changed,
                         uint64_t outside)
{
  Pairs p = { base, changed, n_base, n_changed, base[0] > 0 && changed[0] > 0 };
  uint64_t n = (uint64_t)n_base * n_changed;
  double one = p.relative ? 1 : 0;
  NoiseChange out = { .relative = p.relative, .change = median_change(&p) };
  if (outside == NOISE_UNBOUNDED || outside > (n - 1) / 2) return out;
  out.bounded = true;
  out.low = fmin(change_at(&p, outside) - one, out.change);
  out.high = fmax(change_at(&p, n - 1 - outside) - one, out.change);
  return out;
}
