/* The shortest decimal that reads back as the same double, and of those the nearest.
 *
 * Method: Giulietti, "The Schubfach way to render doubles" (2020).  A double c * 2^q stands for all reals
 * up to half way to its neighbours.  One multiplication by a table of powers of ten scales that interval so
 * that its whole numbers are the candidates with as many digits as can be needed; one of them, or one with a
 * digit less, is the answer.  docs/decisions/0006 says why printf does not do it. */
/* SPDX-License-Identifier: MIT */
#include "num-digits.h"

#include <string.h>

#include "pow10-table.h"

/* floor(e * log2 10) and, for log10 2, floor(e * log10 2): exact in the range of doubles. */
static int floor_log2_pow10(int e) { return (int)((int64_t)e * 1741647 >> 19); }

/* floor(log10 of 2^e), or of 3/4 of it. */
static int floor_log10_pow2(int e, bool three_quarters)
{
  return (int)(((int64_t)e * 1262611 - (three_quarters ? 524031 : 0)) >> 22);
}

/* g * v / 2^128, with the last bit set when anything was cut off: enough to compare with. */
static uint64_t scale_to_odd(const uint64_t g[2], uint64_t v)
{
  Wide low = (Wide)g[1] * v;
  Wide high = (Wide)g[0] * v + (uint64_t)(low >> 64);
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

typedef struct Interval { /* four times the double and its borders, scaled */
  uint64_t lower, value, upper;
} Interval;

static Interval scaled_interval(uint64_t c, int q, int k, bool closer_below)
{
  const uint64_t *g = POW10_WIDE[-k - POW10_FIRST];
  int h = q + floor_log2_pow10(-k) + 1;
  bool odd = c & 1; /* ties go to even: then the borders themselves are outside */
  Interval i = { scale_to_odd(g, (4 * c - 2 + closer_below) << h), scale_to_odd(g, (4 * c) << h),
                 scale_to_odd(g, (4 * c + 2) << h) };
  i.lower += odd;
  i.upper -= odd;
  return i;
}

/* One digit less will do when exactly one of the two neighbours lies in the interval. */
static bool shorter(const Interval *i, uint64_t *out_digits)
{
  uint64_t tens = i->value / 40;
  bool below = i->lower <= 40 * tens, above = 40 * tens + 40 <= i->upper;
  if (i->value / 4 < 10 || below == above) return false;
  *out_digits = tens + above;
  return true;
}

static uint64_t nearest(const Interval *i)
{
  uint64_t whole = i->value / 4;
  bool below = i->lower <= 4 * whole, above = 4 * whole + 4 <= i->upper;
  if (below != above) return whole + above;
  uint64_t middle = 4 * whole + 2;
  return whole + (i->value > middle || (i->value == middle && (whole & 1)));
}

uint64_t num_shortest(double v, int *out_power)
{
  uint64_t bits, digits;
  memcpy(&bits, &v, sizeof bits);
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t c = exponent ? fraction | UINT64_C(1) << 52 : fraction;
  int q = (exponent ? exponent : 1) - 1075;
  bool closer_below = !fraction && exponent > 1;
  int k = floor_log10_pow2(q, closer_below);
  Interval i = scaled_interval(c, q, k, closer_below);
  if (shorter(&i, &digits))
    k++;
  else
    digits = nearest(&i);
  while (digits % 10 == 0) {
    digits /= 10;
    k++;
  }
  *out_power = k;
  return digits;
}
