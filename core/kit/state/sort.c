/* Sorting in place: rows go to their buckets byte by byte, from the largest; see sort.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 256, FEW = 48, MAX_WIDTH = 2 };

/* What is below is compiled for each width. */
#define FOR_ANY_WIDTH static inline __attribute__((always_inline)) void
typedef void Sort(int64_t *rows, uint64_t n, unsigned byte);

FOR_ANY_WIDTH copy_row(int64_t *to, const int64_t *from, uint32_t width)
{
  for (uint32_t w = 0; w < width; w++) to[w] = from[w];
}

/* Each goes down to its place; for a few this is the fastest. */
FOR_ANY_WIDTH sort_by_steps(int64_t *rows, uint64_t n, uint32_t width)
{
  int64_t row[MAX_WIDTH];
  for (uint64_t i = 1; i < n; i++) {
    int64_t *at = rows + i * width;
    copy_row(row, at, width);
    for (; at > rows && at[-(int64_t)width] > row[0]; at -= width) copy_row(at, at - width, width);
    copy_row(at, row, width);
  }
}

/* A byte of a value such that less means less, also below 0. */
static inline unsigned digit(int64_t value, unsigned byte)
{
  return ((uint64_t)value ^ (uint64_t)1 << 63) >> 8 * byte & (DIGITS - 1);
}

/* A row is carried to its bucket, the one that was there to its own, until one belongs where the
 * first was. */
FOR_ANY_WIDTH put_in_place(int64_t *rows, uint64_t *next, unsigned d, uint32_t width, unsigned byte)
{
  int64_t row[MAX_WIDTH], other[MAX_WIDTH], *hole = rows + next[d] * width;
  copy_row(row, hole, width);
  for (unsigned wanted; (wanted = digit(row[0], byte)) != d; copy_row(row, other, width)) {
    int64_t *to = rows + next[wanted]++ * width;
    copy_row(other, to, width);
    copy_row(to, row, width);
  }
  copy_row(hole, row, width);
  next[d]++;
}

/* Rows of each digit together, in the order of the digits. */
FOR_ANY_WIDTH distribute(int64_t *rows, uint64_t n, uint32_t width, unsigned byte,
                         uint64_t *out_ends)
{
  uint64_t next[DIGITS], sum = 0;
  memset(out_ends, 0, DIGITS * sizeof *out_ends);
  for (uint64_t i = 0; i < n; i++) out_ends[digit(rows[i * width], byte)]++;
  for (unsigned d = 0; d < DIGITS; d++) {
    next[d] = sum;
    sum += out_ends[d];
    out_ends[d] = sum;
  }
  for (unsigned d = 0; d < DIGITS; d++)
    while (next[d] < out_ends[d]) put_in_place(rows, next, d, width, byte);
}

/* From that byte down. */
FOR_ANY_WIDTH sort_part(int64_t *rows, uint64_t n, uint32_t width, unsigned byte, Sort *rest)
{
  uint64_t ends[DIGITS], start = 0;
  if (n <= FEW) {
    sort_by_steps(rows, n, width);
    return;
  }
  distribute(rows, n, width, byte, ends);
  for (unsigned d = 0; d < DIGITS && byte > 0; start = ends[d++])
    if (ends[d] - start > 1) rest(rows + start * width, ends[d] - start, byte - 1);
}

static void sort_singles(int64_t *rows, uint64_t n, unsigned byte)
{
  sort_part(rows, n, 1, byte, sort_singles);
}

static void sort_pairs(int64_t *rows, uint64_t n, unsigned byte)
{
  sort_part(rows, n, 2, byte, sort_pairs);
}

void sort_rows(int64_t *rows, uint64_t n, uint32_t width)
{
  uint64_t differ = 0;
  bool sorted = true;
  for (uint64_t i = 1; i < n; i++) {
    differ |= (uint64_t)(rows[i * width] ^ *rows);
    sorted &= rows[(i - 1) * width] <= rows[i * width];
  }
  if (sorted) return;
  unsigned byte = (unsigned)(63 - __builtin_clzll(differ)) / 8;
  if (width == 1)
    sort_singles(rows, n, byte);
  else
    sort_pairs(rows, n, byte);
}

void sort_unless_in_order(void *rows, size_t n, size_t size,
                          int (*compare)(const void *, const void *))
{
  const char *at = rows;
  for (size_t i = 1; i < n; i++) {
    if (compare(at + (i - 1) * size, at + i * size) <= 0) continue;
    qsort(rows, n, size, compare);
    return;
  }
}
