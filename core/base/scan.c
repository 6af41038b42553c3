/* Passing whole JSON containers, 64 bytes per step; see scan.h. */
#include "base/scan.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(SCAN_SSE2) || defined(SCAN_NEON)
/* A bit a byte, the first byte lowest. */
typedef struct Masks {
  uint64_t quote, backslash;
  uint64_t open, close; /* of both kinds */
  uint64_t brace;       /* distinguishes { from [ among open and close */
  uint64_t low;         /* control bytes and those >= 0x80 */
  uint64_t letter;      /* bytes from @ up: letters and brackets, mostly */
} Masks;

/* Bytes that follow an odd run of backslashes.  *carry: the last block ended in such a run. */
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

/* Outside strings of JSON there are few letters, and none of H..O, i or an. */
static uint64_t odd_letters(const char *p, uint64_t letters)
{
  uint64_t odd = 0;
  for (; letters; letters &= letters - 1) {
    const char *at = p + __builtin_ctzll(letters);
    if ((*at & 0xf8) == 0x48 || *at == 'i' || (*at == 'a' && at[1] == 'n'))
      odd |= letters & (0 - letters);
  }
  return odd;
}

typedef void (*LoadMasks)(const char *p, Masks *out);
typedef uint64_t (*PrefixXor)(uint64_t v);
typedef int (*CountBits)(uint64_t v);

/* The loop is compiled once for each instruction set, with the three helpers inlined. */
INLINE const char *container_loop(const char *p, const char *end, bool *odd, LoadMasks load,
                                  PrefixXor prefix_xor, CountBits count)
{
  uint64_t carry = 0, in_string = 0, bad = 0;
  int64_t depth = 0, braces = 0;
  for (; p < end; p += 64) {
    Masks m;
    load(p, &m);
    uint64_t escaped = 0;
    if (m.backslash | carry) {
      escaped = find_escaped(m.backslash, &carry);
      m.quote &= ~escaped;
    }
    uint64_t in = prefix_xor(m.quote) ^ in_string;
    in_string = (uint64_t)((int64_t)in >> 63);
    uint64_t letters = m.letter & ~(in | m.open | m.close);
    m.open &= ~in;
    m.close &= ~in;
    uint64_t bad_here = m.low & in;
    if (letters) bad_here |= odd_letters(p, letters);
    if (escaped & in) bad_here |= vain_escapes(p, escaped & in);
    int64_t closed = count(m.close);
    if (closed >= depth) {
      int64_t level = depth;
      for (uint64_t rest = m.close; rest; rest &= rest - 1) {
        uint64_t upto = rest ^ (rest - 1);
        if (level-- - 1 + count(m.open & upto) > 0) continue;
        braces += count(m.open & m.brace & upto) - count(m.close & m.brace & upto);
        if (((bad_here & upto) | bad) || braces) *odd = true;
        p += __builtin_ctzll(rest) + 1;
        return p <= end ? p : NULL;
      }
    }
    depth += count(m.open) - closed;
    braces += count(m.open & m.brace) - count(m.close & m.brace);
    bad |= bad_here;
    if (depth > SCAN_ODD_DEPTH) bad = 1;
  }
  return NULL;
}
#endif

#if defined(SCAN_SSE2)

/* The baseline has no population count; the compiler would call a function. */
INLINE int count_plain(uint64_t v)
{
  v -= v >> 1 & 0x5555555555555555u;
  v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
  return (int)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

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
    m.brace |= BITS(_mm_slli_epi16(x, 2));
    m.low |= BITS(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)));
    m.letter |= BITS(_mm_slli_epi16(x, 1));
#undef BITS
  }
  *out = m;
}

const char *scan_container(const char *p, const char *end, bool *odd)
{
  return container_loop(p, end, odd, load_sse2, prefix_xor_shift, count_plain);
}

#elif defined(SCAN_NEON)

INLINE int count_neon(uint64_t v) { return __builtin_popcountll(v); }

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
#define BRACE(i) vtstq_u8(x[i], vdupq_n_u8(0x20))
#define LETTER(i) vtstq_u8(x[i], vdupq_n_u8(0x40))
  out->quote = EQUAL(x, '"');
  out->backslash = EQUAL(x, '\\');
  out->open = EQUAL(folded, '{');
  out->close = EQUAL(folded, '}');
  out->brace = scan_bits(BRACE(0), BRACE(1), BRACE(2), BRACE(3));
  out->low = scan_bits(LOW(0), LOW(1), LOW(2), LOW(3));
  out->letter = scan_bits(LETTER(0), LETTER(1), LETTER(2), LETTER(3));
#undef EQUAL
#undef LOW
#undef BRACE
#undef LETTER
}

const char *scan_container(const char *p, const char *end, bool *odd)
{
  return container_loop(p, end, odd, load_neon, prefix_xor_shift, count_neon);
}

#else

const char *scan_container(const char *p, const char *end, bool *odd)
{
  int64_t depth = 0, braces = 0;
  bool bad = false;
  for (; p < end; p++) {
    switch (*p) {
    case '"': {
      unsigned flags = 0;
      p = scan_string_bytes(p + 1, end, &flags);
      if (!p) return NULL;
      bad = bad || (flags & SCAN_ODD);
      break;
    }
    case '\\': /* never valid here; the masks take it for an escape as well */
      if (p[1] == '"' || p[1] == '\\') p++;
      break;
    case '{':
    case '[':
      braces += *p == '{';
      if (++depth > SCAN_ODD_DEPTH + 64) bad = true;
      break;
    case '}':
    case ']':
      braces -= *p == '}';
      if (--depth > 0) break;
      if (bad || braces) *odd = true;
      return p + 1;
    default:
      bad = bad || ((unsigned char)*p & 0xf8) == 0x48 || *p == 'i' || (*p == 'a' && p[1] == 'n');
    }
  }
  return NULL;
}

#endif

#ifdef SCAN_WIDE_CODE
#include <cpuid.h>

SCAN_WIDE_INLINE void load_avx2(const char *p, Masks *out)
{
  Masks m = { 0 };
  for (unsigned i = 0; i < 2; i++) {
    __m256i x = _mm256_loadu_si256((const __m256i *)(p + 32 * i));
    __m256i folded = _mm256_or_si256(x, _mm256_set1_epi8(0x20));
#define BITS(v) ((uint64_t)(uint32_t)_mm256_movemask_epi8(v) << 32 * i)
    m.quote |= BITS(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('"')));
    m.backslash |= BITS(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('\\')));
    m.open |= BITS(_mm256_cmpeq_epi8(folded, _mm256_set1_epi8('{')));
    m.close |= BITS(_mm256_cmpeq_epi8(folded, _mm256_set1_epi8('}')));
    m.brace |= BITS(_mm256_slli_epi16(x, 2));
    m.low |= BITS(_mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), x));
    m.letter |= BITS(_mm256_slli_epi16(x, 1));
#undef BITS
  }
  *out = m;
}

SCAN_WIDE_INLINE uint64_t prefix_xor_clmul(uint64_t v)
{
  __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)v), _mm_set1_epi8(-1), 0);
  return (uint64_t)_mm_cvtsi128_si64(product);
}

SCAN_WIDE_INLINE int count_popcnt(uint64_t v) { return (int)_mm_popcnt_u64(v); }

SCAN_WIDE_CODE static const char *container_avx2(const char *p, const char *end, bool *odd)
{
  return container_loop(p, end, odd, load_avx2, prefix_xor_clmul, count_popcnt);
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
