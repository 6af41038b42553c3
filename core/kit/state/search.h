/* Places in lists that are in order. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SEARCH_H
#define KIT_SEARCH_H

#include <stddef.h>

/* The first of the places 0 to n - 1 where `is_before`, said of the place `at`, no longer holds; n where it holds for all:
 *   size_t at = FIRST_NOT(s->n, i, s->items[i].step < step); */
#define FIRST_NOT(n, at, is_before)              \
  __extension__({                                \
    size_t low_ = 0, high_ = (n);                \
    while (low_ < high_) {                       \
      const size_t at = low_ + (high_ - low_) / 2; \
      if (is_before)                             \
        low_ = at + 1;                           \
      else                                       \
        high_ = at;                              \
    }                                            \
    low_;                                        \
  })

#endif
