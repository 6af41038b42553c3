/* Names by simple patterns: `*` is any text, every other byte itself. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_GLOB_H
#define KIT_GLOB_H

#include <stdbool.h>
#include <string.h>

/* The whole name; backtracks to the last star alone, which is enough for patterns of this kind. */
static inline bool glob_match(const char *pattern, const char *name)
{
  const char *star = NULL, *from = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = pattern++;
      from = name;
    } else if (*pattern == *name) {
      pattern++;
      name++;
    } else if (star) {
      pattern = star + 1;
      name = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}

/* One of a list that ends in NULL. */
static inline bool glob_match_any(const char *const *patterns, const char *name)
{
  for (; *patterns; patterns++)
    if (glob_match(*patterns, name)) return true;
  return false;
}

#endif
