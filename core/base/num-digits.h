/* Digits, one by one and eight at a time: what reads and writes numbers, without any library. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUM_DIGITS_H
#define BASE_NUM_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

static const uint64_t POW10[20] = { 1u,
                                    10u,
                                    100u,
                                    1000u,
                                    10000u,
                                    100000u,
                                    1000000u,
                                    10000000u,
                                    100000000u,
                                    1000000000u,
                                    10000000000u,
                                    100000000000u,
                                    1000000000000u,
                                    10000000000000u,
                                    100000000000000u,
                                    1000000000000000u,
                                    10000000000000000u,
                                    100000000000000000u,
                                    1000000000000000000u,
                                    10000000000000000000u };

/* num-shortest.c: digits * 10^power for a finite v above zero; the last digit is not 0. */
uint64_t num_shortest(double v, int *out_power);

/* ------------------------------------------------------------------ reading */
static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Of a digit of base 16; 16 for other bytes. */
static inline unsigned digit_value(char c)
{
  unsigned letter = (unsigned char)((c | 0x20) - 'a');
  if (is_digit(c)) return (unsigned)(c - '0');
  return letter < 6 ? letter + 10 : 16;
}

/* The digits of a base up to 16 that are at p: the byte after them, p where there are none, and
 * their value; NULL when that is more than `most`. */
static inline const char *digits_scan(const char *p, const char *end, unsigned base, uint64_t most,
                                      uint64_t *out)
{
  uint64_t v = 0;
  for (; p < end; p++) {
    unsigned digit = digit_value(*p);
    if (digit >= base) break;
    if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v)) return NULL;
  }
  if (v > most) return NULL;
  *out = v;
  return p;
}

/* The whole text as a decimal or 0x number, with a sign perhaps; false if it is none. */
static inline bool digits_read(const char *text, size_t len, int64_t *out)
{
  const char *end = text + len;
  bool negative = len > 0 && *text == '-';
  const char *p = text + (len > 0 && (*text == '-' || *text == '+'));
  bool hex = end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x';
  uint64_t v = 0, most = (uint64_t)INT64_MAX + negative;
  if (p == end) return false;
  const char *after =
      hex ? digits_scan(p + 2, end, 16, most, &v) : digits_scan(p, end, 10, most, &v);
  if (after != end) return false;
  *out = negative ? (int64_t)(0 - v) : (int64_t)v;
  return true;
}

/* Of eight bytes less '0', the first one lowest: the top bit of each that is not a digit. */
static inline uint64_t digits_stop8(uint64_t v)
{
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  return (((v & low) + UINT64_C(0x7676767676767676)) | v) & ~low; /* ten and above carry into it */
}

/* Of eight digits less '0', the first one lowest, in three steps: pairs, fours, all eight. */
static inline uint32_t digits_value8(uint64_t v)
{
  v = v * 10 + (v >> 8);
  uint64_t high = (v & UINT64_C(0xff000000ff)) * UINT64_C(0xf424000000064);
  uint64_t low = (v >> 16 & UINT64_C(0xff000000ff)) * UINT64_C(0x271000000001);
  return (uint32_t)((high + low) >> 32);
}

/* ------------------------------------------------------------------ writing */
#define DIGITS_MAX 20 /* of an int64, with its sign */

static const char DIGIT_PAIRS[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static inline unsigned digits_count(uint64_t v)
{
  unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
  unsigned guess = bits * 1233 >> 12; /* log10(2) = 1233 / 4096 */
  return guess + (guess == 0 || v >= POW10[guess]);
}

/* Exactly n digits, most significant first; returns after them. */
static inline char *digits_put(char *p, uint64_t v, unsigned n)
{
  char *q = p + n;
  while (q - p > 8) { /* eight at a time: short divisions, independent of the next eight */
    uint32_t eight = (uint32_t)(v % 100000000);
    uint32_t high = eight / 10000, low = eight % 10000;
    v /= 100000000;
    q -= 8;
    memcpy(q, DIGIT_PAIRS + high / 100 * 2, 2);
    memcpy(q + 2, DIGIT_PAIRS + high % 100 * 2, 2);
    memcpy(q + 4, DIGIT_PAIRS + low / 100 * 2, 2);
    memcpy(q + 6, DIGIT_PAIRS + low % 100 * 2, 2);
  }
  uint32_t rest = (uint32_t)v;
  for (; q - p >= 2; rest /= 100) {
    q -= 2;
    memcpy(q, DIGIT_PAIRS + rest % 100 * 2, 2);
  }
  if (q > p) *p = (char)('0' + rest % 10);
  return p + n;
}

static inline uint64_t digits_magnitude(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

/* Writes at most DIGITS_MAX bytes, no NUL; returns their number. */
static inline size_t digits_write(char *to, int64_t v)
{
  uint64_t magnitude = digits_magnitude(v);
  char *p = to;
  if (v < 0) *p++ = '-';
  return (size_t)(digits_put(p, magnitude, digits_count(magnitude)) - to);
}

#endif
