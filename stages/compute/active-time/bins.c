/* When something was active; see bins.h. */
/* SPDX-License-Identifier: MIT */
#include "bins.h"

__extension__ typedef __int128 SignedWide;

/* Pairs of bins become one; which two are a pair is a matter of their numbers alone. */
static void widen(Bins *b)
{
  int64_t first = b->first >> 1;
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    int64_t busy_ns = b->busy_ns[i];
    uint32_t to = (uint32_t)(((b->first + i) >> 1) - first);
    if (to == n) b->busy_ns[n++] = 0;
    b->busy_ns[to] += busy_ns;
  }
  b->first = first;
  b->n = n;
  b->shift++;
}

static uint64_t reach(const Bins *b, int64_t last_ns)
{
  return (uint64_t)(last_ns >> b->shift) - (uint64_t)b->first + 1;
}

void bins_add(Bins *b, int64_t start_ns, int64_t end_ns)
{
  if (end_ns <= start_ns) return;
  if (b->n == 0) b->first = start_ns;
  while (reach(b, end_ns - 1) > BINS_MOST || reach(b, end_ns - 1) == 0) widen(b);
  while (b->n < reach(b, end_ns - 1)) b->busy_ns[b->n++] = 0;
  for (uint32_t i = (uint32_t)(reach(b, start_ns) - 1); start_ns < end_ns; i++) {
    SignedWide bin_end = ((SignedWide)b->first + i + 1) * ((SignedWide)1 << b->shift);
    int64_t until_ns = bin_end < end_ns ? (int64_t)bin_end : end_ns;
    b->busy_ns[i] += until_ns - start_ns;
    start_ns = until_ns;
  }
}

void bins_fit(Bins *b, uint64_t most)
{
  while (b->n > most && b->n > 2) widen(b);
}

Bin bins_at(const Bins *b, uint32_t i)
{
  SignedWide width = (SignedWide)1 << b->shift, start = ((SignedWide)b->first + i) * width;
  SignedWide end = start + width;
  return (Bin){ .start_ns = start < INT64_MIN ? INT64_MIN : (int64_t)start,
                .end_ns = end > INT64_MAX ? INT64_MAX : (int64_t)end,
                .percent = (double)b->busy_ns[i] / (double)width * 100 };
}
