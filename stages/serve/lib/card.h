/* What the phase on a workload card says about serving metrics. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LIB_CARD_H
#define SERVE_LIB_CARD_H

#include <stdbool.h>
#include <stddef.h>

static inline bool card_same_word(const char *a, const char *b)
{
  for (; *a && *b; a++, b++) {
    char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
    if (x != *b) return false;
  }
  return *a == *b;
}

/* Whether runs of this phase serve requests: inference and serving, in any case, or no phase. */
static inline bool card_serves(const char *phase)
{
  if (!phase || !*phase) return true;
  return card_same_word(phase, "inference") || card_same_word(phase, "serving");
}

#endif
