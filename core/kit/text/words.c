/* Words in names, in any case; see words.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/words.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool begins(const char *text, size_t len, const char *word)
{
  size_t i = 0;
  while (i < len && word[i] && lower(text[i]) == word[i]) i++;
  return word[i] == 0;
}

#if defined(__SSE2__)
static __m128i folded(const char *text)
{
  return _mm_or_si128(_mm_loadu_si128((const __m128i *)text), _mm_set1_epi8(0x20));
}

/* 16 places at a time: a bit for each where the word's first two characters may be.  Every name of a kernel is
 * looked at for some fifty words. */
static unsigned places(const char *text, const char *word)
{
  __m128i first = _mm_cmpeq_epi8(folded(text), _mm_set1_epi8((char)(word[0] | 0x20)));
  __m128i second = _mm_cmpeq_epi8(folded(text + 1), _mm_set1_epi8((char)(word[1] | 0x20)));
  return (unsigned)_mm_movemask_epi8(_mm_and_si128(first, second));
}

/* Returns how many places were looked at; all of them when it was found. */
static size_t look_in_16s(const char *text, size_t len, const char *word, bool *out_found)
{
  size_t i = 0;
  if (!word[0] || !word[1]) return 0;
  for (; i + 17 <= len; i += 16)
    for (unsigned at = places(text + i, word); at; at &= at - 1) {
      size_t place = i + (size_t)__builtin_ctz(at);
      if ((*out_found = begins(text + place, len - place, word))) return len;
    }
  return i;
}
#endif

bool words_have_any_case(const char *text, size_t len, const char *word)
{
  bool found = false;
  size_t i = 0;
#if defined(__SSE2__)
  i = look_in_16s(text, len, word, &found);
#endif
  for (; i < len && !found; i++) found = begins(text + i, len - i, word);
  return found;
}

bool words_begin_any_case(const char *text, size_t len, const char *word)
{
  return begins(text, len, word);
}
