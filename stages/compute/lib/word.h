/* The repeated word of a sequence: where the first names are one word twice, but for what comes before.
 *
 * Of a sequence R the first length n of at least 10 counts at which R[p..p+h) equals R[p+h..n), n = p + 2h, with
 * p <= n/3 - 1; of several p the smallest. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPUTE_LIB_WORD_H
#define COMPUTE_LIB_WORD_H

#include <stagemill/types.h>

enum { WORD_LEAST = 10 }; /* names before which nothing is a repetition */

typedef struct Word {
  size_t prefix, length; /* p and h */
} Word;

/* Of n names; false when there is none, or memory was refused (see MillHost.scratch).  O(n log n). */
bool word_find(const MillHost *common, const uint32_t *names, size_t n, Word *out);

/* Of the word's first i names, i up to its length: how many of the longest that both begins and ends them, and is not all of
 * them.  Lives as long as the instance; NULL: memory was refused. */
uint32_t *word_borders(const MillHost *common, const uint32_t *names, size_t length);

#endif
