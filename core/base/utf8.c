/* Checking UTF-8; see utf8.h.
 *
 * By tables of nibbles (Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte", 2021): what is
 * wrong with two bytes side by side is known from the halves of the first and the upper half of the second.
 * Each half stands for the errors that it may be part of; an error is where all three agree. */
/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* How many bytes go on after the first one; and where the next may lie: this excludes overlong forms, surrogates
 * and what is above U+10FFFF.  0: it is no first byte. */
static unsigned second_bytes(unsigned char first, unsigned char *low, unsigned char *high)
{
  *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  if (first >= 0xf0 && first <= 0xf4) return 3;
  return 0;
}

const char *utf8_char(const char *p, const char *end, uint32_t *out_code)
{
  unsigned char low, high, first = (unsigned char)*p++;
  unsigned n = second_bytes(first, &low, &high);
  uint32_t code = first & (0x3fu >> n);
  *out_code = UTF8_BAD;
  if (n == 0) return p;
  for (unsigned i = 0; i < n; i++, p++) {
    unsigned char next = p < end ? (unsigned char)*p : 0;
    if (next < low || next > high) return p;
    code = code << 6 | (next & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  *out_code = code;
  return p;
}

static bool valid_plain(const char *text, size_t len)
{
  uint32_t code;
  for (const char *end = text + len; text < end;) {
    if ((unsigned char)*text < 0x80) {
      text++;
      continue;
    }
    text = utf8_char(text, end, &code);
    if (code == UTF8_BAD) return false;
  }
  return true;
}

#if defined(SCAN_WIDE_CODE) || defined(SCAN_NEON)
enum {
  TOO_SHORT = 1 << 0,  /* a first byte, and no byte that goes on */
  TOO_LONG = 1 << 1,   /* a byte that goes on after a whole character of one byte */
  THREE_LESS = 1 << 2, /* three bytes where two do */
  TOO_LARGE = 1 << 3,  /* above U+10FFFF */
  SURROGATE = 1 << 4,
  TWO_LESS = 1 << 5,      /* two bytes where one does */
  FOUR_LESS = 1 << 6,     /* four bytes where three do */
  FAR_TOO_LARGE = 1 << 6, /* after F5 and above; never together with the one before */
  TWO_GO_ON = 1 << 7,     /* two bytes that go on: right after three bytes or four began */
  ANY_LOW = TOO_SHORT | TOO_LONG | TWO_GO_ON /* whatever the lower half is */
};

#define FOUR(a) a, a, a, a
static const uint8_t first_high[16] = { FOUR(TOO_LONG),
                                        FOUR(TOO_LONG),
                                        FOUR(TWO_GO_ON),
                                        TOO_SHORT | TWO_LESS,
                                        TOO_SHORT,
                                        TOO_SHORT | THREE_LESS | SURROGATE,
                                        TOO_SHORT | TOO_LARGE | FAR_TOO_LARGE | FOUR_LESS };
static const uint8_t first_low[16] = { ANY_LOW | THREE_LESS | TWO_LESS | FOUR_LESS,
                                       ANY_LOW | TWO_LESS,
                                       ANY_LOW,
                                       ANY_LOW,
                                       ANY_LOW | TOO_LARGE,
                                       FOUR(ANY_LOW | TOO_LARGE | FAR_TOO_LARGE),
                                       FOUR(ANY_LOW | TOO_LARGE | FAR_TOO_LARGE),
                                       ANY_LOW | TOO_LARGE | FAR_TOO_LARGE | SURROGATE,
                                       ANY_LOW | TOO_LARGE | FAR_TOO_LARGE,
                                       ANY_LOW | TOO_LARGE | FAR_TOO_LARGE };
static const uint8_t second_high[16] = { FOUR(TOO_SHORT),
                                         FOUR(TOO_SHORT),
                                         TOO_LONG | TWO_GO_ON | TWO_LESS | THREE_LESS |
                                             FAR_TOO_LARGE | FOUR_LESS,
                                         TOO_LONG | TWO_GO_ON | TWO_LESS | THREE_LESS | TOO_LARGE,
                                         TOO_LONG | TWO_GO_ON | TWO_LESS | SURROGATE | TOO_LARGE,
                                         TOO_LONG | TWO_GO_ON | TWO_LESS | SURROGATE | TOO_LARGE,
                                         FOUR(TOO_SHORT) };
#undef FOUR
#endif

#if defined(SCAN_WIDE_CODE)
typedef struct Tables {
  __m128i first_high, first_low, second_high;
} Tables;

/* Bytes at fault; `before` are the sixteen before x. */
SCAN_WIDE_INLINE __m128i faults(const Tables *t, __m128i before, __m128i x)
{
  const __m128i low = _mm_set1_epi8(0x0f);
  __m128i one = _mm_alignr_epi8(x, before, 15), two = _mm_alignr_epi8(x, before, 14),
          three = _mm_alignr_epi8(x, before, 13);
  __m128i a = _mm_shuffle_epi8(t->first_high, _mm_and_si128(_mm_srli_epi16(one, 4), low));
  __m128i b = _mm_shuffle_epi8(t->first_low, _mm_and_si128(one, low));
  __m128i c = _mm_shuffle_epi8(t->second_high, _mm_and_si128(_mm_srli_epi16(x, 4), low));
  /* The highest bit where two or three bytes before a character of so many began. */
  __m128i goes_on = _mm_or_si128(_mm_subs_epu8(two, _mm_set1_epi8(0xe0 - 0x80)),
                                 _mm_subs_epu8(three, _mm_set1_epi8((char)(0xf0 - 0x80))));
  return _mm_xor_si128(_mm_and_si128(_mm_and_si128(a, b), c),
                       _mm_and_si128(goes_on, _mm_set1_epi8((char)0x80)));
}

SCAN_WIDE_CODE bool utf8_valid_wide(const char *text, size_t len)
{
  const Tables t = { _mm_loadu_si128((const __m128i *)first_high),
                     _mm_loadu_si128((const __m128i *)first_low),
                     _mm_loadu_si128((const __m128i *)second_high) };
  __m128i before = _mm_setzero_si128(), bad = before;
  size_t at = 0;
  for (; at + 16 <= len; at += 16) {
    __m128i x = _mm_loadu_si128((const __m128i *)(text + at));
    bad = _mm_or_si128(bad, faults(&t, before, x));
    before = x;
  }
  char last[16] = ""; /* zeros behind it: what is cut there is too short */
  memcpy(last, text + at, len - at);
  bad = _mm_or_si128(bad, faults(&t, before, _mm_loadu_si128((const __m128i *)last)));
  return _mm_testz_si128(bad, bad);
}

#elif defined(SCAN_NEON)
static uint8x16_t faults(uint8x16_t before, uint8x16_t x)
{
  uint8x16_t one = vextq_u8(before, x, 15), two = vextq_u8(before, x, 14),
             three = vextq_u8(before, x, 13);
  uint8x16_t a = vqtbl1q_u8(vld1q_u8(first_high), vshrq_n_u8(one, 4));
  uint8x16_t b = vqtbl1q_u8(vld1q_u8(first_low), vandq_u8(one, vdupq_n_u8(0x0f)));
  uint8x16_t c = vqtbl1q_u8(vld1q_u8(second_high), vshrq_n_u8(x, 4));
  uint8x16_t goes_on =
      vorrq_u8(vqsubq_u8(two, vdupq_n_u8(0xe0 - 0x80)), vqsubq_u8(three, vdupq_n_u8(0xf0 - 0x80)));
  return veorq_u8(vandq_u8(vandq_u8(a, b), c), vandq_u8(goes_on, vdupq_n_u8(0x80)));
}

bool utf8_valid(const char *text, size_t len)
{
  if (len < 64) return valid_plain(text, len); /* tables do not pay */
  uint8x16_t before = vdupq_n_u8(0), bad = before;
  size_t at = 0;
  for (; at + 16 <= len; at += 16) {
    uint8x16_t x = vld1q_u8((const uint8_t *)text + at);
    bad = vorrq_u8(bad, faults(before, x));
    before = x;
  }
  uint8_t last[16] = { 0 }; /* zeros behind it: what is cut there is too short */
  memcpy(last, text + at, len - at);
  bad = vorrq_u8(bad, faults(before, vld1q_u8(last)));
  return vmaxvq_u8(bad) == 0;
}

#endif

#ifndef SCAN_NEON
bool utf8_valid(const char *text, size_t len) { return valid_plain(text, len); }
#endif
