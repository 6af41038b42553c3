/* Cells of a kernel summary: times with units, counts, percents; exact. */
/* SPDX-License-Identifier: MIT */
#include "nsys-csv.h"

#include <float.h>
#include <string.h>

#include "base/num.h"
#include "base/scan.h"

#define MAX_GROUPED 64u /* bytes of a number with thousands separators */

typedef struct Span {
  const char *p, *end;
} Span;

/* Length of a blank that begins at p, or ends before it: also the blanks that do not break. */
static size_t blank_at(const char *p, const char *end)
{
  if (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) return 1;
  if (end - p >= 2 && memcmp(p, "\xc2\xa0", 2) == 0) return 2;
  if (end - p >= 3 && memcmp(p, "\xe2\x80\xaf", 3) == 0) return 3;
  return 0;
}

static size_t blank_before(const char *p, const char *end)
{
  for (size_t n = 1; n <= 3 && (size_t)(end - p) >= n; n++)
    if (blank_at(end - n, end) == n) return n;
  return 0;
}

static Span trimmed(const char *p, const char *end)
{
  size_t n;
  while ((n = blank_at(p, end))) p += n;
  while ((n = blank_before(p, end))) end -= n;
  return (Span){ p, end };
}

bool cell_is_blank(const CsvCell *cell)
{
  Span s = trimmed(cell->text, cell->text + cell->len);
  return s.p == s.end;
}

bool unit_decimals(const char *unit, size_t len, int *out)
{
  static const struct {
    const char *name;
    int decimals;
  } units[] = {
    { "ns", 0 },        { "us", 3 }, { "\xce\xbcs", 3 }, /* Greek mu */
    { "\xc2\xb5s", 3 },                                  /* micro sign */
    { "ms", 6 },        { "s", 9 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
    if (strlen(units[i].name) == len && !g_ascii_strncasecmp(units[i].name, unit, len)) {
      *out = units[i].decimals;
      return true;
    }
  return false;
}

static size_t copy_digits(const char **io_p, const char *end, char *out)
{
  size_t n = 0;
  while (*io_p < end && is_digit(**io_p)) out[n++] = *(*io_p)++;
  return n;
}

/* Removes the commas of "1,234,567.8"; false when they do not part the digits in threes. */
static bool ungroup(Span *s, char *buffer)
{
  const char *p = s->p;
  if (!memchr(p, ',', (size_t)(s->end - p))) return true;
  if ((size_t)(s->end - p) > MAX_GROUPED) return false;
  size_t n = copy_digits(&p, s->end, buffer);
  if (n < 1 || n > 3) return false;
  while (p < s->end && *p == ',') {
    p++;
    if (copy_digits(&p, s->end, buffer + n) != 3) return false;
    n += 3;
  }
  for (; p < s->end; p++) {
    if (*p == ',') return false;
    buffer[n++] = *p;
  }
  *s = (Span){ buffer, buffer + n };
  return true;
}

typedef struct Number {
  Span digits;
  int decimals;
  char buffer[MAX_GROUPED];
} Number;

static CellKind check_sign(const Number *n)
{
  if (n->digits.p < n->digits.end && *n->digits.p == '-') return CELL_NEGATIVE;
  return CELL_NUMBER;
}

typedef enum { UNIT_NONE, UNIT_TIME, UNIT_PERCENT } Units;

/* Only what may come after a number of this kind. */
static bool read_unit(Span u, Units units, int *out_decimals)
{
  if (u.p == u.end) return true;
  if (units == UNIT_TIME) return unit_decimals(u.p, (size_t)(u.end - u.p), out_decimals);
  return units == UNIT_PERCENT && u.end - u.p == 1 && *u.p == '%';
}

/* The number before its unit. */
static CellKind split(const CsvCell *cell, Units units, Number *out)
{
  Span s = trimmed(cell->text, cell->text + cell->len);
  if (s.p == s.end || (s.end - s.p == 1 && *s.p == '-')) return CELL_ABSENT;
  const char *unit = s.end;
  while (unit > s.p && !is_digit(unit[-1]) && unit[-1] != '.') unit--;
  out->digits = trimmed(s.p, unit);
  if (!read_unit(trimmed(unit, s.end), units, &out->decimals)) return CELL_NO_NUMBER;
  if (!ungroup(&out->digits, out->buffer)) return CELL_NO_NUMBER;
  return check_sign(out);
}

static CellKind to_int(const Number *n, int64_t *out, bool *out_inexact)
{
  unsigned flags;
  const char *after = num_scan_scaled(n->digits.p, n->digits.end, n->decimals, out, &flags);
  if (!after || after != n->digits.end) return CELL_NO_NUMBER;
  if (flags & NUM_RANGE) return CELL_RANGE;
  *out_inexact |= (flags & NUM_INEXACT) != 0;
  return CELL_NUMBER;
}

static CellKind to_real(const Number *n, double *out)
{
  size_t len = (size_t)(n->digits.end - n->digits.p);
  return num_real_scaled(n->digits.p, len, n->decimals, out) ? CELL_NUMBER : CELL_NO_NUMBER;
}

/* ------------------------------------------------- times of the window
 * "688.489 \xce\xbcs": nearly all cells of the longest tables.  What comes after a cell is read, too:
 * a number that reaches there is none of the cell's. */
#define NOT_INLINED __attribute__((noinline)) /* what is rare costs nothing where it is not */

/* By the last six bits of their first byte, in which they differ. */
static const struct {
  uint32_t name;
  int decimals;          /* of nanoseconds */
  int64_t thousandth_ns; /* 0: less than one */
} units[64] = {
  ['n' & 63] = { SCAN_KEY3('n', 's', 0), 0, 0 },
  ['u' & 63] = { SCAN_KEY3('u', 's', 0), 3, 1 },
  [0xce & 63] = { SCAN_KEY3(0xce, 0xbc, 's'), 3, 1 }, /* Greek mu */
  [0xc2 & 63] = { SCAN_KEY3(0xc2, 0xb5, 's'), 3, 1 }, /* micro sign */
  ['m' & 63] = { SCAN_KEY3('m', 's', 0), 6, 1000 },
  ['s' & 63] = { SCAN_KEY3('s', 0, 0), 9, 1000000 },
};

/* Its index in units, or of nothing. */
static inline unsigned find_unit(const char *p, size_t len)
{
  unsigned index = *p & 63;
  uint32_t name = scan_load24(p) & (0xffffffu >> (24 - 8 * len));
  return units[index].name == name ? index : 0;
}

/* Digits, a point and so many more digits, together eight at most: their bytes, or 0.  *out is the
 * number without the point. */
static inline unsigned read_fixed(const char *p, unsigned n_decimals, int64_t *out)
{
  const uint64_t zeros = UINT64_C(0x3030303030303030), after_decimals = UINT64_C(0x80)
                                                                        << (8 * n_decimals);
  uint64_t first = scan_load64(p) ^ zeros;
  unsigned n = (unsigned)__builtin_ctzll(digits_stop8(first) | UINT64_C(1) << 63) / 8;
  if (n - 1 >= 8 - n_decimals || p[n] != '.') return 0;
  uint64_t second = scan_load64(p + n + 1) ^ zeros;
  uint64_t others = digits_stop8(second) & (after_decimals | (after_decimals - 1));
  bool odd_zero = (n > 1) & !(first & 0xff); /* as JSON has it */
  if (others != after_decimals || odd_zero) return 0;
  uint64_t whole = first << (64 - 8 * n) >> (8 * n_decimals);
  *out = (int64_t)digits_value8(whole | second << (64 - 8 * n_decimals));
  return n + 1 + n_decimals;
}

/* False says nothing about the cell: then it is looked at more closely. */
static inline bool read_window_time(const CsvCell *cell, int64_t *out_ns)
{
  const char *p = cell->text, *end = p + cell->len;
  unsigned len = read_fixed(p, 3, out_ns);
  p += len;
  p += *p == ' ';
  if (!len || (size_t)(end - p) - 1 >= 3) return false;
  int64_t thousandth_ns = units[find_unit(p, (size_t)(end - p))].thousandth_ns;
  *out_ns *= thousandth_ns;
  return thousandth_ns != 0;
}

/* ------------------------------------------------------ other usual cells */
#define MAX_USUAL_DIGITS 15u /* below 2^53: exact as a double, too */

/* "17612", "12.5", "608 ns". */
typedef struct Usual {
  uint64_t digits; /* without the point */
  int n_decimals;  /* digits after it */
  const char *after;
} Usual;

static inline bool read_number(const CsvCell *cell, Usual *out)
{
  const char *p = cell->text;
  uint64_t decimals;
  unsigned n_decimals = 0, n = scan_digits16(p, &out->digits);
  bool odd_zero = (n > 1) & (*p == '0');
  if (n == 0 || n > MAX_USUAL_DIGITS || odd_zero) return false;
  p += n;
  if (*p == '.') {
    n_decimals = scan_digits16(p + 1, &decimals);
    if (n_decimals == 0 || n + n_decimals > MAX_USUAL_DIGITS) return false;
    out->digits = out->digits * POW10[n_decimals] + decimals;
    p += 1 + n_decimals;
  }
  out->n_decimals = (int)n_decimals;
  out->after = p;
  return p <= cell->text + cell->len;
}

/* With the unit; without one, *io_decimals stays what it is. */
static inline bool read_time(const CsvCell *cell, Usual *out, int *io_decimals)
{
  if (!read_number(cell, out)) return false;
  const char *p = out->after, *end = cell->text + cell->len;
  if (p == end) return true;
  p += *p == ' ';
  if ((size_t)(end - p) - 1 >= 3) return false;
  unsigned unit = find_unit(p, (size_t)(end - p));
  *io_decimals = units[unit].decimals;
  return unit != 0;
}

/* Times 10^decimals, if that is a whole number. */
static inline bool usual_to_int(const Usual *u, int decimals, int64_t *out)
{
  int shift = decimals - u->n_decimals;
  return shift >= 0 && !__builtin_mul_overflow(u->digits, POW10[shift], out);
}

/* Rounded once: both operands are exact. */
static inline bool usual_to_real(const Usual *u, int decimals, double *out)
{
  int shift = decimals - u->n_decimals;
  double digits = (double)(int64_t)u->digits;
  *out = shift < 0 ? digits / (double)POW10[-shift] : digits * (double)POW10[shift];
  return FLT_EVAL_METHOD == 0;
}

/* ----------------------------------------------------------------- columns */
static NOT_INLINED CellKind other_time(const CsvCell *cell, int decimals, int64_t *out_ns,
                                       bool *io_inexact)
{
  Usual usual;
  Number n;
  n.decimals = decimals;
  if (read_time(cell, &usual, &n.decimals) && usual_to_int(&usual, n.decimals, out_ns))
    return CELL_NUMBER;
  n.decimals = decimals;
  CellKind kind = split(cell, UNIT_TIME, &n);
  return kind == CELL_NUMBER ? to_int(&n, out_ns, io_inexact) : kind;
}

CellKind cell_time(const CsvCell *cell, int decimals, int64_t *out_ns, bool *io_inexact)
{
  if (read_window_time(cell, out_ns)) return CELL_NUMBER;
  return other_time(cell, decimals, out_ns, io_inexact);
}

static NOT_INLINED CellKind other_time_real(const CsvCell *cell, int decimals, double *out_ns)
{
  Usual usual;
  Number n;
  n.decimals = decimals;
  if (read_time(cell, &usual, &n.decimals) && usual_to_real(&usual, n.decimals, out_ns))
    return CELL_NUMBER;
  n.decimals = decimals;
  CellKind kind = split(cell, UNIT_TIME, &n);
  return kind == CELL_NUMBER ? to_real(&n, out_ns) : kind;
}

CellKind cell_time_real(const CsvCell *cell, int decimals, double *out_ns)
{
  int64_t ns;
  if (!read_window_time(cell, &ns)) return other_time_real(cell, decimals, out_ns);
  *out_ns = (double)ns;
  return CELL_NUMBER;
}

static NOT_INLINED CellKind other_count(const CsvCell *cell, int64_t *out)
{
  Number n;
  bool inexact = false;
  n.decimals = 0;
  CellKind kind = split(cell, UNIT_NONE, &n);
  if (kind == CELL_NUMBER) kind = to_int(&n, out, &inexact);
  return inexact ? CELL_NO_NUMBER : kind;
}

CellKind cell_count(const CsvCell *cell, int64_t *out)
{
  Usual usual;
  bool bare = read_number(cell, &usual) && usual.after == cell->text + cell->len;
  if (bare && usual_to_int(&usual, 0, out)) return CELL_NUMBER;
  return other_count(cell, out);
}

static NOT_INLINED CellKind other_percent(const CsvCell *cell, double *out)
{
  Usual usual;
  Number n;
  n.decimals = 0;
  bool known = read_number(cell, &usual);
  known = known && usual.after + (*usual.after == '%') == cell->text + cell->len;
  if (known && usual_to_real(&usual, 0, out)) return CELL_NUMBER;
  CellKind kind = split(cell, UNIT_PERCENT, &n);
  return kind == CELL_NUMBER ? to_real(&n, out) : kind;
}

CellKind cell_percent(const CsvCell *cell, double *out)
{
  int64_t hundredths;
  unsigned len = read_fixed(cell->text, 2, &hundredths);
  len += cell->text[len] == '%';
  if (len != cell->len || len < 4 || FLT_EVAL_METHOD != 0) return other_percent(cell, out);
  *out = (double)hundredths / 100;
  return CELL_NUMBER;
}
