/* Lines of words. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ENGINE_WORDS_H
#define TESTS_ENGINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_WORDS = 5, MAX_LINE = 256 };
typedef struct Words {
  char line[MAX_LINE], copy[MAX_LINE];
  const char *word[MAX_WORDS]; /* "" where there are fewer */
  const char *rest;            /* what follows the first */
} Words;

/* The line at *pos, without empty ones; false at the end.  What has no end of line is none yet. */
static inline bool words_next(const char *text, size_t len, size_t *pos, Words *out)
{
  const char *end = *pos < len ? memchr(text + *pos, '\n', len - *pos) : NULL;
  if (!end) return false;
  size_t n = (size_t)(end - text) - *pos;
  if (n >= MAX_LINE) n = MAX_LINE - 1;
  memcpy(out->line, text + *pos, n);
  out->line[n] = '\0';
  memcpy(out->copy, out->line, n + 1);
  out->rest = strchr(out->copy, ' ') ? strchr(out->copy, ' ') + 1 : "";
  *pos = (size_t)(end - text) + 1;
  char *p = out->line;
  for (int w = 0; w < MAX_WORDS; w++) {
    out->word[w] = p;
    char *blank = strchr(p, ' ');
    if (blank) *blank = '\0';
    p = blank ? blank + 1 : p + strlen(p);
  }
  return n > 0 || words_next(text, len, pos, out);
}

#endif
