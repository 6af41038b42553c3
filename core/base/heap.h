/* A binary heap in an array: its first item goes before all others. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stddef.h>

/* Makes, for one type of items and bool before(const Item *a, const Item *b):
 *   name_sink(items, n, at)  the item there may go after others: puts it in its place below
 *   name_make(items, n)      puts items of any order into that of a heap */
#define HEAP(name, Item, before)                                  \
  HEAP_SINK(name, Item, before)                                   \
  static void name##_make(Item *items, size_t n)                  \
  {                                                               \
    for (size_t at = n / 2; at-- > 0;) name##_sink(items, n, at); \
  }

/* For a heap that grows by one at a time:
 *   name_sink(items, n, at)
 *   name_rise(items, at)     the last item, there, may go before others: puts it in its place above */
#define HEAP_QUEUE(name, Item, before)                                             \
  HEAP_SINK(name, Item, before)                                                    \
  static void name##_rise(Item *items, size_t at)                                  \
  {                                                                                \
    for (size_t up; at > 0 && before(&items[at], &items[(at - 1) / 2]); at = up) { \
      up = (at - 1) / 2;                                                           \
      Item rises = items[at];                                                      \
      items[at] = items[up];                                                       \
      items[up] = rises;                                                           \
    }                                                                              \
  }

#define HEAP_SINK(name, Item, before)                                       \
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
  }

#endif
