/* Raw JSON at memory speed: white space, strings, numbers and containers, with their grammar checked.
 *
 * Every buffer must be followed by SCAN_PAD bytes of 0xFF, a byte that is neither
 * white space nor structure: loops read up to that far after `end` and stop there.
 * What is not valid JSON, or may not be, is only reported as odd: who meets it looks closer.
 * SCAN_NO_VECTOR selects plain byte loops, also used where no vector unit is known; SCAN_PORTABLE selects
 * them in one file, beside the others. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/num-digits.h"
#include "base/utf8.h"
#include "base/vector.h"

#define SCAN_PAD 64
/* Deeper containers are odd; whoever validates them knows the exact limit. */
#define SCAN_ODD_DEPTH 60

enum {                   /* of one string */
       SCAN_ESCAPED = 1, /* has a backslash */
       SCAN_ODD = 2 /* has a control byte, is no UTF-8, or has a backslash that escapes nothing */
};

/* p at '{' or '['.  The first byte after the matching bracket, whatever is between, NULL when that
 * is not before end.  *odd becomes true when it is not valid JSON (RFC 8259) or is very deep; it is
 * never set to false. */
typedef const char *(*ScanContainer)(const char *p, const char *end, bool *odd);
#ifdef SCAN_PORTABLE
#define scan_container scan_container_portable
#define scan_container_best scan_container_best_portable
#endif
const char *scan_container(const char *p, const char *end, bool *odd);
/* The fastest one for the processor that this runs on. */
ScanContainer scan_container_best(void);

/* Whether functions that are SCAN_WIDE_CODE may be called. */
bool scan_wide_here(void);

static inline bool scan_is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* The first byte at or after p that is not white space. */
static inline const char *scan_space_long(const char *p)
{
#if defined(SCAN_SSE2)
  for (;; p += 16) {
    __m128i x = _mm_loadu_si128((const __m128i *)p);
    __m128i blank =
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\n')));
    __m128i other = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\t')),
                                 _mm_cmpeq_epi8(x, _mm_set1_epi8('\r')));
    unsigned rest = (unsigned)_mm_movemask_epi8(_mm_or_si128(blank, other)) ^ 0xffffu;
    if (rest) return p + __builtin_ctz(rest);
  }
#else
  while (scan_is_space(*p)) p++;
  return p;
#endif
}

static inline const char *scan_space(const char *p)
{
  if ((unsigned char)*p > ' ') return p;
  if (scan_is_space(*p) && (unsigned char)p[1] > ' ') return p + 1;
  return scan_space_long(p);
}

static inline bool scan_is_hex(char c) { return digit_value(c) < 16; }

/* p after a backslash: four bytes more must be readable. */
static inline bool scan_escapes(const char *p)
{
  switch (*p) {
  case '"':
  case '\\':
  case '/':
  case 'b':
  case 'f':
  case 'n':
  case 'r':
  case 't': return true;
  case 'u': return scan_is_hex(p[1]) && scan_is_hex(p[2]) && scan_is_hex(p[3]) && scan_is_hex(p[4]);
  default: return false;
  }
}

static inline const char *scan_string_bytes(const char *p, const char *end, unsigned *flags)
{
  const char *start = p;
  bool high = false;
  for (; p < end && *p != '"'; p++) {
    if (*p == '\\') {
      *flags |= scan_escapes(p + 1) ? SCAN_ESCAPED : SCAN_ESCAPED | SCAN_ODD;
      p++;
    }
    high |= (unsigned char)*p >= 0x80;
    if ((unsigned char)*p < 0x20) *flags |= SCAN_ODD;
  }
  if (p >= end) return NULL;
  if (high && !utf8_valid(start, (size_t)(p - start))) *flags |= SCAN_ODD;
  return p;
}

/* Of a string that has bytes below 0x20 or above 0x7f: none below, and UTF-8. */
static inline bool scan_text_valid(const char *p, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if ((unsigned char)p[i] < 0x20) return false;
  return utf8_valid(p, len);
}

/* p after the opening quote.  The closing quote, NULL when it is not before end.
 * Adds to *flags what it saw. */
static inline const char *scan_string(const char *p, const char *end, unsigned *flags)
{
#if defined(SCAN_SSE2)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const char *start = p;
  unsigned unusual = 0;
  bool odd = false;
  while (p < end) {
    __m128i x = _mm_loadu_si128((const __m128i *)p);
    unsigned stop = (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)));
    unsigned low = (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)));
    if (!stop) {
      unusual |= low;
      p += 16;
      continue;
    }
    unsigned at = (unsigned)__builtin_ctz(stop);
    unusual |= low & ((1u << at) - 1);
    p += at;
    if (*p == '"') break;
    *flags |= SCAN_ESCAPED;
    odd |= !scan_escapes(p + 1);
    p += 2;
  }
  if (p >= end) return NULL;
  if (odd || (unusual && !scan_text_valid(start, (size_t)(p - start)))) *flags |= SCAN_ODD;
  return p;
#elif defined(SCAN_NEON)
  const uint8x16_t quote = vdupq_n_u8('"'), backslash = vdupq_n_u8('\\');
  for (; p < end; p += 16) {
    uint8x16_t x = vld1q_u8((const uint8_t *)p);
    uint8x16_t stop = vorrq_u8(vceqq_u8(x, quote), vceqq_u8(x, backslash));
    uint8x16_t low = vcltq_s8(vreinterpretq_s8_u8(x), vdupq_n_s8(0x20));
    if (vmaxvq_u8(vorrq_u8(stop, low))) return scan_string_bytes(p, end, flags);
  }
  return NULL;
#else
  return scan_string_bytes(p, end, flags);
#endif
}

static inline const char *scan_digit_run(const char *p)
{
  while ((unsigned)(*p - '0') < 10) p++;
  return p;
}

/* After a number, or NULL. */
static inline const char *scan_number(const char *p)
{
  const char *digits = p + (*p == '-');
  p = scan_digit_run(digits);
  if (p == digits || (*digits == '0' && p > digits + 1)) return NULL;
  if (*p == '.') {
    digits = p + 1;
    p = scan_digit_run(digits);
    if (p == digits) return NULL;
  }
  if ((*p | 0x20) != 'e') return p;
  digits = p + 1 + (p[1] == '-' || p[1] == '+');
  p = scan_digit_run(digits);
  return p == digits ? NULL : p;
}

/* After a number, true, false or null in a container; NULL when there is none, or when something
 * else stands directly after it. */
static inline const char *scan_scalar(const char *p)
{
  if (*p <= '9')
    p = scan_number(p);
  else if (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0)
    p += 4;
  else
    p = memcmp(p, "false", 5) == 0 ? p + 5 : NULL;
  return p && (*p == ',' || *p == '}' || *p == ']' || scan_is_space(*p)) ? p : NULL;
}

/* --------------------------------------------------- SCAN_WIDE bytes at once */
#define SCAN_WIDE 64 /* readable at every pointer given to the functions here */
#define SCAN_NOT_PLAIN (SCAN_WIDE + 1)

#if defined(SCAN_SSE2)
/* Four vectors of 0x00 or 0xff to a bit a byte, the first one lowest. */
static inline uint64_t scan_bits(__m128i a, __m128i b, __m128i c, __m128i d)
{
  uint64_t low = (unsigned)_mm_movemask_epi8(a) | (unsigned)_mm_movemask_epi8(b) << 16;
  uint64_t high = (unsigned)_mm_movemask_epi8(c) | (unsigned)_mm_movemask_epi8(d) << 16;
  return high << 32 | low;
}
#elif defined(SCAN_NEON)
static inline uint64_t scan_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
  static const uint8_t weights[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
  uint8x16_t w = vld1q_u8(weights);
  uint8x16_t ab = vpaddq_u8(vandq_u8(a, w), vandq_u8(b, w));
  uint8x16_t cd = vpaddq_u8(vandq_u8(c, w), vandq_u8(d, w));
  uint8x16_t sum = vpaddq_u8(ab, cd);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}
#endif

/* Whether no byte before len differs; bit i of `same`: byte i is the same. */
static inline bool scan_all_same(uint64_t same, size_t len)
{
  return len == 0 || ~same << (64 - len) == 0;
}

/* What scan_plain_string is to say, from a bit for each quote and backslash, and for each odd byte. */
static inline unsigned scan_plain_len(const char *p, uint64_t stops, uint64_t low)
{
  if (low & (stops ^ (stops - 1))) return SCAN_NOT_PLAIN; /* one comes before the first stop */
  if (!stops) return SCAN_WIDE;
  unsigned len = (unsigned)__builtin_ctzll(stops);
  return p[len] == '"' ? len : SCAN_NOT_PLAIN;
}

/* Whether len bytes at a, at most SCAN_WIDE, are those at b. */
static inline bool scan_same(const char *a, const char *b, size_t len)
{
#if defined(SCAN_SSE2)
  __m128i same[4];
  for (unsigned i = 0; i < 4; i++)
    same[i] = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(a + 16 * i)),
                             _mm_loadu_si128((const __m128i *)(b + 16 * i)));
  return scan_all_same(scan_bits(same[0], same[1], same[2], same[3]), len);
#elif defined(SCAN_NEON)
  uint8x16_t same[4];
  for (unsigned i = 0; i < 4; i++)
    same[i] =
        vceqq_u8(vld1q_u8((const uint8_t *)a + 16 * i), vld1q_u8((const uint8_t *)b + 16 * i));
  return scan_all_same(scan_bits(same[0], same[1], same[2], same[3]), len);
#else
  return memcmp(a, b, len) == 0;
#endif
}

/* p inside a string: how many bytes of it are left, if less than SCAN_WIDE; SCAN_WIDE: as many and
 * perhaps more; SCAN_NOT_PLAIN: among them is a backslash or a byte that is odd in a string. */
static inline unsigned scan_plain_string(const char *p)
{
#if defined(SCAN_SSE2)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  __m128i stop[4], low[4];
  for (unsigned i = 0; i < 4; i++) {
    __m128i x = _mm_loadu_si128((const __m128i *)(p + 16 * i));
    stop[i] = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash));
    low[i] = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));
  }
  return scan_plain_len(p, scan_bits(stop[0], stop[1], stop[2], stop[3]),
                        scan_bits(low[0], low[1], low[2], low[3]));
#elif defined(SCAN_NEON)
  const uint8x16_t quote = vdupq_n_u8('"'), backslash = vdupq_n_u8('\\');
  uint8x16_t stop[4], low[4];
  for (unsigned i = 0; i < 4; i++) {
    uint8x16_t x = vld1q_u8((const uint8_t *)p + 16 * i);
    stop[i] = vorrq_u8(vceqq_u8(x, quote), vceqq_u8(x, backslash));
    low[i] = vcltq_s8(vreinterpretq_s8_u8(x), vdupq_n_s8(0x20));
  }
  return scan_plain_len(p, scan_bits(stop[0], stop[1], stop[2], stop[3]),
                        scan_bits(low[0], low[1], low[2], low[3]));
#else
  for (unsigned len = 0; len < SCAN_WIDE; len++) {
    if (p[len] == '"') return len;
    if (p[len] == '\\' || (signed char)p[len] < 0x20) return SCAN_NOT_PLAIN;
  }
  return SCAN_WIDE;
#endif
}

#ifdef SCAN_WIDE_CODE
SCAN_WIDE_INLINE uint64_t scan_bits_wide(__m256i low, __m256i high)
{
  uint64_t upper = (uint32_t)_mm256_movemask_epi8(high);
  return upper << 32 | (uint32_t)_mm256_movemask_epi8(low);
}

SCAN_WIDE_INLINE bool scan_same_wide(const char *a, const char *b, size_t len)
{
  __m256i x0 = _mm256_loadu_si256((const __m256i *)a);
  __m256i x1 = _mm256_loadu_si256((const __m256i *)(a + 32));
  __m256i y0 = _mm256_loadu_si256((const __m256i *)b);
  __m256i y1 = _mm256_loadu_si256((const __m256i *)(b + 32));
  uint64_t same = scan_bits_wide(_mm256_cmpeq_epi8(x0, y0), _mm256_cmpeq_epi8(x1, y1));
  return _bzhi_u64(~same, (unsigned)len) == 0;
}

SCAN_WIDE_INLINE unsigned scan_plain_string_wide(const char *p)
{
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  const __m256i least = _mm256_set1_epi8(0x20);
  __m256i x0 = _mm256_loadu_si256((const __m256i *)p);
  __m256i x1 = _mm256_loadu_si256((const __m256i *)(p + 32));
  __m256i stop0 = _mm256_or_si256(_mm256_cmpeq_epi8(x0, quote), _mm256_cmpeq_epi8(x0, backslash));
  __m256i stop1 = _mm256_or_si256(_mm256_cmpeq_epi8(x1, quote), _mm256_cmpeq_epi8(x1, backslash));
  return scan_plain_len(p, scan_bits_wide(stop0, stop1),
                        scan_bits_wide(_mm256_cmpgt_epi8(least, x0), _mm256_cmpgt_epi8(least, x1)));
}
#endif

/* ------------------------------------------------------------------ numbers */
static inline uint64_t scan_load64(const char *p)
{
  uint64_t v;
  memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

/* The first three bytes as a number; SCAN_KEY3 makes the constants to compare with. */
#define SCAN_KEY3(a, b, c) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16)
static inline uint32_t scan_load24(const char *p)
{
  uint32_t v;
  memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap32(v);
#endif
  return v & 0xffffffu;
}

/* Up to eight digits at p: their number, and their value in *out. */
static inline unsigned scan_digits(const char *p, uint32_t *out)
{
  uint64_t v = scan_load64(p) ^ 0x3030303030303030u;
  uint64_t stop = digits_stop8(v);
  unsigned n = stop ? (unsigned)__builtin_ctzll(stop) / 8 : 8;
  if (!n) return 0;
  *out = digits_value8(v << (64 - 8 * n)); /* zeros move in as leading digits */
  return n;
}

/* The same for up to sixteen digits. */
static inline unsigned scan_digits16(const char *p, uint64_t *out)
{
  uint32_t digits, more;
  unsigned n = scan_digits(p, &digits), m = 0;
  if (!n) return 0;
  *out = digits;
  if (n == 8) m = scan_digits(p + 8, &more);
  if (m) *out = *out * POW10[m] + more;
  return n + m;
}

/* The value of three digits that no fourth one follows; above 999: there is something else. */
static inline uint32_t scan_three_digits(const char *p)
{
  uint32_t v = (uint32_t)scan_load64(p) ^ 0x30303030u;
  uint32_t other = (((v & 0x7f7f7f7fu) + 0x76767676u) | v) & 0x80808080u;
  return other == 0x80000000u ? (v & 0xff) * 100 + (v >> 8 & 0xff) * 10 + (v >> 16 & 0xff) : 1000;
}

/* One to twelve digits, a point and three digits at p: their number of bytes, and a thousand times
 * their value in *out; 0: something else is there.  What follows is for the caller to see, and zeros
 * in front. */
static inline unsigned scan_thousandths(const char *p, uint64_t *out)
{
  uint64_t whole;
  unsigned n = scan_digits16(p, &whole);
  uint32_t decimals = n - 1u < 12 && p[n] == '.' ? scan_three_digits(p + n + 1) : 1000;
  if (decimals > 999) return 0;
  *out = whole * 1000 + decimals;
  return n + 4;
}

/* A number of digits with or without decimals: its bytes; 0: something else is there, or it is long.  What follows is
 * for the caller to see. */
static inline unsigned scan_decimal(const char *p)
{
  const char *after = *p == '-' || (unsigned)(*p - '0') < 10 ? scan_number(p) : NULL;
  return after ? (unsigned)(after - p) : 0;
}

#ifdef SCAN_WIDE_CODE
/* Sixteen values of digits, the first one the highest. */
SCAN_WIDE_INLINE uint64_t scan_sum_wide(__m128i v)
{
  v = _mm_maddubs_epi16(v, _mm_set1_epi16(10 | 1 << 8));
  v = _mm_madd_epi16(v, _mm_set1_epi32(100 | 1 << 16));
  v = _mm_packus_epi32(v, v);
  v = _mm_madd_epi16(v, _mm_set1_epi32(10000 | 1 << 16));
  uint64_t both = (uint64_t)_mm_cvtsi128_si64(v);
  return (uint32_t)both * UINT64_C(100000000) + (both >> 32);
}

/* Bytes less '0' in *out_values; a bit for each that is a digit. */
SCAN_WIDE_INLINE unsigned scan_digit_mask_wide(const char *p, __m128i *out_values)
{
  __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
  *out_values = v;
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
}

SCAN_WIDE_INLINE unsigned scan_thousandths_wide(const char *p, uint64_t *out)
{
  /* Of the bytes to the right end, without the point: places before the first one are negative. */
  const __m128i places =
      _mm_setr_epi8(-13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3);
  __m128i v;
  unsigned digits = scan_digit_mask_wide(p, &v), n = (unsigned)__builtin_ctz(~digits);
  if (n - 1u >= 12 || (digits >> n & 0xf) != 0xe || p[n] != '.') return 0;
  *out = scan_sum_wide(_mm_shuffle_epi8(v, _mm_add_epi8(places, _mm_set1_epi8((char)n))));
  return n + 4;
}

SCAN_WIDE_INLINE unsigned scan_decimal_wide(const char *p)
{
  __m128i v;
  unsigned sign = *p == '-', digits = scan_digit_mask_wide(p + sign, &v);
  unsigned n = (unsigned)__builtin_ctz(~digits);
  const char *first = p + sign;
  if (n - 1u >= 15 || (*first == '0' && n > 1)) return 0;
  if (first[n] != '.') return sign + n;
  unsigned decimals = (unsigned)__builtin_ctz(~(digits >> (n + 1)));
  return decimals && n + 1 + decimals < 16 ? sign + n + 1 + decimals : 0;
}

SCAN_WIDE_INLINE unsigned scan_digits16_wide(const char *p, uint64_t *out)
{
  const __m128i places =
      _mm_setr_epi8(-16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1);
  __m128i v;
  unsigned n = (unsigned)__builtin_ctz(~scan_digit_mask_wide(p, &v));
  *out = scan_sum_wide(_mm_shuffle_epi8(v, _mm_add_epi8(places, _mm_set1_epi8((char)n))));
  return n;
}
#endif

#endif
