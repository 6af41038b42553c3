/* Raw JSON at memory speed: white space, strings and containers, passed without looking inside.
 *
 * Every buffer must be followed by SCAN_PAD bytes of 0xFF, a byte that is neither
 * white space nor structure: loops read up to that far behind `end` and stop there.
 * Nothing here validates; a byte that may need mending is only reported as odd.
 * SCAN_PORTABLE selects plain byte loops, also used where no vector unit is known. */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SCAN_PAD 64
/* Deeper containers are reported as odd; whoever validates them knows the exact limit. */
#define SCAN_ODD_DEPTH 500

#if !defined(SCAN_PORTABLE) && defined(__SSE2__)
#define SCAN_SSE2 1
#include <emmintrin.h>
#elif !defined(SCAN_PORTABLE) && defined(__aarch64__) && defined(__ARM_NEON)
#define SCAN_NEON 1
#include <arm_neon.h>
#endif

enum {                   /* of one string */
       SCAN_ESCAPED = 1, /* has a backslash */
       SCAN_ODD = 2      /* has a control byte, one >= 0x80, or a backslash that escapes nothing */
};

/* p at '{' or '['.  The first byte behind the matching bracket, NULL when that is not before end.
 * *odd becomes true when a string within is SCAN_ODD, when H..O, i or an (NaN, Infinity, inf, nan,
 * N/A) stand outside strings, when braces and brackets do not pair up, or when it is very deep;
 * it is never set to false. */
typedef const char *(*ScanContainer)(const char *p, const char *end, bool *odd);
#ifdef SCAN_PORTABLE
#define scan_container scan_container_portable
#define scan_container_best scan_container_best_portable
#endif
const char *scan_container(const char *p, const char *end, bool *odd);
/* The fastest one for the processor that this runs on. */
ScanContainer scan_container_best(void);

static inline bool scan_is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* The first byte at or behind p that is no white space. */
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

static inline bool scan_is_hex(char c)
{
  return (unsigned)(c - '0') < 10 || (unsigned)((c | 0x20) - 'a') < 6;
}

/* p behind a backslash: four bytes more must be readable. */
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
  for (; p < end; p++) {
    if (*p == '"') return p;
    if (*p == '\\') {
      *flags |= scan_escapes(p + 1) ? SCAN_ESCAPED : SCAN_ESCAPED | SCAN_ODD;
      p++;
    }
    if ((signed char)*p < 0x20) *flags |= SCAN_ODD;
  }
  return NULL;
}

/* p behind the opening quote.  The closing quote, NULL when it is not before end.
 * Adds to *flags what it saw. */
static inline const char *scan_string(const char *p, const char *end, unsigned *flags)
{
#if defined(SCAN_SSE2)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  unsigned odd = 0;
  while (p < end) {
    __m128i x = _mm_loadu_si128((const __m128i *)p);
    unsigned stop = (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)));
    unsigned low = (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)));
    if (!stop) {
      odd |= low;
      p += 16;
      continue;
    }
    unsigned at = (unsigned)__builtin_ctz(stop);
    odd |= low & ((1u << at) - 1);
    p += at;
    if (*p == '"') break;
    *flags |= SCAN_ESCAPED;
    odd |= !scan_escapes(p + 1);
    p += 2;
  }
  if (odd) *flags |= SCAN_ODD;
  return p < end ? p : NULL;
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
  /* A byte is a digit when it is below ten now; 0x76 carries ten and above into the top bit. */
  uint64_t other = (((v & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | v) & 0x8080808080808080u;
  unsigned n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
  if (!n) return 0;
  v <<= 64 - 8 * n; /* zeros move in as leading digits */
  v = v * 10 + (v >> 8);
  v = ((v & 0x000000ff000000ffu) * 0x000f424000000064u +
       ((v >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
      32;
  *out = (uint32_t)v;
  return n;
}

static inline bool scan_is_digit(char c) { return c >= '0' && c <= '9'; }

#endif
