/* Sorting by numbers; see order.h.
 *
 * The comparison is compiled in: qsort, which calls one, takes several times as long. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/order.h"

#include <stdbool.h>
#include "kit/state/search.h"

enum { FEW = 16 }; /* left to the last pass, which moves each by a few places */

static inline bool before(const OrderKey *x, const OrderKey *y)
{
  if (x->a != y->a) return x->a < y->a;
  if (x->b != y->b) return x->b < y->b;
  if (x->c != y->c) return x->c < y->c;
  return x->i < y->i;
}

static inline void swap(OrderKey *x, OrderKey *y)
{
  OrderKey was = *x;
  *x = *y;
  *y = was;
}

/* The first, the middle and the last one in order; the middle one is what the others are held against. */
static OrderKey pivot_of(OrderKey *keys, size_t n)
{
  OrderKey *first = keys, *middle = keys + n / 2, *last = keys + n - 1;
  if (before(middle, first)) swap(middle, first);
  if (before(last, middle)) swap(last, middle);
  if (before(middle, first)) swap(middle, first);
  return *middle;
}

/* How many stand in front of the rest, which are not before any of them. */
static size_t split(OrderKey *keys, size_t n)
{
  OrderKey pivot = pivot_of(keys, n);
  size_t low = 0, high = n - 1;
  for (;;) {
    while (before(&keys[low], &pivot)) low++;
    while (before(&pivot, &keys[high])) high--;
    if (low >= high) return low;
    swap(&keys[low++], &keys[high--]);
  }
}

static void sink_down(OrderKey *keys, size_t n, size_t at)
{
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && before(&keys[child], &keys[child + 1])) child++;
    if (!before(&keys[at], &keys[child])) return;
    swap(&keys[at], &keys[child]);
  }
}

/* For what splits badly again and again, as only inputs made for it do. */
static void heap_sort(OrderKey *keys, size_t n)
{
  for (size_t i = n / 2; i-- > 0;) sink_down(keys, n, i);
  for (size_t end = n; end-- > 1;) {
    swap(&keys[0], &keys[end]);
    sink_down(keys, end, 0);
  }
}

/* Until no part has more than a few. */
static void sort_roughly(OrderKey *keys, size_t n, unsigned depth)
{
  while (n > FEW) {
    if (depth-- == 0) {
      heap_sort(keys, n);
      return;
    }
    size_t front = split(keys, n);
    if (front < n - front) {
      sort_roughly(keys, front, depth);
      keys += front;
      n -= front;
    } else {
      sort_roughly(keys + front, n - front, depth);
      n = front;
    }
  }
}

static void move_by_steps(OrderKey *keys, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    OrderKey key = keys[i];
    size_t at = i;
    for (; at > 0 && before(&key, &keys[at - 1]); at--) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

void order_sort(OrderKey *keys, size_t n)
{
  size_t sorted = 1;
  while (sorted < n && !before(&keys[sorted], &keys[sorted - 1])) sorted++;
  if (sorted >= n) return;
  unsigned depth = 2;
  for (size_t half = n; half > 1; half /= 2) depth += 2;
  sort_roughly(keys, n, depth);
  move_by_steps(keys, n);
}

size_t order_find(const OrderKey *keys, size_t n, int64_t a, int64_t b)
{
  return FIRST_NOT(n, i, keys[i].a < a || (keys[i].a == a && keys[i].b < b));
}
