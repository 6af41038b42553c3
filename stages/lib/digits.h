/* Integers and their texts, without locale and without any library. */
#ifndef LIB_DIGITS_H
#define LIB_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGITS_MAX 20 /* of an int64, with its sign */

/* Writes at most DIGITS_MAX bytes, no NUL; returns their number. */
static inline size_t digits_write(char *to, int64_t v)
{
  char reversed[DIGITS_MAX];
  uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  size_t n = 0, len = 0;
  do {
    reversed[n++] = (char)('0' + left % 10);
    left /= 10;
  } while (left);
  if (v < 0) to[len++] = '-';
  while (n > 0) to[len++] = reversed[--n];
  return len;
}

static inline int digits_value(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* The whole text as a decimal or 0x number, with a sign perhaps; false if it is none. */
static inline bool digits_read(const char *text, size_t len, int64_t *out)
{
  bool negative = len > 0 && text[0] == '-';
  size_t i = len > 0 && (text[0] == '-' || text[0] == '+');
  bool hex = len - i > 2 && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X');
  uint64_t base = hex ? 16 : 10, limit = (uint64_t)INT64_MAX + negative, v = 0;
  if (hex) i += 2;
  if (i == len) return false;
  for (; i < len; i++) {
    uint64_t digit = (uint64_t)digits_value(text[i]);
    if (digit >= base || v > (limit - digit) / base) return false;
    v = v * base + digit;
  }
  *out = negative ? (int64_t)(0 - v) : (int64_t)v;
  return true;
}

#endif
