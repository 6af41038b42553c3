/* The nearest known word; see suggest.h. */
/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* Beyond this many bytes nobody mistyped a name; also bounds the time. */
enum { MAX_WORD = 256 };

/* Three rows of the table are enough: a transposition looks back two. */
size_t suggest_distance(const char *a, const char *b)
{
  size_t n_a = strlen(a), n_b = strlen(b);
  if (n_a > MAX_WORD || n_b > MAX_WORD) return strcmp(a, b) ? MAX(n_a, n_b) : 0;

  size_t rows[3][MAX_WORD + 1];
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= n_b; j++) last[j] = j;
  for (size_t i = 1; i <= n_a; i++) {
    now[0] = i;
    for (size_t j = 1; j <= n_b; j++) {
      size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
      best = MIN(best, MIN(last[j], now[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = MIN(best, before[j - 2] + 1);
      now[j] = best;
    }
    size_t *free_row = before;
    before = last;
    last = now;
    now = free_row;
  }
  return last[n_b];
}

const char *suggest_nearest(const char *word, const char *const *words)
{
  enum { SHORT = 3 }; /* letters: another word with one more or less of them is a different word */
  size_t limit = MAX(strlen(word) / 3, 1);
  const char *nearest = NULL;
  for (; *words; words++) {
    size_t distance = suggest_distance(word, *words), len = strlen(*words);
    if (len < SHORT && len != strlen(word)) continue;
    if (distance > limit || (nearest && distance == limit)) continue;
    nearest = *words;
    limit = distance;
  }
  return nearest;
}
