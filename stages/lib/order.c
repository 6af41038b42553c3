/* Sorting by numbers; see order.h. */
#include "lib/order.h"

#include <stdlib.h>

static int compare(const void *p, const void *q)
{
  const OrderKey *x = p, *y = q;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  if (x->c != y->c) return x->c < y->c ? -1 : 1;
  return (x->i > y->i) - (x->i < y->i);
}

void order_sort(OrderKey *keys, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    if (compare(&keys[i - 1], &keys[i]) <= 0) continue;
    qsort(keys, n, sizeof *keys, compare);
    return;
  }
}

size_t order_find(const OrderKey *keys, size_t n, int64_t a, int64_t b)
{
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (keys[middle].a < a || (keys[middle].a == a && keys[middle].b < b))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
