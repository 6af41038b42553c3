/* Statistics of a few doubles, such as one reported mean a run.  Everything is added in the order
 * given, so the result is that of a plain loop in any language. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LIB_SERIES_H
#define SERVE_LIB_SERIES_H

#include <math.h>
#include <stddef.h>

typedef struct Series {
  size_t n;
  /* std of the population; all but sum mean nothing when n is 0; NaN: the values are too large to be added */
  double sum, mean, min, max, std;
} Series;

static inline Series series_of(const double *values, size_t n)
{
  Series s = { n, 0, 0, 0, 0, 0 };
  double squares = 0;
  if (n == 0) return s;
  s.min = s.max = values[0];
  for (size_t i = 0; i < n; i++) {
    s.sum += values[i];
    if (values[i] < s.min) s.min = values[i];
    if (values[i] > s.max) s.max = values[i];
  }
  s.mean = s.sum / (double)n;
  for (size_t i = 0; i < n; i++) squares += (values[i] - s.mean) * (values[i] - s.mean);
  s.std = sqrt(squares / (double)n);
  if (!isfinite(s.sum)) s.sum = s.mean = (double)NAN;
  if (!isfinite(s.std)) s.std = (double)NAN;
  return s;
}

#endif
