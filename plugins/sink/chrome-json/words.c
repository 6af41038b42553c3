/* Words in place of numbers; see words.h. */
#include "words.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static bool is_word(const char *p)
{
  return (p[0] == 'n' && p[1] == 'a' && p[2] == 'n') || (p[0] == 'i' && p[1] == 'n' && p[2] == 'f');
}

#if defined(__SSE2__)
static __m128i equal_at(const char *p, char c)
{
  return _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8(c));
}

/* Every event that is written passes here: 16 places at a time. */
static bool any_of_16(const char *p)
{
  __m128i n = equal_at(p + 1, 'n');
  __m128i inf = _mm_and_si128(_mm_and_si128(equal_at(p, 'i'), n), equal_at(p + 2, 'f'));
  __m128i nan =
      _mm_and_si128(_mm_and_si128(equal_at(p, 'n'), equal_at(p + 1, 'a')), equal_at(p + 2, 'n'));
  return _mm_movemask_epi8(_mm_or_si128(inf, nan)) != 0;
}
#endif

bool words_suspicious(const char *text, size_t len)
{
  size_t i = 0;
#if defined(__SSE2__)
  for (; i + 18 <= len; i += 16)
    if (any_of_16(text + i)) return true;
#endif
  for (; i + 3 <= len; i++)
    if (is_word(text + i)) return true;
  return false;
}
