/* Numbers written as text, without locale; see num.h. */
/* SPDX-License-Identifier: MIT */
#include "base/num-digits.h"
#include "base/num.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static inline char *put_uint(char *p, uint64_t v) { return digits_put(p, v, digits_count(v)); }

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

size_t num_format_uint(char *buf, uint64_t v) { return finish(buf, put_uint(buf, v)); }

size_t num_format_int(char *buf, int64_t v) { return finish(buf, buf + digits_write(buf, v)); }

size_t num_format_us(char *buf, int64_t ns)
{
  char *p = buf;
  uint64_t magnitude = digits_magnitude(ns);
  uint64_t thousandths = magnitude % 1000;
  if (ns < 0) *p++ = '-';
  p = put_uint(p, magnitude / 1000);
  if (thousandths) {
    *p++ = '.';
    p = digits_put(p, thousandths, 3);
  }
  return finish(buf, p);
}

size_t num_format_count(char *buf, int64_t v)
{
  char digits[24];
  char *p = buf;
  size_t n = num_format_uint(digits, digits_magnitude(v));
  if (v < 0) *p++ = '-';
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0) *p++ = ',';
    *p++ = digits[i];
  }
  return finish(buf, p);
}

/* The digits without point and the power of ten of the first.  v is finite and above zero. */
static int shortest_digits(double v, char *digits, size_t *out_n)
{
  int power;
  uint64_t all = num_shortest(v, &power);
  *out_n = digits_count(all);
  digits_put(digits, all, (unsigned)*out_n);
  return power + (int)*out_n - 1;
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
  return digits_put(p, magnitude, magnitude < 100 ? 2 : 3);
}

size_t num_format_real(char *buf, double v)
{
  char digits[24];
  size_t n;
  char *p = buf;
  if (!isfinite(v)) return finish(buf, put_text(p, "null"));
  if (signbit(v)) *p++ = '-';
  v = fabs(v);
  bool whole = v < 1e15 && v == (double)(uint64_t)v;
  if (whole) return finish(buf, put_text(put_uint(p, (uint64_t)v), ".0"));
  int power = shortest_digits(v, digits, &n);
  bool fixed = power >= -4 && power < 16;
  return finish(buf, (fixed ? put_fixed : put_exponential)(p, digits, n, power));
}

static uint64_t divide_nearest(uint64_t v, uint64_t by) { return v / by + (v % by >= by - v % by); }

static char *put_long_duration(char *p, uint64_t seconds)
{
  bool hours = seconds >= 7200;
  uint64_t minutes = hours ? divide_nearest(seconds, 60) : seconds / 60;
  p = put_uint(p, hours ? minutes / 60 : minutes);
  p = put_text(p, hours ? " h " : " min ");
  p = digits_put(p, hours ? minutes % 60 : seconds % 60, 2);
  return put_text(p, hours ? " min" : " s");
}

size_t num_format_duration(char *buf, int64_t ns)
{
  static const struct {
    uint64_t unit_ns;
    const char *name;
  } units[] = { { 1000, " us" }, { 1000000, " ms" }, { 1000000000, " s" } };
  uint64_t magnitude = digits_magnitude(ns);
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
  p = digits_put(p, thousandths % 1000, 3);
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
  p = digits_put(p, tenths % 10, 1);
  return finish(buf, put_text(p, units[i]));
}
