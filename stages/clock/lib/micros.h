/* Nanoseconds as microseconds in decimal text, as traces have them. */
/* SPDX-License-Identifier: MIT */
#ifndef CLOCK_LIB_MICROS_H
#define CLOCK_LIB_MICROS_H

#include "base/num-digits.h"

#define MICROS_MAX (DIGITS_MAX + 2)

/* Exact, with up to three decimals; at most MICROS_MAX bytes, no NUL; returns their number. */
static inline size_t micros_write(char *to, int64_t ns)
{
  uint64_t magnitude = digits_magnitude(ns), whole = magnitude / 1000;
  unsigned rest = (unsigned)(magnitude % 1000);
  char *p = to;
  if (ns < 0) *p++ = '-';
  p = digits_put(p, whole, digits_count(whole));
  if (rest == 0) return (size_t)(p - to);
  *p++ = '.';
  p = digits_put(p, rest, 3);
  while (p[-1] == '0') p--;
  return (size_t)(p - to);
}

#endif
