/* Cells of a kernel summary: times with units, counts, percents; exact. */
#include "nsys-csv.h"

#include <string.h>

#include "base/num.h"

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

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

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

/* Only what may stand behind a number of this kind. */
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
  const char *behind = num_scan_scaled(n->digits.p, n->digits.end, n->decimals, out, &flags);
  if (!behind || behind != n->digits.end) return CELL_NO_NUMBER;
  if (flags & NUM_RANGE) return CELL_RANGE;
  *out_inexact |= (flags & NUM_INEXACT) != 0;
  return CELL_NUMBER;
}

static CellKind to_real(const Number *n, double *out)
{
  size_t len = (size_t)(n->digits.end - n->digits.p);
  return num_real_scaled(n->digits.p, len, n->decimals, out) ? CELL_NUMBER : CELL_NO_NUMBER;
}

/* Most cells are digits from end to end: then nothing has to be looked for around them. */
static bool is_bare(const CsvCell *cell, Number *out)
{
  const char *end = cell->text + cell->len;
  out->digits = (Span){ cell->text, end };
  return cell->len && is_digit(*cell->text) && is_digit(end[-1]);
}

CellKind cell_time(const CsvCell *cell, int decimals, int64_t *out_ns, bool *io_inexact)
{
  Number n;
  n.decimals = decimals;
  if (is_bare(cell, &n) && to_int(&n, out_ns, io_inexact) == CELL_NUMBER) return CELL_NUMBER;
  CellKind kind = split(cell, UNIT_TIME, &n);
  return kind == CELL_NUMBER ? to_int(&n, out_ns, io_inexact) : kind;
}

CellKind cell_time_real(const CsvCell *cell, int decimals, double *out_ns)
{
  Number n;
  n.decimals = decimals;
  if (is_bare(cell, &n) && to_real(&n, out_ns) == CELL_NUMBER) return CELL_NUMBER;
  CellKind kind = split(cell, UNIT_TIME, &n);
  return kind == CELL_NUMBER ? to_real(&n, out_ns) : kind;
}

CellKind cell_count(const CsvCell *cell, int64_t *out)
{
  Number n;
  bool inexact = false;
  n.decimals = 0;
  CellKind kind = is_bare(cell, &n) ? to_int(&n, out, &inexact) : CELL_NO_NUMBER;
  if (kind == CELL_NUMBER) return inexact ? CELL_NO_NUMBER : kind;
  kind = split(cell, UNIT_NONE, &n);
  if (kind == CELL_NUMBER) kind = to_int(&n, out, &inexact);
  return inexact ? CELL_NO_NUMBER : kind;
}

CellKind cell_percent(const CsvCell *cell, double *out)
{
  Number n;
  n.decimals = 0;
  if (is_bare(cell, &n) && to_real(&n, out) == CELL_NUMBER) return CELL_NUMBER;
  CellKind kind = split(cell, UNIT_PERCENT, &n);
  return kind == CELL_NUMBER ? to_real(&n, out) : kind;
}
