/* A binary heap in an array: its first item goes before all others. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stddef.h>

#if defined(__GNUC__)
#define HEAP_UNUSED __attribute__((unused)) /* nobody needs all of them */
#else
#define HEAP_UNUSED
#endif

/* Makes, for one type of items and bool before(const Item *a, const Item *b):
 *   name_sink(items, n, at)  the item there may go after others: puts it in its place below
 *   name_rise(items, at)     the item there, a new last one, may go before others: puts it in its place above
 *   name_make(items, n)      puts items of any order into that of a heap */
#define HEAP(name, Item, before)                                            \
  static void name##_sink(Item *items, size_t n, size_t at)                 \
  {                                                                         \
    for (;;) {                                                              \
      size_t first = at, left = 2 * at + 1, right = left + 1;               \
      if (left < n && before(&items[left], &items[first])) first = left;    \
      if (right < n && before(&items[right], &items[first])) first = right; \
      if (first == at) return;                                              \
      Item sinks = items[at];                                               \
      items[at] = items[first];                                             \
      items[first] = sinks;                                                 \
      at = first;                                                           \
    }                                                                       \
  }                                                                         \
  static HEAP_UNUSED void name##_rise(Item *items, size_t at)               \
  {                                                                         \
    for (size_t above; at > 0; at = above) {                                \
      above = (at - 1) / 2;                                                 \
      if (!before(&items[at], &items[above])) return;                       \
      Item rises = items[at];                                               \
      items[at] = items[above];                                             \
      items[above] = rises;                                                 \
    }                                                                       \
  }                                                                         \
  static HEAP_UNUSED void name##_make(Item *items, size_t n)                \
  {                                                                         \
    for (size_t at = n / 2; at-- > 0;) name##_sink(items, n, at);           \
  }

#endif
