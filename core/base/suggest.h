/* The nearest known word, for "did you mean". */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/* Edit distance with transpositions (Damerau, restricted). */
size_t suggest_distance(const char *a, const char *b);
/* The nearest of words (NULL-terminated) within a third of the word's length (at least 1), or NULL. */
const char *suggest_nearest(const char *word, const char *const *words);

#endif
