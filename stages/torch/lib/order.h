/* An order of things that stay where they are: by up to three numbers, then by where they stand. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_ORDER_H
#define TORCH_LIB_ORDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct OrderKey {
  int64_t a, b, c;
  uint32_t i; /* of the thing */
} OrderKey;

/* Does nothing to what is in order. */
void order_sort(OrderKey *keys, size_t n);
/* The first key that is not before (a, b); n: there is none. */
size_t order_find(const OrderKey *keys, size_t n, int64_t a, int64_t b);

#endif
