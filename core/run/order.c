/* Putting held events into lane order: an index of 16 bytes an event, sorted by radix. */
#include "run/order.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
#define MOST_DIGITS 6 /* 66 bits hold any key */

/* Returns the greatest key. */
static uint64_t fill(OrderKey *keys, Batch *const *batches, uint32_t n_batches, int64_t min)
{
  uint64_t n = 0, max = 0;
  for (uint32_t b = 0; b < n_batches; b++)
    for (uint32_t i = 0; i < batches[b]->pub.n_events; i++) {
      const MillEvent *e = &batches[b]->pub.events[i];
      uint64_t key = e->flags & MILL_FLAG_NO_TS ? 0 : (uint64_t)e->ts_ns - (uint64_t)min;
      keys[n++] = (OrderKey){ key, b, i };
      if (key > max) max = key;
    }
  return max;
}

/* How many keys have each value of each digit: the same in any order, so one pass is enough. */
static void count_digits(const OrderKey *keys, uint64_t n, unsigned n_digits,
                         uint64_t (*count)[DIGITS])
{
  for (uint64_t i = 0; i < n; i++)
    for (unsigned d = 0; d < n_digits; d++)
      count[d][keys[i].key >> d * DIGIT_BITS & (DIGITS - 1)]++;
}

/* One stable pass by the digit at `shift`; false when all events share it. */
static bool radix_pass(const OrderKey *from, OrderKey *to, uint64_t n, unsigned shift,
                       uint64_t *count)
{
  uint64_t at = 0;
  if (count[from[0].key >> shift & (DIGITS - 1)] == n) return false;
  for (uint32_t d = 0; d < DIGITS; d++) {
    uint64_t here = count[d];
    count[d] = at;
    at += here;
  }
  for (uint64_t i = 0; i < n; i++) to[count[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
  return true;
}

static gint compare_keys(gconstpointer a, gconstpointer b, gpointer batches_)
{
  Batch *const *batches = batches_;
  const OrderKey *x = a, *y = b;
  return event_compare(&batches[x->batch]->pub.events[x->event],
                       &batches[y->batch]->pub.events[y->event]);
}

/* Most events share their time with few others: sorting those in place needs no memory. */
#define SMALL_RUN 32

static void order_small_run(OrderKey *keys, uint64_t n, Batch *const *batches)
{
  for (uint64_t i = 1; i < n; i++) {
    OrderKey key = keys[i];
    uint64_t j = i;
    for (; j > 0 && compare_keys(&keys[j - 1], &key, (gpointer)batches) > 0; j--)
      keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/* Events of one key: those without time first, then the longest, then as they were read. */
static void order_ties(OrderKey *keys, uint64_t n, Batch *const *batches)
{
  for (uint64_t i = 0, end; i < n; i = end) {
    end = i + 1;
    while (end < n && keys[end].key == keys[i].key) end++;
    if (end - i <= SMALL_RUN)
      order_small_run(&keys[i], end - i, batches);
    else
      g_qsort_with_data(&keys[i], (gint)(end - i), sizeof *keys, compare_keys, (gpointer)batches);
  }
}

#define HUGE_PAGE ((size_t)2 << 20)

/* Large indexes are written once, front to back: huge pages save a fault every 256 keys. */
static OrderKey *new_keys(uint64_t n)
{
  size_t bytes = n * sizeof(OrderKey), rounded = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
  void *keys = bytes < HUGE_PAGE ? NULL : aligned_alloc(HUGE_PAGE, rounded);
  if (!keys) return g_new(OrderKey, n);
  madvise(keys, rounded, MADV_HUGEPAGE);
  return keys;
}

OrderKey *order_index(Batch *const *batches, uint32_t n_batches, uint64_t n_events,
                      int64_t earliest_ns)
{
  if (!n_events) return NULL;
  OrderKey *keys = new_keys(n_events), *other = new_keys(n_events);
  uint64_t max = fill(keys, batches, n_batches, earliest_ns);
  unsigned n_digits = 0;
  while (n_digits < MOST_DIGITS && max >> n_digits * DIGIT_BITS) n_digits++;
  g_autofree uint64_t(*count)[DIGITS] = (void *)g_new0(uint64_t, (size_t)MOST_DIGITS * DIGITS);
  count_digits(keys, n_events, n_digits, count);
  for (unsigned d = 0; d < n_digits; d++)
    if (radix_pass(keys, other, n_events, d * DIGIT_BITS, count[d])) {
      OrderKey *swap = keys;
      keys = other;
      other = swap;
    }
  g_free(other);
  order_ties(keys, n_events, batches);
  return keys;
}
