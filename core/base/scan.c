/* Passing whole JSON containers, 64 bytes per step; see scan.h. */
/* SPDX-License-Identifier: MIT */
#include "base/scan.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(SCAN_SSE2) || defined(SCAN_NEON)
/* A bit per byte, the first byte lowest. */
typedef struct Masks {
  uint64_t quote, backslash;
  uint64_t open, close; /* of both kinds */
  uint64_t comma, colon;
  uint64_t space; /* the four of JSON */
  uint64_t low;   /* control bytes and those >= 0x80 */
  uint64_t digit, zero;
} Masks;

/* The same of what is outside strings, and its parts. */
typedef struct Tokens {
  uint64_t open, close, comma, colon, space;
  uint64_t inside; /* strings, with their first quote */
  uint64_t string, string_end;
  uint64_t scalar; /* all bytes of numbers and words */
  uint64_t scalar_start;
} Tokens;

/* What the next block needs to know of this one; carries are 0 or 1. */
typedef struct Grammar {
  uint64_t escape;    /* the block ended in a backslash that escapes */
  uint64_t in_string; /* all bits or none */
  uint64_t in_scalar, after_zero;
  uint64_t after_open, after_colon; /* or a comma; and after white space */
  uint64_t after_key;               /* or within it */
  uint64_t objects; /* of the containers that are open, the innermost in bit 0: is it an object? */
  uint32_t depth;
  bool bad;
  bool high; /* there are bytes >= 0x80 */
} Grammar;

/* Bytes that follow an odd run of backslashes. */
INLINE uint64_t find_escaped(uint64_t backslash, uint64_t *carry)
{
  const uint64_t even = 0x5555555555555555u;
  backslash &= ~*carry;
  uint64_t follows = backslash << 1 | *carry;
  uint64_t odd_starts = backslash & ~even & ~follows;
  uint64_t sequences;
  *carry = __builtin_add_overflow(odd_starts, backslash, &sequences);
  return (even ^ sequences << 1) & follows;
}

/* Bit i: the number of set bits up to and with i is odd. */
INLINE uint64_t prefix_xor_shift(uint64_t v)
{
  v ^= v << 1;
  v ^= v << 2;
  v ^= v << 4;
  v ^= v << 8;
  v ^= v << 16;
  v ^= v << 32;
  return v;
}

/* The bits of those bytes that a backslash comes before without effect. */
static uint64_t vain_escapes(const char *p, uint64_t escaped)
{
  uint64_t vain = 0;
  for (; escaped; escaped &= escaped - 1)
    if (!scan_escapes(p + __builtin_ctzll(escaped))) vain |= escaped & (0 - escaped);
  return vain;
}

typedef void (*LoadMasks)(const char *p, Masks *out);
typedef uint64_t (*PrefixXor)(uint64_t v);
typedef bool (*TextValid)(const char *text, size_t len);

INLINE void find_tokens(const Masks *m, uint64_t quote, Grammar *g, PrefixXor prefix_xor, Tokens *t)
{
  uint64_t inside = prefix_xor(quote) ^ g->in_string, outside = ~(inside | quote);
  g->in_string = (uint64_t)((int64_t)inside >> 63);
  t->inside = inside;
  t->string = quote & inside;
  t->string_end = quote & ~inside;
  t->open = m->open & outside;
  t->close = m->close & outside;
  t->comma = m->comma & outside;
  t->colon = m->colon & outside;
  t->space = m->space & outside;
  t->scalar = outside & ~(m->open | m->close | m->comma | m->colon | m->space);
  t->scalar_start = t->scalar & ~(t->scalar << 1 | g->in_scalar);
  g->in_scalar = t->scalar >> 63;
}

/* Bytes directly in an object; brackets count to what is around them.  The last bracket, where depth
 * falls to 0, in *out_last; 0: it is not here. */
INLINE uint64_t in_objects(const char *p, const Tokens *t, Grammar *g, uint64_t *out_last)
{
  uint64_t objects = 0, done = 0;
  *out_last = 0;
  for (uint64_t rest = t->open | t->close; rest; rest &= rest - 1) {
    uint64_t bit = rest & (0 - rest), upto = bit ^ (bit - 1);
    bool brace = p[__builtin_ctzll(rest)] & 0x20;
    objects |= (0 - (g->objects & 1)) & upto & ~done;
    done = upto;
    if (bit & t->open) {
      g->objects = g->objects << 1 | brace;
      if (++g->depth > SCAN_ODD_DEPTH) g->bad = true;
      continue;
    }
    if ((g->objects & 1) != brace) g->bad = true;
    g->objects >>= 1;
    if (--g->depth) continue;
    *out_last = bit;
    return objects;
  }
  return objects | ((0 - (g->objects & 1)) & ~done);
}

/* What comes after each of `bytes`, through the bytes of `passed`: a sum carries through them. */
INLINE uint64_t first_after(uint64_t bytes, uint64_t passed, uint64_t *carry)
{
  uint64_t next = bytes << 1 | *carry, sum;
  *carry = bytes >> 63;
  *carry |= __builtin_add_overflow(next & passed, passed, &sum);
  return (sum | next) & ~passed;
}

/* After each of these last brackets comes the first one, but for white space. */
static bool all_empty(const char *p, uint64_t close)
{
  for (; close; close &= close - 1) {
    const char *before = p + __builtin_ctzll(close) - 1;
    while (scan_is_space(*before)) before--;
    if (*before != '{' && *before != '[') return false;
  }
  return true;
}

/* Tokens that do not belong where they are.  After a bracket that opens, a comma and a colon comes a
 * value or a key, and nowhere else; after a key, and nowhere else, a colon.  What is left are commas and
 * last brackets, after values. */
INLINE uint64_t misplaced(const char *p, const Tokens *t, uint64_t objects, uint64_t upto,
                          Grammar *g)
{
  uint64_t after_open = first_after(t->open | t->comma, t->space, &g->after_open);
  uint64_t after_colon = first_after(t->colon, t->space, &g->after_colon);
  uint64_t starts = t->string | t->scalar_start | t->open;
  uint64_t bad = (after_open | after_colon) ^ starts, empty = after_open & t->close & upto;
  if (empty && all_empty(p, empty)) bad &= ~empty;

  uint64_t keys = after_open & objects & ~t->close, after_key;
  uint64_t passed = t->inside | t->string_end | t->space;
  g->after_key = __builtin_add_overflow((keys & t->string) | g->after_key, passed, &after_key);
  return bad | (keys & ~t->string) | (t->colon ^ (after_key & ~passed));
}

/* Numbers and words that hold more than digits; at: bits of what else they hold. */
static bool scalars_valid(const char *p, const Tokens *t, uint64_t at)
{
  while (at) {
    uint64_t starts = t->scalar_start & (at ^ (at - 1));
    const char *start = p + (starts ? 63 - __builtin_clzll(starts) : 0);
    if (!starts)
      while (!memchr(",:{}[]\" \n\r\t", start[-1], 11)) start--;
    const char *after = scan_scalar(start);
    if (!after) return false;
    at &= after - p < 64 ? ~(uint64_t)0 << (after - p) : 0;
  }
  return true;
}

INLINE uint64_t leading_zeros(const Masks *m, const Tokens *t, Grammar *g)
{
  uint64_t zero = t->scalar_start & m->zero, after_zero = zero << 1 | g->after_zero;
  g->after_zero = zero >> 63;
  return after_zero & t->scalar & m->digit;
}

/* Bytes >= 0x80. */
static uint64_t high_bytes(const char *p)
{
#if defined(SCAN_SSE2)
  const __m128i *x = (const __m128i *)p;
  return scan_bits(_mm_loadu_si128(x), _mm_loadu_si128(x + 1), _mm_loadu_si128(x + 2),
                   _mm_loadu_si128(x + 3));
#else
  const int8_t *x = (const int8_t *)p;
  return scan_bits(vcltzq_s8(vld1q_s8(x)), vcltzq_s8(vld1q_s8(x + 16)), vcltzq_s8(vld1q_s8(x + 32)),
                   vcltzq_s8(vld1q_s8(x + 48)));
#endif
}

/* The loop is compiled once for each instruction set, with the helpers inlined. */
INLINE const char *container_loop(const char *p, const char *end, bool *odd, LoadMasks load,
                                  PrefixXor prefix_xor, TextValid utf8)
{
  Grammar g = { .after_open = 1 };
  const char *start = p;
  bool empty = p[1] == *p + ('}' - '{'); /* in ASCII, square ones are as far apart */
  if (empty && end - p >= 2) return p + 2;
  for (; p < end; p += 64) {
    Masks m;
    Tokens t;
    load(p, &m);
    uint64_t escaped = 0, last;
    if (m.backslash | g.escape) escaped = find_escaped(m.backslash, &g.escape);
    find_tokens(&m, m.quote & ~escaped, &g, prefix_xor, &t);
    uint64_t objects = in_objects(p, &t, &g, &last), upto = last ^ (last - 1);
    uint64_t bad = misplaced(p, &t, objects, upto, &g) | leading_zeros(&m, &t, &g);
    uint64_t low = m.low & ~t.space & upto;
    if (low) {
      uint64_t high = high_bytes(p) & low;
      bad |= low ^ high;
      g.high |= high != 0;
    }
    if (escaped & t.inside) bad |= vain_escapes(p, escaped & t.inside);
    uint64_t odd_scalars = t.scalar & ~m.digit & upto;
    if ((bad & upto) || (odd_scalars && !scalars_valid(p, &t, odd_scalars))) g.bad = true;
    if (last) {
      p += __builtin_ctzll(last) + 1;
      if (p > end) return NULL;
      if (g.bad || (g.high && !utf8(start, (size_t)(p - start)))) *odd = true;
      return p;
    }
  }
  return NULL;
}
#endif

#if defined(SCAN_SSE2)

INLINE void load_sse2(const char *p, Masks *out)
{
  Masks m = { 0 };
  for (unsigned i = 0; i < 4; i++) {
    __m128i x = _mm_loadu_si128((const __m128i *)(p + 16 * i));
    __m128i folded = _mm_or_si128(x, _mm_set1_epi8(0x20));
#define BITS(v) ((uint64_t)(unsigned)_mm_movemask_epi8(v) << 16 * i)
    m.quote |= BITS(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
    m.backslash |= BITS(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    m.open |= BITS(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
    m.close |= BITS(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    m.comma |= BITS(_mm_cmpeq_epi8(x, _mm_set1_epi8(',')));
    m.colon |= BITS(_mm_cmpeq_epi8(x, _mm_set1_epi8(':')));
    m.space |= BITS(_mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\n'))),
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\r')),
                     _mm_cmpeq_epi8(x, _mm_set1_epi8('\t')))));
    m.low |= BITS(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)));
    m.digit |= BITS(_mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('0' - 1)),
                                  _mm_cmplt_epi8(x, _mm_set1_epi8('9' + 1))));
    m.zero |= BITS(_mm_cmpeq_epi8(x, _mm_set1_epi8('0')));
#undef BITS
  }
  *out = m;
}

const char *scan_container(const char *p, const char *end, bool *odd)
{
  return container_loop(p, end, odd, load_sse2, prefix_xor_shift, utf8_valid);
}

#elif defined(SCAN_NEON)

INLINE void load_neon(const char *p, Masks *out)
{
  uint8x16_t x[4], folded[4];
  for (unsigned i = 0; i < 4; i++) {
    x[i] = vld1q_u8((const uint8_t *)p + 16 * i);
    folded[i] = vorrq_u8(x[i], vdupq_n_u8(0x20));
  }
#define EQUAL(v, c)                                                       \
  scan_bits(vceqq_u8(v[0], vdupq_n_u8(c)), vceqq_u8(v[1], vdupq_n_u8(c)), \
            vceqq_u8(v[2], vdupq_n_u8(c)), vceqq_u8(v[3], vdupq_n_u8(c)))
#define LOW(i) vcltq_s8(vreinterpretq_s8_u8(x[i]), vdupq_n_s8(0x20))
#define DIGIT(i) vcltq_u8(vsubq_u8(x[i], vdupq_n_u8('0')), vdupq_n_u8(10))
  out->quote = EQUAL(x, '"');
  out->backslash = EQUAL(x, '\\');
  out->open = EQUAL(folded, '{');
  out->close = EQUAL(folded, '}');
  out->low = scan_bits(LOW(0), LOW(1), LOW(2), LOW(3));
  out->comma = EQUAL(x, ',');
  out->colon = EQUAL(x, ':');
  out->space = EQUAL(x, ' ') | EQUAL(x, '\n') | EQUAL(x, '\r') | EQUAL(x, '\t');
  out->digit = scan_bits(DIGIT(0), DIGIT(1), DIGIT(2), DIGIT(3));
  out->zero = EQUAL(x, '0');
#undef EQUAL
#undef LOW
#undef DIGIT
}

const char *scan_container(const char *p, const char *end, bool *odd)
{
  return container_loop(p, end, odd, load_neon, prefix_xor_shift, utf8_valid);
}

#else

/* What may come next. */
enum { VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, AFTER_VALUE };

typedef struct Grammar {
  uint64_t objects; /* of the containers that are open, the innermost in bit 0: is it an object? */
  uint32_t depth;
  unsigned expected;
  bool bad;
} Grammar;

static void open_container(Grammar *g, bool object)
{
  if (g->expected != VALUE && g->expected != FIRST_VALUE) g->bad = true;
  g->objects = g->objects << 1 | object;
  g->expected = object ? FIRST_KEY : FIRST_VALUE;
  if (++g->depth > SCAN_ODD_DEPTH) g->bad = true;
}

static void close_container(Grammar *g, bool object)
{
  unsigned empty = object ? FIRST_KEY : FIRST_VALUE;
  if ((g->objects & 1) != object || (g->expected != AFTER_VALUE && g->expected != empty))
    g->bad = true;
  g->objects >>= 1;
  g->expected = AFTER_VALUE;
  g->depth--;
}

static void pass_text(Grammar *g)
{
  bool key = g->expected == KEY || g->expected == FIRST_KEY;
  if (!key && g->expected != VALUE && g->expected != FIRST_VALUE) g->bad = true;
  g->expected = key ? COLON : AFTER_VALUE;
}

static void pass_sign(Grammar *g, unsigned expected, unsigned next)
{
  if (g->expected != expected) g->bad = true;
  g->expected = next;
}

/* At least one byte is passed. */
static const char *pass_scalar(Grammar *g, const char *p)
{
  const char *after = scan_scalar(p);
  if (!after || (g->expected != VALUE && g->expected != FIRST_VALUE)) g->bad = true;
  g->expected = AFTER_VALUE;
  if (after) return after;
  /* Never valid here; the masks take it for an escape as well. */
  return *p == '\\' && (p[1] == '"' || p[1] == '\\') ? p + 2 : p + 1;
}

const char *scan_container(const char *p, const char *end, bool *odd)
{
  Grammar g = { .expected = VALUE };
  while (p < end) {
    unsigned flags = 0;
    switch (*p) {
    case '"':
      p = scan_string_bytes(p + 1, end, &flags);
      if (!p) return NULL;
      pass_text(&g);
      if (flags & SCAN_ODD) g.bad = true;
      break;
    case '{':
    case '[': open_container(&g, *p == '{'); break;
    case '}':
    case ']':
      close_container(&g, *p == '}');
      if (g.depth) break;
      if (g.bad) *odd = true;
      return p + 1;
    case ',': pass_sign(&g, AFTER_VALUE, g.objects & 1 ? KEY : VALUE); break;
    case ':': pass_sign(&g, COLON, VALUE); break;
    case ' ':
    case '\n':
    case '\r':
    case '\t': break;
    default: p = pass_scalar(&g, p); continue;
    }
    p++;
  }
  return NULL;
}

#endif

#ifdef SCAN_WIDE_CODE
#include <cpuid.h>

/* Few constants, so that all stay in registers: brackets, commas and colons are found together and told
 * apart by two of their bits. */
SCAN_WIDE_INLINE void load_avx2(const char *p, Masks *out)
{
  /* Each character at the index of its low four bits. */
  const __m256i spaces = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
  const __m256i signs = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0));
  const __m256i least = _mm256_set1_epi8(0x20);
  uint64_t sign = 0, bracket = 0, first = 0;
  Masks m = { 0 };
  for (unsigned i = 0; i < 2; i++) {
    __m256i x = _mm256_loadu_si256((const __m256i *)(p + 32 * i));
    __m256i value = _mm256_sub_epi8(x, _mm256_set1_epi8('0'));
#define BITS(v) ((uint64_t)(uint32_t)_mm256_movemask_epi8(v) << 32 * i)
    m.quote |= BITS(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('"')));
    m.backslash |= BITS(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('\\')));
    sign |= BITS(_mm256_cmpeq_epi8(_mm256_or_si256(x, least), _mm256_shuffle_epi8(signs, x)));
    bracket |= BITS(_mm256_add_epi8(x, x));
    first |= BITS(_mm256_slli_epi16(x, 6));
    m.space |= BITS(_mm256_cmpeq_epi8(x, _mm256_shuffle_epi8(spaces, x)));
    m.low |= BITS(_mm256_cmpgt_epi8(least, x));
    m.digit |= BITS(_mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)), value));
    m.zero |= BITS(_mm256_cmpeq_epi8(value, _mm256_setzero_si256()));
#undef BITS
  }
  m.open = sign & bracket & first;
  m.close = sign & bracket & ~first;
  m.colon = sign & ~bracket & first;
  m.comma = sign & ~bracket & ~first;
  *out = m;
}

SCAN_WIDE_INLINE uint64_t prefix_xor_clmul(uint64_t v)
{
  __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)v), _mm_set1_epi8(-1), 0);
  return (uint64_t)_mm_cvtsi128_si64(product);
}

SCAN_WIDE_CODE static const char *container_avx2(const char *p, const char *end, bool *odd)
{
  return container_loop(p, end, odd, load_avx2, prefix_xor_clmul, utf8_valid_wide);
}

static uint64_t saved_by_system(void)
{
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

/* Asked from the processor itself: the compiler's own way brings a constructor into modules. */
bool scan_wide_here(void)
{
  const unsigned needed = bit_OSXSAVE | bit_AVX | bit_POPCNT | bit_PCLMUL;
  const unsigned needed_7 = bit_AVX2 | bit_BMI | bit_BMI2;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & needed) != needed) return false;
  if ((saved_by_system() & 6) != 6) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  if ((b & needed_7) != needed_7) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

ScanContainer scan_container_best(void)
{
  return scan_wide_here() ? container_avx2 : scan_container;
}
#else
bool scan_wide_here(void) { return false; }
ScanContainer scan_container_best(void) { return scan_container; }
#endif
