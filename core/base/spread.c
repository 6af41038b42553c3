/* How numbers are spread; see spread.h. */
/* SPDX-License-Identifier: MIT */
#include "base/spread.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_VALUES = 10000, BINS = 2048 };

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

void spread_sort(double *values, size_t n)
{
  if (n) qsort(values, n, sizeof *values, compare);
}

double spread_quantile(const double *sorted, size_t n, double q)
{
  double at = q * (double)(n - 1);
  size_t i = (size_t)at;
  if (i + 1 >= n) return sorted[n - 1];
  long double low = sorted[i], high = sorted[i + 1];
  return (double)(low + (high - low) * (long double)(at - (double)i));
}

double spread_mean(const double *values, size_t n)
{
  long double sum = 0;
  for (size_t i = 0; i < n; i++) sum += values[i];
  return (double)(sum / (long double)n);
}

double spread_sd(const double *values, size_t n)
{
  if (n < 2) return 0;
  long double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) sum += values[i];
  for (size_t i = 0; i < n; i++) {
    long double distance = values[i] - sum / (long double)n;
    squares += distance * distance;
  }
  return (double)sqrtl(squares / (long double)(n - 1));
}

void spread_box(const double *sorted, size_t n, SpreadBox *out)
{
  SpreadBox b = { .q1 = spread_quantile(sorted, n, 0.25),
                  .median = spread_quantile(sorted, n, 0.5),
                  .q3 = spread_quantile(sorted, n, 0.75),
                  .mean = spread_mean(sorted, n),
                  .end = n };
  long double reach = 1.5L * ((long double)b.q3 - b.q1);
  while (b.first + 1 < n && sorted[b.first] < b.q1 - reach) b.first++;
  while (b.end > b.first + 1 && sorted[b.end - 1] > b.q3 + reach) b.end--;
  b.low = sorted[b.first];
  b.high = sorted[b.end - 1];
  *out = b;
}

/* ----------------------------------------------------------------- density */

typedef struct Weights {     /* values, or so many bins of them */
  const double *at, *weight; /* weight NULL: 1 each */
  size_t n;
} Weights;

static double density_at(const Weights *w, double x, double width)
{
  double sum = 0;
  for (size_t i = 0; i < w->n; i++) {
    double z = (x - w->at[i]) / width;
    if (fabs(z) < 39) sum += (w->weight ? w->weight[i] : 1) * exp(-0.5 * z * z);
  }
  return sum;
}

/* Each value is shared between the two bins beside it. */
static void fill_bins(const double *sorted, size_t n, double at[BINS], double weight[BINS])
{
  double low = sorted[0], step = (sorted[n - 1] - low) / (BINS - 1);
  for (size_t i = 0; i < BINS; i++) {
    at[i] = low + step * (double)i;
    weight[i] = 0;
  }
  for (size_t i = 0; i < n; i++) {
    double place = (sorted[i] - low) / step;
    size_t bin = place < BINS - 2 ? (size_t)place : BINS - 2;
    weight[bin] += 1 - (place - (double)bin);
    weight[bin + 1] += place - (double)bin;
  }
}

void spread_density(const double *sorted, size_t n, double out[SPREAD_POINTS])
{
  double at[BINS], weight[BINS];
  Weights w = { sorted, NULL, n };
  double sd = spread_sd(sorted, n), width = pow((double)n, -0.2) * sd;
  double low = n ? sorted[0] : 0, step = n ? (sorted[n - 1] - low) / (SPREAD_POINTS - 1) : 0;
  for (size_t i = 0; i < SPREAD_POINTS; i++) out[i] = 0;
  if (!(width > 0) || !(step > 0) || !isfinite(width) || !isfinite(step)) return;
  if (n > EXACT_VALUES) {
    fill_bins(sorted, n, at, weight);
    w = (Weights){ at, weight, BINS };
  }
  double scale = 1 / ((double)n * width * sqrt(2 * acos(-1)));
  for (size_t i = 0; i < SPREAD_POINTS; i++)
    out[i] = scale * density_at(&w, low + step * (double)i, width);
}
