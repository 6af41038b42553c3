/* Sorting in place, without memory of its own, and fast for millions. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SORT_H
#define KIT_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Rows of one or two integers each, by the first of them; of equal ones the order is not kept. */
void sort_rows(int64_t *rows, uint64_t n, uint32_t width);

/* As qsort; does nothing to what is in order. */
void sort_unless_in_order(void *rows, size_t n, size_t size,
                          int (*compare)(const void *, const void *));

#endif
