/* Words in names. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_WORDS_H
#define KIT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* In any case of ASCII letters; `word` is lower case. */
bool words_have_any_case(const char *text, size_t len, const char *word);
bool words_begin_any_case(const char *text, size_t len, const char *word);

static inline bool words_end_with(const char *text, size_t len, const char *end)
{
  size_t n = strlen(end);
  return len >= n && memcmp(text + len - n, end, n) == 0;
}

static inline bool words_have(const char *text, size_t len, const char *word)
{
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= len; i++)
    if (memcmp(text + i, word, n) == 0) return true;
  return false;
}

#endif
