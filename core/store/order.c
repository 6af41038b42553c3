/* Putting held events into lane order: an index of 16 bytes per event, sorted by radix. */
/* SPDX-License-Identifier: MIT */
#include "store/order.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

/* Large indexes do not fit into caches: one pass over memory by the highest bits of the keys leaves
 * buckets that do, and these are sorted one after the other. */
#define TOP_BITS 11
#define BUCKETS (1u << TOP_BITS)
#define LOW_BITS 8
#define LOW_VALUES (1u << LOW_BITS)
#define MOST_LOW 8 /* digits of a key */
#define IN_CACHE 16384
#define SMALL_RUN 32

/* Returns the largest key. */
static uint64_t fill(OrderKey *keys, const Pack *const *packs, uint32_t n_packs, int64_t min)
{
  uint64_t n = 0, max = 0;
  for (uint32_t p = 0; p < n_packs; p++)
    for (uint32_t i = 0; i < packs[p]->n_events; i++) {
      uint64_t ts = (uint64_t)pack_events(packs[p])[i].ts_ns;
      uint64_t key = pack_has_ts(packs[p], i) ? ts - (uint64_t)min : 0;
      keys[n++] = (OrderKey){ key, p, i };
      if (key > max) max = key;
    }
  return max;
}

static unsigned width_of(uint64_t max) { return max ? 64 - (unsigned)__builtin_clzll(max) : 0; }

/* One stable pass by the digit at `shift`; false when all keys share it. */
static bool radix_pass(const OrderKey *from, OrderKey *to, uint64_t n, unsigned shift,
                       uint64_t *count)
{
  uint64_t at = 0;
  if (count[from[0].key >> shift & (LOW_VALUES - 1)] == n) return false;
  for (uint32_t d = 0; d < LOW_VALUES; d++) {
    uint64_t here = count[d];
    count[d] = at;
    at += here;
  }
  for (uint64_t i = 0; i < n; i++) to[count[from[i].key >> shift & (LOW_VALUES - 1)]++] = from[i];
  return true;
}

static void sort_few(OrderKey *keys, uint64_t n)
{
  for (uint64_t i = 1; i < n; i++) {
    OrderKey key = keys[i];
    uint64_t j = i;
    for (; j > 0 && keys[j - 1].key > key.key; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/* By the lowest `width` bits; the others are the same in all. */
static void sort_bucket(OrderKey *keys, OrderKey *scratch, uint64_t n, unsigned width)
{
  uint64_t count[MOST_LOW][LOW_VALUES];
  unsigned n_digits = (width + LOW_BITS - 1) / LOW_BITS;
  OrderKey *from = keys, *to = scratch;
  if (n <= SMALL_RUN) {
    sort_few(keys, n);
    return;
  }
  memset(count, 0, n_digits * sizeof count[0]);
  for (uint64_t i = 0; i < n; i++)
    for (unsigned d = 0; d < n_digits; d++)
      count[d][keys[i].key >> d * LOW_BITS & (LOW_VALUES - 1)]++;
  for (unsigned d = 0; d < n_digits; d++)
    if (radix_pass(from, to, n, d * LOW_BITS, count[d])) {
      OrderKey *swap = from;
      from = to;
      to = swap;
    }
  if (from != keys) memcpy(keys, from, n * sizeof *keys);
}

/* Into buckets by the bits from `shift` on; starts has one more than there are. */
static void spread(const OrderKey *from, OrderKey *to, uint64_t n, unsigned shift, uint64_t *starts)
{
  uint64_t at[BUCKETS] = { 0 }, sum = 0;
  for (uint64_t i = 0; i < n; i++) at[from[i].key >> shift]++;
  for (uint32_t b = 0; b < BUCKETS; b++) {
    starts[b] = sum;
    sum += at[b];
    at[b] = starts[b];
  }
  starts[BUCKETS] = sum;
  for (uint64_t i = 0; i < n; i++) to[at[from[i].key >> shift]++] = from[i];
}

/* Returns the array in which they are sorted. */
static OrderKey *sort_keys(OrderKey *keys, OrderKey *scratch, uint64_t n, uint64_t max)
{
  uint64_t starts[BUCKETS + 1];
  unsigned width = width_of(max), shift = width > TOP_BITS ? width - TOP_BITS : 0;
  if (n <= IN_CACHE) {
    sort_bucket(keys, scratch, n, width);
    return keys;
  }
  spread(keys, scratch, n, shift, starts);
  for (uint32_t b = 0; b < BUCKETS; b++)
    sort_bucket(scratch + starts[b], keys + starts[b], starts[b + 1] - starts[b], shift);
  return scratch;
}

/* Never 0 for two: whether the sort is stable does not matter. */
static int compare_keys(const void *a, const void *b, void *packs_)
{
  const Pack *const *packs = packs_;
  const OrderKey *x = a, *y = b;
  int order = pack_compare(packs[x->pack], x->event, packs[y->pack], y->event);
  if (order) return order;
  if (x->pack != y->pack) return x->pack < y->pack ? -1 : 1;
  return (x->event > y->event) - (x->event < y->event);
}

/* Most events share their time with few others: sorting those in place needs no memory. */
static void order_small_run(OrderKey *keys, uint64_t n, const Pack *const *packs)
{
  for (uint64_t i = 1; i < n; i++) {
    OrderKey key = keys[i];
    uint64_t j = i;
    for (; j > 0 && compare_keys(&keys[j - 1], &key, (void *)packs) > 0; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/* Events of one key: those without time first, then the longest, then as they were read. */
static void order_ties(OrderKey *keys, uint64_t n, const Pack *const *packs)
{
  for (uint64_t i = 0, end; i < n; i = end) {
    end = i + 1;
    while (end < n && keys[end].key == keys[i].key) end++;
    if (end - i <= SMALL_RUN)
      order_small_run(&keys[i], end - i, packs);
    else
      qsort_r(&keys[i], end - i, sizeof *keys, compare_keys, (void *)packs);
  }
}

OrderKey *order_index(const Pack *const *packs, uint32_t n_packs, uint64_t n_events,
                      int64_t earliest_ns)
{
  if (!n_events) return NULL;
  OrderKey *keys = huge_alloc(n_events * sizeof *keys),
           *other = huge_alloc(n_events * sizeof *keys);
  uint64_t max = fill(keys, packs, n_packs, earliest_ns);
  if (sort_keys(keys, other, n_events, max) == other) {
    OrderKey *swap = keys;
    keys = other;
    other = swap;
  }
  g_free(other);
  order_ties(keys, n_events, packs);
  return keys;
}
