/* Numbers and text, without locale; see num.h. */
#include "base/num.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

enum { MAX_EXACT_DIGITS = 19 }; /* any 19 digits fit uint64 */

static const uint64_t POW10[] = {
  1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u,
  10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u,
  1000000000000000u, 10000000000000000u, 100000000000000000u, 1000000000000000000u,
  10000000000000000000u
};

static inline bool is_digit(char c)
{
  return (unsigned char)(c - '0') < 10;
}

/* ------------------------------------------------------------------ scanning */

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
/* Up to eight digits at p at once; returns how many, and their value. */
static inline unsigned scan_eight(const char *p, uint64_t *out)
{
  uint64_t x;
  memcpy(&x, p, 8);
  x ^= 0x3030303030303030u;
  /* A byte above 9 gets its high bit; carries only reach bytes behind the first such one. */
  uint64_t others = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
  unsigned n = others ? (unsigned)__builtin_ctzll(others) >> 3 : 8;
  if (n == 0) return 0;
  x <<= (8 - n) * 8; /* leading zeros */
  x = x * 10 + (x >> 8);
  *out = (((x & 0x000000ff000000ffu) * 0x000f424000000064u) +
          (((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >> 32;
  return n;
}
#endif

/* Digits appended to *m; wraps around beyond MAX_EXACT_DIGITS, which callers count. */
static inline const char *scan_digits(const char *p, const char *end, uint64_t *m)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  while (end - p >= 8) {
    uint64_t value = 0;
    unsigned n = scan_eight(p, &value);
    if (n == 0) return p;
    *m = *m * POW10[n] + value;
    p += n;
    if (n < 8) return p;
  }
#endif
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
static inline const char *scan_mantissa(const char *p, const char *end, uint64_t *m, int64_t *n_digits,
                                        int64_t *n_decimals)
{
  const char *first = p;
  if (p < end && *p == '0') /* JSON allows no digit behind a leading zero */
    p++;
  else
    p = scan_digits(p, end, m);
  if (p == first) return NULL;
  *n_digits = p - first;
  if (end - p >= 2 && *p == '.' && is_digit(p[1])) {
    const char *fraction = p + 1;
    p = scan_digits(fraction, end, m);
    *n_decimals = p - fraction;
    *n_digits += *n_decimals;
  }
  return p;
}

const char *num_scan_scaled(const char *p, const char *end, int decimals, int64_t *out, unsigned *out_flags)
{
  bool negative = p < end && *p == '-';
  int64_t n_digits = 0, n_decimals = 0, exponent = 0;
  unsigned flags = 0;
  Decimal d = { 0, 0, 0 };

  const char *first = p + negative;
  const char *behind = scan_mantissa(first, end, &d.m, &n_digits, &n_decimals);
  if (!behind) return NULL;
  const char *mantissa_end = behind;
  if (behind < end && (*behind | 0x20) == 'e') behind = scan_exponent(behind, end, &exponent);

  d.exponent = -n_decimals;
  if (n_digits > MAX_EXACT_DIGITS) d = read_long(first, mantissa_end);
  d.exponent += exponent + decimals;
  *out = with_sign(scale(&d, &flags), negative, &flags);
  if (out_flags) *out_flags = flags;
  return behind;
}

/* --------------------------------------------------------------- whole texts */

static bool all_digits(const char *p, const char *end, uint64_t *out)
{
  uint64_t m = 0;
  if (p == end) return false;
  for (; p < end; p++) {
    if (!is_digit(*p)) return false;
    if (__builtin_mul_overflow(m, UINT64_C(10), &m)) return false;
    if (__builtin_add_overflow(m, (uint64_t)(*p - '0'), &m)) return false;
  }
  *out = m;
  return true;
}

static bool all_hex(const char *p, const char *end, uint64_t *out)
{
  uint64_t m = 0;
  if (p == end) return false;
  for (; p < end; p++) {
    int digit = g_ascii_xdigit_value(*p);
    if (digit < 0 || m >> 60) return false;
    m = m << 4 | (uint64_t)digit;
  }
  *out = m;
  return true;
}

bool num_int(const char *text, size_t len, int64_t *out)
{
  const char *p = text, *end = text + len;
  uint64_t magnitude;
  unsigned flags = 0;
  bool negative = len > 0 && *p == '-';
  if (len > 0 && (*p == '-' || *p == '+')) p++;
  bool hex = end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x';
  if (!(hex ? all_hex(p + 2, end, &magnitude) : all_digits(p, end, &magnitude))) return false;
  int64_t value = with_sign(magnitude, negative, &flags);
  if (flags) return false;
  *out = value;
  return true;
}

bool num_uint(const char *text, size_t len, uint64_t *out)
{
  return all_digits(text, text + len, out);
}

/* What people write for reals: JSON numbers, and ".5", "5.", "+5", "05".  Splits it on the way. */
static bool split_real(const char *p, const char *end, Decimal *d, int64_t *n_digits)
{
  const char *first = p;
  int64_t exponent = 0;
  p = scan_digits(p, end, &d->m);
  *n_digits = p - first;
  if (p < end && *p == '.') {
    const char *fraction = p + 1;
    p = scan_digits(fraction, end, &d->m);
    d->exponent = -(p - fraction);
    *n_digits += p - fraction;
  }
  if (*n_digits == 0) return false;
  if (p < end && (*p | 0x20) == 'e') p = scan_exponent(p, end, &exponent);
  d->exponent += exponent;
  return p == end;
}

static bool real_by_library(const char *text, size_t len, double *out)
{
  char small[128];
  char *copy = len < sizeof small ? small : g_malloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = '\0';
  *out = g_ascii_strtod(copy, NULL);
  if (copy != small) g_free(copy);
  return isfinite(*out);
}

bool num_real(const char *text, size_t len, double *out)
{
  const char *p = text, *end = text + len;
  Decimal d = { 0, 0, 0 };
  int64_t n_digits;
  bool negative = len > 0 && *p == '-';
  if (len > 0 && (*p == '-' || *p == '+')) p++;
  if (!split_real(p, end, &d, &n_digits)) return false;
  /* Both parts are exact doubles then, so that one operation rounds correctly. */
  if (FLT_EVAL_METHOD == 0 && n_digits <= 15 && d.exponent >= -19 && d.exponent <= 19) {
    double m = (double)d.m;
    double value = d.exponent < 0 ? m / (double)POW10[-d.exponent] : m * (double)POW10[d.exponent];
    *out = negative ? -value : value;
    return true;
  }
  return real_by_library(text, len, out);
}

typedef struct Unit {
  const char *name;
  int decimals;  /* the number is scaled by 10^decimals while it is read ... */
  int64_t times; /* ... and then multiplied by this */
} Unit;

/* The unit behind a number, with blanks between; NULL if unknown.  rows[0] is for none. */
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

bool num_duration(const char *text, size_t len, int64_t *out_ns)
{
  static const Unit units[] = {
    { "ns", 0, 1 }, { "us", 3, 1 }, { "\xc2\xb5s", 3, 1 }, { "\xce\xbcs", 3, 1 }, { "ms", 6, 1 },
    { "s", 9, 1 },  { "min", 10, 6 }, { "h", 11, 36 }
  };
  const char *end = text + len;
  int64_t value;
  unsigned flags;
  const char *behind = num_scan_scaled(text, end, 0, &value, &flags);
  if (!behind) return false;
  const Unit *unit = find_unit(units, G_N_ELEMENTS(units), behind, end);
  if (!unit) return false;
  num_scan_scaled(text, end, unit->decimals, &value, &flags);
  if (flags & NUM_RANGE || __builtin_mul_overflow(value, unit->times, &value)) return false;
  *out_ns = value;
  return true;
}

__extension__ typedef unsigned __int128 Wide;

/* Binary units are read as decimal ones and then multiplied by 1024^k / 1000^k. */
bool num_size(const char *text, size_t len, int64_t *out_bytes)
{
  static const Unit units[] = {
    { "B", 0, 0 },   { "K", 3, 1 },   { "k", 3, 1 },   { "KiB", 3, 1 }, { "kB", 3, 0 },
    { "KB", 3, 0 },  { "M", 6, 1 },   { "MiB", 6, 1 }, { "MB", 6, 0 },  { "G", 9, 1 },
    { "GiB", 9, 1 }, { "GB", 9, 0 },  { "T", 12, 1 },  { "TiB", 12, 1 }, { "TB", 12, 0 }
  };
  const char *end = text + len;
  int64_t value;
  unsigned flags;
  const char *behind = num_scan_scaled(text, end, 0, &value, &flags);
  if (!behind || *text == '-') return false;
  const Unit *unit = find_unit(units, G_N_ELEMENTS(units), behind, end);
  if (!unit) return false;
  num_scan_scaled(text, end, unit->decimals, &value, &flags);
  if (flags & NUM_RANGE) return false;
  Wide bytes = (Wide)value;
  if (unit->times) {
    uint64_t scaled = POW10[unit->decimals];
    bytes = ((bytes << unit->decimals / 3 * 10) + scaled / 2) / scaled;
  }
  if (bytes > INT64_MAX) return false;
  *out_bytes = (int64_t)bytes;
  return true;
}

/* ---------------------------------------------------------------- formatting */

static const char PAIRS[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static inline uint64_t magnitude_of(int64_t v)
{
  return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static inline unsigned count_digits(uint64_t v)
{
  unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
  unsigned guess = bits * 1233 >> 12; /* log10(2) = 1233 / 4096 */
  return guess + (guess == 0 || v >= POW10[guess]);
}

/* Exactly n digits, most significant first; returns behind them. */
static inline char *put_digits(char *p, uint64_t v, unsigned n)
{
  char *q = p + n;
  while (q - p >= 2) {
    q -= 2;
    memcpy(q, PAIRS + v % 100 * 2, 2);
    v /= 100;
  }
  if (q > p) *p = (char)('0' + v % 10);
  return p + n;
}

static inline char *put_uint(char *p, uint64_t v)
{
  return put_digits(p, v, count_digits(v));
}

static inline char *put_text(char *p, const char *text)
{
  size_t len = strlen(text);
  memcpy(p, text, len);
  return p + len;
}

static inline size_t finish(char *buf, char *p)
{
  *p = '\0';
  return (size_t)(p - buf);
}

size_t num_format_uint(char *buf, uint64_t v)
{
  return finish(buf, put_uint(buf, v));
}

size_t num_format_int(char *buf, int64_t v)
{
  char *p = buf;
  if (v < 0) *p++ = '-';
  return finish(buf, put_uint(p, magnitude_of(v)));
}

size_t num_format_us(char *buf, int64_t ns)
{
  char *p = buf;
  uint64_t magnitude = magnitude_of(ns);
  uint64_t thousandths = magnitude % 1000;
  if (ns < 0) *p++ = '-';
  p = put_uint(p, magnitude / 1000);
  if (thousandths) {
    *p++ = '.';
    p = put_digits(p, thousandths, 3);
  }
  return finish(buf, p);
}

size_t num_format_count(char *buf, int64_t v)
{
  char digits[24];
  char *p = buf;
  size_t n = num_format_uint(digits, magnitude_of(v));
  if (v < 0) *p++ = '-';
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0) *p++ = ',';
    *p++ = digits[i];
  }
  return finish(buf, p);
}

/* One more in the last digit of "1.25e+10"; false when that would change the exponent. */
static bool step_up(char *text)
{
  char *p = strchr(text, 'e');
  while (p > text) {
    p--;
    if (*p == '.') continue;
    if (*p != '9') {
      (*p)++;
      return true;
    }
    *p = '0';
  }
  return false;
}

/* Doubles lie twice as dense below a power of two as above it: there the decimal
 * just above may read back as v where the nearest one, just below, does not. */
static bool reads_back(char *text, double v, unsigned n_digits)
{
  if (g_ascii_strtod(text, NULL) == v) return true;
  int power;
  if (n_digits != 16 || frexp(v, &power) != 0.5) return false;
  return step_up(text) && g_ascii_strtod(text, NULL) == v;
}

/* The shortest decimal that reads back as v: digits without point (no zeros at
 * the end) and the power of ten of the first.  v is finite and above zero. */
static int shortest_digits(double v, char *digits, size_t *out_n)
{
  char text[NUM_BUF], format[8] = "%.00e";
  /* Fifteen digits always survive in a normal double; a subnormal has fewer. */
  for (unsigned n = v < DBL_MIN ? 1 : 15; n <= 17; n++) {
    put_digits(format + 2, n - 1, 2);
    g_ascii_formatd(text, sizeof text, format, v);
    if (reads_back(text, v, n)) break;
  }
  char *e = strchr(text, 'e');
  size_t n = 0;
  int64_t power = 0;
  for (const char *p = text; p < e; p++)
    if (is_digit(*p)) digits[n++] = *p;
  while (n > 1 && digits[n - 1] == '0') n--;
  num_int(e + 1, strlen(e + 1), &power);
  *out_n = n;
  return (int)power;
}

static char *put_fixed(char *p, const char *digits, size_t n, int power)
{
  if (power < 0) {
    p = put_text(p, "0.");
    for (int i = -1; i > power; i--) *p++ = '0';
    memcpy(p, digits, n);
    return p + n;
  }
  for (size_t i = 0; i < n || i <= (size_t)power; i++) {
    if (i == (size_t)power + 1) *p++ = '.';
    *p++ = i < n ? digits[i] : '0';
  }
  return n <= (size_t)power + 1 ? put_text(p, ".0") : p;
}

static char *put_exponential(char *p, const char *digits, size_t n, int power)
{
  unsigned magnitude = (unsigned)(power < 0 ? -power : power);
  *p++ = digits[0];
  if (n > 1) {
    *p++ = '.';
    memcpy(p, digits + 1, n - 1);
    p += n - 1;
  }
  *p++ = 'e';
  *p++ = power < 0 ? '-' : '+';
  return put_digits(p, magnitude, magnitude < 100 ? 2 : 3);
}

size_t num_format_real(char *buf, double v)
{
  char digits[24];
  size_t n;
  char *p = buf;
  if (!isfinite(v)) return finish(buf, put_text(p, "null"));
  if (signbit(v)) *p++ = '-';
  v = fabs(v);
  if (v < 1e15 && v == (double)(uint64_t)v) return finish(buf, put_text(put_uint(p, (uint64_t)v), ".0"));
  int power = shortest_digits(v, digits, &n);
  bool fixed = power >= -4 && power < 16;
  return finish(buf, (fixed ? put_fixed : put_exponential)(p, digits, n, power));
}

static uint64_t divide_nearest(uint64_t v, uint64_t by)
{
  return v / by + (v % by >= by - v % by);
}

static char *put_long_duration(char *p, uint64_t seconds)
{
  bool hours = seconds >= 7200;
  uint64_t minutes = hours ? divide_nearest(seconds, 60) : seconds / 60;
  p = put_uint(p, hours ? minutes / 60 : minutes);
  p = put_text(p, hours ? " h " : " min ");
  p = put_digits(p, hours ? minutes % 60 : seconds % 60, 2);
  return put_text(p, hours ? " min" : " s");
}

size_t num_format_duration(char *buf, int64_t ns)
{
  static const struct {
    uint64_t unit_ns;
    const char *name;
  } units[] = { { 1000, " us" }, { 1000000, " ms" }, { 1000000000, " s" } };
  uint64_t magnitude = magnitude_of(ns);
  char *p = buf;
  if (ns < 0) *p++ = '-';
  if (magnitude < 1000) return finish(buf, put_text(put_uint(p, magnitude), " ns"));
  if (magnitude >= UINT64_C(120000000000))
    return finish(buf, put_long_duration(p, divide_nearest(magnitude, 1000000000)));

  size_t i = 0;
  uint64_t thousandths = magnitude;
  while (i < 2 && thousandths >= 1000000) /* also when rounding reached 1000.000 */
    thousandths = divide_nearest(magnitude, units[++i].unit_ns / 1000);
  p = put_uint(p, thousandths / 1000);
  *p++ = '.';
  p = put_digits(p, thousandths % 1000, 3);
  return finish(buf, put_text(p, units[i].name));
}

size_t num_format_size(char *buf, uint64_t bytes)
{
  static const char *const units[] = { " KiB", " MiB", " GiB", " TiB", " PiB", " EiB" };
  if (bytes < 1024) return finish(buf, put_text(put_uint(buf, bytes), " B"));
  size_t i = 0;
  unsigned shift = 10;
  Wide half = (Wide)1 << (shift - 1);
  uint64_t tenths = (uint64_t)(((Wide)bytes * 10 + half) >> shift);
  while (tenths >= 10240 && i < 5) { /* also when rounding reached 1024.0 */
    shift += 10;
    i++;
    half = (Wide)1 << (shift - 1);
    tenths = (uint64_t)(((Wide)bytes * 10 + half) >> shift);
  }
  char *p = put_uint(buf, tenths / 10);
  *p++ = '.';
  p = put_digits(p, tenths % 10, 1);
  return finish(buf, put_text(p, units[i]));
}
