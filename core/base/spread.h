/* How numbers are spread: quantiles, boxes with whiskers, and the density that a violin shows. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SPREAD_H
#define BASE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* Ascending; no NaN. */
void spread_sort(double *values, size_t n);
/* Between the two nearest by linear interpolation; q from 0 to 1, n > 0. */
double spread_quantile(const double *sorted, size_t n, double q);
double spread_mean(const double *values, size_t n); /* n > 0 */
double spread_sd(const double *values, size_t n);   /* by n - 1; 0 for less than two */

typedef struct SpreadBox {
  double low, q1, median, q3, high, mean; /* low and high: the whiskers */
  size_t first, end; /* of the sorted values those within the whiskers; others are outliers */
} SpreadBox;
/* Whiskers end at the last value within 1.5 times the distance of the quartiles. */
void spread_box(const double *sorted, size_t n, SpreadBox *out);

enum { SPREAD_POINTS = 100 };
/* Gaussian kernels with Scott's bandwidth, n^(-1/5) * sd, at points from the lowest to the highest value;
 * zeros where all values are equal. */
void spread_density(const double *sorted, size_t n, double out[SPREAD_POINTS]);

#endif
