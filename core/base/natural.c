/* The order of texts that people expect; see natural.h. */
/* SPDX-License-Identifier: MIT */
#include "base/natural.h"

#include <glib.h>
#include <string.h>

#include "base/num.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *pass_digits(const char *p, const char *end)
{
  while (p < end && is_digit(*p)) p++;
  return p;
}

static bool has_fraction(const char *dot, const char *end)
{
  return end - dot > 1 && *dot == '.' && is_digit(dot[1]);
}

typedef struct Number {
  const char *whole, *whole_end; /* without zeros in front */
  const char
      *part_end; /* of the fraction behind the dot; that of the whole number: there is none */
} Number;

/* At the first of its digits; start: of the text. */
static Number read_number(const char *start, const char *p, const char *end)
{
  Number n = { .whole = p };
  while (n.whole < end && *n.whole == '0') n.whole++;
  n.part_end = n.whole_end = pass_digits(n.whole, end);
  bool follows_dot = p > start && p[-1] == '.';
  if (follows_dot || !has_fraction(n.whole_end, end)) return n;
  const char *after = pass_digits(n.whole_end + 1, end);
  if (!has_fraction(after, end)) n.part_end = after;
  return n;
}

static int sign_of(ptrdiff_t difference) { return (difference > 0) - (difference < 0); }

/* Digits behind the dot, of which zeros at the end do not count. */
static int compare_fractions(const Number *a, const Number *b)
{
  const char *p = a->whole_end + (a->part_end > a->whole_end);
  const char *q = b->whole_end + (b->part_end > b->whole_end);
  while (p < a->part_end || q < b->part_end) {
    char x = p < a->part_end ? *p++ : '0', y = q < b->part_end ? *q++ : '0';
    if (x != y) return sign_of(x - y);
  }
  return 0;
}

static int compare_numbers(const Number *a, const Number *b)
{
  ptrdiff_t len = a->whole_end - a->whole, other_len = b->whole_end - b->whole;
  if (len != other_len) return sign_of(len - other_len);
  int order = memcmp(a->whole, b->whole, (size_t)len);
  return order ? order : compare_fractions(a, b);
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
  int order = memcmp(a, b, MIN(a_len, b_len));
  return order ? order : sign_of((ptrdiff_t)a_len - (ptrdiff_t)b_len);
}

static int compare_texts(const char *a, size_t a_len, const char *b, size_t b_len)
{
  const char *p = a, *q = b, *p_end = a + a_len, *q_end = b + b_len;
  while (p < p_end && q < q_end) {
    if (is_digit(*p) && is_digit(*q)) {
      Number x = read_number(a, p, p_end), y = read_number(b, q, q_end);
      int order = compare_numbers(&x, &y);
      if (order) return order;
      p = x.part_end;
      q = y.part_end;
      continue;
    }
    if (*p != *q) return sign_of((unsigned char)*p - (unsigned char)*q);
    p++;
    q++;
  }
  if (p < p_end || q < q_end) return p < p_end ? 1 : -1;
  return compare_bytes(a, a_len, b, b_len); /* "07" and "7" */
}

int natural_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
  double x, y;
  if (a_len == b_len && !memcmp(a, b, a_len)) return 0;
  bool a_is_one = num_real(a, a_len, &x), b_is_one = num_real(b, b_len, &y);
  if (a_is_one != b_is_one) return a_is_one ? -1 : 1;
  if (a_is_one) return x < y ? -1 : x > y ? 1 : compare_bytes(a, a_len, b, b_len);
  return compare_texts(a, a_len, b, b_len);
}
