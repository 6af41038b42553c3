/* Paths that a pattern stands for: * ? [...] within names, {rank} for the digits of a rank. */
#ifndef INPUT_PATTERNS_H
#define INPUT_PATTERNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/error.h"

typedef struct PatternMatch {
  char *path;
  int64_t rank; /* -1: the pattern wants none */
} PatternMatch;

bool patterns_has(const char *text);
/* PatternMatch *, by rank, then by path; free with g_ptr_array_unref.  An error: none is there, or not all that it may
 * mean can be seen. */
Error *patterns_match(const char *pattern, GPtrArray **out);

#endif
