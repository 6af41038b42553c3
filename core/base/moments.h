/* Count, sum, sum of squares, min and max of integers: exact, mergeable in any grouping. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_MOMENTS_H
#define BASE_MOMENTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Moments { /* zero-initialised is empty */
  uint64_t n;
  int64_t min, max;
  __int128 sum;
  unsigned __int128 squares;
  bool overflow; /* squares are beyond 128 bits: no standard deviation */
} Moments;

static inline void moments_add(Moments *m, int64_t value)
{
  unsigned __int128 square = (unsigned __int128)((__int128)value * value);
  if (m->n == 0 || value < m->min) m->min = value;
  if (m->n == 0 || value > m->max) m->max = value;
  m->n++;
  m->sum += value;
  m->overflow |= __builtin_add_overflow(m->squares, square, &m->squares);
}

static inline void moments_merge(Moments *into, const Moments *from)
{
  if (from->n == 0) return;
  if (into->n == 0 || from->min < into->min) into->min = from->min;
  if (into->n == 0 || from->max > into->max) into->max = from->max;
  into->n += from->n;
  into->sum += from->sum;
  into->overflow |= from->overflow;
  into->overflow |= __builtin_add_overflow(into->squares, from->squares, &into->squares);
}

/* This and the next are false when there is no such number: no values, too few, or overflow. */
static inline bool moments_mean(const Moments *m, double *out)
{
  if (m->n == 0) return false;
  *out = (double)m->sum / (double)m->n;
  return true;
}

/* Sum of squared distances from the mean, times n, is n * squares - sum^2: exact while it fits
 * into 128 bits, else divided by n first, which loses less than one unit of n. */
static inline bool moments_scatter(const Moments *m, double *out)
{
  unsigned __int128 magnitude = m->sum < 0 ? -(unsigned __int128)m->sum : (unsigned __int128)m->sum;
  unsigned __int128 sum_squared, scaled;
  if (m->overflow || __builtin_mul_overflow(magnitude, magnitude, &sum_squared)) return false;
  if (!__builtin_mul_overflow(m->squares, (unsigned __int128)m->n, &scaled))
    *out = (double)(scaled - sum_squared) / (double)m->n;
  else
    *out = (double)(m->squares - sum_squared / m->n);
  return true;
}

static inline bool moments_std_population(const Moments *m, double *out)
{
  double sum;
  if (m->n == 0 || !moments_scatter(m, &sum)) return false;
  *out = sqrt(sum / (double)m->n);
  return true;
}

static inline bool moments_std_sample(const Moments *m, double *out)
{
  double sum;
  if (m->n < 2 || !moments_scatter(m, &sum)) return false;
  *out = sqrt(sum / (double)(m->n - 1));
  return true;
}

/* The sum as int64; INT64_MAX or INT64_MIN when beyond. */
static inline int64_t moments_sum(const Moments *m)
{
  if (m->sum > INT64_MAX) return INT64_MAX;
  return m->sum < INT64_MIN ? INT64_MIN : (int64_t)m->sum;
}

#endif
