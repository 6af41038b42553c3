/* Student's distribution by its finite series; see student.h. */
#include "lib/student.h"

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

bool student_above_zero(double sum, double squares, uint64_t n, double chance)
{
  if (n < 2 || !(sum > 0)) return false;
  double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
  double error = variance > 0 ? sqrt(variance / (double)(n - 1)) : 0;
  return student_tail(mean / error, n - 1) < chance;
}
