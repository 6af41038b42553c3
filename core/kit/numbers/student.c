/* Student's distribution by its finite series; see student.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/student.h"

#include <math.h>

enum {
  MOST_FREEDOM = 1000, /* beyond, the normal distribution is as good */
  HALVINGS = 50        /* all that doubles can hold */
};

/* Abramowitz and Stegun, 26.7.3 and 26.7.4: the part of the distribution between -t and t. */
static double between(double t, uint64_t freedom)
{
  double angle = atan(t / sqrt((double)freedom)), c = cos(angle), term = freedom % 2 ? c : 1;
  double sum = freedom == 1 ? 0 : term;
  for (uint64_t k = freedom % 2 + 2; k + 1 < freedom; k += 2) {
    term *= c * c * (double)(k - 1) / (double)k;
    sum += term;
  }
  return freedom % 2 ? (angle + sin(angle) * sum) / acos(0) : sin(angle) * sum;
}

double student_tail(double t, uint64_t freedom)
{
  if (isinf(t)) return t > 0 ? 0 : 1;
  return freedom > MOST_FREEDOM ? erfc(t / sqrt(2)) / 2 : (1 - between(t, freedom)) / 2;
}

double student_quantile(double tail, uint64_t freedom)
{
  double low = 0, high = 1;
  while (student_tail(high, freedom) > tail && high < 1e12) high *= 2;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = (low + high) / 2;
    *(student_tail(middle, freedom) > tail ? &low : &high) = middle;
  }
  return (low + high) / 2;
}

void student_add(StudentSeries *s, double value)
{
  if (s->n == 0) s->first = value;
  if (s->n > 0) s->products += s->last * value;
  s->n++;
  s->sum += value;
  s->squares += value * value;
  s->last = value;
}

/* As many independent values would tell as much of the mean: n (1 - r) / (1 + r) with the correlation r of neighbours, where
 * that is not chance. */
static uint64_t independent_of(const StudentSeries *s, double variance)
{
  double n = (double)s->n, mean = s->sum / n;
  if (!(variance > 0)) return s->n;
  double together = s->products - mean * (2 * s->sum - s->first - s->last) + (n - 1) * mean * mean;
  double r = together / n / variance;
  if (r <= 2 / sqrt(n)) return s->n;
  return r < 1 ? (uint64_t)(n * (1 - r) / (1 + r)) : 0;
}

bool student_above_zero(const StudentSeries *s, double chance)
{
  if (s->n < 2 || !(s->sum > 0)) return false;
  double mean = s->sum / (double)s->n, variance = s->squares / (double)s->n - mean * mean;
  uint64_t n = independent_of(s, variance);
  if (n < 2) return false;
  double error = variance > 0 ? sqrt(variance / (double)(n - 1)) : 0;
  return student_tail(mean / error, n - 1) < chance;
}
