/* Paths that match a pattern: * ? [...] within names, {rank} for the digits of a rank. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_PATTERNS_H
#define INPUT_PATTERNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/error.h"

typedef struct PatternMatch {
  char *path;
  int64_t rank; /* -1: the pattern has no {rank} */
} PatternMatch;

bool patterns_has(const char *text);
/* PatternMatch *, by rank, then by path; free with g_ptr_array_unref. An error: nothing matches,
 * or some matches may be missing. */
Error *patterns_match(const char *pattern, GPtrArray **out);

#endif
