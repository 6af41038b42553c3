/* Numbers read from text, without locale; see num.h. */
/* SPDX-License-Identifier: MIT */
#include "base/num-digits.h"
#include "base/num.h"
#include "base/scan.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

enum { MAX_EXACT_DIGITS = 19 }; /* any 19 digits fit uint64 */

/* Digits appended to *m; wraps around beyond MAX_EXACT_DIGITS, which callers count. */
static inline const char *append_digits(const char *p, const char *end, uint64_t *m)
{
  while (end - p >= 8) {
    uint32_t value;
    unsigned n = scan_digits(p, &value);
    if (n == 0) return p;
    *m = *m * POW10[n] + value;
    p += n;
    if (n < 8) return p;
  }
  for (; p < end && is_digit(*p); p++) *m = *m * 10 + (uint64_t)(*p - '0');
  return p;
}

/* "e-5" at p; returns p itself when there is none.  Clipped far beyond any use. */
static const char *scan_exponent(const char *p, const char *end, int64_t *out)
{
  const char *q = p + 1;
  bool negative = q < end && *q == '-';
  int64_t value = 0;
  if (q < end && (*q == '-' || *q == '+')) q++;
  if (q == end || !is_digit(*q)) return p;
  for (; q < end && is_digit(*q); q++)
    if (value < INT64_C(1000000000000000)) value = value * 10 + (*q - '0');
  *out = negative ? -value : value;
  return q;
}

/* A decimal as m * 10^exponent, plus a rest below one unit of m that did not fit. */
typedef struct Decimal {
  uint64_t m;
  int64_t exponent;
  int rest; /* against half a unit of m: 0 none, 1 below, 2 equal, 3 above */
} Decimal;

/* More digits than fit: keeps the first 19 significant ones. */
static Decimal read_long(const char *p, const char *end)
{
  Decimal d = { 0, 0, 0 };
  int kept = 0;
  bool fraction = false;
  int64_t dropped = 0;
  for (; p < end; p++) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    int digit = *p - '0';
    if (fraction) d.exponent--;
    if (kept < MAX_EXACT_DIGITS) {
      d.m = d.m * 10 + (uint64_t)digit;
      kept += d.m > 0;
      continue;
    }
    if (dropped == 0)
      d.rest = digit > 5 ? 3 : digit == 5 ? 2 : digit > 0 ? 1 : 0;
    else if (digit > 0)
      d.rest |= 1; /* none becomes below, equal becomes above */
    dropped++;
  }
  d.exponent += dropped;
  return d;
}

/* m / 10^digits, half to even. */
static uint64_t divide_rounded(const Decimal *d, int64_t digits, unsigned *flags)
{
  if (digits > MAX_EXACT_DIGITS) { /* below half of one in any case */
    if (d->m) *flags |= NUM_INEXACT;
    return 0;
  }
  uint64_t p = POW10[digits];
  uint64_t q = d->m / p, r = d->m % p;
  int rest = d->rest;
  if (digits > 0) {
    bool more = d->rest > 0;
    rest = r > p / 2 ? 3 : r == p / 2 ? 2 + more : r || more;
  }
  if (rest) *flags |= NUM_INEXACT;
  return q + (rest == 3 || (rest == 2 && (q & 1)));
}

static uint64_t scale(const Decimal *d, unsigned *flags)
{
  uint64_t value;
  if (d->exponent <= 0) return divide_rounded(d, -d->exponent, flags);
  if (d->m == 0) return 0;
  if (d->exponent <= MAX_EXACT_DIGITS && !__builtin_mul_overflow(d->m, POW10[d->exponent], &value))
    return value;
  return UINT64_MAX;
}

static int64_t with_sign(uint64_t magnitude, bool negative, unsigned *flags)
{
  uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
  if (magnitude > limit) {
    *flags |= NUM_RANGE;
    magnitude = limit;
  }
  return negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
}

/* The digits (and point) of a number without sign and exponent; NULL if there are none. */
static inline const char *scan_mantissa(const char *p, const char *end, uint64_t *m,
                                        int64_t *n_digits, int64_t *n_decimals)
{
  const char *first = p;
  if (p < end && *p == '0') /* JSON allows no digit after a leading zero */
    p++;
  else
    p = append_digits(p, end, m);
  if (p == first) return NULL;
  *n_digits = p - first;
  if (end - p >= 2 && *p == '.' && is_digit(p[1])) {
    const char *fraction = p + 1;
    p = append_digits(fraction, end, m);
    *n_decimals = p - fraction;
    *n_digits += *n_decimals;
  }
  return p;
}

const char *num_scan_scaled(const char *p, const char *end, int decimals, int64_t *out,
                            unsigned *out_flags)
{
  bool negative = p < end && *p == '-';
  int64_t n_digits = 0, n_decimals = 0, exponent = 0;
  unsigned flags = 0;
  Decimal d = { 0, 0, 0 };

  const char *first = p + negative;
  const char *after = scan_mantissa(first, end, &d.m, &n_digits, &n_decimals);
  if (!after) return NULL;
  const char *mantissa_end = after;
  if (after < end && (*after | 0x20) == 'e') after = scan_exponent(after, end, &exponent);

  d.exponent = -n_decimals;
  if (n_digits > MAX_EXACT_DIGITS) d = read_long(first, mantissa_end);
  d.exponent += exponent + decimals;
  *out = with_sign(scale(&d, &flags), negative, &flags);
  if (out_flags) *out_flags = flags;
  return after;
}

bool num_int(const char *text, size_t len, int64_t *out) { return digits_read(text, len, out); }

/* What people write for reals: JSON numbers, and ".5", "5.", "+5", "05".  Splits it on the way:
 * *out_mantissa_end is before its exponent, which *out_exponent holds. */
static bool split_real(const char *p, const char *end, Decimal *d, int64_t *n_digits,
                       const char **out_mantissa_end, int64_t *out_exponent)
{
  const char *first = p;
  *out_exponent = 0;
  p = append_digits(p, end, &d->m);
  *n_digits = p - first;
  if (p < end && *p == '.') {
    const char *fraction = p + 1;
    p = append_digits(fraction, end, &d->m);
    d->exponent = -(p - fraction);
    *n_digits += p - fraction;
  }
  if (*n_digits == 0) return false;
  *out_mantissa_end = p;
  if (p < end && (*p | 0x20) == 'e') p = scan_exponent(p, end, out_exponent);
  d->exponent += *out_exponent;
  return p == end;
}

static bool real_by_library(const char *mantissa, size_t len, int64_t exponent, double *out)
{
  char small[128];
  char *copy = len + NUM_BUF < sizeof small ? small : g_malloc(len + NUM_BUF);
  memcpy(copy, mantissa, len);
  copy[len] = 'e';
  num_format_int(copy + len + 1, exponent);
  *out = g_ascii_strtod(copy, NULL);
  if (copy != small) g_free(copy);
  return isfinite(*out);
}

bool num_real_scaled(const char *text, size_t len, int decimals, double *out)
{
  const char *p = text, *end = text + len, *mantissa_end;
  Decimal d = { 0, 0, 0 };
  int64_t n_digits, exponent;
  bool negative = len > 0 && *p == '-';
  if (len > 0 && (*p == '-' || *p == '+')) p++;
  if (!split_real(p, end, &d, &n_digits, &mantissa_end, &exponent)) return false;
  d.exponent += decimals;
  /* Both parts are exact doubles then, so that one operation rounds correctly. */
  if (FLT_EVAL_METHOD == 0 && n_digits <= 15 && d.exponent >= -19 && d.exponent <= 19) {
    double m = (double)d.m;
    double value = d.exponent < 0 ? m / (double)POW10[-d.exponent] : m * (double)POW10[d.exponent];
    *out = negative ? -value : value;
    return true;
  }
  return real_by_library(text, (size_t)(mantissa_end - text), exponent + decimals, out);
}

bool num_real(const char *text, size_t len, double *out)
{
  return num_real_scaled(text, len, 0, out);
}

typedef struct Unit {
  const char *name;
  int decimals;  /* the number is scaled by 10^decimals while it is read ... */
  int64_t times; /* ... and then multiplied by this */
} Unit;

/* The unit after a number, with blanks between; NULL if unknown.  rows[0] is for none. */
static const Unit *find_unit(const Unit *rows, size_t n_rows, const char *p, const char *end)
{
  if (p == end) return &rows[0];
  while (p < end && *p == ' ') p++;
  for (size_t i = 0; i < n_rows; i++) {
    size_t len = strlen(rows[i].name);
    if ((size_t)(end - p) == len && memcmp(rows[i].name, p, len) == 0) return &rows[i];
  }
  return NULL;
}

/* A number scaled by its unit's decimals; NULL when it or the unit is wrong. */
static const Unit *scan_with_unit(const char *text, size_t len, const Unit *rows, size_t n_rows,
                                  int64_t *out)
{
  const char *end = text + len;
  unsigned flags;
  const char *after = num_scan_scaled(text, end, 0, out, &flags);
  const Unit *unit = after ? find_unit(rows, n_rows, after, end) : NULL;
  if (unit) num_scan_scaled(text, end, unit->decimals, out, &flags);
  return unit && !(flags & NUM_RANGE) ? unit : NULL;
}

bool num_duration(const char *text, size_t len, int64_t *out_ns)
{
  static const Unit units[] = { { "ns", 0, 1 },        { "us", 3, 1 }, { "\xc2\xb5s", 3, 1 },
                                { "\xce\xbcs", 3, 1 }, { "ms", 6, 1 }, { "s", 9, 1 },
                                { "min", 10, 6 },      { "h", 11, 36 } };
  int64_t value;
  const Unit *unit = scan_with_unit(text, len, units, G_N_ELEMENTS(units), &value);
  if (!unit || __builtin_mul_overflow(value, unit->times, &value)) return false;
  *out_ns = value;
  return true;
}

/* Binary units are read as decimal ones and then multiplied by 1024^k / 1000^k. */
bool num_size(const char *text, size_t len, int64_t *out_bytes)
{
  static const Unit units[] = { { "B", 0, 0 },  { "K", 3, 1 },    { "k", 3, 1 },   { "KiB", 3, 1 },
                                { "kB", 3, 0 }, { "KB", 3, 0 },   { "M", 6, 1 },   { "MiB", 6, 1 },
                                { "MB", 6, 0 }, { "G", 9, 1 },    { "GiB", 9, 1 }, { "GB", 9, 0 },
                                { "T", 12, 1 }, { "TiB", 12, 1 }, { "TB", 12, 0 } };
  int64_t value;
  const Unit *unit = scan_with_unit(text, len, units, G_N_ELEMENTS(units), &value);
  if (!unit || *text == '-') return false;
  Wide bytes = (Wide)value;
  if (unit->times) {
    uint64_t scaled = POW10[unit->decimals];
    bytes = ((bytes << unit->decimals / 3 * 10) + scaled / 2) / scaled;
  }
  if (bytes > INT64_MAX) return false;
  *out_bytes = (int64_t)bytes;
  return true;
}
