/* Words in the text of an event; see words.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/words.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static unsigned words_at(const char *p)
{
  if (p[0] == 'n' && p[1] == 'a' && p[2] == 'n') return WORDS_NUMBER;
  if (p[0] == 'i' && p[1] == 'n' && p[2] == 'f') return WORDS_NUMBER;
  return p[0] == 't' && p[1] == 'r' && p[2] == '"' ? WORDS_KEY : 0;
}

#if defined(__SSE2__)
static __m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }

static __m128i load(const char *p) { return _mm_loadu_si128((const __m128i *)p); }

static __m128i all_three(__m128i a, __m128i b, __m128i c)
{
  return _mm_and_si128(a, _mm_and_si128(b, c));
}

/* Every event that is written passes here: 16 places at a time.  Returns how many were looked at. */
static size_t words_in_16s(const char *text, size_t len, unsigned *out)
{
  __m128i number = _mm_setzero_si128(), key = number;
  size_t i = 0;
  for (; i + 18 <= len; i += 16) {
    __m128i a = load(text + i), b = load(text + i + 1), c = load(text + i + 2);
    __m128i nan = all_three(equal(a, 'n'), equal(b, 'a'), equal(c, 'n'));
    __m128i inf = all_three(equal(a, 'i'), equal(b, 'n'), equal(c, 'f'));
    number = _mm_or_si128(number, _mm_or_si128(nan, inf));
    key = _mm_or_si128(key, all_three(equal(a, 't'), equal(b, 'r'), equal(c, '"')));
  }
  *out = (_mm_movemask_epi8(number) ? WORDS_NUMBER : 0) | (_mm_movemask_epi8(key) ? WORDS_KEY : 0);
  return i;
}
#endif

unsigned words_find(const char *text, size_t len)
{
  unsigned found = 0;
  size_t i = 0;
#if defined(__SSE2__)
  i = words_in_16s(text, len, &found);
#endif
  for (; i + 3 <= len; i++) found |= words_at(text + i);
  return found;
}
